import BluetoothHost

/// The two addresses of the specification's sample data.
let initiatorAddress = DeviceAddress(kind: .public, bytes: [0xCE, 0xBF, 0x37, 0x37, 0x12, 0x56])
let responderAddress = DeviceAddress(kind: .random, bytes: [0xC1, 0xCF, 0x2D, 0x70, 0x13, 0xE7])

let initiatorIdentity = LocalIdentity(
  identityResolvingKey: Number128(words: [1, 2, 3, 4]), address: initiatorAddress)
let responderIdentity = LocalIdentity(
  identityResolvingKey: Number128(words: [5, 6, 7, 8]), address: responderAddress)

extension PairingLink {
  /// The link of the two sample addresses, as the initiator has it.
  static var initiator: PairingLink {
    PairingLink(role: .initiator, ownAddress: initiatorAddress, peerAddress: responderAddress)
  }

  /// The same as the responder has it.
  static var responder: PairingLink {
    PairingLink(role: .responder, ownAddress: responderAddress, peerAddress: initiatorAddress)
  }
}

func pdu(_ code: UInt8, _ value: Number128) -> [UInt8] { [code] + written { value.write(to: &$0) } }

/// One of two devices that pair.
final class PairingEnd<Agreement: KeyAgreement & ~Copyable, Random: SecureRandomNumberGenerator> {
  var pairing: Pairing<Agreement, Random>
  var outcome: PairingOutcome?
  var prompts: [PairingPrompt] = []
  /// The link's security when it was encrypted.
  var security: LinkSecurity?

  init(_ agreement: consuming Agreement, _ random: Random) {
    pairing = Pairing(agreement: agreement, random: random)
  }

  /// Whether the pairing ended with a key.
  var isPaired: Bool { if case .paired = outcome { true } else { false } }

  var bond: Bond? { if case .paired(let bond) = outcome { bond } else { nil } }

  var isActive: Bool { pairing.isActive }
  var deadline: Instant? { pairing.deadline }

  /// Begins as the initiator, and returns the Pairing Request.
  @discardableResult
  func initiate(
    _ policy: PairingPolicy = PairingPolicy(), identity: LocalIdentity? = nil,
    on link: PairingLink = .initiator
  ) -> [UInt8]? {
    pairing.begin(link, policy: policy, identity: identity, at: Instant(rawValue: 0))
    return nextPDU()
  }

  /// Begins as the initiator, and receives this Pairing Response.
  func initiate(
    _ policy: PairingPolicy = PairingPolicy(), identity: LocalIdentity? = nil,
    on link: PairingLink = .initiator, response: [UInt8]
  ) {
    initiate(policy, identity: identity, on: link)
    receive(response)
  }

  /// Begins as the responder to this Pairing Request.
  func respond(
    _ policy: PairingPolicy = PairingPolicy(), identity: LocalIdentity? = nil,
    on link: PairingLink = .responder, to request: [UInt8]
  ) {
    let parameters = Array(request.dropFirst())
    pairing.begin(
      link, policy: policy, identity: identity, request: parameters.span, at: Instant(rawValue: 0))
    collect()
  }

  func confirm(_ isConfirmed: Bool) -> Bool {
    defer { collect() }
    return pairing.confirm(isConfirmed, at: Instant(rawValue: 0))
  }

  func enterPasskey(_ passkey: UInt32?) -> Bool {
    defer { collect() }
    return pairing.enterPasskey(passkey, at: Instant(rawValue: 0))
  }

  func receive(_ pdu: [UInt8], at now: Instant = Instant(rawValue: 0)) {
    let parameters = Array(pdu.dropFirst())
    pairing.receive(SMPCode(rawValue: pdu[0]), parameters.span, at: now)
    collect()
  }

  /// The next PDU; a Pairing Failed is first.
  func nextPDU(at now: Instant = Instant(rawValue: 0)) -> [UInt8]? {
    if let failure = pairing.takeFailure() {
      return written { PairingFailed(failure).write(to: &$0) }
    }
    let pdu = written { _ = pairing.writePDU(to: &$0, at: now) }
    collect()
    return pdu.isEmpty ? nil : pdu
  }

  func work(at now: Instant = Instant(rawValue: 0)) {
    while pairing.needsStep { pairing.step(at: now) }
    collect()
  }

  func collect() {
    if let prompt = pairing.takePrompt() { prompts.append(prompt) }
    if let outcome = pairing.takeOutcome() { self.outcome = outcome }
  }

