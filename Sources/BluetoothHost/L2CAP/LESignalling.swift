/// Which signalling command it is.
///
/// Core Specification, Vol 3, Part A, 4. An open set: a peer may send any byte.
public struct SignallingCode: RawRepresentable, Equatable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt8

  /// Any number, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A command is not understood: 4.1.
  public static let commandReject = SignallingCode(rawValue: 0x01)
  /// Closes a channel: 4.6.
  public static let disconnectionRequest = SignallingCode(rawValue: 0x06)
  /// The channel is closed: 4.7.
  public static let disconnectionResponse = SignallingCode(rawValue: 0x07)
  /// The peripheral wants other parameters: 4.20.
  public static let connectionParameterUpdateRequest = SignallingCode(rawValue: 0x12)
  /// Whether it gets them: 4.21.
  public static let connectionParameterUpdateResponse = SignallingCode(rawValue: 0x13)
  /// Opens a channel: 4.22.
  public static let leCreditBasedConnectionRequest = SignallingCode(rawValue: 0x14)
  /// Whether the channel is open: 4.23.
  public static let leCreditBasedConnectionResponse = SignallingCode(rawValue: 0x15)
  /// Gives credits for a channel: 4.24.
  public static let flowControlCredit = SignallingCode(rawValue: 0x16)
  /// Opens several channels: 4.25.
  public static let creditBasedConnectionRequest = SignallingCode(rawValue: 0x17)
  /// Which of them are open: 4.26.
  public static let creditBasedConnectionResponse = SignallingCode(rawValue: 0x18)
  /// Changes channels: 4.27.
  public static let creditBasedReconfigureRequest = SignallingCode(rawValue: 0x19)
  /// Whether they are changed: 4.28.
  public static let creditBasedReconfigureResponse = SignallingCode(rawValue: 0x1A)
}

/// One signalling command: its code, its identifier and its data, read in place.
///
/// Core Specification, Vol 3, Part A, 4. On LE one frame carries one command.
public struct SignallingCommand: ~Escapable {
  /// Which command it is.
  public var code: SignallingCode
  /// What a response repeats; never 0 in a valid command.
  public var identifier: UInt8
  /// What follows the header.
  public var data: Span<UInt8>
  /// Whether there is just as much data as the header tells.
  public var isComplete: Bool

  /// Reads a frame's payload; `nil` if not even the code and the identifier are there.
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
