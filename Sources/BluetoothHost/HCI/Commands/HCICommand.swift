/// An HCI command, which a host writes. `VirtualRadio` reads some as a whole.
public protocol HCICommand: Sendable {
  /// The command's opcode.
  static var opcode: HCIOpcode { get }

  /// Writes the parameters.
  func writeParameters(to writer: inout ByteWriter)
}

extension HCICommand {
  /// Writes the whole packet, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    // One code for the header of all commands.
    let plain = PlainCommand(Self.opcode)
    plain.writePacket(to: &writer)
    let start = writer.count
    writeParameters(to: &writer)
    writer.patch(UInt8(truncatingIfNeeded: writer.count - start), at: start - 1)
  }
}

/// A command without parameters: Reset, and the commands that only read.
public struct PlainCommand: Equatable, Sendable {
  /// The command's opcode.
  public var opcode: HCIOpcode

  /// Creates the command `opcode`.
  public init(_ opcode: HCIOpcode) { self.opcode = opcode }

  /// Writes the whole packet, H4's type byte first.
  @inline(never) public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.command.rawValue)
    writer.write(opcode.rawValue)
    writer.write(UInt8(0))
  }
}

/// Selects the events that the controller may send: Core Specification, Vol 4, Part E, 7.3.1.
public struct SetEventMask: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.setEventMask

  /// A bit for each event.
  public var mask: UInt64

  /// Creates a command with these parameters.
  public init(mask: UInt64) { self.mask = mask }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let mask = reader.readUInt64() else { return nil }
    self.mask = mask
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(mask) }
}

/// Selects the LE Meta events that the controller may send:
/// Core Specification, Vol 4, Part E, 7.8.1.
public struct LESetEventMask: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leSetEventMask

  /// Bit n for subevent n + 1.
  public var mask: UInt64

  /// Creates a command with these parameters.
  public init(mask: UInt64) { self.mask = mask }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let mask = reader.readUInt64() else { return nil }
    self.mask = mask
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(mask) }
}

/// Sends one command at a time to the controller, and detects one that remains unanswered.
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
  mutating func reset() { self = CommandFlow() }

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
    if outstanding == nil { deadline = credits > 0 ? nil : now.advanced(by: Self.timeout) }
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
