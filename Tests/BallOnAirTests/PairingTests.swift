import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

/// Two hosts with Security Managers, each on a controller of the virtual air.
@Suite("Hosts pair over the air")
struct PairingTests {
  /// Both sides have agreed, the link has this security, and the bonds are equal.
  private func expectPaired(_ pair: SecurePair, _ security: LinkSecurity) throws {
    for device in pair.devices {
      expect(device.protection, is: security)
      expect(device.record.security.contains(.encrypted))
      expect(device.bondCount, is: 1)
    }
    let own = try #require(pair.central.bond)
    let other = try #require(pair.peripheral.bond)
    expect(own.longTermKey, is: other.longTermKey)
    expect(own.identityAddress, is: pair.peripheral.address)
    expect(other.identityAddress, is: pair.central.address)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var begins: KeyPath<SecurePair, SecureDevice> & Sendable = \.central
    var configuration = ControllerConfiguration()
    var peripheral = PairingPolicy()
    var security: LinkSecurity = .encrypted | .secureConnections | .bonded
  }

  @Test(
    "Both store the same key",
    arguments: [
      Row(testDescription: "the central pairs by LE Secure Connections"),
      Row(testDescription: "the peripheral requests the pairing", begins: \.peripheral),
      Row(
        testDescription: "packets of 27 bytes carry a public key in three",
        configuration: ControllerConfiguration(aclDataLength: 27)),
      Row(
        testDescription: "a device without P-256 pairs by legacy pairing",
        peripheral: PairingPolicy(secureConnections: .notOffered),
        security: .encrypted | .bonded),
    ])
  func pairs(_ row: Row) throws {
    let pair = SecurePair(peripheral: row.peripheral, configuration: row.configuration)
    pair.connect()
    expect(pair[keyPath: row.begins].pair())
    pair.run(for: 2_000)
    try expectPaired(pair, row.security)
  }

  @Test("Both users see the same number, and a link that both confirm is authenticated")
  func comparison() throws {
    let policy = PairingPolicy(ioCapability: .displayYesNo)
    let pair = SecurePair(central: policy, peripheral: policy)
    pair.connect()
    expect(pair.central.pair())
    pair.run(for: 1_000)
    expect(pair.central.record.prompts.count, is: 1)
    expect(pair.central.record.prompts, is: pair.peripheral.record.prompts)
    for device in pair.devices {
      expect(device.protection, is: .none)
      expect(device.confirm())
    }
    pair.run(for: 1_000)
    try expectPaired(pair, .encrypted | .authenticated | .secureConnections | .bonded)
  }

  @Test("A bond encrypts the next link without pairing")
  func bond() throws {
    let pair = SecurePair()
    pair.pair()
    pair.disconnect()
    pair.connect(inClear: true)
    for device in pair.devices { expect(device.protection, is: .bonded) }
    expect(pair.central.secure())
    pair.run(for: 1_000)
    try expectPaired(pair, .encrypted | .secureConnections | .bonded)
    expect(pair.central.record.outcomes.count, is: 1)
  }

  @Test("A wrong key ends the link at both sides")
  func wrongKey() {
    let pair = SecurePair()
    pair.connect()
    pair.central.radio.faults.changeKeys(1)
    _ = pair.central.pair()
    pair.run(for: 2_000)
    expect(pair.central.host.connectionCount, is: 0)
    for device in pair.devices { expect(device.bondCount, is: 0) }
  }
}
