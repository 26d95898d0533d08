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
    writer.write(HCIPacketType.command.rawValue)
    writer.write(Self.opcode.rawValue)
    let lengthOffset = writer.count
    writer.write(UInt8(0))
    writeParameters(to: &writer)
    writer.patch(UInt8(truncatingIfNeeded: writer.count - lengthOffset - 1), at: lengthOffset)
  }
}

/// A command without parameters: Reset, and the commands that only read.
public struct PlainCommand: Equatable, Sendable {
  /// The command's opcode.
  public var opcode: HCIOpcode

  /// Creates the command `opcode`.
  public init(_ opcode: HCIOpcode) {
    self.opcode = opcode
  }

  /// Writes the whole packet, H4's type byte first.
  public func writePacket(to writer: inout ByteWriter) {
    writer.write(HCIPacketType.command.rawValue)
    writer.write(opcode.rawValue)
    writer.write(UInt8(0))
  }
}
