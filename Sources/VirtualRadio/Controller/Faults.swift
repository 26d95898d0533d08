import BluetoothHost

/// Faults to inject into a virtual controller. None by default.
///
/// Faults are used in the order in which they were added, one for each matching packet, so that a
/// test determines exactly what goes wrong and when.
public struct Faults: Sendable, Equatable {
  private struct CommandFault: Equatable {
    var opcode: HCIOpcode?
    var error: HCIErrorCode?
    var remaining: Int
  }

  private struct PacketFault: Equatable {
    var type: HCIPacketType?
    var change: PacketChange
    /// The number of matching packets up to the affected one.
    var remaining = 1
  }

  /// What happens to one packet on its way to the host.
  enum PacketChange: Equatable {
    case cut(Int)
    case misstateLength(Int)
    case duplicate
    case lose
    case loseLink
    case dropLink
    case fallSilent(UInt32)
  }

  /// What happens to one command.
  enum CommandChange: Equatable {
    case leaveUnanswered
    case refuse(HCIErrorCode)
  }

  private var commands: [CommandFault] = []
  private var packets: [PacketFault] = []
  private var lostCompletions = 0
  private var changedKeys = 0
  private var keyAnswerDelays: [UInt32] = []
  private var linkLosses: [HCIOpcode] = []

  /// No faults.
  public init() {}

  /// Does not execute or answer the next `times` commands with `opcode`, or any commands.
  public mutating func leaveUnanswered(_ opcode: HCIOpcode? = nil, times: Int = 1) {
    commands.append(CommandFault(opcode: opcode, error: nil, remaining: times))
  }

  /// Refuses the next `times` commands with `opcode`, without executing them.
  public mutating func refuse(_ opcode: HCIOpcode, with status: HCIErrorCode, times: Int = 1) {
    commands.append(CommandFault(opcode: opcode, error: status, remaining: times))
  }

  /// Never returns the next `count` buffers of the host's ACL packets.
  public mutating func loseCompletions(_ count: Int) { lostCompletions += count }

  /// Truncates the host's next packet (of `type`) to `length` bytes, including H4's type byte.
  public mutating func cutPacket(to length: Int, type: HCIPacketType? = nil) {
    packets.append(PacketFault(type: type, change: .cut(length)))
  }

  /// Adds `difference` to the length field of the host's next packet (of `type`), and changes no
  /// other byte.
  public mutating func misstateLength(by difference: Int, type: HCIPacketType? = nil) {
    packets.append(PacketFault(type: type, change: .misstateLength(difference)))
  }

  /// Delivers the host's next packet (of `type`) twice.
  public mutating func duplicatePacket(type: HCIPacketType? = nil) {
    packets.append(PacketFault(type: type, change: .duplicate))
  }

  /// Drops the host's next packet (of `type`).
  public mutating func losePacket(type: HCIPacketType? = nil) {
    packets.append(PacketFault(type: type, change: .lose))
  }

  /// Changes one bit of the next `count` keys from the host, as central or as peripheral: the keys
  /// of the two sides differ, and the link ends with a MIC failure (0x3D).
  public mutating func changeKeys(_ count: Int = 1) { changedKeys += count }

  /// Delays the host's next answer to LE Long Term Key Request by `milliseconds`. 40 s after the
  /// request both sides end the link (0x22).
  public mutating func delayKeyAnswer(by milliseconds: UInt32) {
    keyAnswerDelays.append(milliseconds)
  }

  /// Puts the two sides of a link out of range before the host's next command `opcode`, whose first
  /// parameter is the link's handle. The link ends on both sides after the supervision timeout;
  /// until then both are silent.
  public mutating func loseLink(at opcode: HCIOpcode) { linkLosses.append(opcode) }

  /// Delivers `count` more ACL packets to the host, at least 1, and then puts the two sides of the
  /// last one's link out of range. Packets sent before still reach the host; both sides end the
  /// link after the supervision timeout.
  public mutating func loseLink(afterPackets count: Int) {
    packets.append(PacketFault(type: .acl, change: .loseLink, remaining: max(count, 1)))
  }

  /// Replaces what an air has planned for its connections.
  mutating func plan(_ fate: ConnectionFaults.Fate) {
    packets.removeAll {
      switch $0.change {
      case .dropLink, .fallSilent: true
      default: false
      }
    }
    switch fate {
    case .lasts: return
    case .drops(let count):
      packets.append(PacketFault(type: .acl, change: .dropLink, remaining: count))
    case .vanishes(let count, let milliseconds):
      packets.append(
        PacketFault(type: .acl, change: .fallSilent(milliseconds), remaining: count))
    }
  }

  /// Removes all unused faults.
  public mutating func removeAll() { self = Faults() }

  /// Whether all faults have been used.
  public var isEmpty: Bool { self == Faults() }

  mutating func takeCommandChange(_ opcode: HCIOpcode) -> CommandChange? {
    guard
      let index = commands.firstIndex(where: {
        $0.remaining > 0 && ($0.opcode == nil || $0.opcode == opcode)
      })
    else { return nil }
    let fault = commands[index]
    commands[index].remaining -= 1
    if commands[index].remaining <= 0 { commands.remove(at: index) }
    guard let error = fault.error else { return .leaveUnanswered }
    return .refuse(error)
  }

  // Without faults, a packet costs only this check.
  @inline(__always) mutating func takePacketChange(_ type: UInt8) -> PacketChange? {
    packets.isEmpty ? nil : takeFirstPacketChange(type)
  }

  @inline(never) private mutating func takeFirstPacketChange(_ type: UInt8) -> PacketChange? {
    guard let index = packets.firstIndex(where: { $0.type == nil || $0.type?.rawValue == type })
    else { return nil }
    guard packets[index].remaining == 1 else {
      packets[index].remaining -= 1
      return nil
    }
    return packets.remove(at: index).change
  }

  mutating func takeLostCompletion() -> Bool {
    guard lostCompletions > 0 else { return false }
    lostCompletions -= 1
    return true
  }

  /// The key to use instead of the host's.
  mutating func change(_ key: Number128) -> Number128 {
    guard changedKeys > 0 else { return key }
    changedKeys -= 1
    var changed = key
    changed.words[3] ^= 0x0100_0000
    return changed
  }

  mutating func takeKeyAnswerDelay() -> UInt32? {
    keyAnswerDelays.isEmpty ? nil : keyAnswerDelays.removeFirst()
  }

  /// Whether the link of a command is lost before the command.
  mutating func takeLinkLoss(_ opcode: HCIOpcode) -> Bool {
    guard let index = linkLosses.firstIndex(of: opcode) else { return false }
    linkLosses.remove(at: index)
    return true
  }
}
