import BallTestSupport
import BluetoothHost
import EightBall
import VirtualRadio

@testable import BallControl

/// All packets between a ball and its controller while a central asks it. No time passes.
final class Session {
  /// A packet of the ball, H4's type byte first.
  struct Entry {
    var direction: PacketDirection
    var packet: [UInt8]
  }

  private(set) var entries: [Entry] = []

  private let air = VirtualAir()
  private let now = Instant(rawValue: 0)
  private var ball = BallHost<4>(
    configuration: HostConfiguration(
      name: DeviceName(StaticText("Magic 8-Ball")), service: .ballService, address: .public),
    database: EightBallProfile.makeDatabase(),
    application: BallApplication<4>(seed: 8, style: .text))

  /// A whole visit: a central finds the ball, asks, and disconnects.
  init(asking question: String) {
    let client = BallClient(BallInquiry(question: question))
    let ballController = air.addController()
    let centralController = air.addController()
    ball.start(at: now)
    client.start(at: now)
    var isBusy = true
    while isBusy {
      isBusy = false
      while let packet = Self.packet({ ball.nextPacket(into: &$0, at: now) }) {
        entries.append(Entry(direction: .sent, packet: packet))
        ballController.send(packet.span)
        isBusy = true
      }
      while let packet = Self.packet({ ballController.nextPacket(into: &$0) }) {
        entries.append(Entry(direction: .received, packet: packet))
        ball.receive(packet.span, at: now)
        isBusy = true
      }
      while let packet = Self.packet({ client.nextPacket(into: &$0, at: now) }) {
        centralController.send(packet.span)
        isBusy = true
      }
      while let packet = Self.packet({ centralController.nextPacket(into: &$0) }) {
        client.receive(packet.span, at: now)
        isBusy = true
      }
    }
  }

  private static func packet(_ source: (inout ByteWriter) -> Bool) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 2_053)
    var writer = ByteWriter(storage.mutableSpan)
    guard source(&writer) else { return nil }
    let count = writer.count
    return Array(storage.prefix(count))
  }
}

extension LayeredPacket {
  /// The layers without their bytes: "HCI: …", "L2CAP: …".
  var lines: [String] { layers.map { "\($0.name.rawValue): \($0.text)" } }

  /// The text of the layer `name`; `nil` without it.
  func text(_ name: PacketLayer.Name) -> String? { layers.first { $0.name == name }?.text }

  /// Whether the layers' bytes, joined, are the packet, and each layer has a text.
  func isWhole(_ packet: [UInt8]) -> Bool {
    var end = 0
    for layer in layers {
      guard layer.bytes.lowerBound == end, !layer.text.isEmpty else { return false }
      end = layer.bytes.upperBound
    }
    return !layers.isEmpty && end == packet.count
  }
}
