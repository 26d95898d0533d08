import BluetoothHost
import EightBall
import Testing
import VirtualRadio

/// Two hosts with Security Managers, each on a controller of the virtual air.
@Suite("Hosts pair over the air")
struct PairingTests {
  /// Both sides have agreed, the link has this security, and the bonds are equal.
  private func expectPaired(_ pair: SecurePair, _ security: LinkSecurity) throws {
    for device in [pair.central, pair.peripheral] {
      #expect(device.protection == security)
      #expect(device.record.security.contains(.encrypted))
      #expect(device.bondCount == 1)
    }
    let own = try #require(pair.central.bond)
    let other = try #require(pair.peripheral.bond)
    #expect(own.longTermKey == other.longTermKey)
    #expect(own.identityAddress == pair.peripheral.address)
    #expect(other.identityAddress == pair.central.address)
  }

  @Test("The central pairs by LE Secure Connections, and both store the same key")
  func centralPairs() throws {
    let pair = SecurePair()
    pair.connect()
    #expect(pair.central.pair())
    pair.run(for: 2_000)
    try expectPaired(pair, .encrypted | .secureConnections | .bonded)
  }

  @Test("The peripheral requests the pairing")
  func peripheralAsks() throws {
    let pair = SecurePair()
    pair.connect()
    #expect(pair.peripheral.pair())
    pair.run(for: 2_000)
    try expectPaired(pair, .encrypted | .secureConnections | .bonded)
  }

  @Test("Controllers whose packets hold 27 bytes carry a public key in three")
  func smallPackets() throws {
    let pair = SecurePair(configuration: ControllerConfiguration(aclDataLength: 27))
    pair.connect()
    #expect(pair.central.pair())
    pair.run(for: 2_000)
    try expectPaired(pair, .encrypted | .secureConnections | .bonded)
  }

  @Test("A device without P-256 pairs by legacy pairing")
  func legacy() throws {
    let pair = SecurePair(peripheral: PairingPolicy(secureConnections: .notOffered))
    pair.connect()
    #expect(pair.central.pair())
    pair.run(for: 2_000)
    try expectPaired(pair, .encrypted | .bonded)
  }

  @Test("Both users see the same number, and a link that both confirm is authenticated")
  func comparison() throws {
    let policy = PairingPolicy(ioCapability: .displayYesNo)
    let pair = SecurePair(central: policy, peripheral: policy)
    pair.connect()
    #expect(pair.central.pair())
    pair.run(for: 1_000)
    #expect(pair.central.record.prompts.count == 1)
    #expect(pair.central.record.prompts == pair.peripheral.record.prompts)
    for device in [pair.central, pair.peripheral] {
      #expect(device.protection == .none)
      #expect(device.confirm())
    }
    pair.run(for: 1_000)
    try expectPaired(pair, .encrypted | .authenticated | .secureConnections | .bonded)
  }

  @Test("A bond encrypts the next link without pairing")
  func bond() throws {
    let pair = SecurePair()
    pair.connect()
    #expect(pair.central.pair())
    pair.run(for: 2_000)
    pair.disconnect()
    pair.connect(inClear: true)
    #expect(pair.central.protection == .bonded)
    #expect(pair.peripheral.protection == .bonded)
    #expect(pair.central.secure())
    pair.run(for: 1_000)
    try expectPaired(pair, .encrypted | .secureConnections | .bonded)
    #expect(pair.central.record.outcomes.count == 1)
  }

  @Test("A peripheral that has lost its bond cannot encrypt, and the link stays unprotected")
  func lostBond() {
    let pair = SecurePair()
    pair.connect()
    _ = pair.central.pair()
    pair.run(for: 2_000)
    pair.disconnect()
    pair.peripheral.host.security.removeBond(at: 0)
    pair.connect()
    _ = pair.central.secure()
    pair.run(for: 1_000)
    // At the connection, and at the program's request.
    #expect(pair.central.record.encryptionFailures == [.pinOrKeyMissing, .pinOrKeyMissing])
    #expect(pair.central.protection == .bonded)
    #expect(pair.peripheral.protection == .none)
  }

  @Test("A wrong key ends the link at both sides")
  func wrongKey() {
    let pair = SecurePair()
    pair.connect()
    pair.central.radio.faults.changeKeys(1)
    _ = pair.central.pair()
    pair.run(for: 2_000)
    #expect(pair.central.host.connectionCount == 0)
    #expect(pair.central.bondCount == 0)
    #expect(pair.peripheral.bondCount == 0)
  }
}
