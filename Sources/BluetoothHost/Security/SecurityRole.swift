/// The part of a host that secures links: a Security Manager, with its pairings and bonds.
///
/// `SecurityManager` implements it. `NoSecurity` is for a host without encryption: it refuses to
/// pair, and has neither state nor code. Only the host calls these requirements. For an index
/// without a link they do nothing, and return `nil` or `false`.
public protocol SecurityRole: ~Copyable {
  /// Whether links can be secured. If false, the code for it is left out.
  static var isPresent: Bool { get }

  /// A link was opened, with these addresses.
  mutating func opened(_ link: PairingLink, at index: Int)
  /// A link has closed.
  mutating func closed(at index: Int)

  /// Takes a PDU from the Security Manager's channel.
  mutating func receive(_ pdu: Span<UInt8>, at index: Int, at now: Instant)
  /// Whether there is a PDU to send.
  func hasPacket(for connection: borrowing Connection) -> Bool
  /// Writes the next ACL packet with at most `length` bytes of data; `false` if there is none.
  mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool

  /// Whether a command for the controller is pending: see `takeEncryption` and `takeKeyReply`.
  func hasCommand(at index: Int) -> Bool
  /// The parameters with which the controller has to encrypt the link; `nil` if none are pending.
  mutating func takeEncryption(at index: Int, at now: Instant) -> EncryptionStart?
  /// The answer to the controller's key request for the link; `nil` if none is pending.
  mutating func takeKeyReply(at index: Int) -> LongTermKeyReply?
  /// The controller requests the key of a link.
  mutating func keyRequested(
    encryptedDiversifier: UInt16, randomNumber: UInt64, at index: Int, at now: Instant)
  /// Encryption of the link was turned on or off, or failed.
  mutating func encryptionChanged(
    _ status: HCIErrorCode, isEncrypted: Bool, at index: Int, at now: Instant)

  /// When to call `advance(to:)` next; `nil` if nothing is scheduled. A time in the past means that
  /// there is work to do.
  var deadline: Instant? { get }
  /// Does what is due, and a short step of the key computation.
  mutating func advance(to now: Instant)

  /// The current security of the link.
  func security(at index: Int) -> LinkSecurity

  /// Takes the record of a client after its link is encrypted with the key of its bond; `nil`
  /// before that, and after it was taken.
  mutating func takeRecognition(at index: Int) -> ClientRecognition?
  /// The recognised clients whose server state may have changed.
  var activeClients: ConnectionSet { get }
  /// The server's state of these clients may have changed. Only noted for recognised clients.
  mutating func noteActivity(of clients: ConnectionSet)
  /// Whether `state` of a client differs from the state last saved to its bond. The call records
  /// `state` as saved, and removes the client from `activeClients` in either case.
  mutating func takeChange(of state: ClientState, at index: Int) -> Bool
  /// Stores `record` in the bond of a client.
  mutating func save(_ record: ClientRecord, at index: Int)
  /// Whether a bonded peer has to be authenticated by encryption first: this device is the central
  /// and has a key for the link, which is not encrypted. Until then the client sends no request and
  /// ignores the peer, since another device can use the peer's address and unprotected attributes
  /// (the attack BLESA).
  func requiresEncryption(at index: Int) -> Bool
  /// Encrypts the link of such a peer, since the client has a request.
  mutating func encrypt(at index: Int)
  /// Takes the reason why the link could not be encrypted; `nil` if there is none.
  mutating func takeEncryptionFailure(at index: Int) -> HCIErrorCode?

  /// Whether the controller has to supply a random number: LE Rand.
  var needsRandomNumber: Bool { get }
  /// Takes a random number of the controller; `nil` if it refuses.
  mutating func takeRandomNumber(_ number: UInt64?)

