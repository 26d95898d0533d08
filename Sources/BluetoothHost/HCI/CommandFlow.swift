/// Sends one command at a time to the controller, and detects one that remains unanswered.
///
/// Core Specification, Vol 4, Part E, 4.4. Some controllers do not answer every command, and one
/// that gives no credits would block the host for ever; so every wait has a limit.
struct CommandFlow {
  /// The time limit for an answer, in milliseconds.
  static let timeout: UInt32 = 2_000

  /// The command that was sent and not answered.
  private(set) var outstanding: HCIOpcode?
  /// When to stop waiting, for the answer or for credits.
  private(set) var deadline: Instant?
  private var credits: UInt8 = 1

  /// Whether a command may be sent now.
  var isOpen: Bool { outstanding == nil && credits > 0 }

  /// Allows one command, as after a Reset.
  mutating func reset() {
    self = CommandFlow()
  }

  /// Records that a command is sent.
  mutating func send(_ opcode: HCIOpcode, at now: Instant) {
    outstanding = opcode
    deadline = now.advanced(by: Self.timeout)
  }

  /// The controller has answered `opcode` and accepts `credits` more commands. Returns whether that
  /// was the outstanding command.
  mutating func complete(_ opcode: HCIOpcode, credits: UInt8, at now: Instant) -> Bool {
    self.credits = credits
    let isExpected = opcode == outstanding
    if isExpected { outstanding = nil }
    if outstanding == nil {
      deadline = credits > 0 ? nil : now.advanced(by: Self.timeout)
    }
    return isExpected
  }

  /// Returns the command that is unanswered at its deadline, and stops waiting.
  mutating func expire(at now: Instant) -> HCIOpcode? {
    guard let deadline, deadline <= now else { return nil }
    let opcode = outstanding
    reset()
    return opcode
  }
}
