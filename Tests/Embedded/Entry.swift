// Compiled by scripts/check embedded with the core: specialises hosts with one connection and with
// four, and calls everything that a board would.

import BluetoothHost
import EightBall

/// One turn of a firmware's loop, for a host of one connection and for a host of four.
///
/// - Returns: A value that depends on every call, so that nothing is optimised away.
@c(eightball_ball_entry)
public func ballEntry(_ milliseconds: UInt32, _ byte: UInt8) -> UInt32 {
  let now = Instant(rawValue: 0).advanced(by: milliseconds)
  var one = BallHost<1>(
    configuration: configuration, database: EightBallProfile.makeDatabase(),
    application: BallApplication(seed: 1, style: .text))
  var four = BallHost<4>(
    configuration: configuration, database: EightBallProfile.makeDatabase(),
    application: BallApplication(seed: 4, style: .slug))
  return turn(of: &one, at: now, byte) &+ turn(of: &four, at: now, byte)
}

private var configuration: HostConfiguration {
  HostConfiguration(name: DeviceName(StaticText("8-Ball")), service: .ballService, address: .public)
}

private func turn<let capacity: Int>(
  of host: inout BallHost<capacity>, at now: Instant, _ byte: UInt8
) -> UInt32 {
  let incoming = InlineArray<64, UInt8>(repeating: byte)
  var outgoing = InlineArray<526, UInt8>(repeating: 0)
  var sum: UInt32 = 0

  host.start(at: now)
  host.receive(incoming.span, at: now)
  host.advance(to: now)
  var writer = ByteWriter(outgoing.mutableSpan)
  while host.nextPacket(into: &writer, at: now) {
    sum &+= UInt32(writer.count)
    writer.truncate(to: 0)
  }
  sum &+= UInt32(truncatingIfNeeded: host.deadline?.rawValue ?? 0)

  host.server.application.shake()
  host.server.application.clear()
  while host.server.application.nextEvent() != nil { sum &+= 1 }
  host.server.application.withQuestion(at: 0) { question in sum &+= UInt32(question.count) }
  if host.server.application.lights.isAnswering { sum &+= 1 }

  host.server.databaseChanged(in: .all)
  sum &+= UInt32(host.server.database.location(of: .answer).handle.rawValue)
  host.server.deviceName = DeviceName(StaticText("Ball"))
  host.advertise(Advertisement(service: .ballService, name: host.server.deviceName))
  host.advertise(nil)
  host.resume(at: 0)
  if host.server.isPutOff(at: 0) { sum &+= 1 }
  sum &+= UInt32(host.mtu(at: 0).byteCount)
  host.disconnectAll()
  host.shutDown()
  if host.isShutDown { sum &+= 1 }
  host.radioLost()
  return sum
}
