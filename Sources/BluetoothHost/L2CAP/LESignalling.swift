/// The code of a signalling command.
///
/// Core Specification, Vol 3, Part A, 4. An open set: a peer may send any byte.
public struct SignallingCode: RawRepresentable, Equatable, Sendable {
  /// The value in the PDU.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Rejects a command: 4.1.
  public static let commandReject = SignallingCode(rawValue: 0x01)
  /// Requests the end of a channel: 4.6.
  public static let disconnectionRequest = SignallingCode(rawValue: 0x06)
  /// Confirms the end of a channel: 4.7.
  public static let disconnectionResponse = SignallingCode(rawValue: 0x07)
  /// Requests other connection parameters for a peripheral: 4.20.
  public static let connectionParameterUpdateRequest = SignallingCode(rawValue: 0x12)
  /// Answers that request: 4.21.
  public static let connectionParameterUpdateResponse = SignallingCode(rawValue: 0x13)
  /// Requests a channel: 4.22.
  public static let leCreditBasedConnectionRequest = SignallingCode(rawValue: 0x14)
  /// Answers that request: 4.23.
  public static let leCreditBasedConnectionResponse = SignallingCode(rawValue: 0x15)
  /// Gives credits for a channel: 4.24.
  public static let flowControlCredit = SignallingCode(rawValue: 0x16)
  /// Requests several channels: 4.25.
  public static let creditBasedConnectionRequest = SignallingCode(rawValue: 0x17)
  /// Answers that request: 4.26.
  public static let creditBasedConnectionResponse = SignallingCode(rawValue: 0x18)
  /// Requests changes to channels: 4.27.
  public static let creditBasedReconfigureRequest = SignallingCode(rawValue: 0x19)
  /// Answers that request: 4.28.
  public static let creditBasedReconfigureResponse = SignallingCode(rawValue: 0x1A)
}

/// A signalling command: its code, its identifier and its data, without a copy.
///
/// Core Specification, Vol 3, Part A, 4. On LE one frame carries one command.
public struct SignallingCommand: ~Escapable {
  /// The command's code.
  public var code: SignallingCode
  /// Its identifier, which a response repeats; never 0 in a valid command.
  public var identifier: UInt8
  /// The data after the header.
  public var data: Span<UInt8>
  /// Whether the data's length is the one in the header.
  public var isComplete: Bool

  /// Reads a frame's payload; `nil` without a code and an identifier.
  @_lifetime(copy payload)
  public init?(_ payload: Span<UInt8>) {
    var reader = ByteReader(payload)
    guard let code = reader.readUInt8(), let identifier = reader.readUInt8() else { return nil }
    self.code = SignallingCode(rawValue: code)
    self.identifier = identifier
    if let length = reader.readUInt16() {
      isComplete = reader.count == Int(length)
    } else {
      isComplete = false
    }
    data = reader.readRemaining()
  }

  /// Writes a command's header; `length` bytes of data follow.
  public static func writeHeader(
    _ code: SignallingCode, identifier: UInt8, length: Int, to writer: inout ByteWriter
  ) {
    writer.write(code.rawValue)
    writer.write(identifier)
    writer.write(UInt16(truncatingIfNeeded: length))
  }
}
