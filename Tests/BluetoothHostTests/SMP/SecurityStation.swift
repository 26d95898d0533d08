import BallTestSupport
import BluetoothHost
import Expectations

/// A device with a Security Manager of two links, and its peers.
final class SecurityStation {
  typealias Manager = SecurityManager<
    2, TestAgreement, FixedRandom, BondTable<4>, PairingRecord
  >

  var manager: Manager
  var now = Instant(rawValue: 0)
  /// The commands for the controller: starts of encryption, and replies to key requests.
  private(set) var starts: [EncryptionStart] = []
  private(set) var replies: [LongTermKeyReply] = []
  private var peers: [(station: SecurityStation, index: Int)?] = [nil, nil]

  init(_ policy: PairingPolicy = PairingPolicy(), identity: LocalIdentity?, seed: UInt64 = 1) {
    manager = Manager(
      policy: policy, identity: identity, bonds: BondTable(), delegate: PairingRecord(),
      agreement: TestAgreement(), random: FixedRandom(seed: seed))
  }

  var calls: [PairingRecord.Call] { manager.delegate.calls }

  var outcomes: [PairingOutcome] { manager.delegate.outcomes }

  var bondCount: Int { manager.bonds.count }

  func bond(_ number: Int = 0) -> Bond? { manager.bonds.bond(at: number) }

  /// Connects link `index` of this central with link `other` of a peripheral.
  func connect(
    _ index: Int = 0, to peripheral: SecurityStation, at other: Int = 0,
    from own: DeviceAddress = initiatorAddress, peer: DeviceAddress = responderAddress
  ) {
    peers[index] = (peripheral, other)
    peripheral.peers[other] = (self, index)
    manager.opened(PairingLink(role: .initiator, ownAddress: own, peerAddress: peer), at: index)
    peripheral.manager.opened(
      PairingLink(role: .responder, ownAddress: peer, peerAddress: own), at: other)
  }

  func disconnect(_ index: Int = 0) {
    guard let peer = peers[index] else { return }
    manager.closed(at: index, at: now)
    peer.station.manager.closed(at: peer.index, at: now)
    peer.station.peers[peer.index] = nil
    peers[index] = nil
  }

  /// Receives a PDU from the test as the peer.
  func receive(_ pdu: [UInt8], at index: Int = 0) { manager.receive(pdu.span, at: index, at: now) }

  /// The PDUs for the peer at `index`.
  func takePDUs(at index: Int = 0) -> [[UInt8]] {
    var pdus: [[UInt8]] = []
    while true {
      let pdu = written { _ = manager.writePDU(at: index, to: &$0, at: now) }
      guard !pdu.isEmpty else { return pdus }
      pdus.append(pdu)
    }
  }

  /// Whether the central may pair, or encrypt with its bond.
  func secure(at index: Int = 0) -> Bool { manager.secure(at: index, at: now) }
  func pair(at index: Int = 0) -> Bool { manager.pair(at: index, at: now) }

  /// Connects to a peripheral, and pairs.
  func pairs(
    with peripheral: SecurityStation, at other: Int = 0, from own: DeviceAddress = initiatorAddress,
    peer: DeviceAddress = responderAddress, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    connect(to: peripheral, at: other, from: own, peer: peer)
    pairs(sourceLocation: sourceLocation)
  }

  /// Pairs, or encrypts or pairs, until nothing is left to do.
  func pairs(sourceLocation: SourceLocation = #_sourceLocation) {
    expect(pair(), sourceLocation: sourceLocation)
    run()
  }
  func secures(sourceLocation: SourceLocation = #_sourceLocation) {
    expect(secure(), sourceLocation: sourceLocation)
    run()
  }

  /// Carries PDUs between this station and its peers until none is left.
  func run() { while turn() || peers.contains(where: { $0?.station.turn() ?? false }) {} }

  /// Carries this many PDUs, and loses the next ones.
  func run(_ count: Int) {
    var remaining = count
    allows = {
      remaining -= 1
      return remaining >= 0
    }
    for peer in peers { peer?.station.allows = allows }
    run()
    allows = { true }
    for peer in peers { peer?.station.allows = allows }
  }

  private var allows: () -> Bool = { true }

  private func turn() -> Bool {
    var isProgress = answer()
    while manager.needsStep { manager.step(at: now) }
    for index in 0..<2 {
      for pdu in takePDUs(at: index) {
        isProgress = true
        guard allows() else { continue }
        peers[index].map { $0.station.receive(pdu, at: $0.index) }
      }
      if let start = manager.takeEncryption(at: index, at: now) {
        isProgress = true
        starts.append(start)
        encrypt(start, at: index)
      }
    }
    return isProgress
  }

  /// The two controllers: the peripheral's requests the key, and both keys are compared.
  private func encrypt(_ start: EncryptionStart, at index: Int) {
    guard let peer = peers[index] else { return }
    let other = peer.station
    other.manager.keyRequested(
      encryptedDiversifier: start.encryptedDiversifier, randomNumber: start.randomNumber,
      at: peer.index, at: other.now)
    guard let reply = other.manager.takeKeyReply(at: peer.index) else { return }
    other.replies.append(reply)
    let status: HCIErrorCode =
      switch reply {
      case .negative: .pinOrKeyMissing
      case .key(let key): key == start.longTermKey ? .success : .authenticationFailure
      }
    manager.encryptionChanged(status, isEncrypted: status == .success, at: index, at: now)
    // After a refusal, the peripheral's host gets no event.
    if reply != .negative {
      other.manager.encryptionChanged(
        status, isEncrypted: status == .success, at: peer.index, at: other.now)
    }
  }

  /// The users confirm every number.
  private var answeredCalls = 0
  private func answer() -> Bool {
    let isProgress = answeredCalls < calls.count
    while answeredCalls < calls.count {
      if case .show(.compareNumber, let index) = calls[answeredCalls] {
        _ = manager.confirm(true, at: index, at: now)
      }
      answeredCalls += 1
    }
    return isProgress
  }
}

/// The static random address whose first byte is `number`.
func address(_ number: UInt8) -> DeviceAddress { .staticRandom([number, 0, 0, 0, 0, 0]) }

/// A bond with the device of `address`.
func numberedBond(
  _ number: UInt8, key: UInt32 = 1, irk: UInt32? = nil, diversifier: UInt16 = 0,
  randomNumber: UInt64 = 0, isSecureConnections: Bool = true, role: PairingRole = .responder
) -> Bond {
  Bond(
    identityAddress: address(number), longTermKey: Number128(words: [key, 0, 0, 0]),
    encryptedDiversifier: diversifier, randomNumber: randomNumber,
    identityResolvingKey: irk.map { Number128(words: [$0, 0, 0, 0]) }, isAuthenticated: false,
    isSecureConnections: isSecureConnections, role: role)
}
