// The ground of the pairing fuzzer: two Security Managers, their link, and the actions of an
// attacker and of controllers. Compiled by scripts/fuzz as one module with the core.

/// A central and a peripheral that pair, without the curve: it has its own tests, and would reduce
/// the fuzzer's inputs to a hundredth.
///
/// Its bytes are its whole state: see `StartingGround`.
struct PairingGround: ~Copyable {
  typealias Manager = SecurityManager<
    1, PlainAgreement, PlainRandom, BondTable<2>, PairingWitness
  >

  var central: Manager
  var peripheral: Manager
  private(set) var isLinked = false
  /// Whether the controllers encrypt the link: both received the same key.
  private(set) var isEncrypted = false
  private(set) var now = Instant(rawValue: 1)

  static var centralAddress: DeviceAddress {
    DeviceAddress(kind: .public, bytes: [1, 0, 0, 0, 0, 0xF0])
  }
  static var peripheralAddress: DeviceAddress {
    DeviceAddress(kind: .public, bytes: [2, 0, 0, 0, 0, 0xF0])
  }

  /// Two devices without bonds, and a link.
  init() {
    central = Self.manager(Self.centralAddress, seed: 1)
    peripheral = Self.manager(Self.peripheralAddress, seed: 2)
    connect()
  }

  private static func manager(_ address: DeviceAddress, seed: UInt64) -> Manager {
    Manager(
      policy: PairingPolicy(),
      identity: LocalIdentity(identityResolvingKey: .zero, address: address),
      bonds: BondTable(), delegate: PairingWitness(), agreement: PlainAgreement(),
      random: PlainRandom(state: seed))
  }

  // MARK: The link

  mutating func connect() {
    guard !isLinked else { return }
    isLinked = true
    central.opened(
      PairingLink(
        role: .initiator, ownAddress: Self.centralAddress, peerAddress: Self.peripheralAddress),
      at: 0)
    peripheral.opened(
      PairingLink(
        role: .responder, ownAddress: Self.peripheralAddress, peerAddress: Self.centralAddress),
      at: 0)
  }

  mutating func disconnect() {
    guard isLinked else { return }
    isLinked = false
    isEncrypted = false
    central.closed(at: 0, at: now)
    peripheral.closed(at: 0, at: now)
  }

  mutating func pass(milliseconds: UInt32) {
    now = now.advanced(by: milliseconds)
    work()
  }

  /// Does all pending key work.
  mutating func work() {
    central.advance(to: now)
    peripheral.advance(to: now)
    var turns = 0
    while central.needsStep || peripheral.needsStep {
      central.advance(to: now)
      peripheral.advance(to: now)
      turns += 1
      demand(turns < 100, "a key agreement that never ends")
    }
  }

  // MARK: PDUs

  /// Takes the next PDU of one side; empty without one.
  mutating func takePDU(fromCentral: Bool) -> ByteBuffer<65> {
    var pdu = ByteBuffer<65>()
    guard isLinked else { return pdu }
    let now = now
    pdu.write { writer in
      let isWritten =
        fromCentral
        ? central.writePDU(at: 0, to: &writer, at: now)
        : peripheral.writePDU(at: 0, to: &writer, at: now)
      demand(isWritten == (writer.count > 0), "a PDU of no bytes, or bytes of no PDU")
      demand(!writer.hasOverflowed, "a PDU longer than 65 bytes")
    }
    return pdu
  }

  /// Gives one side a PDU.
  mutating func give(_ pdu: Span<UInt8>, toCentral: Bool) {
    guard isLinked else { return }
    if toCentral {
      central.receive(pdu, at: 0, at: now)
    } else {
      peripheral.receive(pdu, at: 0, at: now)
    }
  }

  // MARK: The controllers

  /// The controllers carry out the hosts' commands. With `refusal` the central's controller
  /// refuses.
  ///
  /// - Returns: Whether there was anything to do.
  @discardableResult
  mutating func encrypt(refusal: HCIErrorCode? = nil) -> Bool {
    guard isLinked, central.hasCommand(at: 0),
      let start = central.takeEncryption(at: 0, at: now)
    else { return false }
    if let refusal {
      central.encryptionChanged(refusal, isEncrypted: false, at: 0, at: now)
      return true
    }
    peripheral.keyRequested(
      encryptedDiversifier: start.encryptedDiversifier, randomNumber: start.randomNumber, at: 0,
      at: now)
    switch peripheral.takeKeyReply(at: 0) {
    case .key(let key) where key == start.longTermKey:
      isEncrypted = true
      central.encryptionChanged(.success, isEncrypted: true, at: 0, at: now)
      peripheral.encryptionChanged(.success, isEncrypted: true, at: 0, at: now)
    case .key:
      // Packets with another key cannot be decrypted: Connection Terminated due to MIC Failure.
      disconnect()
    case .negative, nil:
      isEncrypted = false
      central.encryptionChanged(.pinOrKeyMissing, isEncrypted: false, at: 0, at: now)
    }
    return true
  }

