import BallTestSupport
import BluetoothHost
import Testing

private func address(_ number: UInt8) -> DeviceAddress { .staticRandom([number, 0, 0, 0, 0, 0]) }

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

private func at(_ milliseconds: UInt64) -> Instant { Instant(rawValue: milliseconds) }

extension SecurityStation {
  func hasCommand(at index: Int = 0) -> Bool { manager.hasCommand(at: index) }
  func hasPDU(at index: Int = 0) -> Bool { manager.hasPDU(at: index) }
  func requiresEncryption(at index: Int = 0) -> Bool { manager.requiresEncryption(at: index) }
  var hasPrivacyCommand: Bool { manager.hasPrivacyCommand }
  var filtersConnections: Bool { manager.filtersConnections }

  /// A station with these bonds, and an open link 0.
  fileprivate static func linked(
    _ bonds: [Bond], as role: PairingRole, peer: DeviceAddress = address(1),
    policy: PairingPolicy = PairingPolicy()
  ) -> SecurityStation {
    let station = SecurityStation(policy, identity: nil)
    for bond in bonds.reversed() { station.manager.bonds.store(bond) }
    station.manager.opened(
      PairingLink(role: role, ownAddress: address(0xEE), peerAddress: peer), at: 0)
    return station
  }

  fileprivate func changed(_ isEncrypted: Bool, _ status: HCIErrorCode = .success) {
    manager.encryptionChanged(status, isEncrypted: isEncrypted, at: 0, at: now)
  }

  fileprivate func takeStart(at now: UInt64 = 0) -> EncryptionStart? {
    manager.takeEncryption(at: 0, at: Instant(rawValue: now))
  }
}

