import BluetoothHost

/// What a controller answers when it is asked for its buffers, in any of the three ways.
///
/// Core Specification, Vol 4, Part E, 7.4.5 and 7.8.2.
struct BufferSize {
  /// How many ACL packets it holds.
  var count: Int

  private var opcode: HCIOpcode
  private var length: UInt16
  /// Read Buffer Size: how long a synchronous packet is.
  private var synchronousLength: UInt8 = 0
  /// Read Buffer Size: how many synchronous packets it holds. LE Read Buffer Size in its second
  /// version: how long an isochronous packet is.
  private var second: UInt16 = 0
  /// LE Read Buffer Size in its second version: how many isochronous packets it holds.
  private var isochronousCount: UInt8 = 0

  /// Reads what follows the status; `nil` if that is too short, or `opcode` another command.
  init?(_ opcode: HCIOpcode, _ reader: consuming ByteReader) {
    self.opcode = opcode
    switch opcode {
    case .readBufferSize:
      guard let length = reader.readUInt16(), let synchronousLength = reader.readUInt8(),
        let count = reader.readUInt16(), let second = reader.readUInt16()
      else { return nil }
      self.length = length
      self.synchronousLength = synchronousLength
      self.count = Int(count)
      self.second = second
    case .leReadBufferSize, .leReadBufferSizeV2:
      guard let length = reader.readUInt16(), let count = reader.readUInt8() else { return nil }
      self.length = length
      self.count = Int(count)
      if opcode == .leReadBufferSizeV2 {
        guard let second = reader.readUInt16(), let isochronousCount = reader.readUInt8() else {
          return nil
        }
        self.second = second
        self.isochronousCount = isochronousCount
      }
    default:
      return nil
    }
  }

  /// Writes the answer, from its status on.
  func write(to writer: inout ByteWriter) {
    writer.write(HCIErrorCode.success.rawValue)
    writer.write(length)
    if opcode == .readBufferSize {
      writer.write(synchronousLength)
      writer.write(UInt16(clamping: count))
      writer.write(second)
    } else {
      writer.write(UInt8(clamping: count))
      if opcode == .leReadBufferSizeV2 {
        writer.write(second)
        writer.write(isochronousCount)
      }
    }
  }
}
