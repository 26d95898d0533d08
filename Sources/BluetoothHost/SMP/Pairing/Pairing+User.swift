// What the user sees and answers. Core Specification, Vol 3, Part H, 2.3.5.
extension Pairing where Agreement: ~Copyable {
  /// Waits for an answer to `prompt`.
  mutating func ask(_ question: PairingState.Question, _ prompt: PairingPrompt) {
    state.question = question
    state.prompt = prompt
  }

  /// The user has compared the numbers, or has decided about pairing. Returns `false`, and nothing
  /// happens, if that was not asked.
  public mutating func confirm(_ isConfirmed: Bool, at now: Instant) -> Bool {
    guard state.question == .confirmation else { return false }
    state.now = now
    guard isConfirmed else {
      fail(
        state.model == .numericComparison ? .numericComparisonFailed : .unspecifiedReason)
      return true
    }
    state.question = .none
    confirm()
    continueChecks()
    return true
  }

  /// The user has entered a passkey, or, with `nil`, does not want to. Returns `false`, and nothing
  /// happens, if none was asked for, or if the number is not 0 to 999,999.
  public mutating func enterPasskey(_ passkey: UInt32?, at now: Instant) -> Bool {
    guard state.question == .passkey else { return false }
    state.now = now
    guard let passkey else {
      fail(.passkeyEntryFailed)
      return true
    }
    guard passkey < 1_000_000 else { return false }
    state.question = .none
    state.passkey = Number128(passkey: passkey)
    confirm()
    return true
  }
}

extension Number128 {
  /// A passkey as TK or r: Vol 3, Part H, 2.3.5.2 and 2.3.5.6.3.
  init(passkey: UInt32) {
    self.init(words: [passkey, 0, 0, 0])
  }
}
