import BluetoothHost
import Expectations

private let request: [UInt8] = [0x01, 3, 0, 0x09, 16, 0, 0]

private func bond(
  isAuthenticated: Bool = false, isSecureConnections: Bool = true, role: PairingRole = .responder
) -> Bond {
  Bond(
    identityAddress: initiatorAddress, longTermKey: Number128(words: [1, 2, 3, 4]),
    encryptedDiversifier: isSecureConnections ? 0 : 5, randomNumber: isSecureConnections ? 0 : 6,
    isAuthenticated: isAuthenticated, isSecureConnections: isSecureConnections, role: role)
}

extension SecurityStation {
  /// A station with an open link 0 to a peer that the test plays, which may have a bond.
  fileprivate static func alone(
    _ role: PairingRole, _ bond: Bond? = nil, policy: PairingPolicy = PairingPolicy()
  ) -> SecurityStation {
    let station = SecurityStation(policy, identity: nil)
    if let bond { station.manager.bonds.store(bond) }
    station.open(role)
    return station
  }

  fileprivate func open(_ role: PairingRole, at index: Int = 0) {
    manager.opened(
      PairingLink(role: role, ownAddress: responderAddress, peerAddress: initiatorAddress),
      at: index)
  }

  fileprivate func advance(to time: UInt64) {
    now = at(time)
    manager.advance(to: now)
  }
}

/// An end of a pairing in this role, its outcome, and whether the next one has to wait.
private typealias EndCase = (
  role: PairingRole, outcome: PairingOutcome, waits: Bool, end: @Sendable (SecurityStation) -> Void
)

private let endCases: [Row<EndCase>] = [
  Row(
    "this device fails it",
    (.responder, .failed(.commandNotSupported), true, { $0.receive([0x0E, 0]) })),
  Row(
    "the peer fails it",
    (.responder, .refused(.unspecifiedReason), true, { $0.receive([0x05, 0x08]) })),
  Row(
    "the peer does not pair now",
    (.initiator, .refused(.pairingNotSupported), false, { $0.receive([0x05, 0x05]) })),
  Row(
    "the peer asks to wait",
    (.initiator, .refused(.repeatedAttempts), true, { $0.receive([0x05, 0x09]) })),
  Row("the link closes", (.initiator, .linkLost, true, { $0.manager.closed(at: 0, at: $0.now) })),
  Row("the peer is silent", (.initiator, .timedOut, true, { $0.advance(to: 30_000) })),
]

private enum Reaction: Equatable { case nothing, encrypts, pairs, refuses(UInt8) }

/// A central's bond, its policy, whether the link is already encrypted with the bond's key, a
/// Security Request, and what the central does.
private typealias RequestCase = (
  bond: Bond?, policy: PairingPolicy, isEncrypted: Bool, pdu: [UInt8], reaction: Reaction
)

private let usual = PairingPolicy()
private let closed = PairingPolicy(isOpen: false)

private let requestCases: [Row<RequestCase>] = [
  Row("no bond", (nil, usual, false, [0x0B, 0x01], .pairs)),
  Row("a bond", (bond(), usual, false, [0x0B, 0x01], .encrypts)),
  Row("a bond without authentication", (bond(), usual, false, [0x0B, 0x05], .pairs)),
  Row(
    "a bond with authentication",
    (bond(isAuthenticated: true), usual, false, [0x0B, 0x05], .encrypts)),
  Row(
    "a legacy bond of the other role",
    (bond(isSecureConnections: false), usual, false, [0x0B, 0x01], .pairs)),
  Row(
    "a legacy bond of this role",
    (bond(isSecureConnections: false, role: .initiator), usual, false, [0x0B, 0x01], .encrypts)),
  Row("an encrypted link", (bond(), usual, true, [0x0B, 0x01], .nothing)),
  Row("an encrypted link without authentication", (bond(), usual, true, [0x0B, 0x05], .pairs)),
  Row("pairing is closed", (nil, closed, false, [0x0B, 0x01], .refuses(0x05))),
  Row("pairing is closed, and there is a bond", (bond(), closed, false, [0x0B, 0x01], .encrypts)),
  Row("no AuthReq", (bond(), usual, false, [0x0B], .refuses(0x0A))),
  Row("two bytes", (bond(), usual, false, [0x0B, 1, 1], .refuses(0x0A))),
]

