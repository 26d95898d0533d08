// The user's prompts and answers. Core Specification, Vol 3, Part H, 2.3.5.
extension Pairing where Agreement: ~Copyable {
  /// Shows `prompt`, and waits for its answer.
  mutating func ask(_ question: PairingState.Question, _ prompt: PairingPrompt) {
    state.question = question
    state.prompt = prompt
  }

  /// Takes the user's answer to a comparison or to a request to pair. Returns `false`, without an
  /// effect, if there is no such prompt.
  public mutating func confirm(_ isConfirmed: Bool, at now: Instant) -> Bool {
    guard state.question == .confirmation else { return false }
    state.now = now
    guard isConfirmed else {
      fail(state.model == .numericComparison ? .numericComparisonFailed : .unspecifiedReason)
      return true
    }
    state.question = .none
    confirm()
    continueChecks()
    return true
  }

  /// Takes the passkey that the user entered, or `nil` if the user declines. Returns `false`,
  /// without an effect, if there is no such prompt, or the number is not 0 to 999,999.
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
