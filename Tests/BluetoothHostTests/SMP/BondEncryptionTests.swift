import BallTestSupport
import BluetoothHost
import Expectations

private func key(_ number: UInt8) -> Number128 { Number128(words: [UInt32(number), 9, 9, 9]) }

/// A bond; with EDIV and Rand, of legacy pairing.
private func bond(
  _ number: UInt8, _ identifier: (UInt16, UInt64)? = nil, isAuthenticated: Bool = false,
  role: PairingRole = .responder
) -> Bond {
  Bond(
    identityAddress: address(number), longTermKey: key(number),
    encryptedDiversifier: identifier?.0 ?? 0, randomNumber: identifier?.1 ?? 0,
    isAuthenticated: isAuthenticated, isSecureConnections: identifier == nil, role: role)
}

extension SecurityStation {
  func hasCommand(at index: Int = 0) -> Bool { manager.hasCommand(at: index) }
  func hasPDU(at index: Int = 0) -> Bool { manager.hasPDU(at: index) }
  func requiresEncryption(at index: Int = 0) -> Bool { manager.requiresEncryption(at: index) }
  var hasPrivacyCommand: Bool { manager.hasPrivacyCommand }
  var filtersConnections: Bool { manager.filtersConnections }

  /// A station with these bonds, and an open link 0.
  fileprivate static func linked(
    _ bonds: [Bond], as role: PairingRole = .initiator, peer: DeviceAddress = address(1)
  ) -> SecurityStation {
    let station = SecurityStation(identity: nil)
    for bond in bonds.reversed() { station.manager.bonds.store(bond) }
    station.manager.opened(
      PairingLink(role: role, ownAddress: address(0xEE), peerAddress: peer), at: 0)
    return station
  }
}

private let legacyBond = bond(1, (5, 6), role: .initiator)
private let failures: [HCIErrorCode] = [.pinOrKeyMissing, .unsupportedFeatureOrParameterValue]

private let scenarios: [Scenario<SecurityStation>] =
  [bond(1), legacyBond].map { bond in
    Scenario(
      "A central encrypts with the key, EDIV and Rand of its bond \(bond.randomNumber), once",
      on: { .linked([bond]) },
      .has(command: false), .secure(), .has(command: true),
      .also { station in
        expect(
          station.manager.takeEncryption(at: 0, at: at(0)),
          is: EncryptionStart(
            longTermKey: bond.longTermKey, encryptedDiversifier: bond.encryptedDiversifier,
            randomNumber: bond.randomNumber))
      },
      // Under way.
      .has(command: false), .secure(), .encrypt, .has(command: false), .changed(true),
      .security(bond.security), .calls(.security(bond.security, 0)), .deadline(nil),
      // Done.
      .secure(), .encrypt, .has(command: false))
  }
  + failures.map { reason in
    Scenario(
      "A failure that concerns the bond's key is reported once: \(reason.rawValue)",
      .secure(), .takesStart(), .changed(false, reason), .calls(.encryptionFailed(reason, 0)),
      .failure(reason), .security(.bonded), .deadline(nil), .changed(false, reason),
      .calls(.encryptionFailed(reason, 0)))
  } + [
    Scenario(
      "A failure, or encryption, that was not requested concerns no bond's key",
      .changed(false, .pinOrKeyMissing), .calls(), .failure(nil), .security(.bonded),
      .deadline(nil), .changed(false, .pinOrKeyMissing), .changed(true), .calls(), .failure(nil),
      .security(.bonded), .deadline(nil), .changed(true), .calls()),
    Scenario(
      "The controller has 45 s for it",
      .secure(), .deadline(nil), .time(1_000), .takesStart(), .deadline(46_000),
      .time(45_999, advances: true), .calls(), .time(46_000, advances: true),
      .calls(.encryptionFailed(.connectionTimeout, 0)), .deadline(nil),
      .failure(.connectionTimeout), .failure(nil),
      // The link is still to be encrypted.
      .encrypt, .takesStart()),
    Scenario(
      "A bond that is removed before encryption begins fails it",
      .secure(), .removeBond(), .takesStart(false), .failure(.pinOrKeyMissing),
      .has(command: false)),
    Scenario(
      "A legacy key of a link in the other role is not used",
      on: { .linked([legacyBond], as: .responder) }, .requestKey(5, 6), .reply(.negative)),
    Scenario(
      "A refused key request ends the one before", on: { .linked([bond(1)], as: .responder) },
      .requestKey(0, 0), .reply(.key(key(1))), .requestKey(0, 1), .reply(.negative),
      .changed(true), .security(.bonded), .changed(false, .authenticationFailure), .calls()),
    Scenario(
      "A link without encryption loses its security, and reports it once",
      on: { .linked([bond(1, isAuthenticated: true)]) },
      .secure(), .takesStart(), .changed(true), .changed(false), .changed(false),
      .calls(
        .security(.encrypted | .authenticated | .secureConnections | .bonded, 0),
        .security(.bonded, 0)),
      // A failed refresh of the key leaves the link without encryption, too.
      .secure(), .takesStart(), .changed(true), .changed(false, .connectionTimeout),
      .security(.bonded)),
  ]