private let scenarios: [Scenario<SecurityStation>] = [
  Scenario(
    "A Security Request after a failure is refused until the delay has passed",
    on: { .alone(.initiator) },
    .pair(), .receive([0x05, 0x08]), .time(999), .receive([0x0B, 0x01]),
    .pdus([0x05, 0x09]), .time(1_000), .receive([0x0B, 0x01]), .codes(0x01)),
  Scenario(
    "A Pairing Request answers a Security Request, even before it is sent",
    .pair(), .receive(request), .codes(0x02), .receive([0x05, 0x08]), .deadline(nil)),
  Scenario(
    "Encryption answers a Security Request, even before it is sent",
    .pair(), .time(1), .requestKey(), .deadline(nil)),
  Scenario(
    "After the timer nothing that waits is sent, and no PDU is answered",
    .time(7), .pair(), .pdus([0x0B, 0x09]), .receive([0x03]), .has(pdu: true), .isOver),
  Scenario(
    "The same if the Security Request was never sent",
    .time(7), .pair(), .receive([0x03]), .has(pdu: true), .isOver),
  Scenario(
    "A failure of the pairing is reported once, and ends an attempt of the client",
    on: { .alone(.initiator, bond()) },
    .encrypt, .pair(), .requiresEncryption(true), .receive([0x05, 0x08]),
    .failure(.authenticationFailure), .failure(nil)),
  Scenario(
    "While a pairing is under way, a client's encryption waits for it",
    on: { .alone(.initiator, bond()) },
    .pair(), .pair(), .encrypt, .has(command: false), .secure(), .has(command: false),
    .codes(0x01)),
  Scenario(
    "A pairing belongs to its link: answers and the end of another do not concern it",
    on: {
      .alone(
        .initiator,
        policy: PairingPolicy(ioCapability: .keyboardOnly, secureConnections: .notOffered))
    },
    .also { $0.open(.initiator, at: 1) }, .pair(), .drop, .receive([0x02, 0, 0, 0x05, 16, 0, 0]),
    .calls(.show(.enterPasskey, 0)),
    .also { station in
      for index in [-1, 1, 2] {
        expect(station.manager.enterPasskey(1, at: index, at: station.now), is: false)
        expect(station.manager.confirm(true, at: index, at: station.now), is: false)
      }
      station.manager.closed(at: 1, at: station.now)
      expect(station.manager.pairingIndex, is: 0)
    },
    .calls(.show(.enterPasskey, 0)),
    .also { expect($0.manager.enterPasskey(1, at: 0, at: $0.now), is: true) }, .codes(0x03),
    .also { expect($0.manager.enterPasskey(1, at: 0, at: $0.now), is: false) }),
]

extension Step where Subject == SecurityStation {
  /// The timer that began at 7 ends, and SMP with it.
  fileprivate static var isOver: Step {
    Step { station in
      station.advance(to: 30_006)
      expect(station.calls, is: [])
      station.advance(to: 30_007)
      expect(station.calls, is: [.ended(.timedOut, 0)])
      expect(!station.hasPDU())
      station.advance(to: 60_014)
      expect(station.calls.count, is: 1)
      for code: UInt8 in 0...15 { station.receive([code, 1]) }
      expect(!station.hasPDU())
      expect(!station.pair())
      expect(!station.secure())
      _ = written { expect(!station.manager.writePDU(at: 0, to: &$0, at: station.now)) }
    }
  }
}

/// Core Specification, Vol 3, Part H, 2.3.6, 2.4.6, 3.4 and 3.5.
@Suite("Who may pair, and when")
struct PairingRuleTests {
  @Test("Security Requests, timers and links", arguments: scenarios)
  func scenario(_ scenario: Scenario<SecurityStation>) throws {
    try scenario.run(on: .alone(.responder))
  }

  @Test("After a failure the next pairing waits 1 s", arguments: endCases)
  fileprivate func ends(row: Row<EndCase>) {
    let (role, outcome, waits, end) = row.value
    let station = SecurityStation.alone(role)
    if role == .responder { station.receive(request) } else { expect(station.pair()) }
    _ = station.takePDUs()
    end(station)
    expect(station.calls, is: [.ended(outcome, 0)])
    expect(station.manager.pairingIndex, is: nil)
    station.manager.closed(at: 0, at: station.now)
    station.open(.initiator)
    expect(station.pair() != waits)
    guard waits else { return }
    station.now = at(station.now.rawValue + 999)
    expect(!station.pair())
    station.now = at(station.now.rawValue + 1)
    expect(station.pair())
  }

