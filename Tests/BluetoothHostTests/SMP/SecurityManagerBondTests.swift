import BluetoothHost
import Testing

@Suite("Bonds of a Security Manager")
struct SecurityManagerBondTests {
  private let central: SecurityStation
  private let peripheral: SecurityStation

  init() {
    let policy = PairingPolicy(ioCapability: .displayYesNo)
    central = SecurityStation(policy, identity: initiatorIdentity, seed: 1)
    peripheral = SecurityStation(policy, identity: responderIdentity, seed: 2)
  }

  private func pairedOnce() throws -> Bond {
    central.connect(to: peripheral)
    #expect(central.pair())
    central.run()
    return try #require(peripheral.bond())
  }

  /// Begins a new link, 100 s later.
  private func reconnect() {
    central.disconnect()
    central.now = Instant(rawValue: central.now.rawValue + 100_000)
    peripheral.now = central.now
    central.connect(to: peripheral)
  }

  @Test("A new pairing replaces the bond when it is complete")
  func replacement() throws {
    let old = try pairedOnce()
    // The link is lost after each number of PDUs.
    for count in 0..<12 {
      // Each loss is a failure, which delays the next pairing.
      reconnect()
      #expect(central.pair())
      central.run(count)
      #expect(peripheral.bond() == old, "after \(count) PDUs")
      #expect(peripheral.bondCount == 1)
    }
    reconnect()
    #expect(central.pair())
    central.run()
    let new = try #require(peripheral.bond())
    #expect(peripheral.bondCount == 1 && central.bondCount == 1)
    #expect(new.longTermKey != old.longTermKey)
    #expect(new.longTermKey == central.bond()?.longTermKey)
  }

  @Test("A new pairing cannot weaken the bond's protection")
  func neverWeaker() throws {
    let old = try pairedOnce()
    #expect(old.isAuthenticated && old.isSecureConnections)
    let weaker: [PairingPolicy] = [
      PairingPolicy(ioCapability: .noInputNoOutput),
      PairingPolicy(ioCapability: .displayYesNo, secureConnections: .notOffered),
      PairingPolicy(ioCapability: .keyboardDisplay, secureConnections: .notOffered),
    ]
    for policy in weaker {
      // The central has lost its bond, and with it the protection that it requires.
      central.manager.removeBond(at: 0)
      central.manager.policy = policy
      reconnect()
      #expect(central.pair())
      central.run()
      #expect(peripheral.outcomes.last == .failed(.authenticationRequirements))
      #expect(central.outcomes.last == .refused(.authenticationRequirements))
      #expect(peripheral.bond() == old)
    }
  }

  @Test("A weaker pairing cannot take the identity of a stronger bond")
  func claimedIdentity() throws {
    let old = try pairedOnce()
    // A device with its own private address claims to be the bonded device.
    let thief = SecurityStation(
      PairingPolicy(ioCapability: .noInputNoOutput),
      identity: LocalIdentity(
        identityResolvingKey: Number128(words: [6, 6, 6, 6]), address: initiatorAddress), seed: 6)
    let address = resolvableAddress(
      of: LocalIdentity(
        identityResolvingKey: Number128(words: [6, 6, 6, 6]), address: initiatorAddress), prand: 3)
    thief.connect(to: peripheral, at: 1, from: address)
    #expect(thief.pair())
    thief.run()
    #expect(peripheral.outcomes.last == .failed(.keyRejected))
    #expect(peripheral.bond() == old && peripheral.bondCount == 1)
    #expect(!peripheral.manager.security(at: 1).contains(.bonded))
  }

  @Test("An identity whose key does not resolve the link's address is refused")
  func impossibleIdentity() {
    central.connect(to: peripheral, from: resolvableAddress(of: responderIdentity, prand: 9))
    #expect(central.pair())
    central.run()
    #expect(peripheral.outcomes == [.failed(.invalidParameters)])
    #expect(peripheral.bondCount == 0)
  }

