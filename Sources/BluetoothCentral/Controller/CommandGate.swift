import BluetoothHost

/// The way to the controller for commands: one at a time.
///
/// Core Specification, Vol 4, Part E, 4.4. A controller may also close it for a while, by telling
/// that it takes no commands now; as some never open it again, that too is believed only for so
/// long.
struct CommandGate {
  /// The command that the controller has not answered.
  private(set) var outstanding: Command?
  /// When the controller must have answered, or opened the gate.
  private(set) var deadline: Instant?
  private var isClosed = false

  /// Whether a command may be sent.
  var isOpen: Bool { outstanding == nil && !isClosed }

  /// A command has been sent.
  mutating func pass(_ command: Command, until deadline: Instant) {
    outstanding = command
    self.deadline = deadline
  }

  /// The controller answered `opcode`, and takes `credits` more commands. Gives the command that
  /// this answers; `nil` if it is not the one that was sent.
  mutating func answer(_ opcode: HCIOpcode, credits: UInt8, until closed: Instant) -> Command? {
    let answered = outstanding?.opcode == opcode ? outstanding : nil
    if answered != nil { outstanding = nil }
    isClosed = credits == 0
    if outstanding == nil { deadline = isClosed ? closed : nil }
    return answered
  }

  /// Gives the command that was not answered by `now`, if there is one.
  mutating func expire(at now: Instant) -> Command? {
    guard let deadline, deadline <= now else { return nil }
    let command = outstanding
    self = CommandGate()
    return command
  }
}