  /// Returns the first address, if it does not come from the host's configuration: a private one, or one that the
  /// random numbers decide; otherwise `nil`.
  mutating func makeAddress() -> DeviceAddress?
  /// The controller was set up, with these LE features.
  mutating func controllerStarted(features: UInt64)
  /// Whether `takePrivacyCommand` may have a command.
  var hasPrivacyCommand: Bool { get }
  /// The next command for the controller's lists and address; `nil` if everything is up to date.
  mutating func takePrivacyCommand() -> PrivacyCommand?
  /// Takes the result of the last command from `takePrivacyCommand`. Ignores other commands.
  ///
  /// - Parameter opcode: The command.
  /// - Parameter status: How it ended; `unspecifiedError` if it remained unanswered.
  /// - Parameter value: The first of its return parameters.
  /// - Returns: The private address that the controller has accepted; `nil` for other commands.
  mutating func finishPrivacyCommand(_ opcode: HCIOpcode, _ status: HCIErrorCode, value: UInt8)
    -> DeviceAddress?
  /// Whether the controller accepts only connections of devices in its accept list.
  var filtersConnections: Bool { get }
  /// Whether a central with this address may connect.
  func admits(_ address: DeviceAddress) -> Bool
  /// The identity address of the bond that `address` belongs to, or `address`.
  func identityAddress(of address: DeviceAddress) -> DeviceAddress
  /// Notes an advertiser's address. Returns the same as `identityAddress(of:)`.
  mutating func noteAdvertiser(_ address: DeviceAddress) -> DeviceAddress
  /// The address to connect to for a link with `peer`.
  func linkAddress(of peer: DeviceAddress) -> DeviceAddress
}

// A member without a comment does nothing; its requirement has the documentation.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// No security: the host refuses to pair, and encrypts no link.
public struct NoSecurity: SecurityRole, ~Copyable {
  /// False.
  public static var isPresent: Bool { false }

  /// No security.
  public init() {}

  public mutating func opened(_ link: PairingLink, at index: Int) {}
  public mutating func closed(at index: Int) {}
  public mutating func receive(_ pdu: Span<UInt8>, at index: Int, at now: Instant) {}
  /// False.
  public func hasPacket(for connection: borrowing Connection) -> Bool { false }
  /// False.
  public mutating func writePacket(
    for connection: inout Connection, length: Int, at now: Instant, to writer: inout ByteWriter
  ) -> Bool { false }
  /// False.
  public func hasCommand(at index: Int) -> Bool { false }
  /// Nothing.
  public mutating func takeEncryption(at index: Int, at now: Instant) -> EncryptionStart? { nil }
  /// Nothing.
  public mutating func takeKeyReply(at index: Int) -> LongTermKeyReply? { nil }
  public mutating func keyRequested(
    encryptedDiversifier: UInt16, randomNumber: UInt64, at index: Int, at now: Instant
  ) {}
  public mutating func encryptionChanged(
    _ status: HCIErrorCode, isEncrypted: Bool, at index: Int, at now: Instant
  ) {}
  /// None.
  public var deadline: Instant? { nil }
  public mutating func advance(to now: Instant) {}
  /// Nothing.
  public func security(at index: Int) -> LinkSecurity { .none }
  /// None.
  public mutating func takeRecognition(at index: Int) -> ClientRecognition? { nil }
  /// None.
  public var activeClients: ConnectionSet { .none }
  public mutating func noteActivity(of clients: ConnectionSet) {}
  /// False.
  public mutating func takeChange(of state: ClientState, at index: Int) -> Bool { false }
  public mutating func save(_ record: ClientRecord, at index: Int) {}
  /// False: there are no bonds.
  public func requiresEncryption(at index: Int) -> Bool { false }
  public mutating func encrypt(at index: Int) {}
  /// Nothing.
  public mutating func takeEncryptionFailure(at index: Int) -> HCIErrorCode? { nil }
  /// False.
  public var needsRandomNumber: Bool { false }
  public mutating func takeRandomNumber(_ number: UInt64?) {}
  /// None.
  public mutating func makeAddress() -> DeviceAddress? { nil }
  public mutating func controllerStarted(features: UInt64) {}
  /// False.
  public var hasPrivacyCommand: Bool { false }
  /// None.
  public mutating func takePrivacyCommand() -> PrivacyCommand? { nil }
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
  public mutating func noteAdvertiser(_ address: DeviceAddress) -> DeviceAddress { address }
  /// `peer`.
  public func linkAddress(of peer: DeviceAddress) -> DeviceAddress { peer }
}
