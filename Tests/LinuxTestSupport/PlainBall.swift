import BluetoothHost
import EightBall
import Expectations
import LinuxRadio

/// A ball as a program.
package struct PlainBall: RadioProgram, ~Copyable {
  package var host: BallHost<4>

  package init(_ name: String = "Ball", address: OwnAddress = .public) throws {
    let name = DeviceName(Array(name.utf8).span)
    host = BallHost<4>(
      configuration: HostConfiguration(
        name: try #require(name), service: .ballService, address: address),
      database: EightBallProfile.makeDatabase(),
      application: BallApplication<4>(seed: 8, style: .text))
  }

  package mutating func radioIsReady(at now: Instant) { host.start(at: now) }
  package mutating func radioIsLost(_ error: RadioError, at now: Instant) { host.radioLost() }

  package mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.receive(packet, at: now)
    while host.server.application.nextEvent() != nil {}
  }

  package mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }

  package var deadline: Instant? { host.deadline }
  package mutating func advance(to now: Instant) { host.advance(to: now) }
  package mutating func turnEnded() {}
  package mutating func shutDown(at now: Instant) { host.shutDown() }
  package var isFinished: Bool { host.isShutDown }
}
