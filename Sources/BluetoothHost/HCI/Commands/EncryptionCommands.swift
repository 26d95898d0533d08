/// Encrypts one block by AES-128.
///
/// Core Specification, Vol 4, Part E, 7.8.22. Answered by Command Complete with the status and the
/// encrypted block.
public struct LEEncrypt: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leEncrypt

  /// The key.
  public var key: Number128
  /// What is encrypted.
  public var plaintext: Number128

  /// A command with these parameters.
  public init(key: Number128, plaintext: Number128) {
    self.key = key
    self.plaintext = plaintext
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let key = Number128(&reader), let plaintext = Number128(&reader) else { return nil }
    self.init(key: key, plaintext: plaintext)
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    key.write(to: &writer)
    plaintext.write(to: &writer)
  }
}

/// Encrypts a link, or gives an encrypted one a new key. Only the central may.
///
/// Core Specification, Vol 4, Part E, 7.8.24. Answered by Command Status, then Encryption Change, or
/// Encryption Key Refresh Complete if the link was encrypted.
public struct LEEnableEncryption: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leEnableEncryption

  /// The link.
  public var handle: ConnectionHandle
  /// Which key the peripheral is to take, with the diversifier; 0 for a key that was not distributed.
  public var randomNumber: UInt64
  /// Which key the peripheral is to take, with the random number; 0 for a key that was not distributed.
  public var encryptedDiversifier: UInt16
  /// The long term key.
  public var key: Number128

  /// A command with these parameters.
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

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    writer.write(randomNumber)
    writer.write(encryptedDiversifier)
    key.write(to: &writer)
  }
}

/// Gives the key that LE Long Term Key Request asked for.
///
/// Core Specification, Vol 4, Part E, 7.8.25. Answered by Command Complete, then Encryption Change or
/// Encryption Key Refresh Complete.
public struct LELongTermKeyRequestReply: HCICommand, Equatable {
  /// Which command it is.
  public static let opcode = HCIOpcode.leLongTermKeyRequestReply

  /// The link.
  public var handle: ConnectionHandle
  /// The long term key.
  public var key: Number128

  /// A command with these parameters.
  public init(handle: ConnectionHandle, key: Number128) {
    self.handle = handle
    self.key = key
  }

  /// Reads the parameters; `nil` if they are too short.
  public init?(_ reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader), let key = Number128(&reader) else { return nil }
    self.init(handle: handle, key: key)
  }

  /// Writes the parameters, in their order in the packet.
  public func writeParameters(to writer: inout ByteWriter) {
    writer.write(handle.rawValue)
    key.write(to: &writer)
  }
}
