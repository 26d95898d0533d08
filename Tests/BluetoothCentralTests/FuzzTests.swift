import BallTestSupport
import BluetoothHost
import Testing

@testable import BluetoothCentral

@Suite("Noise")
struct FuzzTests {
  @Test("packets of noise do no harm", arguments: 0..<8 as Range<UInt64>)
  func noise(seed: UInt64) {
    var random = FixedRandom(seed: seed)
    let (central, radio, link) = connectedCentral()
    central.scan()
    for _ in 0..<3_000 {
      var packet = (0..<Int.random(in: 0...48, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // Mostly events and data with a length that is true, often of the link that there is.
      if packet.count > 5, Bool.random(using: &random) {
        packet[0] = 0x04
        packet[2] = UInt8(packet.count - 3)
        packet[1] = [0x05, 0x0E, 0x0F, 0x13, 0x3E, 0x3E].randomElement(using: &random) ?? 0
        if packet[1] == 0x3E { packet[3] = UInt8.random(in: 1...14, using: &random) }
      } else if packet.count > 9 {
        packet[0...4] = [0x02, UInt8(radio.lastHandle & 0xFF), 0x20, UInt8(packet.count - 5), 0]
        packet[5...8] = [
          UInt8(packet.count - 9), 0, [4, 5, 6].randomElement(using: &random) ?? 4, 0,
        ]
      }
      if Bool.random(using: &random) {
        central.perform(.read(AttributeHandle(rawValue: 3)), on: link)
      }
      radio.give(packet)
      radio.run()
      radio.pass(UInt32.random(in: 0...500, using: &random))
      _ = central.takeEvents()
    }
    // It can still be put to use.
    central.start(at: radio.now)
    radio.pass(20_000)
    #expect(central.isReady)
  }

  @Test("a ball's talk with bits turned over is asked to an end", arguments: 0..<8 as Range<UInt64>)
  func flippedBits(seed: UInt64) {
    var random = FixedRandom(seed: seed)
    for _ in 0..<100 {
      let inquiry = Inquiry("Will it rain on the day after tomorrow?")
      inquiry.radio.fault = { packet in
        guard UInt8.random(in: 0..<10, using: &random) == 0, !packet.isEmpty else {
          return [packet]
        }
        var packet = packet
        let index = Int.random(in: packet.indices, using: &random)
        packet[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        return [packet]
      }
      inquiry.run()
      inquiry.pass(120_000)
      #expect(inquiry.finished != nil)
    }
  }
}