/// Core Specification, Vol 3, Part H, 2.4.4; Vol 4, Part E, 7.8.24 to 7.8.26.
@Suite("Encryption with the key of a bond")
struct BondEncryptionTests {
  @Test("It begins, ends and fails", arguments: scenarios)
  func scenario(_ scenario: Scenario<SecurityStation>) throws {
    try scenario.run(on: .linked([bond(1)]))
  }

  @Test("A central with a key for the link has to encrypt it first")
  func required() {
    let cases: [(label: String, Bond, PairingRole, Bool)] = [
      ("Secure Connections", bond(1), .initiator, true),
      ("legacy, as the central", bond(1, (5, 6), role: .initiator), .initiator, true),
      ("legacy, as the peripheral", bond(1, (5, 6)), .initiator, false),
      ("a peripheral", bond(1), .responder, false), ("another peer", bond(2), .initiator, false),
    ]
    for (label, bond, role, isRequired) in cases {
      let station = SecurityStation.linked([bond], as: role)
      expect(station.requiresEncryption(), is: isRequired, "\(label)")
      station.manager.encrypt(at: 0)
      expect(station.hasCommand(), is: isRequired, "\(label)")
      guard isRequired else { continue }
      _ = station.manager.takeEncryption(at: 0, at: at(0))
      for isEncrypted in [true, false] {
        station.manager.encryptionChanged(.success, isEncrypted: isEncrypted, at: 0, at: at(0))
        expect(station.requiresEncryption() != isEncrypted, "\(label)")
      }
      station.manager.removeBond(at: 0)
      expect(!station.requiresEncryption(), "\(label)")
    }
  }

  @Test("A peripheral has a key for these requests")
  func keyRequests() {
    let bonds = [
      bond(1, (5, 6)), bond(2, isAuthenticated: true), bond(3, (0, 9)), bond(4, (9, 0)),
    ]
    // The peer's address, EDIV and Rand, and the bond.
    let cases: [(UInt8, UInt16, UInt64, Int?)] = [
      (1, 5, 6, 0), (1, 0, 0, nil), (1, 5, 7, nil), (1, 4, 6, nil), (1, 5, 0, nil), (1, 0, 6, nil),
      (2, 0, 0, 1), (2, 7, 8, nil), (2, 0, 1, nil), (2, 1, 0, nil),
      // The identifier finds a peer at any address.
      (2, 5, 6, 0), (8, 5, 6, 0), (8, 0, 9, 2), (8, 9, 0, 3), (8, 0, 0, nil), (8, 9, 9, nil),
    ]
    for (peer, diversifier, number, found) in cases {
      let comment: Comment = "peer \(peer), EDIV \(diversifier), Rand \(number)"
      let station = SecurityStation.linked(bonds, as: .responder, peer: address(peer))
      station.requestKey(diversifier, number)
      expect(station.hasCommand(), comment)
      expect(
        station.manager.takeKeyReply(at: 0),
        is: found.map { .key(bonds[$0].longTermKey) } ?? .negative, comment)
      expect(!station.hasCommand(), comment)
      station.manager.encryptionChanged(.success, isEncrypted: true, at: 0, at: at(0))
      let bonded: LinkSecurity = peer < 8 ? .bonded : .none
      expect(
        station.manager.security(at: 0), is: found.map { bonds[$0].security } ?? bonded, comment)
      // The used bond is the first now.
      if let found { expect(station.bond(), is: bonds[found], comment) }
    }
  }

  @Test("No link, or one out of range, has neither commands nor security")
  func withoutLink() {
    let station = SecurityStation.linked([bond(1)], as: .initiator)
    expect(station.secure())
    for index in [-1, 1, 2, Int.max] {
      station.manager.closed(at: index, at: at(0))
      expect(!station.secure(at: index))
      expect(!station.pair(at: index))
      station.manager.encrypt(at: index)
      station.requestKey(0, 0, at: index)
      station.manager.encryptionChanged(.success, isEncrypted: true, at: index, at: at(0))
      station.manager.noteActivity(of: ConnectionSet(index))
      expect(!station.hasCommand(at: index) && !station.hasPDU(at: index))
      expect(station.manager.security(at: index), is: .none)
      let pdu = written {
        expect(station.manager.writePDU(at: index, to: &$0, at: at(0)), is: false)
      }
      expect(pdu, is: [])
      expect(station.manager.bondIndex(at: index), is: nil)
      expect(!station.requiresEncryption(at: index))
      let start = station.manager.takeEncryption(at: index, at: at(0))
      let reply = station.manager.takeKeyReply(at: index)
      let failure = station.manager.takeEncryptionFailure(at: index)
      let recognition = station.manager.takeRecognition(at: index)
      let isChanged = station.manager.takeChange(of: ClientState(), at: index)
      expect(start == nil && reply == nil && failure == nil && recognition == nil && !isChanged)
    }
    for index in [-1, 2] {
      station.manager.opened(
        PairingLink(role: .responder, ownAddress: .zero, peerAddress: .zero), at: index)
    }
    expect(station.hasCommand(), "the other link is the same")
    expect(station.calls, is: [])
  }
}
