/// Which attribute protocol PDU it is: its first byte.
///
/// Core Specification, Vol 3, Part F, 3.4.8. An open set: a peer may send any byte.
public struct ATTOpcode: RawRepresentable, Equatable, Sendable {
  /// The number as it is sent.
  public var rawValue: UInt8

  /// Any number, known or not.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Whether it is a command, which is never answered: bit 6.
  public var isCommand: Bool { rawValue & 0x40 != 0 }

  /// A request is refused: 3.4.1.1.
  public static let errorResponse = ATTOpcode(rawValue: 0x01)
  /// How long a PDU the client takes: 3.4.2.1.
  public static let exchangeMTURequest = ATTOpcode(rawValue: 0x02)
  /// How long a PDU the server takes: 3.4.2.2.
  public static let exchangeMTUResponse = ATTOpcode(rawValue: 0x03)
  /// Which types are there? 3.4.3.1.
  public static let findInformationRequest = ATTOpcode(rawValue: 0x04)
  /// Handles with types: 3.4.3.2.
  public static let findInformationResponse = ATTOpcode(rawValue: 0x05)
  /// Which attributes have this value? 3.4.3.3.
  public static let findByTypeValueRequest = ATTOpcode(rawValue: 0x06)
  /// Handles with the ends of their groups: 3.4.3.4.
  public static let findByTypeValueResponse = ATTOpcode(rawValue: 0x07)
  /// The values of this type, please: 3.4.4.1.
  public static let readByTypeRequest = ATTOpcode(rawValue: 0x08)
  /// Handles with values: 3.4.4.2.
  public static let readByTypeResponse = ATTOpcode(rawValue: 0x09)
  /// A value, please: 3.4.4.3.
  public static let readRequest = ATTOpcode(rawValue: 0x0A)
  /// The value, or its start: 3.4.4.4.
  public static let readResponse = ATTOpcode(rawValue: 0x0B)
  /// More of a value, please: 3.4.4.5.
  public static let readBlobRequest = ATTOpcode(rawValue: 0x0C)
  /// More of the value: 3.4.4.6.
  public static let readBlobResponse = ATTOpcode(rawValue: 0x0D)
  /// Several values of known lengths, please: 3.4.4.7.
  public static let readMultipleRequest = ATTOpcode(rawValue: 0x0E)
  /// The values in a row: 3.4.4.8.
  public static let readMultipleResponse = ATTOpcode(rawValue: 0x0F)
  /// Which services are there? 3.4.4.9.
  public static let readByGroupTypeRequest = ATTOpcode(rawValue: 0x10)
  /// Ranges of handles with values: 3.4.4.10.
  public static let readByGroupTypeResponse = ATTOpcode(rawValue: 0x11)
  /// Write this, and say so: 3.4.5.1.
  public static let writeRequest = ATTOpcode(rawValue: 0x12)
  /// It is written: 3.4.5.2.
  public static let writeResponse = ATTOpcode(rawValue: 0x13)
  /// Keep this part for later: 3.4.6.1.
  public static let prepareWriteRequest = ATTOpcode(rawValue: 0x16)
  /// The part that is kept: 3.4.6.2.
  public static let prepareWriteResponse = ATTOpcode(rawValue: 0x17)
  /// Write the parts, or forget them: 3.4.6.3.
  public static let executeWriteRequest = ATTOpcode(rawValue: 0x18)
  /// That is done: 3.4.6.4.
  public static let executeWriteResponse = ATTOpcode(rawValue: 0x19)
  /// A value has changed: 3.4.7.1.
  public static let handleValueNotification = ATTOpcode(rawValue: 0x1B)
  /// A value has changed; say that you heard: 3.4.7.2.
  public static let handleValueIndication = ATTOpcode(rawValue: 0x1D)
  /// Heard: 3.4.7.3.
  public static let handleValueConfirmation = ATTOpcode(rawValue: 0x1E)
  /// Several values, please: 3.4.4.11.
  public static let readMultipleVariableRequest = ATTOpcode(rawValue: 0x20)
  /// Each value after its length: 3.4.4.12.
  public static let readMultipleVariableResponse = ATTOpcode(rawValue: 0x21)
  /// Several values have changed: 3.4.7.4.
  public static let multipleHandleValueNotification = ATTOpcode(rawValue: 0x23)
  /// Write this, and say nothing: 3.4.5.3.
  public static let writeCommand = ATTOpcode(rawValue: 0x52)
  /// Write this if the signature is right, and say nothing: 3.4.5.4.
  public static let signedWriteCommand = ATTOpcode(rawValue: 0xD2)
}
