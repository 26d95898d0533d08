/// The part of a host that protects links: a Security Manager, with its pairings and bonds.
///
/// `SecurityManager` is one. `NoSecurity` is for a host that never encrypts: it refuses to pair, and has
/// neither state nor code. The host calls these requirements; nothing else needs them.
///
/// An index without a link is answered with nothing.
public protocol SecurityRole: ~Copyable {
  /// Whether links can be protected. The code for it is left out where this is false.
  static var isPresent: Bool { get }

  /// A link is there, with the addresses with which it was made.
  mutating func opened(_ link: PairingLink, at index: Int)
  /// A link has gone.
  mutating func closed(at index: Int)

  /// Takes a PDU of the Security Manager's channel.
  mutating func receive(_ pdu: Span<UInt8>, at index: Int, at now: Instant)
  /// Whether there is a PDU to send.
  func hasPacket(for connection: borrowing Connection) -> Bool
  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool

  /// Whether a command for the controller is owed: `takeEncryption` or `takeKeyReply` has one.
  func owesCommand(at index: Int) -> Bool
  /// What the controller shall encrypt the link with; `nil` if nothing is owed.
  mutating func takeEncryption(at index: Int, at now: Instant) -> EncryptionStart?
  /// The answer to the controller's request for the key of the link; `nil` if none is owed.
  mutating func takeKeyReply(at index: Int) -> LongTermKeyReply?
  /// The controller asks for the key of a link.
  mutating func keyRequested(
    encryptedDiversifier: UInt16, randomNumber: UInt64, at index: Int, at now: Instant)
  /// The link is encrypted, or no longer, or could not be.
  mutating func encryptionChanged(
    _ status: HCIErrorCode, isEncrypted: Bool, at index: Int, at now: Instant)

  /// When `advance(to:)` has to be called next; `nil` if nothing is waited for. A time that has passed
  /// means that there is work to do.
  var deadline: Instant? { get }
  /// Does what is due, and a little of the work on keys.
  mutating func advance(to now: Instant)

  /// What protects the link now.
  func security(at index: Int) -> LinkSecurity

  /// Recognises a client, once: its link is encrypted with the key of its bond. `nil` if it is not, or if
  /// that has been taken.
  mutating func takeRecognition(at index: Int) -> ClientRecognition?
  /// The recognised clients about which the server may know something new.
  var activeClients: ConnectionSet { get }
  /// The server may know something new of a client. Nothing happens unless it is recognised.
  mutating func noteActivity(at index: Int)
  /// Whether the bond of a client does not keep `state` yet. The client is no longer active.
  mutating func isNews(_ state: ClientState, at index: Int) -> Bool
  /// Keeps `record` with the bond of a client.
  mutating func keep(_ record: ClientRecord, at index: Int)
  /// Whether the peer has yet to prove that it is the one of the bond: this device is the central and has
  /// a key for the link, which is not encrypted. The client then asks nothing and believes nothing, since
  /// anybody can take the peer's address and leave its attributes unprotected (the attack BLESA).
  func isUnproven(at index: Int) -> Bool
  /// Has an unproven link encrypted, for the client has something to ask.
  mutating func prove(at index: Int)
  /// Why an unproven link was not encrypted; `nil` if it was, or if this has been taken.
  mutating func takeEncryptionFailure(at index: Int) -> HCIErrorCode?

  /// Whether the controller shall give a random number: LE Rand.
  var needsRandomNumber: Bool { get }
  /// The controller has given a random number; `nil` if it refuses.
  mutating func takeRandomNumber(_ number: UInt64?)

