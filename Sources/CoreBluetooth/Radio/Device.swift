import BluetoothHost
import Foundation

/// What peers see of a radio: one device, a central and a peripheral at once, with one address.
///
/// Its host is about 110 kB and stays where it is: in this object. The thread of the radio alone uses
/// it.
final class Device {
  /// The host of a device. A link serves and asks at once, whichever side began it.
  typealias Host = BluetoothHost.Host<
    32, GATTServer<32, DynamicDatabase, DynamicApplication>, GATTClient<32, DeviceCentral>,
    NoSecurity, CreditBasedChannels<32, 40, DeviceChannels>
  >

  /// How many links it can have at once.
  static let links = 32
  /// How many of these centrals can begin.
  static let peripheralLinks = 8

  /// What the device goes by.
  let address: OwnAddress
  let central = DeviceCentral(places: links)
  let board = UpdateBoard()
  let channels = DeviceChannels()
  var host: Host

  /// - Parameter address: What the device goes by.
  init(address: OwnAddress) {
    self.address = address
    host = Self.newHost(address, central, board, channels)
  }

  /// Begins anew: every link has ended, and the server has nothing but its own services.
  func renew() {
    host.radioLost()
    host = Self.newHost(address, central, board, channels)
    central.radioChanged(to: .starting)
  }

  private static func newHost(
    _ address: OwnAddress, _ central: DeviceCentral, _ board: UpdateBoard,
    _ channels: DeviceChannels
  ) -> Host {
    let machine = Array(ProcessInfo.processInfo.hostName.prefix { $0 != "." }.utf8)
    var configuration = HostConfiguration(
      name: DeviceName(prefixOf: machine.span) ?? DeviceName(StaticText("Linux")),
      service: nil, address: address)
    configuration.peripheralLinks = peripheralLinks
    return Host(
      configuration: configuration,
      server: GATTServer(
        database: DynamicDatabase(), application: DynamicApplication(places: links, board: board)),
      client: GATTClient(application: central), security: NoSecurity(),
      channels: CreditBasedChannels(application: channels, mps: .twoPackets))
  }
}
