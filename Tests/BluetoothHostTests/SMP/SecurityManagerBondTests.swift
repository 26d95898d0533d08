import BluetoothHost
import Expectations

/// The address of the peripheral's side of a link.
private let linkAddress = DeviceAddress(kind: .random, bytes: [9, 9, 9, 9, 9, 0xC9])
private let otherIdentity = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6])
private let allOnes = DeviceAddress(kind: .public, bytes: InlineArray(repeating: 0xFF))
private let yesNo = PairingPolicy(ioCapability: .displayYesNo)

/// An identity with another key; with the number 0, without a key.
private func identity(_ key: UInt32 = 6, _ address: DeviceAddress = initiatorAddress)
  -> LocalIdentity
{
  LocalIdentity(
    identityResolvingKey: key == 0 ? .zero : Number128(words: [key, 6, 6, 6]), address: address)
}

extension Step where Subject == StationPair {
  /// Another device pairs with the peripheral, on its link 1. It has this identity, and on the link
  /// its private address or its identity address.
  fileprivate static func other(
    _ identity: LocalIdentity, policy: PairingPolicy = yesNo, isPrivate: Bool,
    _ steps: Step<SecurityStation>...
  ) -> Step {
    Step { pair in
      let other = SecurityStation(
        policy, identity: identity, seed: UInt64(identity.identityResolvingKey.words[0]) + 6)
      let address = isPrivate ? resolvableAddress(of: identity, prand: 3) : identity.address
      other.pairs(with: pair.peripheral, at: 1, from: address)
      for step in steps { try step.take(other) }
    }
  }
}

private let scenarios: [Scenario<StationPair>] = [
  Scenario(
    "A new pairing replaces the bond when it is complete",
    .connect(), .pairs(), .keepBond,
    .also { pair in
      // The link is lost after each number of PDUs. Each loss is a failure, which delays the next
      // pairing.
      for count in 0..<12 {
        pair.reconnect()
        expect(pair.central.pair())
        pair.central.run(count)
        expect(pair.peripheral.bond(), is: pair.oldBond, "after \(count) PDUs")
        expect(pair.peripheral.bondCount, is: 1)
      }
    },
    .reconnect(), .pairs(), .hasOldBond(false), .central(.bonds(1)),
    .also { expect($0.central.bond()?.longTermKey, is: $0.peripheral.bond()?.longTermKey) }),
  Scenario(
    "A new pairing cannot weaken the bond's protection",
    .connect(), .pairs(), .keepBond,
    .also { pair in
      expect(pair.oldBond?.isAuthenticated == true && pair.oldBond?.isSecureConnections == true)
      for policy in [
        PairingPolicy(ioCapability: .noInputNoOutput),
        PairingPolicy(ioCapability: .displayYesNo, secureConnections: .notOffered),
        PairingPolicy(ioCapability: .keyboardDisplay, secureConnections: .notOffered),
      ] {
        // The central has lost its bond, and with it the protection that it requires.
        pair.central.manager.removeBond(at: 0)
        pair.central.manager.policy = policy
        pair.reconnect()
        pair.central.pairs()
        expect(pair.peripheral.outcomes.last, is: .failed(.authenticationRequirements))
        expect(pair.central.outcomes.last, is: .refused(.authenticationRequirements))
        expect(pair.peripheral.bond(), is: pair.oldBond)
      }
    }),
  Scenario(
    "A weaker pairing cannot take the identity of a stronger bond",
    .connect(), .pairs(), .keepBond,
    // A device with its own private address claims to be the bonded device.
    .other(identity(), policy: PairingPolicy(ioCapability: .noInputNoOutput), isPrivate: true),
    .peripheral(.last(.failed(.keyRejected)), .security(contains: .bonded, false, on: 1)),
    .hasOldBond(true)),
  Scenario(
    "An identity whose key does not resolve the link's address is refused",
    .connect(from: resolvableAddress(of: responderIdentity, prand: 9)), .pairs(),
    .peripheral(.outcomes(.failed(.invalidParameters)), .bonds(0))),
  Scenario(
    "A link with an invalid address gives no bond",
    on: { StationPair(PairingPolicy(), identity: nil) },
    .connect(from: allOnes), .pairs(), .peripheral(.outcomes(.paired(nil)), .bonds(0))),
  Scenario(
    "A private address without an identity gives no bond",
    on: { StationPair(PairingPolicy(), identity: nil) },
    .connect(from: resolvableAddress(of: initiatorIdentity, prand: 9)), .pairs(),
    .peripheral(.outcomes(.paired(nil)), .bonds(0), .security(contains: .encrypted))),
  // A controller with a public address may connect with a static random one, and distribute the
  // public one: Vol 3, Part H, 3.6.5.
  Scenario(
    "An identity address on the link stays the identity, whichever the peer distributes",
    .connect(from: otherIdentity), .pairs(), .central(.outcomeCount(1), .bonds(1)),
    .peripheral(.bonded(to: otherIdentity)),
    .also { pair in
      let bond = try #require(pair.peripheral.bond())
      expect(pair.peripheral.outcomes, is: [.paired(bond)])
      expect(bond.identityResolvingKey, is: initiatorIdentity.identityResolvingKey)
    },
    // It is found at this address, and at its private addresses; not at the other identity.
    .disconnect, .connect(from: otherIdentity), .peripheral(.security(.bonded)), .disconnect,
    .connect(from: resolvableAddress(of: initiatorIdentity, prand: 77)),
    .peripheral(.security(.bonded)), .disconnect, .connect(), .peripheral(.security(.none))),
]

