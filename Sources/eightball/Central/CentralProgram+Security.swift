import BluetoothHost
import LinuxRadio

// When a peripheral refuses a request for lack of encryption, the link is encrypted, or the devices
// pair, and the request is repeated once: Core Specification, Vol 3, Part C, 10.3.2.
extension CentralProgram where Self: ~Copyable {
  /// Protects the link after the peripheral has refused a request with `error`, unless that would
  /// not help. `protected` follows. The program repeats the request once.
  ///
  /// - Returns: Whether the link is being protected.
  mutating func protect(after error: OperationError) -> Bool {
    let security = session.host.security.security(at: 0)
    guard session.outcome == nil, case .refused(let response) = error,
      response.code.wantsProtection, !security.contains(.encrypted | .authenticated)
    else { return false }
    session.securing = CentralSession.Securing(refusal: error, before: security)
    return true
  }

  /// Continues to protect the link.
  mutating func secure(at now: Instant) {
    guard let securing = session.securing else { return }
    let pairing = session.host.security.pairingIndex
    let security = session.host.security.security(at: 0)
    if pairing == nil, security.contains(.encrypted),
      securing.isPaired || security != securing.before
    {
      session.securing = nil
      protected(nil, at: now)
    } else if !securing.hasBegun {
      session.securing?.hasBegun = true
      if !beginSecuring(security, at: now) { endSecuring(securing.refusal, at: now) }
    }
  }

  /// Encrypts the link with the bond, or pairs. Pairs again if the link's key was not protected
  /// against a man in the middle. `false` if neither can begin, or if pairing would not help.
  private mutating func beginSecuring(_ security: LinkSecurity, at now: Instant) -> Bool {
    guard security.contains(.encrypted) else { return session.host.security.secure(at: 0, at: now) }
    return session.pairs && session.host.security.pair(at: 0, at: now)
  }

  private mutating func endSecuring(_ error: OperationError, at now: Instant) {
    guard session.securing != nil else { return }
    session.securing = nil
    protected(error, at: now)
  }

  /// Handles what the Security Manager has reported.
  mutating func handleSecurity(at now: Instant) {
    if let failure = session.host.security.delegate.takeKeyFailure(), session.stage == .linked {
      // The peer is not trusted, and the link ends.
      session.closing = failure
      session.host.disconnect(at: 0)
    }
    if let prompt = session.host.security.delegate.takePrompt() { show(prompt, at: now) }
    let outcome = session.host.security.delegate.takeOutcome()
    if let outcome { pairingEnded(outcome, at: now) }
    switch outcome {
    case .paired: session.securing?.isPaired = true
    case .failed, .noRoom, .refused:
      if let refusal = session.securing?.refusal { endSecuring(refusal, at: now) }
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
      _ = session.host.security.confirm(true, at: 0, at: now)
    case .compareNumber, .enterPasskey:
      session.host.security.delegate.question = prompt
      session.printer.asks(prompt)
    case .showPasskey:
      session.printer.asks(prompt)
    }
  }

  /// Takes the user's answer: a line with y or n, or with six digits; `nil` at the end of the
  /// input.
  mutating func answer(_ prompt: PairingPrompt, _ line: [UInt8]?, at now: Instant) {
    let text = line.map { String(decoding: $0, as: UTF8.self) }
    switch prompt {
    case .compareNumber:
      let word = text?.lowercased()
      session.host.security.delegate.question = nil
      _ = session.host.security.confirm(word == "y" || word == "yes", at: 0, at: now)
    case .enterPasskey:
      var passkey: UInt32?
      if let text, !text.isEmpty {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          let number = UInt32(text)
        else { return session.printer.asks(prompt) }
        passkey = number
      }
      session.host.security.delegate.question = nil
      _ = session.host.security.enterPasskey(passkey, at: 0, at: now)
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
