/// Lets one command at a time go to the controller, and notices when it stays unanswered.
///
/// Core Specification, Vol 4, Part E, 4.4. Controllers, real ones and virtual ones, leave some
/// commands unanswered, and one that gives no credits would silence the host for ever; so every
/// wait has an end.
struct CommandFlow {
  /// How long a controller may take to answer, in milliseconds.
  static let patience: UInt32 = 2_000

  /// The command that has been sent and not answered.
  private(set) var outstanding: HCIOpcode?
  /// When to stop waiting: for the answer, or for credits.
  private(set) var deadline: Instant?
  private var credits: UInt8 = 1

  /// Whether a command may be sent now.
  var isOpen: Bool { outstanding == nil && credits > 0 }

  /// Begins anew, as after a reset: one command may be sent.
  mutating func reset() {
    self = CommandFlow()
  }

  /// A command goes to the controller.
  mutating func send(_ opcode: HCIOpcode, at now: Instant) {
    outstanding = opcode
    deadline = now.advanced(by: Self.patience)
  }

  /// The controller has answered `opcode` and takes `credits` more commands. Gives whether that
  /// is the command that was waited for.
  mutating func complete(_ opcode: HCIOpcode, credits: UInt8, at now: Instant) -> Bool {
    self.credits = credits
    let isExpected = opcode == outstanding
    if isExpected { outstanding = nil }
    if outstanding == nil {
      deadline = credits > 0 ? nil : now.advanced(by: Self.patience)
    }
    return isExpected
  }

  /// The time is `now`. Gives the command that has been waited for in vain; what was waited for
  /// is given up.
  mutating func expire(at now: Instant) -> HCIOpcode? {
    guard let deadline, deadline <= now else { return nil }
    let opcode = outstanding
    reset()
    return opcode
  }
}