  @Test("A central does what a Security Request asks, or refuses it", arguments: requestCases)
  fileprivate func securityRequest(row: Row<RequestCase>) {
    let (bond, policy, isEncrypted, pdu, reaction) = row.value
    let station = SecurityStation.alone(.initiator, bond, policy: policy)
    if isEncrypted {
      expect(station.secure())
      _ = station.manager.takeEncryption(at: 0, at: station.now)
      // While the controller encrypts, nothing else begins.
      station.receive([0x0B, 0x05])
      expect(!station.hasPDU() && !station.hasCommand())
      station.manager.encryptionChanged(.success, isEncrypted: true, at: 0, at: station.now)
    }
    station.receive(pdu)
    expect(station.hasCommand(), is: reaction == .encrypts)
    let sent = station.takePDUs()
    switch reaction {
    case .nothing, .encrypts: expect(sent, is: [])
    case .pairs: expect(sent.count == 1 && sent.first?.first == 0x01)
    case .refuses(let reason): expect(sent, is: [[0x05, reason]])
    }
    expect((station.manager.pairingIndex == 0), is: reaction == .pairs)
  }

  @Test("AuthReq and the pairing require at least the security of the bond")
  func strengthened() {
    // The bond, a policy, and AuthReq. Bonding 0x01, MITM 0x04, SC 0x08.
    let weak = PairingPolicy(authentication: .optional, secureConnections: .notOffered)
    let cases: [(Bond?, PairingPolicy, UInt8)] = [
      (nil, PairingPolicy(), 0x09), (nil, weak, 0x01),
      (bond(isSecureConnections: false), weak, 0x01), (bond(), weak, 0x09),
      (bond(isAuthenticated: true, isSecureConnections: false), weak, 0x05),
      (bond(isAuthenticated: true), weak, 0x0D), (bond(), PairingPolicy(bonds: false), 0x08),
    ]
    for (bond, policy, requirements) in cases {
      let station = SecurityStation.alone(.responder, bond, policy: policy)
      expect(station.pair())
      expect(station.takePDUs(), is: [[0x0B, requirements]])
      let central = SecurityStation.alone(.initiator, bond, policy: policy)
      expect(central.pair())
      expect(central.takePDUs().first?[3], is: requirements)
    }
  }

  @Test("A Pairing Failed answers a Security Request, once, and nothing else")
  func refusedRequest() {
    let answers: [([UInt8], PairingError)] = [
      ([0x05, 0x05], .pairingNotSupported), ([0x05, 0xFF], PairingError(rawValue: 0xFF)),
      ([0x05], .unspecifiedReason), ([0x05, 1, 2], .unspecifiedReason),
    ]
    for (pdu, reason) in answers {
      let station = SecurityStation.alone(.responder)
      station.receive(pdu)
      expect(station.calls, is: [])
      expect(station.pair())
      _ = station.takePDUs()
      expect(station.manager.deadline, is: at(30_000))
      station.receive(pdu)
      station.receive(pdu)
      expect(station.calls, is: [.ended(.refused(reason), 0)])
      expect(station.manager.deadline, is: nil)
      expect(station.takePDUs(), is: [])
    }
  }

  @Test("A PDU waits for room, and is then written whole")
  func room() {
    let failing = SecurityStation.alone(.responder)
    failing.receive([0x03])
    let requesting = SecurityStation.alone(.responder)
    expect(requesting.pair())
    for (station, expected): (SecurityStation, [UInt8]) in [
      (failing, [0x05, 0x07]), (requesting, [0x0B, 0x09]),
    ] {
      for capacity in 0...1 {
        let pdu = written(capacity: capacity) {
          expect(station.manager.writePDU(at: 0, to: &$0, at: station.now), is: false)
        }
        expect(pdu, is: [])
        expect(station.hasPDU())
      }
      let pdu = written(capacity: 2) {
        expect(station.manager.writePDU(at: 0, to: &$0, at: station.now), is: true)
      }
      expect(pdu, is: expected)
      expect(!station.hasPDU())
    }
  }
}
