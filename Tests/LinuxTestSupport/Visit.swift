import BallTestSupport
import BluetoothHost
import EightBall
import VirtualRadio

/// A ball and a central on one virtual air, with every packet between each host and its controller.
/// Time stands still.
package final class Visit {
  /// One packet, H4's type byte first.
  package struct Entry {
    package var isBall: Bool
    /// Sent to the controller, or received from it.
    package var direction: PacketDirection
    package var packet: [UInt8]
  }

  /// Every packet so far, in order.
  package private(set) var entries: [Entry] = []

  private let air = VirtualAir()
  private let now = Instant(rawValue: 0)
  private var ball: BallHost<4>
  private let ballController: VirtualController
  package let central: Phone
  private var centralController: VirtualController { central.radio }

  /// The ball of `eightball run --seed 8`, already advertising, and a central that has not started.
  package init(_ makeCentral: (VirtualController) -> Phone, style: AnswerFormat = .text) {
    ball = BallHost<4>(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Magic 8-Ball")), service: .ballService, address: .public),
      database: EightBallProfile.makeDatabase(),
      application: BallApplication<4>(seed: 8, style: style))
    ballController = air.addController()
    central = makeCentral(air.addController())
    ball.start(at: now)
    carry()
  }

  /// Every packet of a whole visit: a client finds the ball, asks, and disconnects.
  package static func asking(_ question: String) -> [Entry] {
    let visit = Visit { Asker(question, on: $0) }
    visit.begin()
    return visit.entries
  }

  /// Starts the central, and carries packets until there are none.
  package func begin() {
    central.start(at: now)
    carry()
  }

  /// Carries packets until there are none.
  package func carry() {
    /// The next packet of a host or a controller, which is also an entry.
    func next(
      _ isBall: Bool, _ direction: PacketDirection, from source: (inout ByteWriter) -> Bool
    ) -> [UInt8]? {
      let packet = packet(from: source)
      if let packet { entries.append(Entry(isBall: isBall, direction: direction, packet: packet)) }
      return packet
    }
    var count: Int
    repeat {
      count = entries.count
      while let packet = next(true, .sent, from: { ball.nextPacket(into: &$0, at: now) }) {
        ballController.send(packet.span)
      }
      while let packet = next(true, .received, from: { ballController.nextPacket(into: &$0) }) {
        ball.receive(packet.span, at: now)
      }
      while let packet = next(false, .sent, from: { central.nextPacket(into: &$0, at: now) }) {
        centralController.send(packet.span)
      }
      while let packet = next(false, .received, from: { centralController.nextPacket(into: &$0) }) {
        central.receive(packet.span, at: now)
      }
    } while entries.count > count
  }

  /// The ball's response to a PDU that the central itself would not send.
  package func answer(of pdu: [UInt8]) -> [UInt8]? {
    guard let handle = ballController.connectionHandles.last else { return nil }
    let frame = bytes(of: pdu.count) + bytes(of: Int(L2CAPChannel.att.rawValue)) + pdu
    let header = ACLHeader(handle: handle, boundary: .firstFlushable)
    let packet = packet { writer in
      header.writePacket(frame.span, to: &writer)
      return true
    }
    guard let packet else { return nil }
    ball.receive(packet.span, at: now)
    let answer = self.packet { ball.nextPacket(into: &$0, at: now) }
    return answer.map { Array($0.dropFirst(ACLHeader.packetHeaderLength + 4)) }
  }

  private func bytes(of number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8)] }

  private func packet(from source: (inout ByteWriter) -> Bool) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 2_053)
    var count = 0
    do {
      var writer = ByteWriter(storage.mutableSpan)
      guard source(&writer) else { return nil }
      count = writer.count
    }
    return Array(storage.prefix(count))
  }
}