  // MARK: Honest behaviour

  /// Both devices and users act properly until no packet is left.
  mutating func settle() {
    var turns = 0
    var hasMoved = true
    while hasMoved {
      turns += 1
      demand(turns < 500, "two honest devices that never stop sending")
      hasMoved = encrypt()
      for side in 0..<2 {
        let fromCentral = side == 0
        let pdu = takePDU(fromCentral: fromCentral)
        guard pdu.count > 0 else { continue }
        give(pdu.span, toCentral: !fromCentral)
        hasMoved = true
      }
      work()
      if answer() { hasMoved = true }
    }
  }

  /// Each user answers honestly. Returns whether there was a question.
  private mutating func answer() -> Bool {
    let own = central.delegate.takePrompt()
    let other = peripheral.delegate.takePrompt()
    let isSame = central.delegate.shown == peripheral.delegate.shown
    if let own { reply(to: own, isSame, shown: peripheral.delegate.shown, atCentral: true) }
    if let other { reply(to: other, isSame, shown: central.delegate.shown, atCentral: false) }
    return own != nil || other != nil
  }

  private mutating func reply(
    to prompt: PairingPrompt, _ isSame: Bool, shown: UInt32?, atCentral: Bool
  ) {
    switch prompt {
    case .showPasskey: break
    case .enterPasskey: enter(shown ?? 8, atCentral: atCentral)
    case .compareNumber: confirm(isSame, atCentral: atCentral)
    case .confirmPairing: confirm(true, atCentral: atCentral)
    }
  }

  /// A user confirms or rejects.
  mutating func confirm(_ isConfirmed: Bool, atCentral: Bool) {
    if atCentral {
      if isConfirmed { central.delegate.takesPart = true }
      _ = central.confirm(isConfirmed, at: 0, at: now)
    } else {
      if isConfirmed { peripheral.delegate.takesPart = true }
      _ = peripheral.confirm(isConfirmed, at: 0, at: now)
    }
  }

  /// A user enters a number.
  mutating func enter(_ passkey: UInt32?, atCentral: Bool) {
    if atCentral {
      if passkey != nil { central.delegate.takesPart = true }
      _ = central.enterPasskey(passkey, at: 0, at: now)
    } else {
      if passkey != nil { peripheral.delegate.takesPart = true }
      _ = peripheral.enterPasskey(passkey, at: 0, at: now)
    }
  }

  // MARK: Invariants

  /// Each device's view of the link is right.
  func check() {
    check(central.security(at: 0))
    check(peripheral.security(at: 0))
  }

  private func check(_ security: LinkSecurity) {
    guard security.contains(.encrypted) else { return }
    demand(isLinked, "an encrypted link that is not there")
    demand(isEncrypted, "an unencrypted link that a device treats as encrypted")
  }
}

/// A key agreement without a curve: the shared key is the sum of both X.
struct PlainAgreement: KeyAgreement, ~Copyable {
  private var publicKey: P256PublicKey?
  private var result: KeyAgreementResult?

  var isBusy: Bool { result != nil }

  mutating func begin(privateKey: Number256) throws(KeyAgreementError) {
    publicKey = nil
    result = nil
    guard privateKey != .zero else { throw .privateKey }
    let key = P256PublicKey(x: privateKey, y: privateKey)
    publicKey = key
    result = .publicKey(key)
  }

  mutating func begin(peer: P256PublicKey) throws(KeyAgreementError) {
    result = nil
    guard let publicKey else { throw .noKeyPair }
    guard peer.x != publicKey.x else { throw .ownPublicKey }
    guard peer.y == peer.x else { throw .notOnCurve }
    var shared = Number256.zero
    for index in 0..<8 { shared.words[index] = publicKey.x.words[index] &+ peer.x.words[index] }
    result = .sharedKey(shared)
  }

  mutating func step() -> KeyAgreementResult? {
    defer { result = nil }
    return result
  }
}

/// Random numbers that are the same for the same seed.
struct PlainRandom: SecureRandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}

/// A delegate that records what its user has seen and done.
struct PairingWitness: PairingDelegate {
  /// The number that its device shows.
  private(set) var shown: UInt32?
  /// Whether its user took part in the pairing: saw a passkey, entered one, or confirmed.
  var takesPart = false
  private var prompt: PairingPrompt?

  mutating func takePrompt() -> PairingPrompt? {
    defer { prompt = nil }
    return prompt
  }

  mutating func show(_ prompt: PairingPrompt, at index: Int) {
    self.prompt = prompt
    switch prompt {
    case .showPasskey(let number):
      takesPart = true
      shown = number
    case .compareNumber(let number): shown = number
    case .enterPasskey, .confirmPairing: break
    }
  }

  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    if case .paired(let bond?) = outcome, bond.isAuthenticated {
      demand(takesPart, "an authenticated key without a user's part")
    }
    takesPart = false
    shown = nil
    prompt = nil
  }

  mutating func securityChanged(to security: LinkSecurity, at index: Int) {}
  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {}
}
