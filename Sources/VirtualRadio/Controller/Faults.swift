import BluetoothHost

/// What a virtual controller is to do wrong, and how often. Nothing, unless asked.
///
/// Faults are used up in the order in which they were asked for, one for each packet that they
/// fit, so that a test names exactly what goes wrong and when.
public struct Faults: Sendable, Equatable {
  private struct CommandFault: Equatable {
    var opcode: HCIOpcode?
    var refusal: HCIErrorCode?
    var remaining: Int
  }

  private struct PacketFault: Equatable {
    var type: HCIPacketType?
    var change: PacketChange
  }

  /// What happens to one packet on its way to the host.
  enum PacketChange: Equatable {
    case cut(Int)
    case misstateLength(Int)
    case duplicate
    case lose
  }

  /// What happens to one command.
  enum CommandChange: Equatable {
    case leaveUnanswered
    case refuse(HCIErrorCode)
  }

  private var commands: [CommandFault] = []
  private var packets: [PacketFault] = []
  private var lostCompletions = 0

  /// No faults.
  public init() {}

  /// Leaves the next `times` commands undone and unanswered: those with `opcode`, or any.
  public mutating func leaveUnanswered(_ opcode: HCIOpcode? = nil, times: Int = 1) {
    commands.append(CommandFault(opcode: opcode, refusal: nil, remaining: times))
  }

  /// Refuses the next `times` commands with `opcode`, and does nothing of what they ask.
  public mutating func refuse(_ opcode: HCIOpcode, with status: HCIErrorCode, times: Int = 1) {
    commands.append(CommandFault(opcode: opcode, refusal: status, remaining: times))
  }

  /// Never gives back the next `count` buffers that the host's ACL packets took.
  public mutating func loseCompletions(_ count: Int) {
    lostCompletions += count
  }

  /// Gives the host only the first `length` bytes of its next packet, H4's type byte counted; of
  /// its next packet of `type`, if one is named.
  public mutating func cutPacket(to length: Int, type: HCIPacketType? = nil) {
    packets.append(PacketFault(type: type, change: .cut(length)))
  }

  /// States in the host's next packet (of `type`) a length that is `difference` bytes too long,
  /// or too short, and changes no other byte.
  public mutating func misstateLength(by difference: Int, type: HCIPacketType? = nil) {
    packets.append(PacketFault(type: type, change: .misstateLength(difference)))
  }

  /// Gives the host its next packet (of `type`) twice.
  public mutating func duplicatePacket(type: HCIPacketType? = nil) {
    packets.append(PacketFault(type: type, change: .duplicate))
  }

  /// Never gives the host its next packet (of `type`).
  public mutating func losePacket(type: HCIPacketType? = nil) {
    packets.append(PacketFault(type: type, change: .lose))
  }

  /// Takes back every fault that has not happened yet.
  public mutating func removeAll() {
    self = Faults()
  }

  /// Whether nothing is left to go wrong.
  public var isEmpty: Bool {
    commands.isEmpty && packets.isEmpty && lostCompletions == 0
  }

  mutating func takeCommandChange(_ opcode: HCIOpcode) -> CommandChange? {
    guard
      let index = commands.firstIndex(where: {
        $0.remaining > 0 && ($0.opcode == nil || $0.opcode == opcode)
      })
    else { return nil }
    let fault = commands[index]
    commands[index].remaining -= 1
    if commands[index].remaining <= 0 { commands.remove(at: index) }
    guard let refusal = fault.refusal else { return .leaveUnanswered }
    return .refuse(refusal)
  }

  mutating func takePacketChange(_ type: UInt8) -> PacketChange? {
    guard
      let index = packets.firstIndex(where: { $0.type == nil || $0.type?.rawValue == type })
    else { return nil }
    return packets.remove(at: index).change
  }

  mutating func takeLostCompletion() -> Bool {
    guard lostCompletions > 0 else { return false }
    lostCompletions -= 1
    return true
  }
}
