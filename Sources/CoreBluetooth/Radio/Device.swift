import BluetoothHost
import Foundation
import LinuxSystem

/// What peers see of a radio: one device, a central and a peripheral at once, with one address.
///
/// Its host is about 110 kB and stays where it is: in this object. The thread of the radio alone uses
/// it.
final class Device {
  /// The host of a device. A link serves and asks at once, whichever side began it.
  typealias Host = BluetoothHost.Host<
    32, GATTServer<32, DynamicDatabase, DynamicApplication>, GATTClient<32, DeviceCentral>,
    Security, CreditBasedChannels<32, 40, DeviceChannels>
  >
  /// What protects its links, in both roles.
  typealias Security = SecurityManager<
    32, P256KeyAgreement, SystemRandom, RadioBonds, DevicePairing
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
  let bonds: RadioBonds
  let pairing: DevicePairing
  var host: Host

  /// - Parameters:
  ///   - address: What the device goes by.
  ///   - bonds: The peers that it knows, and which it gets to know.
  init(address: OwnAddress, bonds: RadioBonds = RadioBonds()) {
    self.address = address
    self.bonds = bonds
    pairing = DevicePairing(central)
    host = Self.newHost(address, central, board, channels, bonds, pairing)
  }

  /// Begins anew: every link has ended, and the server has nothing but its own services.
  func renew() {
    host.radioLost()
    host = Self.newHost(address, central, board, channels, bonds, pairing)
    central.radioChanged(to: .starting)
  }

  /// Writes the file of the bonds, if they have one and have changed.
  func keepBonds() { bonds.keep(as: knownAddress) }

  /// The same, and leaves the file to others.
  func closeBonds() { bonds.close(as: knownAddress) }

  private var knownAddress: DeviceAddress? { host.address == .zero ? nil : host.address }

  private static func newHost(
    _ address: OwnAddress, _ central: DeviceCentral, _ board: UpdateBoard,
    _ channels: DeviceChannels, _ bonds: RadioBonds, _ pairing: DevicePairing
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
      client: GATTClient(application: central),
      security: SecurityManager(
        policy: pairing.policy, identity: nil, bonds: bonds, delegate: pairing,
        agreement: P256KeyAgreement(), random: SystemRandom()),
      channels: CreditBasedChannels(application: channels, mps: .twoPackets))
  }
}
