import BluetoothHost
import LinuxRadio

// When a ball refuses a request for lack of encryption, the link is encrypted, or the devices pair,
// and the request is repeated once: Core Specification, Vol 3, Part C, 10.3.2.
extension AskProgram {
  /// A request that waits until its link is protected.
  struct Securing {
    /// The request to repeat.
    let step: Step
    /// The ball's error: the result, if the link cannot be protected.
    let refusal: OperationError
    /// The link's security before.
    let before: LinkSecurity
    /// Whether the Security Manager has begun.
    var hasBegun = false
    /// Whether a pairing has succeeded.
    var isPaired = false
  }

  /// A request has failed with `error`. Returns whether to protect the link first and repeat the
  /// request. Discovery needs no permission: Vol 3, Part G, 8.1.
  mutating func mustSecure(_ step: Step, after error: OperationError) -> Bool {
    let security = host.security.security(at: 0)
    guard step == .subscribe || step == .write, question != nil, !isRepeated, outcome == nil,
      case .refused(let response) = error, response.code.wantsProtection,
      !security.contains(.encrypted | .authenticated)
    else { return false }
    isRepeated = true
    securing = Securing(step: step, refusal: error, before: security)
    return true
  }

  /// Protects the link, and then repeats the request.
  mutating func secure(at now: Instant) {
    guard let securing else { return }
    let pairing = host.security.pairingIndex
    let security = host.security.security(at: 0)
    if pairing == nil, security.contains(.encrypted),
      securing.isPaired || security != securing.before
    {
      self.securing = nil
      step = securing.step
    } else if !securing.hasBegun {
      self.securing?.hasBegun = true
      if !beginSecuring(security, at: now) { endSecuring(securing.refusal, at: now) }
    }
  }

  /// Encrypts the link with the bond, or pairs. Pairs again if the link's key was not protected
  /// against a man in the middle. `false` if neither can begin, or if pairing would not help.
  private mutating func beginSecuring(_ security: LinkSecurity, at now: Instant) -> Bool {
    guard security.contains(.encrypted) else { return host.security.secure(at: 0, at: now) }
    return request.pairs && host.security.pair(at: 0, at: now)
  }

  private mutating func endSecuring(_ error: OperationError, at now: Instant) {
    guard securing != nil else { return }
    securing = nil
    isRepeated = false
    if let failure = AskError(error, isDiscovery: false) { conclude(.failed(failure), at: now) }
  }

  /// Handles what the Security Manager has reported.
  mutating func handleSecurity(at now: Instant) {
    if let failure = host.security.delegate.takeKeyFailure(), stage == .linked {
      // The peer is not trusted, and the link ends.
      closing = failure
      host.disconnect(at: 0)
    }
    if let prompt = host.security.delegate.takePrompt() { show(prompt, at: now) }
    switch host.security.delegate.takeOutcome() {
    case .paired: securing?.isPaired = true
    case .failed, .noRoom, .refused:
      if let refusal = securing?.refusal { endSecuring(refusal, at: now) }
    case .timedOut: endSecuring(.encryptionFailed(.connectionTimeout), at: now)
    case .encryptionFailed(let reason): endSecuring(.encryptionFailed(reason), at: now)
    // The end of the link is reported too.
    case .linkLost, nil: break
    }
  }

  // MARK: The user

  private mutating func show(_ prompt: PairingPrompt, at now: Instant) {
    switch prompt {
    case .confirmPairing:
      // The user has consented with --pair.
      _ = host.security.confirm(true, at: 0, at: now)
    case .compareNumber, .enterPasskey:
      host.security.delegate.question = prompt
      printer.asks(prompt)
    case .showPasskey:
      printer.asks(prompt)
    }
  }