/// Core Specification, Vol 3, Part H, 2.4.4; Vol 4, Part E, 7.8.24 to 7.8.26.
@Suite("Encryption with the key of a bond")
struct BondEncryptionTests {
  @Test("A central encrypts with the key, EDIV and Rand of its bond, once")
  func start() {
    for bond in [bond(1), bond(1, (5, 6), role: .initiator)] {
      let central = SecurityStation.linked([bond], as: .initiator)
      #expect(!central.hasCommand())
      #expect(central.secure())
      #expect(central.hasCommand())
      let start = central.takeStart()
      #expect(
        start
          == EncryptionStart(
            longTermKey: bond.longTermKey, encryptedDiversifier: bond.encryptedDiversifier,
            randomNumber: bond.randomNumber))
      #expect(!central.hasCommand())
      #expect(central.secure(), "under way")
      central.manager.encrypt(at: 0)
      #expect(!central.hasCommand(), "under way")
      central.changed(true)
      #expect(central.manager.security(at: 0) == bond.security)
      #expect(central.calls == [.security(bond.security, 0)])
      #expect(central.manager.deadline == nil)
      #expect(central.secure(), "done")
      central.manager.encrypt(at: 0)
      #expect(!central.hasCommand(), "done")
    }
  }

  @Test("The controller has 45 s for it")
  func timeout() {
    let central = SecurityStation.linked([bond(1)], as: .initiator)
    #expect(central.secure())
    #expect(central.manager.deadline == nil)
    _ = central.takeStart(at: 1_000)
    #expect(central.manager.deadline == at(46_000))
    central.manager.advance(to: at(45_999))
    #expect(central.calls == [])
    central.manager.advance(to: at(46_000))
    #expect(central.calls == [.encryptionFailed(.connectionTimeout, 0)])
    #expect(central.manager.deadline == nil)
    let failure = central.manager.takeEncryptionFailure(at: 0)
    #expect(failure == .connectionTimeout)
    let next = central.manager.takeEncryptionFailure(at: 0)
    #expect(next == nil)
    // The link is still to be encrypted.
    central.manager.encrypt(at: 0)
    let start = central.takeStart(at: 46_000)
    #expect(start != nil)
  }

  @Test("A failure is reported if it concerns the bond's key")
  func failures() {
    // Whether encryption with the bond's key is under way, the event, and the report.
    let cases: [(Bool, HCIErrorCode, Bool, HCIErrorCode?)] = [
      (true, .pinOrKeyMissing, false, .pinOrKeyMissing),
      (true, .unsupportedFeatureOrParameterValue, false, .unsupportedFeatureOrParameterValue),
      (false, .pinOrKeyMissing, false, nil), (false, .success, true, nil),
    ]
    for (isUnderWay, status, isEncrypted, report) in cases {
      let central = SecurityStation.linked([bond(1)], as: .initiator)
      if isUnderWay {
        #expect(central.secure())
        _ = central.takeStart()
      }
      central.changed(isEncrypted, status)
      #expect(central.calls == (report.map { [.encryptionFailed($0, 0)] } ?? []))
      let failure = central.manager.takeEncryptionFailure(at: 0)
      #expect(failure == report)
      #expect(central.manager.security(at: 0) == .bonded)
      #expect(central.manager.deadline == nil)
      // The same event again concerns nothing.
      central.changed(isEncrypted, status)
      #expect(central.calls.count == (report == nil ? 0 : 1))
    }
  }

  @Test("A bond that is removed before encryption begins fails it")
  func removedInBetween() {
    let central = SecurityStation.linked([bond(1)], as: .initiator)
    #expect(central.secure())
    central.manager.removeBond(at: 0)
    let start = central.takeStart()
    #expect(start == nil)
    let failure = central.manager.takeEncryptionFailure(at: 0)
    #expect(failure == .pinOrKeyMissing)
    #expect(!central.hasCommand())
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
      #expect(station.requiresEncryption() == isRequired, "\(label)")
      station.manager.encrypt(at: 0)
      #expect(station.hasCommand() == isRequired, "\(label)")
      guard isRequired else { continue }
      _ = station.takeStart()
      station.changed(true)
      #expect(!station.requiresEncryption(), "\(label)")
      station.changed(false)
      #expect(station.requiresEncryption(), "\(label)")
      station.manager.removeBond(at: 0)
      #expect(!station.requiresEncryption(), "\(label)")
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
      station.manager.keyRequested(
        encryptedDiversifier: diversifier, randomNumber: number, at: 0, at: at(0))
      #expect(station.hasCommand(), comment)
      let reply = station.manager.takeKeyReply(at: 0)
      #expect(reply == found.map { .key(bonds[$0].longTermKey) } ?? .negative, comment)
      #expect(!station.hasCommand(), comment)
      station.changed(true)
      let bonded: LinkSecurity = peer < 8 ? .bonded : .none
      #expect(
        station.manager.security(at: 0) == found.map { bonds[$0].security } ?? bonded, comment)
      // The used bond is the first now.
      if let found { #expect(station.bond() == bonds[found], comment) }
    }
  }

  @Test("A legacy key of a link in the other role is not used")
  func otherRole() {
    let station = SecurityStation.linked([bond(1, (5, 6), role: .initiator)], as: .responder)
    station.manager.keyRequested(
      encryptedDiversifier: 5, randomNumber: 6, at: 0, at: at(0))
    let reply = station.manager.takeKeyReply(at: 0)
    #expect(reply == .negative)
  }

  @Test("A refused key request ends the one before")
  func secondRequest() {
    let station = SecurityStation.linked([bond(1)], as: .responder)
    for number: UInt64 in [0, 1] {
      station.manager.keyRequested(
        encryptedDiversifier: 0, randomNumber: number, at: 0, at: at(0))
      let reply = station.manager.takeKeyReply(at: 0)
      #expect(reply == (number == 0 ? .key(key(1)) : .negative))
    }
    station.changed(true)
    #expect(station.manager.security(at: 0) == .bonded)
    station.changed(false, .authenticationFailure)
    #expect(station.calls == [])
  }

  @Test("A link without encryption loses its security, and reports it once")
  func turnedOff() {
    let central = SecurityStation.linked([bond(1, isAuthenticated: true)], as: .initiator)
    #expect(central.secure())
    _ = central.takeStart()
    central.changed(true)
    central.changed(false)
    central.changed(false)
    let strong: LinkSecurity = .encrypted | .authenticated | .secureConnections | .bonded
    #expect(central.calls == [.security(strong, 0), .security(.bonded, 0)])
    // A failed refresh of the key leaves the link without encryption, too.
    #expect(central.secure())
    _ = central.takeStart()
    central.changed(true)
    central.changed(false, .connectionTimeout)
    #expect(central.manager.security(at: 0) == .bonded)
  }

  @Test("No link, or one out of range, has neither commands nor security")
  func withoutLink() {
    let station = SecurityStation.linked([bond(1)], as: .initiator)
    #expect(station.secure())
    for index in [-1, 1, 2, Int.max] {
      station.manager.closed(at: index, at: at(0))
      #expect(!station.secure(at: index))
      #expect(!station.pair(at: index))
      station.manager.encrypt(at: index)
      station.manager.keyRequested(
        encryptedDiversifier: 0, randomNumber: 0, at: index, at: at(0))
      station.manager.encryptionChanged(.success, isEncrypted: true, at: index, at: at(0))
      station.manager.noteActivity(of: ConnectionSet(index))
      #expect(!station.hasCommand(at: index) && !station.hasPDU(at: index))
      #expect(station.manager.security(at: index) == .none)
      let pdu = written {
        let isWritten = station.manager.writePDU(at: index, to: &$0, at: at(0))
        #expect(!isWritten)
      }
      #expect(pdu == [])
      #expect(station.manager.bondIndex(at: index) == nil)
      #expect(!station.requiresEncryption(at: index))
      let start = station.manager.takeEncryption(at: index, at: at(0))
      let reply = station.manager.takeKeyReply(at: index)
      let failure = station.manager.takeEncryptionFailure(at: index)
      let recognition = station.manager.takeRecognition(at: index)
      let isChanged = station.manager.takeChange(of: ClientState(), at: index)
      #expect(start == nil && reply == nil && failure == nil && recognition == nil && !isChanged)
    }
    for index in [-1, 2] {
      station.manager.opened(
        PairingLink(role: .responder, ownAddress: .zero, peerAddress: .zero), at: index)
    }
    #expect(station.hasCommand(), "the other link is the same")
    #expect(station.calls == [])
  }
}