/// Who may replace a bond.
private let replacements: [Scenario<StationPair>] = [
  Scenario(
    "A stranger with a private address cannot replace a bond of equal strength",
    .connect(), .pairs(), .keepBond, .other(identity(), isPrivate: true),
    .peripheral(.last(.failed(.keyRejected))), .hasOldBond(true)),
  Scenario(
    "A device that has lost its bond proves with its identity resolving key that it is the one",
    .connect(), .pairs(), .keepBond, .disconnect, .central(.removeBond()),
    .connect(from: resolvableAddress(of: initiatorIdentity, prand: 99)), .pairs(),
    .hasOldBond(false), .peripheral(.recognition(.new))),
  Scenario(
    "A device without such a key proves with the old bond's key that it is the one",
    .central(.identity(identity(0))), .connect(), .pairs(), .keepBond,
    .also { expect($0.oldBond?.identityResolvingKey, is: nil) },
    .reconnect(), .secures(), .pairs(), .hasOldBond(false),
    // The proof ends with the link.
    .keepBond, .reconnect(), .pairs(), .peripheral(.last(.failed(.keyRejected))),
    .hasOldBond(true)),
  Scenario(
    "A peer that has lost its bond, and has no such key, pairs after its bond is removed",
    .central(.identity(identity(0))), .connect(), .pairs(), .keepBond, .peripheral(.removeBond()),
    .reconnect(), .pairs(), .hasOldBond(false)),
  Scenario(
    "A central keeps its bond when the peripheral has lost it",
    .connect(), .pairs(), .disconnect, .peripheral(.removeBond()), .connect(), .secures(),
    .also { pair in
      expect(pair.peripheral.replies.last, is: .negative)
      expect(pair.central.calls.last, is: .encryptionFailed(.pinOrKeyMissing, 0))
    },
    .central(.bonds(1), .security(contains: .encrypted, false)),
    // The owner decides whether to pair again.
    .pairs(),
    .also { expect($0.central.bond()?.longTermKey, is: $0.peripheral.bond()?.longTermKey) }
  ),
  Scenario(
    "A link whose bond is removed is no longer bonded",
    .connect(), .pairs(), .also { expect($0.peripheral.manager.bondIndex(at: 0), is: 0) },
    .peripheral(.removeBond()),
    .also { expect($0.peripheral.manager.bondIndex(at: 0), is: nil) },
    .peripheral(.security(contains: .bonded, false), .security(contains: .encrypted)),
    .peripheral(.removeBond(5))),
  Scenario(
    "A link without encryption is only bonded",
    .connect(), .pairs(), .peripheral(.changed(false), .security(.bonded)),
    // Unrequested encryption does not prove a key.
    .peripheral(.changed(true), .security(.bonded))),
  Scenario(
    "Pairing closes after a success if the policy says so, and not after a failure",
    .peripheral(.set(policy: \.closesAfterPairing, true)), .connect(), .central(.pair()),
    .both(.receive([0x05, 0x08])), .also { expect($0.peripheral.manager.policy.isOpen) },
    .reconnect(), .pairs(), .peripheral(.bonds(1)),
    .also { expect(!$0.peripheral.manager.policy.isOpen) },
    .other(identity(), isPrivate: true, .outcomes(.refused(.pairingNotSupported)))),
]

