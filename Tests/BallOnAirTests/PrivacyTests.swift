import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

private typealias Handle = GuardedDatabase.Handle

/// How much of the address resolution the test's controllers do.
private enum Controllers: CaseIterable, CustomTestStringConvertible {
  /// With extended advertising too.
  case resolving
  /// With the commands of Bluetooth 4.
  case withoutLists, withSmallLists

  var configuration: ControllerConfiguration {
    switch self {
    case .resolving: ControllerConfiguration()
    case .withoutLists:
      ControllerConfiguration(
        supportsExtendedAdvertising: false, acceptListSize: 0, supportsPrivacy: false)
    case .withSmallLists:
      ControllerConfiguration(
        supportsExtendedAdvertising: false, acceptListSize: 1, resolvingListSize: 0)
    }
  }

  var testDescription: String { "controllers: \(self)" }
}

/// Core Specification, Vol 3, Part C, 10.7, and Vol 6, Part B, 6.
@Suite("Private addresses")
struct PrivacyTests {
  private static let keys = (Number128(words: [1, 2, 3, 4]), Number128(words: [5, 6, 7, 8]))
  private let hidden = PrivacyPolicy(hidesIdentity: true)

  private func hiddenPair(_ controllers: Controllers) -> SecurePair {
    SecurePair(keys: Self.keys, privacy: hidden, configuration: controllers.configuration)
  }

  /// The central scans, and connects to the device that it hears.
  private func find(_ pair: SecurePair) throws -> DeviceAddress {
    pair.central.host.client.application.advertisers = []
    pair.central.host.scan(ScanParameters())
    pair.run(for: 1_000)
    pair.central.host.scan(nil)
    pair.run(for: 100)
    return try #require(pair.central.collector.advertisers.first?.address)
  }

  @Test("A private device uses a resolvable address, and changes it every 15 minutes")
  func renewal() throws {
    let pair = hiddenPair(.resolving)
    var seen: [DeviceAddress] = []
    for _ in 0..<4 {
      let address = pair.peripheral.host.address
      expect(address.isResolved(by: Self.keys.1))
      expect(pair.peripheral.radio.randomAddress, is: address)
      expect(pair.peripheral.radio.isAdvertising)
      expect(!seen.contains(address))
      seen.append(address)
      expect(try find(pair), is: address)
      pair.run(for: 900_000 - 1_100)
    }
    expect(pair.peripheral.host.radio, is: .advertising)
    expect(pair.peripheral.refusedCommands, is: [])
    expect(pair.central.refusedCommands, is: [])
  }

  @Test("The pause for an address change does not appear in the radio's state")
  func pause() {
    let pair = hiddenPair(.resolving)
    var states: [RadioState] = []
    pair.check = { states.append(pair.peripheral.host.radio) }
    pair.run(for: 2_000_000)
    expect(!states.isEmpty)
    expect(states.allSatisfy { $0 == .advertising })
  }

  @Test("The scanner is private too, and continues to scan with the next address")
  func scanner() {
    let pair = hiddenPair(.resolving)
    pair.central.host.scan(ScanParameters())
    pair.run(for: 1_000)
    let address = pair.central.host.address
    expect(address.isResolved(by: Self.keys.0))
    pair.run(for: 900_000)
    expect(pair.central.host.address != address)
    expect(pair.central.radio.randomAddress, is: pair.central.host.address)
    expect(pair.central.radio.isScanning)
  }

  @Test(
    "Private devices pair, and recognise each other at other addresses",
    arguments: Controllers.allCases)
  private func bonds(_ controllers: Controllers) throws {
    let pair = hiddenPair(controllers)
    let found = try find(pair)
    pair.connect(to: found)
    expect(pair.central.collector.peers, is: [0: found])
    _ = pair.central.pair()
    pair.run(for: 2_000)
    expect(pair.central.bond?.identityAddress, is: pair.peripheral.address)
    expect(pair.peripheral.bond?.identityAddress, is: pair.central.address)
    expect(pair.central.bond?.identityResolvingKey, is: Self.keys.1)
    pair.disconnect()
    pair.run(for: 900_000)
    // The scanner now hears the identity address, and connects to it.
    expect(try find(pair), is: pair.peripheral.address)
    pair.connect(to: pair.peripheral.address)
    expect(pair.central.collector.peers, is: [0: pair.peripheral.address])
    expect(pair.peripheral.application.peers, is: [0: pair.central.address])
    expect(pair.central.protection.contains(.encrypted | .bonded))
    expect(pair.peripheral.protection.contains(.encrypted | .bonded))
    expect(pair.perform(.read(Handle.guarded)), is: nil)
    pair.disconnect()
    pair.run(for: 900_000)
    expect(pair.central.refusedCommands, is: [])
    expect(pair.peripheral.refusedCommands, is: [])
  }

