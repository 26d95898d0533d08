import BluetoothHost
import EightBall
import Testing

/// A ball with its host, on a controller that carries out every command, with central n on link n.
final class BallOnController {
  var host: BallHost<2>
  /// The ATT PDUs that were sent, each with its link.
  private(set) var sent: [(link: UInt8, pdu: [UInt8])] = []

  init(seed: UInt64 = 8, style: AnswerFormat = .text) {
    let name = DeviceName(StaticText("8-Ball"))
    host = BallHost<2>(
      configuration: HostConfiguration(name: name, service: .ballService, address: .public),
      database: EightBallProfile.makeDatabase(),
      application: BallApplication(seed: seed, style: style))
    host.start(at: Instant(rawValue: 0))
    run()
  }

  func connect(_ link: UInt8) {
    receive(
      [0x04, 0x3E, 19, 0x01, 0x00, link, 0x00, 0x01, 0x01, link, 0, 0, 0, 0, 0xC0]
        + [24, 0, 0, 0, 72, 0, 0])
  }

  /// The PDUs that a central receives after one of its own.
  func exchange(_ pdu: [UInt8], on link: UInt8 = 1) -> [[UInt8]] {
    let before = sent.count
    let length = UInt8(pdu.count)
    receive([0x02, link, 0x20, length + 4, 0, length, 0, 0x04, 0x00] + pdu)
    return sent[before...].filter { $0.link == link }.map(\.pdu)
  }

  func run() {
    while let packet = nextPacket() {
      if packet[0] == 0x02 {
        // The buffers are longer than any PDU: 5 bytes of ACL header, 4 of L2CAP.
        sent.append((packet[1], Array(packet[9...])))
        host.receive([0x04, 0x13, 5, 1, packet[1], 0, 1, 0].span, at: Instant(rawValue: 0))
      } else {
        answer(packet)
      }
    }
  }

  private func receive(_ packet: [UInt8]) {
    host.receive(packet.span, at: Instant(rawValue: 0))
    run()
  }

  private func nextPacket() -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 526)
    var writer = ByteWriter(storage.mutableSpan)
    guard host.nextPacket(into: &writer, at: Instant(rawValue: 0)) else { return nil }
    let count = writer.count
    return Array(storage[..<count])
  }

  private func answer(_ command: [UInt8]) {
    let results: [UInt8] =
      switch HCIOpcode(rawValue: UInt16(command[1]) | UInt16(command[2]) << 8) {
      case .readBDADDR: [0x00, 1, 0, 0, 0, 0, 0xF0]
      case .leReadBufferSize: [0x00, 0x00, 0x04, 4]  // 1,024 bytes, 4 packets
      case .leReadLocalSupportedFeatures: [0x00, 0, 0, 0, 0, 0, 0, 0, 0]
      default: [0x00]
      }
    let event = [0x04, 0x0E, UInt8(3 + results.count), 1, command[1], command[2]] + results
    host.receive(event.span, at: Instant(rawValue: 0))
  }
}
