import BluetoothHost
import Expectations

/// An L2CAP frame that a host has sent.
struct Frame: Equatable {
  var handle: UInt16
  var channel: UInt16
  var payload: [UInt8]
}

/// A controller's record of what its host has sent, with checks of its form.
class SentPackets {
  /// Every command, type byte first.
  private(set) var commandPackets: [[UInt8]] = []
  /// Every ACL packet.
  private(set) var aclPackets: [[UInt8]] = []
  /// Every L2CAP frame.
  private(set) var frames: [Frame] = []
  /// Incomplete frames by handle.
  private var partial: [UInt16: [UInt8]] = [:]

  func forgetWhatWasSent() {
    commandPackets = []
    aclPackets = []
    frames = []
  }

  /// A link begins: a frame that an earlier one with its handle left unfinished is not continued.
  func forgetFragments(of handle: UInt16) { partial[handle] = nil }

  /// Takes a command.
  func takeCommand(_ packet: [UInt8]) -> HCIOpcode {
    commandPackets.append(packet)
    expect(packet[0] == 0x01 && packet.count == 4 + Int(packet[3]), "a malformed command")
    return HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
  }

  /// Takes an ACL packet with at most `longest` bytes of data.
  ///
  /// - Returns: Its link, and the frame that it completes.
  func takeData(_ packet: [UInt8], longest: UInt16 = .max) -> (handle: UInt16, frame: Frame?) {
    aclPackets.append(packet)
    let field = UInt16(packet[1]) | UInt16(packet[2]) << 8
    let handle = field & 0x0FFF
    let isFirst = field >> 12 != 0b01
    expect(packet.count, is: 5 + Int(packet[3]) + Int(packet[4]) << 8, "data of the wrong length")
    expect(packet.count - 5 <= Int(longest), "more data than the controller takes")
    expect(isFirst, is: partial[handle] == nil, "a frame begins within another, or not at all")
    let bytes = (partial[handle] ?? []) + packet[5...]
    let length = Int(bytes[0]) + Int(bytes[1]) << 8
    expect(bytes.count <= 4 + length, "more data than the frame states")
    guard bytes.count >= 4 + length else {
      partial[handle] = bytes
      return (handle, nil)
    }
    partial[handle] = nil
    let frame = Frame(
      handle: handle, channel: UInt16(bytes[2]) | UInt16(bytes[3]) << 8,
      payload: Array(bytes[4...]))
    frames.append(frame)
    return (handle, frame)
  }

  /// The opcodes of the commands.
  var commands: [HCIOpcode] {
    commandPackets.map { HCIOpcode(rawValue: UInt16($0[1]) | UInt16($0[2]) << 8) }
  }

  /// The parameters of each such command.
  func parameters(of opcode: HCIOpcode) -> [[UInt8]] {
    zip(commands, commandPackets).filter { $0.0 == opcode }.map { Array($0.1[4...]) }
  }
}

extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// The next packet, without an answer.
  mutating func takePacket(at now: Instant) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 526)
    var writer = ByteWriter(storage.mutableSpan)
    let isWritten = nextPacket(into: &writer, at: now)
    let hasOverflowed = writer.hasOverflowed
    let count = writer.count
    expect(!hasOverflowed, "a packet longer than the maximum")
    expect(isWritten, is: count > 0, "the returned Bool does not match the packet")
    return isWritten ? Array(storage.prefix(count)) : nil
  }
}