  @Test("An address change interrupts an attempt to connect, which goes on: Vol 3, Part C, 10.7.1")
  func renewalWhileConnecting() {
    let pair = hiddenPair(.resolving)
    let address = pair.central.host.address
    let absent = DeviceAddress(kind: .public, bytes: [9, 0xBA, 0x11, 0, 0, 0xF0])
    _ = pair.central.host.connect(to: absent)
    pair.run(for: 1_000_000)
    let second = pair.central.host.address
    expect(second != address)
    expect(second.isResolved(by: Self.keys.0))
    expect(pair.central.radio.randomAddress, is: second)
    pair.run(for: 900_000)
    expect(pair.central.host.address != second)
    expect(!pair.central.host.canConnect)
    let peer = SecureDevice(number: 9, on: pair.bench)
    pair.run(for: 2_000)
    expect(pair.central.collector.peers, is: [0: absent])
    expect(peer.application.peers, is: [0: pair.central.host.address])
    expect(pair.central.refusedCommands, is: [])
  }

  @Test("The host resolves the bonds that do not fit in the controller's list")
  func fullLists() throws {
    let pair = SecurePair(
      keys: Self.keys, privacy: hidden,
      peripheralConfiguration: ControllerConfiguration(acceptListSize: 1, resolvingListSize: 1))
    let other = SecureDevice(
      number: 3, key: Number128(words: [9, 9, 9, 9]), privacy: hidden,
      on: pair.bench)
    for central in [pair.central, other] {
      _ = central.host.connect(to: pair.peripheral.host.address)
      pair.run(for: 1_000)
      _ = central.pair()
      pair.run(for: 2_000)
      central.host.disconnectAll()
      pair.run(for: 1_000)
    }
    expect(pair.peripheral.bondCount, is: 2)
    pair.peripheral.host.security.privacy.admitsBondedOnly = true
    pair.run(for: 900_000)
    expect(pair.peripheral.host.security.filtersConnections, is: false)
    for central in [pair.central, other] {
      _ = central.host.connect(to: pair.peripheral.address)
      pair.run(for: 1_000)
      expect(pair.peripheral.application.peers.values.first, is: central.address)
      _ = central.secure()
      pair.run(for: 1_000)
      expect(central.isEncrypted)
      central.host.disconnectAll()
      pair.run(for: 1_000)
    }
    expect(pair.peripheral.refusedCommands, is: [])
  }

  @Test("The address changes during a link, which stays and pairs with the old one")
  func renewalOnALink() throws {
    let pair = hiddenPair(.resolving)
    pair.connect(to: try find(pair))
    let address = pair.central.host.address
    pair.run(for: 900_000)
    expect(pair.central.host.address != address)
    expect(pair.central.host.connectionCount, is: 1)
    _ = pair.central.pair()
    pair.run(for: 2_000)
    expect(pair.central.isEncrypted)
    expect(pair.peripheral.bond?.identityAddress, is: pair.central.address)
  }

  @Test("In device privacy mode a bonded device may use its identity address")
  func devicePrivacy() throws {
    let pair = SecurePair(keys: Self.keys)
    pair.pair()
    pair.disconnect()
    expect(try find(pair), is: pair.peripheral.address)
    pair.connect()
    pair.secure()
    expect(pair.peripheral.isEncrypted)
  }

  @Test(
    "After a restart a host loads its bonds into its controller", arguments: Controllers.allCases)
  private func restart(_ controllers: Controllers) throws {
    let pair = hiddenPair(controllers)
    pair.pair(at: try find(pair))
    pair.central.restart()
    pair.peripheral.restart()
    pair.run(for: 5_000)
    expect(try find(pair), is: pair.peripheral.address)
    pair.connect()
    pair.secure()
    expect(pair.central.isEncrypted)
  }

  @Test("In bonded-only mode only bonded devices may connect", arguments: Controllers.allCases)
  private func bondedOnly(_ controllers: Controllers) throws {
    let pair = hiddenPair(controllers)
    let unknown = SecureDevice(number: 3, on: pair.bench)
    pair.pair(at: try find(pair))
    pair.disconnect()
    pair.peripheral.host.security.privacy.admitsBondedOnly = true
    pair.run(for: 1_000)
    expect(pair.peripheral.host.security.filtersConnections, is: controllers == .resolving)

    _ = unknown.host.connect(to: pair.peripheral.host.address)
    pair.run(for: 3_000)
    expect(pair.peripheral.host.connectionCount, is: 0)
    expect(pair.peripheral.application.peers, is: [:])
    expect(unknown.collector.peers, is: [:])
    unknown.host.cancelConnection()
    pair.run(for: 1_000)

    _ = try find(pair)
    pair.connect()
    pair.secure()
    expect(pair.peripheral.isEncrypted)
    pair.disconnect()
    // All devices may connect again.
    pair.peripheral.host.security.privacy.admitsBondedOnly = false
    pair.run(for: 1_000)
    _ = unknown.host.connect(to: pair.peripheral.host.address)
    pair.run(for: 1_000)
    expect(unknown.host.connectionCount, is: 1)
  }
}
