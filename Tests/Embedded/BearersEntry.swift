// Compiled by scripts/check embedded with the core: specialises a host in both roles with enhanced ATT
// bearers beside other channels.

import BluetoothHost
import EightBall

/// A ball that also asks other balls, with up to six enhanced bearers.
private typealias BearerHost = Host<
  4, GATTServer<4, EightBallProfile.Database, BallApplication<4>>, GATTClient<4, Application>,
  NoSecurity, CreditBasedChannels<4, 8, EnhancedBearers<4, 6, ChannelOwner>>
>

/// One turn of a firmware's loop.
///
/// - Returns: A value that depends on every call, so that nothing is optimised away.
@c(eightball_bearers_entry)
public func bearersEntry(_ milliseconds: UInt32, _ byte: UInt8) -> UInt32 {
  let now = Instant(rawValue: 0).advanced(by: milliseconds)
  var host = BearerHost(
    configuration: HostConfiguration(
      name: DeviceName(StaticText("8-Ball")), service: nil, address: .public),
    server: GATTServer(
      database: EightBallProfile.makeDatabase(),
      application: BallApplication<4>(seed: 4, style: .slug)),
    client: GATTClient(application: Application()), security: NoSecurity(),
    channels: CreditBasedChannels(
      application: EnhancedBearers(application: ChannelOwner()), mps: .twoPackets))
  let incoming = InlineArray<64, UInt8>(repeating: byte)
  var outgoing = InlineArray<526, UInt8>(repeating: 0)
  var sum: UInt32 = 0
  host.start(at: now)
  host.receive(incoming.span, at: now)
  if host.openBearers(3, at: 0) { sum &+= 1 }
  if host.perform(.read(.first), at: 4) { sum &+= 1 }
  host.resume(at: 0)
  host.advance(to: now)
  var writer = ByteWriter(outgoing.mutableSpan)
  while host.nextPacket(into: &writer, at: now) {
    sum &+= UInt32(writer.count)
    writer.truncate(to: 0)
  }
  sum &+= UInt32(truncatingIfNeeded: host.deadline?.rawValue ?? 0)
  host.radioLost()
  return sum &+ host.client.application.count &+ UInt32(host.channels.count)
}
