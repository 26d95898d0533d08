/// The data of a signalling command about channels.
///
/// Core Specification, Vol 3, Part A, 4.
public protocol SignallingPDU: Equatable, Sendable {
  /// The command's code.
  static var code: SignallingCode { get }
  /// The length of its data in bytes.
  var length: Int { get }
  /// Reads the data; `nil` if bytes are missing.
  init?(_ reader: inout ByteReader)
  /// Writes the data.
  func write(to writer: inout ByteWriter)
}

extension SignallingPDU {
  /// Reads a command; `nil` if its code or its length is wrong.
  public init?(_ command: borrowing SignallingCommand) {
    guard command.code == Self.code, command.isComplete else { return nil }
    var reader = ByteReader(command.data)
    self.init(&reader)
    guard reader.isEmpty else { return nil }
  }

  /// Writes the whole command, its header first.
  public func write(identifier: UInt8, to writer: inout ByteWriter) {
    SignallingCommand.writeHeader(Self.code, identifier: identifier, length: length, to: &writer)
    write(to: &writer)
  }
}

extension ByteReader {
  /// Reads a channel identifier.
  mutating func readChannel() -> L2CAPChannel? {
    guard let rawValue = readUInt16() else { return nil }
    return L2CAPChannel(rawValue: rawValue)
  }
}