  /// Each is distributed with the key that resolves the private address on the link.
  @Test(
    "An address that no other device can have is refused as an identity: Vol 6, Part B, 1.3.2.1",
    arguments: [
      DeviceAddress(kind: .public, bytes: [0, 0, 0, 0, 0, 0]),
      DeviceAddress(kind: .public, bytes: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      DeviceAddress(kind: .random, bytes: [0, 0, 0, 0, 0, 0xC0]),
      DeviceAddress(kind: .random, bytes: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      // A private address is no identity.
      DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0x40]),
      DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0x00]),
      // The address of the peripheral's side of the link.
      DeviceAddress(kind: .random, bytes: [9, 9, 9, 9, 9, 0xC9]),
      // The peripheral's own identity.
      responderAddress,
    ])
  func invalidIdentity(identity: DeviceAddress) {
    let local = LocalIdentity(
      identityResolvingKey: Number128(words: [6, 6, 6, 6]), address: identity)
    let central = SecurityStation(identity: local, seed: 1)
    central.connect(
      to: peripheral, from: resolvableAddress(of: local, prand: 9),
      peer: DeviceAddress(kind: .random, bytes: [9, 9, 9, 9, 9, 0xC9]))
    #expect(central.pair())
    central.run()
    // The peripheral's own identity is also the central's, which refuses it first.
    #expect(
      peripheral.outcomes == [
        identity == responderAddress ? .refused(.invalidParameters) : .failed(.invalidParameters)
      ])
    #expect(peripheral.bondCount == 0)
  }

  @Test(
    "A valid address next to those is accepted",
    arguments: [
      DeviceAddress(kind: .public, bytes: [1, 0, 0, 0, 0, 0]),
      DeviceAddress(kind: .public, bytes: [0, 0, 0, 0, 0, 1]),
      DeviceAddress(kind: .public, bytes: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]),
      DeviceAddress(kind: .public, bytes: [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      DeviceAddress(kind: .random, bytes: [1, 0, 0, 0, 0, 0xC0]),
      DeviceAddress(kind: .random, bytes: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]),
      DeviceAddress(kind: .random, bytes: [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ])
  func validIdentity(identity: DeviceAddress) {
    let local = LocalIdentity(
      identityResolvingKey: Number128(words: [6, 6, 6, 6]), address: identity)
    let central = SecurityStation(identity: local, seed: 1)
    central.connect(to: peripheral, from: resolvableAddress(of: local, prand: 9))
    #expect(central.pair())
    central.run()
    #expect(peripheral.bond()?.identityAddress == identity)
  }

  @Test("A link with an invalid address gives no bond")
  func invalidAddress() {
    let central = SecurityStation(identity: nil, seed: 1)
    central.connect(
      to: peripheral, from: DeviceAddress(kind: .public, bytes: [255, 255, 255, 255, 255, 255]))
    #expect(central.pair())
    central.run()
    #expect(peripheral.outcomes == [.paired(nil)])
    #expect(peripheral.bondCount == 0)
  }

  /// A controller with a public address may connect with a static random one, and distribute the
  /// public one: Vol 3, Part H, 3.6.5.
  @Test("An identity address on the link stays the identity, whichever the peer distributes")
  func otherIdentity() throws {
    let address = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6])
    central.connect(to: peripheral, from: address)
    #expect(central.pair())
    central.run()
    let bond = try #require(peripheral.bond())
    #expect(peripheral.outcomes == [.paired(bond)])
    #expect(central.outcomes.count == 1 && central.bondCount == 1)
    #expect(bond.identityAddress == address)
    #expect(bond.identityResolvingKey == initiatorIdentity.identityResolvingKey)
    // It is found at this address, and at its private addresses; not at the other identity.
    for (next, isKnown) in [
      (address, true), (resolvableAddress(of: initiatorIdentity, prand: 77), true),
      (initiatorAddress, false),
    ] {
      central.disconnect()
      central.connect(to: peripheral, from: next)
      #expect(peripheral.manager.security(at: 0) == (isKnown ? .bonded : .none))
    }
  }

  // MARK: Who may replace a bond

  /// A device with other keys that wants the place of the bonded one.
  private func thief(_ key: UInt32 = 6, address: DeviceAddress = initiatorAddress)
    -> (station: SecurityStation, identity: LocalIdentity)
  {
    let identity = LocalIdentity(
      identityResolvingKey: key == 0 ? .zero : Number128(words: [key, 6, 6, 6]), address: address)
    return (
      SecurityStation(
        PairingPolicy(ioCapability: .displayYesNo), identity: identity, seed: UInt64(key) + 6),
      identity
    )
  }

  @Test("A stranger with a private address cannot replace a bond of equal strength")
  func stranger() throws {
    let old = try pairedOnce()
    let (thief, identity) = thief()
    thief.connect(to: peripheral, at: 1, from: resolvableAddress(of: identity, prand: 3))
    #expect(thief.pair())
    thief.run()
    #expect(peripheral.outcomes.last == .failed(.keyRejected))
    #expect(peripheral.bond() == old && peripheral.bondCount == 1)
  }

  @Test(
    "A stranger with a bonded device's address cannot replace its bond, and is not recognised",
    arguments: [0, 6] as [UInt32])
  func strangerWithAddress(key: UInt32) throws {
    let old = try pairedOnce()
    let (thief, _) = thief(key)
    thief.connect(to: peripheral, at: 1)
    #expect(thief.pair())
    thief.run()
    #expect(peripheral.outcomes.last == .failed(.keyRejected))
    #expect(peripheral.bond() == old && peripheral.bondCount == 1)
    #expect(peripheral.manager.security(at: 1).contains(.encrypted))
    let recognition = peripheral.manager.takeRecognition(at: 1)
    #expect(recognition == nil, "The server does not give it the client's state.")
  }

  @Test("A device that has lost its bond proves with its identity resolving key that it is the one")
  func provedByResolvingKey() throws {
    let old = try pairedOnce()
    central.disconnect()
    central.manager.removeBond(at: 0)
    central.connect(to: peripheral, from: resolvableAddress(of: initiatorIdentity, prand: 99))
    #expect(central.pair())
    central.run()
    let new = try #require(peripheral.bond())
    #expect(new.longTermKey != old.longTermKey && peripheral.bondCount == 1)
    let recognition = peripheral.manager.takeRecognition(at: 0)
    #expect(recognition == .new)
  }

  @Test("A device without such a key proves with the old bond's key that it is the one")
  func provedByEncryption() throws {
    let plain = LocalIdentity(identityResolvingKey: .zero, address: initiatorAddress)
    central.manager.identity = plain
    let old = try pairedOnce()
    #expect(old.identityResolvingKey == nil)
    reconnect()
    #expect(central.secure())
    central.run()
    #expect(central.pair())
    central.run()
    #expect(peripheral.bond()?.longTermKey != old.longTermKey && peripheral.bondCount == 1)
    // The proof ends with the link.
    let new = peripheral.bond()
    reconnect()
    #expect(central.pair())
    central.run()
    #expect(peripheral.outcomes.last == .failed(.keyRejected))
    #expect(peripheral.bond() == new)
  }

  @Test("A peer that has lost its bond, and has no such key, pairs after its bond is removed")
  func removedFirst() throws {
    central.manager.identity = LocalIdentity(
      identityResolvingKey: .zero, address: initiatorAddress)
    let old = try pairedOnce()
    peripheral.manager.removeBond(at: 0)
    reconnect()
    #expect(central.pair())
    central.run()
    #expect(peripheral.bond()?.longTermKey != old.longTermKey && peripheral.bondCount == 1)
  }

  // MARK: A full store

  @Test("In a full store no bond is dropped if the policy says so; a known device may pair again")
  func fullStore() throws {
    peripheral.manager.policy.dropsBonds = false
    for number: UInt8 in 1...4 {
      let address = DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0x56])
      let (other, _) = thief(UInt32(number), address: address)
      other.connect(to: peripheral, from: address)
      #expect(other.pair())
      other.run()
      other.disconnect()
      #expect(peripheral.bondCount == Int(number))
    }
    let addresses = (0..<4).map { peripheral.bond($0)?.identityAddress }
    #expect(!addresses.contains(initiatorAddress))
    central.connect(to: peripheral)
    #expect(central.pair())
    central.run()
    #expect(peripheral.outcomes.last == .noRoom)
    #expect((0..<4).map { peripheral.bond($0)?.identityAddress } == addresses)
    central.disconnect()

    let known = DeviceAddress(kind: .public, bytes: [2, 0, 0, 0, 0, 0x56])
    let (again, _) = thief(2, address: known)
    again.connect(to: peripheral, from: known)
    #expect(again.pair())
    again.run()
    #expect(peripheral.bond()?.identityAddress == known && peripheral.bondCount == 4)
    again.disconnect()

    peripheral.manager.policy.dropsBonds = true
    central.now = Instant(rawValue: 1_000_000)
    peripheral.now = central.now
    central.connect(to: peripheral)
    #expect(central.pair())
    central.run()
    #expect(peripheral.bond()?.identityAddress == initiatorAddress && peripheral.bondCount == 4)
  }

  @Test("Pairing closes after a success if the policy says so, and not after a failure")
  func closing() throws {
    peripheral.manager.policy.closesAfterPairing = true
    central.connect(to: peripheral)
    #expect(central.pair())
    central.receive([0x05, 0x08])
    peripheral.receive([0x05, 0x08])
    #expect(peripheral.manager.policy.isOpen)
    reconnect()
    #expect(central.pair())
    central.run()
    #expect(peripheral.bondCount == 1)
    #expect(!peripheral.manager.policy.isOpen)
    let (other, identity) = thief()
    other.connect(to: peripheral, at: 1, from: resolvableAddress(of: identity, prand: 3))
    #expect(other.pair())
    other.run()
    #expect(other.outcomes == [.refused(.pairingNotSupported)])
  }

  @Test("A private address without an identity gives no bond")
  func withoutIdentity() throws {
    let central = SecurityStation(identity: nil, seed: 1)
    central.connect(
      to: peripheral, from: resolvableAddress(of: initiatorIdentity, prand: 9))
    #expect(central.pair())
    central.run()
    #expect(peripheral.outcomes == [.paired(nil)])
    #expect(peripheral.bondCount == 0)
    #expect(peripheral.manager.security(at: 0).contains(.encrypted))
  }

  @Test("A central keeps its bond when the peripheral has lost it")
  func lostBond() throws {
    _ = try pairedOnce()
    central.disconnect()
    peripheral.manager.removeBond(at: 0)
    central.connect(to: peripheral)
    #expect(central.secure())
    central.run()
    #expect(peripheral.replies.last == .negative)
    #expect(central.calls.last == .encryptionFailed(.pinOrKeyMissing, 0))
    #expect(central.bondCount == 1)
    #expect(!central.manager.security(at: 0).contains(.encrypted))
    // The owner decides whether to pair again.
    #expect(central.pair())
    central.run()
    #expect(central.bond()?.longTermKey == peripheral.bond()?.longTermKey)
  }

  @Test("A link whose bond is removed is no longer bonded")
  func removal() throws {
    _ = try pairedOnce()
    #expect(peripheral.manager.bondIndex(at: 0) == 0)
    peripheral.manager.removeBond(at: 0)
    #expect(peripheral.manager.bondIndex(at: 0) == nil)
    #expect(!peripheral.manager.security(at: 0).contains(.bonded))
    #expect(peripheral.manager.security(at: 0).contains(.encrypted))
    peripheral.manager.removeBond(at: 5)
  }

  @Test("A link without encryption is only bonded")
  func encryptionOff() throws {
    _ = try pairedOnce()
    peripheral.manager.encryptionChanged(
      .success, isEncrypted: false, at: 0, at: peripheral.now)
    #expect(peripheral.manager.security(at: 0) == .bonded)
    // Unrequested encryption does not prove a key.
    peripheral.manager.encryptionChanged(.success, isEncrypted: true, at: 0, at: peripheral.now)
    #expect(peripheral.manager.security(at: 0) == .bonded)
  }
}
