// Compiled by scripts/check embedded with the core: specialises client-only hosts with one
// connection and with four, and a host in both roles.

import BluetoothHost
import EightBall

/// One turn of a firmware's loop, for each host.
///
/// - Returns: A value that depends on every call, so that nothing is optimised away.
@c(eightball_roles_entry)
public func rolesEntry(_ milliseconds: UInt32, _ byte: UInt8) -> UInt32 {
  let now = Instant(rawValue: 0).advanced(by: milliseconds)
  var both = BothRoles<4>(
    configuration: configuration,
    server: GATTServer(
      database: EightBallProfile.makeDatabase(),
      application: BallApplication<4>(seed: 4, style: .slug)),
    client: GATTClient(application: Application()))
  return clientEntry(milliseconds, byte) &+ turn(of: &both, at: now, byte)
    &+ periodicEntry(milliseconds, byte)
}

/// The same for a host that broadcasts and follows trains.
private func periodicEntry(_ milliseconds: UInt32, _ byte: UInt8) -> UInt32 {
  let now = Instant(rawValue: 0).advanced(by: milliseconds)
  var host = PeriodicRoles(
    configuration: configuration,
    server: AdvertisingServer(
      database: EightBallProfile.makeDatabase(),
      application: BallApplication<1>(seed: 4, style: .slug)),
    client: ScanningClient(application: Application()))
  let data: InlineArray<3, UInt8> = [2, 9, byte]
  var count: UInt32 = 0
  if host.advertise(AdvertisingSet(.nonconnectable), data.span, in: 0) { count &+= 1 }
  if host.advertise(PeriodicTrain(interval: 6...6), data.span, withSet: 0) { count &+= 1 }
  if host.synchronize(with: SynchronizationParameters(address: .zero, advertisingSet: byte)) == nil
  {
    count &+= 1
  }
  host.unsynchronize(at: Int(byte))
  if host.requestSubrate(.none, at: Int(byte)) { count &+= 1 }
  return count &+ turn(of: &host, at: now, byte)
}

/// A ball that broadcasts, and follows others.
typealias PeriodicRoles = Host<
  1,
  AdvertisingServer<
    1, EightBallProfile.Database, BallApplication<1>, PeriodicAdvertisingSets<1, 31, 60>
  >, ScanningClient<1, Application, PeriodicScanner<1, 31, 1, 60>>, NoSecurity, NoChannels
>

/// The same for client-only hosts.
@c(eightball_client_entry)
public func clientEntry(_ milliseconds: UInt32, _ byte: UInt8) -> UInt32 {
  let now = Instant(rawValue: 0).advanced(by: milliseconds)
  var one = Central<1, Application>(configuration: configuration, application: Application())
  var four = Central<4, Application>(configuration: configuration, application: Application())
  return turn(of: &one, at: now, byte) &+ turn(of: &four, at: now, byte)
}

/// A ball that also asks other balls.
typealias BothRoles<let links: Int> = Host<
  links, GATTServer<links, EightBallProfile.Database, BallApplication<links>>,
  GATTClient<links, Application>,
  NoSecurity, NoChannels
>

/// An application that counts.
struct Application: ClientApplication {
  var count: UInt32 = 0

  mutating func received(_ report: borrowing AdvertisingReport) {
    count &+= UInt32(report.data.count)
  }
  mutating func scanFailed(_ reason: HCIErrorCode) { count &+= 1 }
  mutating func connectionFailed(_ reason: HCIErrorCode) { count &+= 1 }
  mutating func connected(
    at index: Int, to peer: DeviceAddress, role: LEConnectionComplete.Role
  ) { count &+= 1 }
  mutating func disconnected(at index: Int, reason: HCIErrorCode) { count &+= 1 }
  mutating func found(_ service: RemoteService, at index: Int) { count &+= 1 }
  mutating func found(_ include: RemoteInclude, at index: Int) { count &+= 1 }
  mutating func found(_ characteristic: RemoteCharacteristic, at index: Int) { count &+= 1 }
  mutating func found(_ descriptor: RemoteDescriptor, at index: Int) { count &+= 1 }
  mutating func read(_ part: Span<UInt8>, from offset: Int, at index: Int) {
    count &+= UInt32(part.count)
  }
  func writeValue(from offset: Int, at index: Int, into value: inout ByteWriter) {
    value.write(UInt8(truncatingIfNeeded: offset))
  }
  mutating func ended(_ operation: ClientOperation, with error: OperationError?, at index: Int) {
    if error == nil { count &+= 1 }
  }
  mutating func notified(_ handle: AttributeHandle, _ value: Span<UInt8>, at index: Int) {
    count &+= UInt32(value.count)
  }
  mutating func readRSSI(_ rssi: Int8?, at index: Int) { count &+= 1 }
  mutating func radioChanged(to state: RadioState) { count &+= 1 }
}

private var configuration: HostConfiguration {
  HostConfiguration(name: DeviceName(StaticText("8-Ball")), service: nil, address: .public)
}

private func turn<let links: Int, Server: ServerRole & ~Copyable, Scanner: ScannerRole>(
  of host:
    inout Host<
      links, Server, ScanningClient<links, Application, Scanner>, NoSecurity, NoChannels
    >,
  at now: Instant, _ byte: UInt8
) -> UInt32 {
  let incoming = InlineArray<64, UInt8>(repeating: byte)
  var outgoing = InlineArray<526, UInt8>(repeating: 0)
  var sum: UInt32 = 0

  host.start(at: now)
  host.scan(ScanParameters())
  if host.canConnect, host.connect(to: .zero) { sum &+= 1 }
  host.receive(incoming.span, at: now)
  host.advance(to: now)
  if host.perform(.write(.first, byteCount: Int(byte)), at: 0) { sum &+= 1 }
  if host.perform(.discoverServices, at: 0) { sum &+= 1 }
  if host.operation(at: 0) == nil { sum &+= 1 }
  var writer = ByteWriter(outgoing.mutableSpan)
  while host.nextPacket(into: &writer, at: now) {
    sum &+= UInt32(writer.count)
    writer.truncate(to: 0)
  }
  sum &+= UInt32(truncatingIfNeeded: host.deadline?.rawValue ?? 0)
  host.readRSSI(at: 0)
  sum &+= UInt32(host.mtu(at: 0).byteCount)
  host.scan(nil)
  host.cancelConnection()
  host.disconnectAll()
  host.shutDown()
  if host.isShutDown { sum &+= 1 }
  host.radioLost()
  return sum &+ host.client.application.count
}
