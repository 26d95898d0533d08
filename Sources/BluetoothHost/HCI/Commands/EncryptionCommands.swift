/// Encrypts one block with AES-128. Core Specification, Vol 4, Part E, 7.8.22. Answered by Command
/// Complete with the status and the encrypted block.
public struct LEEncrypt: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leEncrypt

  /// The key.
  public var key: Number128
  /// The block to encrypt.
  public var plaintext: Number128

  /// Creates a command with these parameters.
  public init(key: Number128, plaintext: Number128) {
    self.key = key
    self.plaintext = plaintext
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let key = Number128(&reader), let plaintext = Number128(&reader) else { return nil }
    self.init(key: key, plaintext: plaintext)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    key.write(to: &writer)
    plaintext.write(to: &writer)
  }
}

/// Encrypts a link, or changes the key of an encrypted one. Only for the central.
/// Core Specification, Vol 4, Part E, 7.8.24. Answered by Command Status, then Encryption Change,
/// or Encryption Key Refresh Complete if the link was encrypted.
public struct LEEnableEncryption: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leEnableEncryption

  /// The link.
  public var handle: ConnectionHandle
  /// Identifies a key that the peripheral distributed, with the diversifier; 0 for a key that both
  /// derived.
  public var randomNumber: UInt64
  /// Identifies a key that the peripheral distributed, with the random number; 0 for a key that
  /// both derived.
  public var encryptedDiversifier: UInt16
  /// The long term key.
  public var key: Number128

  /// Creates a command with these parameters.
  public init(
    handle: ConnectionHandle, randomNumber: UInt64 = 0, encryptedDiversifier: UInt16 = 0,
    key: Number128
  ) {
    self.handle = handle
    self.randomNumber = randomNumber
    self.encryptedDiversifier = encryptedDiversifier
    self.key = key
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader), let randomNumber = reader.readUInt64(),
      let encryptedDiversifier = reader.readUInt16(), let key = Number128(&reader)
    else { return nil }
    self.init(
      handle: handle, randomNumber: randomNumber, encryptedDiversifier: encryptedDiversifier,
      key: key)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(randomNumber)
    writer.write(encryptedDiversifier)
    key.write(to: &writer)
  }
}

/// Answers LE Long Term Key Request with the key. Core Specification, Vol 4, Part E, 7.8.25.
/// Answered by Command Complete, then Encryption Change or Encryption Key Refresh Complete.
public struct LELongTermKeyRequestReply: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leLongTermKeyRequestReply

  /// The link.
  public var handle: ConnectionHandle
  /// The long term key.
  public var key: Number128

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle, key: Number128) {
    self.handle = handle
    self.key = key
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader), let key = Number128(&reader) else { return nil }
    self.init(handle: handle, key: key)
  }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    key.write(to: &writer)
  }
}

/// Reports that there is no key for a link, so it stays unencrypted:
/// Core Specification, Vol 4, Part E, 7.8.26.
public struct LELongTermKeyRequestNegativeReply: HCICommand, Equatable {
  /// The command's opcode.
  public static let opcode = HCIOpcode.leLongTermKeyRequestNegativeReply

  /// The link.
  public var handle: ConnectionHandle

  /// Creates a command with these parameters.
  public init(handle: ConnectionHandle) { self.handle = handle }

  /// Writes the parameters in the packet's order.
  public func writeParameters(to writer: inout ByteWriter) { writer.write(handle.rawValue) }
}