  /// Takes the user's answer: a line with y or n, or with six digits; `nil` at the end of the
  /// input.
  mutating func answer(_ prompt: PairingPrompt, _ line: [UInt8]?, at now: Instant) {
    let text = line.map { String(decoding: $0, as: UTF8.self) }
    switch prompt {
    case .compareNumber:
      let word = text?.lowercased()
      host.security.delegate.question = nil
      _ = host.security.confirm(word == "y" || word == "yes", at: 0, at: now)
    case .enterPasskey:
      var passkey: UInt32?
      if let text, !text.isEmpty {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          let number = UInt32(text)
        else { return printer.asks(prompt) }
        passkey = number
      }
      host.security.delegate.question = nil
      _ = host.security.enterPasskey(passkey, at: 0, at: now)
    case .confirmPairing, .showPasskey: return
    }
  }
}

/// The delegate of the Security Manager: keeps what it reports until the program takes it.
struct PairingPrompts: PairingDelegate {
  /// The question that the user has to answer; `nil` without one.
  var question: PairingPrompt?

  private var prompt: PairingPrompt?
  private var outcome: PairingOutcome?
  private var keyFailure: HCIErrorCode?
  private(set) var hasNews = false

  mutating func takePrompt() -> PairingPrompt? {
    hasNews = false
    return prompt.take()
  }

  mutating func takeOutcome() -> PairingOutcome? { outcome.take() }

  /// Why the bond's key did not encrypt the link.
  mutating func takeKeyFailure() -> HCIErrorCode? { keyFailure.take() }

  // MARK: PairingDelegate

  mutating func show(_ prompt: PairingPrompt, at index: Int) {
    self.prompt = prompt
    hasNews = true
  }

  mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    question = nil
    prompt = nil
    self.outcome = outcome
    hasNews = true
  }

  mutating func securityChanged(to security: LinkSecurity, at index: Int) { hasNews = true }

  mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    keyFailure = reason
    hasNews = true
  }
}

extension ATTErrorCode {
  /// Whether the server may accept the request over a better protected link.
  var wantsProtection: Bool {
    self == .insufficientAuthentication || self == .insufficientEncryption
  }
}

/// The bonds with balls, and their file if there is one.
struct AskBonds: ~Copyable {
  /// The name of the file.
  static let fileName = "ask.bonds"

  /// Why the last write failed; `nil` if it succeeded, or if there is no file.
  private(set) var failure: SystemError?
  private var file: BondFile?
  private var identity: LocalIdentity?
  private var bonds = BondTable<16>()

  /// Bonds in memory.
  init() {}

  /// The bonds in their file; in memory if there is no file and the program does not pair.
  ///
  /// - Throws: With `pairs`, why the file cannot be used. Otherwise that is a warning.
  init(pairs: Bool, warn: (String) -> Void) throws(AskBondsError) {
    guard let path = BondFile.path(of: Self.fileName) else {
      if pairs { throw .noFolder }
      return
    }
    guard pairs || Files.exists(path) else { return }
    do throws(SystemError) {
      var file = BondFile(path)
      var content = try file.open()
      if let notice = content.notice { warn(notice) }
      guard pairs || content.bonds.count > 0 else { return }
      identity =
        content.identity
        ?? LocalIdentity(identityResolvingKey: .zero, address: .newStaticRandom())
      bonds = content.takeBonds()
      self.file = consume file
    } catch {
      guard !pairs else { throw .file(error) }
      warn(error.description)
    }
  }

  /// The address for the host: the one that bonded balls know, unless `choice` names another.
  func own(_ choice: AddressChoice) -> OwnAddress {
    guard choice == .automatic, let address = identity?.address, address.kind == .random else {
      return choice.own
    }
    return .random(address)
  }

  /// Moves the bonds to the caller.
  mutating func takeBonds() -> BondTable<16> {
    var taken = BondTable<16>()
    swap(&taken, &bonds)
    return taken
  }

  /// Writes the file.
  ///
  /// - Parameter address: The address of this device; zero for the last one.
  mutating func keep(_ bonds: borrowing BondTable<16>, as address: DeviceAddress) {
    guard file != nil else { return }
    if address != .zero { identity?.address = address }
    do throws(SystemError) {
      try file?.save(bonds, identity: identity)
      failure = nil
    } catch {
      failure = error
    }
  }
}

/// Why there are no bonds.
enum AskBondsError: Error {
  /// The environment names no folder for the file.
  case noFolder
  case file(SystemError)
}
