import BluetoothHost

/// Whose command the controller has: one at a time, whichever half it is from.
///
/// Core Specification, Vol 4, Part E, 4.4. Every wait has an end, as in each host by itself.
struct CommandTurn {
  /// A command that has not been answered.
  struct Command {
    /// Who sent it; `nil` if the sharing itself did.
    var half: SharedHalf?
    var opcode: HCIOpcode
    /// The link that it is about, if it is about one.
    var handle: ConnectionHandle?
  }

  /// How long an answer, or a credit, is waited for, in milliseconds: as long as hosts wait.
  static let patience: UInt32 = 2_000

  private(set) var outstanding: Command?
  /// When not to wait any longer.
  private(set) var deadline: Instant?
  private var isClosed = false

  /// Whether a command may be sent by anyone.
  var isFree: Bool { outstanding == nil && !isClosed }

  /// A command goes to the controller.
  mutating func take(_ command: Command, at now: Instant) {
    outstanding = command
    deadline = now.advanced(by: Self.patience)
  }

  /// The controller has answered `opcode`, and takes `credits` more commands. Gives the command
  /// that this answers; `nil` if it is none that is waited for.
  mutating func answer(_ opcode: HCIOpcode, credits: UInt8, at now: Instant) -> Command? {
    let answered = outstanding?.opcode == opcode ? outstanding : nil
    if answered != nil { outstanding = nil }
    isClosed = credits == 0
    if outstanding == nil { deadline = isClosed ? now.advanced(by: Self.patience) : nil }
    return answered
  }

  /// Whether the wait has ended in vain at `now`; the command that was waited for is in
  /// `outstanding` until `reset()`.
  func isExpired(at now: Instant) -> Bool {
    deadline.map { $0 <= now } ?? false
  }

  /// Nothing is waited for.
  mutating func reset() {
    self = CommandTurn()
  }
}