@Suite("Bonds of a Security Manager")
struct SecurityManagerBondTests {
  @Test("Bonds are made, used and replaced, or not", arguments: scenarios + replacements)
  func scenario(_ scenario: Scenario<StationPair>) throws { try scenario.run(on: StationPair()) }

  /// Each is distributed with the key that resolves the private address on the link.
  @Test(
    "An address that no other device can have is refused as an identity: Vol 6, Part B, 1.3.2.1",
    arguments: [
      DeviceAddress(kind: .public, bytes: [0, 0, 0, 0, 0, 0]), allOnes,
      DeviceAddress(kind: .random, bytes: [0, 0, 0, 0, 0, 0xC0]),
      DeviceAddress(kind: .random, bytes: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      // A private address is no identity.
      DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0x40]),
      DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0x00]),
      // The address of the peripheral's side of the link, and its own identity.
      linkAddress, responderAddress,
    ])
  func invalidIdentity(address: DeviceAddress) {
    let pair = StationPair(PairingPolicy(), identity: identity(6, address))
    pair.central.pairs(
      with: pair.peripheral, from: resolvableAddress(of: identity(6, address), prand: 9),
      peer: linkAddress)
    // The peripheral's own identity is also the central's, which refuses it first.
    expect(
      pair.peripheral.outcomes,
      is: [
        address == responderAddress ? .refused(.invalidParameters) : .failed(.invalidParameters)
      ])
    expect(pair.peripheral.bondCount, is: 0)
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
  func validIdentity(address: DeviceAddress) {
    let pair = StationPair(PairingPolicy(), identity: identity(6, address))
    pair.central.pairs(
      with: pair.peripheral, from: resolvableAddress(of: identity(6, address), prand: 9))
    expect(pair.peripheral.bond()?.identityAddress, is: address)
  }

  @Test(
    "A stranger with a bonded device's address cannot replace its bond, and is not recognised",
    arguments: [0, 6] as [UInt32])
  func strangerWithAddress(key: UInt32) throws {
    let pair = StationPair()
    pair.central.pairs(with: pair.peripheral)
    let old = try #require(pair.peripheral.bond())
    let thief = SecurityStation(yesNo, identity: identity(key), seed: UInt64(key) + 6)
    thief.pairs(with: pair.peripheral, at: 1)
    expect(pair.peripheral.outcomes.last, is: .failed(.keyRejected))
    expect(pair.peripheral.bond() == old && pair.peripheral.bondCount == 1)
    expect(pair.peripheral.manager.security(at: 1).contains(.encrypted))
    // The server does not give it the client's state.
    expect(pair.peripheral.manager.takeRecognition(at: 1), is: nil)
  }

  @Test("In a full store no bond is dropped if the policy says so; a known device may pair again")
  func fullStore() throws {
    let pair = StationPair()
    let (central, peripheral) = (pair.central, pair.peripheral)
    func identities() -> [DeviceAddress?] { (0..<4).map { peripheral.bond($0)?.identityAddress } }
    func pairs(_ number: UInt8) -> DeviceAddress {
      let address = DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0x56])
      let other = SecurityStation(
        yesNo, identity: identity(UInt32(number), address), seed: UInt64(number) + 6)
      other.pairs(with: peripheral, from: address)
      other.disconnect()
      return address
    }
    peripheral.manager.policy.dropsBonds = false
    for number: UInt8 in 1...4 {
      _ = pairs(number)
      expect(peripheral.bondCount, is: Int(number))
    }
    let kept = identities()
    expect(!kept.contains(initiatorAddress))
    central.pairs(with: peripheral)
    expect(peripheral.outcomes.last, is: .noRoom)
    expect(identities(), is: kept)
    central.disconnect()
    let known = pairs(2)
    expect(peripheral.bond()?.identityAddress == known && peripheral.bondCount == 4)
    peripheral.manager.policy.dropsBonds = true
    pair.reconnect()
    central.pairs()
    expect(peripheral.bond()?.identityAddress == initiatorAddress && peripheral.bondCount == 4)
  }
}