  func encrypted(_ status: HCIErrorCode = .success) {
    let security = pairing.security
    if pairing.encryptionChanged(
      status, isEncrypted: status == .success, at: Instant(rawValue: 0)), status == .success
    {
      self.security = security
    }
    collect()
  }
}

/// A PDU on its way, by its number in the pairing and its sender.
struct PDUInFlight {
  let number: Int
  let sender: PairingRole
  var bytes: [UInt8]
  /// Whether the link is encrypted, so that no attacker can change it.
  let isEncrypted: Bool
}

/// Two devices that pair over a link that a test can observe, change and cut.
final class PairingPipe<Agreement: KeyAgreement & ~Copyable, Random: SecureRandomNumberGenerator> {
  typealias End = PairingEnd<Agreement, Random>

  let initiator: End
  let responder: End
  /// The delivered PDUs of both devices, in order.
  private(set) var log: [PDUInFlight] = []
  /// Changes a PDU; `nil` loses the link.
  var onPDU: (PDUInFlight) -> [UInt8]? = { $0.bytes }
  /// Whether the run stops before a PDU is delivered.
  var stopsBefore: (PDUInFlight) -> Bool = { _ in false }
  /// The PDU before which the run has stopped.
  private(set) var stopped: PDUInFlight?
  /// What the user enters at both devices if none shows a passkey.
  var chosenPasskey: UInt32 = 31_415
  /// Called with the key of the first encryption.
  var onEncryption: (Number128) -> Void = { _ in }
  /// The status of an encryption with the same key.
  var encryptionStatus = HCIErrorCode.success
  /// Whether the users answer prompts.
  var answers = true
  private var answered: [ObjectIdentifier: Int] = [:]
  private var isEncrypted = false

  init(initiator: End, responder: End) {
    self.initiator = initiator
    self.responder = responder
  }

  /// Pairs until neither device has more to do.
  @discardableResult
  func run() -> PairingPipe {
    while stopped == nil, turn() {}
    return self
  }

  /// Goes on after a stop, and delivers the PDU.
  func goOn() {
    guard let pdu = stopped else { return }
    stopped = nil
    stopsBefore = { _ in false }
    deliver(pdu)
    run()
  }

  private func turn() -> Bool {
    var isProgress = false
    for end in [initiator, responder] {
      end.work()
      if answer(end) { isProgress = true }
      if stopped == nil, let bytes = end.nextPDU() {
        isProgress = true
        let pdu = PDUInFlight(
          number: log.count, sender: end === initiator ? .initiator : .responder, bytes: bytes,
          isEncrypted: isEncrypted)
        if stopsBefore(pdu) {
          stopped = pdu
        } else {
          deliver(pdu)
        }
      }
    }
    if stopped == nil, encrypt() { isProgress = true }
    return isProgress
  }

  private func deliver(_ pdu: PDUInFlight) {
    log.append(pdu)
    guard let bytes = onPDU(pdu) else {
      for end in [initiator, responder] {
        end.pairing.linkLost()
        end.collect()
      }
      return
    }
    guard !bytes.isEmpty else { return }
    (pdu.sender == .initiator ? responder : initiator).receive(bytes)
  }

  /// The controllers encrypt the link if both have the same key.
  private func encrypt() -> Bool {
    guard let key = initiator.pairing.takeEncryptionKey() else { return false }
    onEncryption(key)
    let isSame = responder.pairing.keyForRequest() == key
    isEncrypted = isSame && encryptionStatus == .success
    for end in [initiator, responder] {
      end.encrypted(isSame ? encryptionStatus : .authenticationFailure)
    }
    return true
  }

  /// The users enter the passkey that the other device shows, and compare honestly.
  private func answer(_ end: End) -> Bool {
    guard answers, let prompt = end.prompts.last,
      answered[ObjectIdentifier(end), default: 0] < end.prompts.count
    else { return false }
    let other = end === initiator ? responder : initiator
    switch prompt {
    case .showPasskey:
      break
    case .enterPasskey:
      let shown = other.prompts.compactMap { prompt -> UInt32? in
        if case .showPasskey(let passkey) = prompt { passkey } else { nil }
      }
      if let passkey = shown.last {
        _ = end.enterPasskey(passkey)
      } else if other.prompts.contains(.enterPasskey) {
        _ = end.enterPasskey(chosenPasskey)
      } else {
        return false
      }
    case .compareNumber:
      guard
        let number = other.prompts.last(where: {
          if case .compareNumber = $0 { true } else { false }
        })
      else { return false }
      _ = end.confirm(prompt == number)
    case .confirmPairing:
      _ = end.confirm(true)
    }
    answered[ObjectIdentifier(end)] = end.prompts.count
    return true
  }
}