  /// Makes the private address to begin with; `nil` if this device shows who it is.
  mutating func makePrivateAddress() -> DeviceAddress?
  /// The controller has been set up, with these LE features.
  mutating func controllerStarted(features: UInt64)
  /// Whether `takePrivacyCommand` may have a command.
  var owesPrivacyCommand: Bool { get }
  /// The next command for the controller's lists and its address; `nil` if all is as it shall be.
  mutating func takePrivacyCommand() -> PrivacyCommand?
  /// The controller has answered, or left unanswered, a command. Returns the private address that it has
  /// taken, if that was it.
  mutating func finishPrivacyCommand(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, value: UInt8
  ) -> DeviceAddress?
  /// Whether the controller takes connections of devices in its accept list alone.
  var filtersConnections: Bool { get }
  /// Whether a central with this address may connect.
  func admits(_ address: DeviceAddress) -> Bool
  /// The identity address of the device with the bond that `address` belongs to, or `address`.
  func identityAddress(of address: DeviceAddress) -> DeviceAddress
  /// An advertiser was heard. Returns what `identityAddress(of:)` does.
  mutating func heard(_ address: DeviceAddress) -> DeviceAddress
  /// The address to connect to for a link with `peer`.
  func linkAddress(of peer: DeviceAddress) -> DeviceAddress
}

/// No security: a peer that wants to pair is refused, and no link is encrypted.
public struct NoSecurity: SecurityRole, ~Copyable {
  /// False.
  public static var isPresent: Bool { false }

  /// No security.
  public init() {}

  /// Nothing happens.
  public mutating func opened(_ link: PairingLink, at index: Int) {}
  /// Nothing happens.
  public mutating func closed(at index: Int) {}
  /// Nothing happens.
  public mutating func receive(_ pdu: Span<UInt8>, at index: Int, at now: Instant) {}
  /// False.
  public func hasPacket(for connection: borrowing Connection) -> Bool { false }
  /// False.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool { false }
  /// False.
  public func owesCommand(at index: Int) -> Bool { false }
  /// Nothing.
  public mutating func takeEncryption(at index: Int, at now: Instant) -> EncryptionStart? { nil }
  /// Nothing.
  public mutating func takeKeyReply(at index: Int) -> LongTermKeyReply? { nil }
  /// Nothing happens.
  public mutating func keyRequested(
    encryptedDiversifier: UInt16, randomNumber: UInt64, at index: Int, at now: Instant
  ) {}
  /// Nothing happens.
  public mutating func encryptionChanged(
    _ status: HCIErrorCode, isEncrypted: Bool, at index: Int, at now: Instant
  ) {}
  /// None.
  public var deadline: Instant? { nil }
  /// Nothing happens.
  public mutating func advance(to now: Instant) {}
  /// Nothing.
  public func security(at index: Int) -> LinkSecurity { .none }
  /// None.
  public mutating func takeRecognition(at index: Int) -> ClientRecognition? { nil }
  /// None.
  public var activeClients: ConnectionSet { .none }
  /// Nothing happens.
  public mutating func noteActivity(at index: Int) {}
  /// False.
  public mutating func isNews(_ state: ClientState, at index: Int) -> Bool { false }
  /// Nothing happens.
  public mutating func keep(_ record: ClientRecord, at index: Int) {}
  /// False: there are no bonds.
  public func isUnproven(at index: Int) -> Bool { false }
  /// Nothing happens.
  public mutating func prove(at index: Int) {}
  /// Nothing.
  public mutating func takeEncryptionFailure(at index: Int) -> HCIErrorCode? { nil }
  /// False.
  public var needsRandomNumber: Bool { false }
  /// Nothing happens.
  public mutating func takeRandomNumber(_ number: UInt64?) {}
  /// None.
  public mutating func makePrivateAddress() -> DeviceAddress? { nil }
  /// Nothing happens.
  public mutating func controllerStarted(features: UInt64) {}
  /// False.
  public var owesPrivacyCommand: Bool { false }
  /// None.
  public mutating func takePrivacyCommand() -> PrivacyCommand? { nil }
  /// Nothing happens.
  public mutating func finishPrivacyCommand(
    _ opcode: HCIOpcode, _ status: HCIErrorCode, value: UInt8
  ) -> DeviceAddress? { nil }
  /// False.
  public var filtersConnections: Bool { false }
  /// True.
  public func admits(_ address: DeviceAddress) -> Bool { true }
  /// `address`.
  public func identityAddress(of address: DeviceAddress) -> DeviceAddress { address }
  /// `address`.
  public mutating func heard(_ address: DeviceAddress) -> DeviceAddress { address }
  /// `peer`.
  public func linkAddress(of peer: DeviceAddress) -> DeviceAddress { peer }
}
