import BluetoothHost
import Foundation
import LinuxSystem

/// The device that peers see: a central and a peripheral at once, with one address.
///
/// Its host has about 110 kB and is never copied out of this object. Only the radio's thread uses
/// it.
final class Device {
  /// The host of a device. Each link is a server and a client at once, whichever side made it.
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
  /// How many channels it can have at once.
  static let channels = 40
  /// How many of these links centrals may make.
  static let peripheralLinks = 8

  /// The address of the device.
  let address: OwnAddress
  let central = DeviceCentral(connections: links)
  let subscribers = SubscriberTable()
  let channels = DeviceChannels()
  let bonds: RadioBonds
  let pairing: DevicePairing
  var host: Host

  /// - Parameters:
  ///   - address: The address of the device.
  ///   - bonds: The store of its bonds.
  init(address: OwnAddress, bonds: RadioBonds = RadioBonds()) {
    self.address = address
    self.bonds = bonds
    pairing = DevicePairing(central)
    host = Self.newHost(address, central, subscribers, channels, bonds, pairing)
  }

  /// Starts again: every link has ended, and the server has only GAP and GATT.
  func renew() {
    host.radioLost()
    host = Self.newHost(address, central, subscribers, channels, bonds, pairing)
    central.radioChanged(to: .starting)
  }

  /// Writes the file of the bonds, if there is one and they have changed.
  func keepBonds() { bonds.keep(as: knownAddress) }

  /// The same, and releases the file.
  func closeBonds() { bonds.close(as: knownAddress) }

  private var knownAddress: DeviceAddress? { host.address == .zero ? nil : host.address }

  private static func newHost(
    _ address: OwnAddress, _ central: DeviceCentral, _ subscribers: SubscriberTable,
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
        database: DynamicDatabase(),
        application: DynamicApplication(capacity: links, subscribers: subscribers)),
      client: GATTClient(application: central),
      security: SecurityManager(
        policy: pairing.policy, identity: nil, bonds: bonds, delegate: pairing,
        agreement: P256KeyAgreement(), random: SystemRandom()),
      channels: CreditBasedChannels(application: channels, mps: .twoPackets))
  }
}
