import BallTestSupport
import Expectations

@testable import BluetoothHost

/// A peer's valid responses to the frames that it has received.
private struct FuzzPeer {
  /// The responses to the device's requests.
  var answers: [[UInt8]] = []

  mutating func receive(_ frame: [UInt8]) {
    guard frame.count >= 12, frame[2] == 0x05 else { return }
    switch frame[4] {
    case 0x17:
      answers.append(
        signal(0x18, frame[5], words(100, 64, 3, 0) + frame[16...]))
    case 0x14:
      // The peer's CID equals the device's.
      answers.append(signal(0x15, frame[5], frame[10...11] + words(100, 50, 3, 0)))
    case 0x06: answers.append(signal(0x07, frame[5], Array(frame[8...11])))
    default: break
    }
  }
}

@Suite("Channels: random input")
struct ChannelFuzzTests {
  /// A random number from a small range, which often hits a channel or a request.
  private func word(_ random: inout FixedRandom) -> UInt16 {
    switch random.next() % 8 {
    case 0...4: UInt16.random(in: 0x0040...0x0048, using: &random)
    case 5: UInt16.random(in: 0...30, using: &random)
    case 6: 0x0080
    default: UInt16.random(in: 0...0xFFFF, using: &random)
    }
  }

  private func command(_ random: inout FixedRandom) -> [UInt8] {
    let codes: [UInt8] = [
      0x01, 0x06, 0x07, 0x14, 0x14, 0x15, 0x16, 0x16, 0x17, 0x17, 0x18, 0x19,
    ]
    let code = codes[Int.random(in: 0..<codes.count, using: &random)]
    let identifier = UInt8.random(in: 0...12, using: &random)
    var count = [0x14, 0x15].contains(code) ? 5 : code == 0x01 ? 3 : 2
    if code >= 0x17 { count = Int.random(in: 3...9, using: &random) }
    var data = (0..<count).flatMap { _ in Array(little: word(&random)) }
    if code == 0x14 || code == 0x17 { data[0...1] = [0x80, 0x00] }
    if code == 0x18, data.count > 8 { data[6...7] = [UInt8.random(in: 0...15, using: &random), 0] }
    if code == 0x15, Bool.random(using: &random) { data[8...9] = [0, 0] }
    var frame = signal(code, identifier, data)
    if random.next() % 10 == 0 {
      frame[Int.random(in: 4..<frame.count, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
    }
    if random.next() % 20 == 0 { frame.removeLast(Int.random(in: 1...4, using: &random)) }
    return frame
  }

  private func kFrame(_ random: inout FixedRandom) -> [UInt8] {
    let length = UInt16.random(in: 0...40, using: &random)
    let count = random.next() % 4 == 0 ? Int.random(in: 0...120, using: &random) : Int(length)
    return l2cap(
      UInt16.random(in: 0x003F...0x0050, using: &random),
      (random.next() % 8 == 0 ? [] : Array(little: length)) + [UInt8](counting: count))
  }

  @Test("Each opened channel closes once, and no state is left", arguments: 1...20)
  func fuzz(seed: UInt64) throws {
    var random = FixedRandom(seed: seed)
    let device = try ChannelDevice.listening(ChannelListener(mtu: #require(ChannelMTU(64))))
    var used: Set<Int> = []
    var openedCount = 0
    var peers = [FuzzPeer(), FuzzPeer()]
    for _ in 0..<5000 {
      let link = Int.random(in: 0...1, using: &random)
      let channel = Int.random(in: -1...9, using: &random)
      switch random.next() % 12 {
      case 0...2: device.receive(command(&random), on: link)
      case 3...4:
        guard !peers[link].answers.isEmpty else { continue }
        device.receive(peers[link].answers.removeFirst(), on: link)
      case 5...6: device.receive(kFrame(&random), on: link)
      case 7:
        if let channel = device.role.open(.firstDynamic, mtu: .minimum, at: link) {
          expect(used.insert(channel).inserted, "a number in use is not reused")
        }
        let count = Int.random(in: 1...5, using: &random)
        if var opened = try device.role.open(
          count, of: .firstDynamic, mtu: #require(ChannelMTU(64)), at: link)
        {
          while let channel = opened.first(from: 0) {
            opened.remove(channel)
            expect(used.insert(channel).inserted, "a number in use is not reused")
          }
        }
      case 8:
        device.role.application.outgoing[channel] = [
          [UInt8](counting: Int.random(in: 0...200, using: &random))
        ]
        device.role.resume(channel)
      case 9: if random.next() % 4 == 0 { device.role.disconnect(channel) }
      case 10:
        device.wait(UInt32.random(in: 0...2000, using: &random))
        if random.next() % 50 == 0 {
          device.lose(link)
          device.connect(link)
          peers[link] = FuzzPeer()
        }
      default:
        let length = Int.random(in: 18...60, using: &random)
        for _ in 0..<3 {
          guard let packet = device.nextPacket(on: link, length: length) else { break }
          if packet.starts { peers[link].receive(packet.data) }
        }
      }
      for event in device.role.application.events {
        switch event {
        case .opened(let channel, _, _, _):
          used.insert(channel)
          openedCount += 1
        case .closed(let channel, _): expect(used.remove(channel) != nil, "closed once")
        case .sent(let channel), .reconfigured(let channel, _): expect(used.contains(channel))
        }
      }
      device.role.application.events = []
      expect(device.role.count, is: used.count)
    }
    expect(openedCount > 50, "too few channels opened")
    for link in 0..<2 { device.lose(link) }
    expect(device.role.application.events.count, is: used.count)
    expect(device.role.count, is: 0)
    expect(device.role.deadline, is: nil)
    expect(device.role.pendingConnections, is: .none)
  }
}
