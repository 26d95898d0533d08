/// The parameters of one command, as a host writes them and a controller reads them.
public protocol HCICommand: Sendable {
  /// Which command it is.
  static var opcode: HCIOpcode { get }

  /// Reads the parameters; `nil` if they are too short. The caller tells whether any are left.
  init?(_ reader: inout ByteReader)

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

/// A command with no parameters: Reset, and the commands that only read.
public struct PlainCommand: Equatable, Sendable {
  /// Which command it is.
  public var opcode: HCIOpcode

  /// The command `opcode`.
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
