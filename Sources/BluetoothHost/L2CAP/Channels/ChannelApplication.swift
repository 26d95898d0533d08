/// The program that uses a host's channels.
///
/// A *channel* is a number from 0 to the host's number of channels less one. It is valid from
/// `opened`, or from `CreditBasedChannels.open`, until `closed`; then it may be reused. A *link*
/// is a connection index. Every call must return at once.
///
/// The core stores no SDU. To send one, the program gives its length, and writes each part when
/// there is room for it. To receive one, it takes each segment, and says how much more it can
/// take; credits limit the peer to that. After a change outside of these calls, the program calls
/// `CreditBasedChannels.resume`.
public protocol ChannelApplication: BearerRole, ~Copyable {
  /// The listener on an SPSM for the peer on `link`; `nil` if there is none.
  func listener(on spsm: SPSM, at link: Int) -> ChannelListener?

  /// A channel has opened. It carries SDUs of at most `peerMTU` bytes to the peer.
  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int)

  /// The peer accepts longer SDUs than before, of at most `peerMTU` bytes: Core Specification, Vol 3,
  /// Part A, 4.27. By default the application keeps to the MTU from `opened`.
  mutating func reconfigured(_ channel: Int, peerMTU: Int)

  /// A channel has closed, and its number is free. This call follows exactly once after `opened`,
  /// or after `CreditBasedChannels.open` if the channel never opened.
  mutating func closed(_ channel: Int, with end: ChannelEnd)

  // MARK: Receiving

  /// How many more bytes of SDUs the program can take on a channel.
  ///
  /// The peer gets a credit for each whole MPS of it. With less than one MPS it gets none, and
  /// sends nothing.
  func room(of channel: Int) -> Int

  /// Takes the next segment of an SDU.
  mutating func received(_ segment: SDUSegment, on channel: Int)

  // MARK: Sending

  /// The length in bytes of the next SDU to send, at most the peer's MTU; `nil` if there is none.
  ///
  /// The program keeps the SDU until `sent` or `closed`.
  func nextSDULength(on channel: Int) -> Int?

  /// Writes the bytes of the SDU from `offset` on: exactly as many as `writer` has room for.
  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter)

  /// The whole SDU was passed to the controller.
  mutating func sent(on channel: Int)

  // MARK: Enhanced bearers, which `EnhancedBearers` adds to another application

  /// When a request on a bearer times out.
  var deadline: Instant? { get }
  /// It is `now`.
  mutating func advance(to now: Instant)
  /// The longest PDU of another `count` bearers; `nil` if there is no room for them.
  func bearerMTU(forMore count: Int) -> ChannelMTU?
  /// These channels were requested as bearers.
  mutating func beginBearers(_ channels: ConnectionSet, at link: Int)
}

extension ChannelApplication where Self: ~Copyable {
  /// Keeps to the MTU from `opened`.
  public mutating func reconfigured(_ channel: Int, peerMTU: Int) {}
  /// Never.
  public var deadline: Instant? { nil }
  /// Does nothing.
  public mutating func advance(to now: Instant) {}
  /// None.
  public func bearerMTU(forMore count: Int) -> ChannelMTU? { nil }
  /// Does nothing.
  public mutating func beginBearers(_ channels: ConnectionSet, at link: Int) {}
}

/// A part of an SDU: the content of one K-frame.
public struct SDUSegment: ~Escapable {
  /// The number of bytes before it in the SDU.
  public let offset: Int
  /// The length of the whole SDU in bytes, at most this device's MTU.
  public let sduLength: Int
  /// The bytes.
  public let bytes: Span<UInt8>

  @_lifetime(copy bytes) init(offset: Int, sduLength: Int, bytes: Span<UInt8>) {
    self.offset = offset
    self.sduLength = sduLength
    self.bytes = bytes
  }

  /// Whether it completes the SDU.
  public var isLast: Bool { offset &+ bytes.count == sduLength }
}

/// Why a channel ended, or did not open.
public enum ChannelEnd: Error, Equatable, Sendable {
  /// The program closed it.
  case closed
  /// The peer closed it: Core Specification, Vol 3, Part A, 4.6.
  case closedByPeer
  /// The link ended.
  case linkLost(HCIErrorCode)

  // The channel did not open.

  /// The peer refused it: Vol 3, Part A, 4.23 and 4.26.
  case refused(LECreditBasedConnectionResult)
  /// The peer does not support the request: Vol 3, Part A, 4.1.
  case rejected
  /// The peer did not answer in time: Vol 3, Part A, 6.2.1.
  case timedOut
  /// The peer's response has a CID, an MTU or an MPS out of range, or the CID of another channel:
  /// Vol 3, Part A, 4.23.
  case invalidResponse

  // The peer violated the protocol.

  /// A K-frame arrived without a credit: Vol 3, Part A, 10.1.
  case frameWithoutCredit
  /// The peer gave more than 65,535 credits: Vol 3, Part A, 10.1.
  case tooManyCredits
  /// A K-frame was longer than this device's MPS: Vol 3, Part A, 3.4.3.
  case frameTooLong
  /// The first K-frame of an SDU had no room for the SDU's length: Vol 3, Part A, 3.4.2.
  case frameTooShort
  /// An SDU was longer than this device's MTU: Vol 3, Part A, 3.4.3.
  case sduTooLong
  /// The K-frames of an SDU held more bytes than its length: Vol 3, Part A, 3.4.3.
  case sduOverrun

  // The program made an error.

  /// The SDU was longer than the peer's MTU, or the program wrote fewer bytes than its length.
  case invalidSDU
}

/// A listener on an SPSM, and the security that a link needs for a channel.
public struct ChannelListener: Equatable, Sendable {
  /// The security that a link needs.
  public enum Security: Equatable, Sendable {
    /// Nothing.
    case none
    /// Encryption.
    case encryption
    /// Encryption with a key that is protected against man-in-the-middle attacks.
    case authentication
  }

  /// The longest SDU that this device accepts.
  public var mtu: ChannelMTU
  /// The security that the link needs.
  public var security: Security
  /// The minimum key size in bytes, 7 to 16, if the link needs a key.
  public var keySize: Int
  /// Whether this peer may use the SPSM.
  public var isAuthorized: Bool
  /// Whether the program can take another channel from this peer.
  public var hasRoom: Bool
  /// Whether it takes only channels that the peer requests with `CreditBasedConnectionRequest`.
  public var isEnhancedOnly: Bool

  /// Creates a listener with these requirements.
  public init(
    mtu: ChannelMTU, security: Security = .none, keySize: Int = 7, isAuthorized: Bool = true,
    hasRoom: Bool = true, isEnhancedOnly: Bool = false
  ) {
    self.mtu = mtu
    self.security = security
    self.keySize = keySize
    self.isAuthorized = isAuthorized
    self.hasRoom = hasRoom
    self.isEnhancedOnly = isEnhancedOnly
  }

  /// Why a link with this protection gets no channel; `nil` if it gets one.
  /// Core Specification, Vol 3, Part C, 10.3.1: without a key the peer should pair, with one it
  /// should encrypt.
  func error(for protection: LinkProtection) -> LECreditBasedConnectionResult? {
    if security != .none {
      guard protection.hasKey else { return .insufficientAuthentication }
      guard protection.isEncrypted else { return .insufficientEncryption }
      if security == .authentication, !protection.isAuthenticated {
        return .insufficientAuthentication
      }
      guard protection.keySize >= keySize else { return .encryptionKeySizeTooShort }
    }
    guard isAuthorized else { return .insufficientAuthorization }
    return hasRoom ? nil : .noResourcesAvailable
  }
}

/// The security of a link, as far as channels depend on it.
public struct LinkProtection: Equatable, Sendable {
  /// Whether the devices share a key.
  public var hasKey: Bool
  /// Whether the link is encrypted.
  public var isEncrypted: Bool
  /// Whether the key is protected against man-in-the-middle attacks.
  public var isAuthenticated: Bool
  /// The key size in bytes, up to 16.
  public var keySize: Int

  /// Creates a protection with these values.
  public init(hasKey: Bool, isEncrypted: Bool, isAuthenticated: Bool, keySize: Int) {
    self.hasKey = hasKey
    self.isEncrypted = isEncrypted
    self.isAuthenticated = isAuthenticated
    self.keySize = keySize
  }

  /// The protection of a link secured by the Security Manager, whose keys have 16 bytes.
  public init(_ security: LinkSecurity) {
    let isEncrypted = security.contains(.encrypted)
    self.init(
      hasKey: isEncrypted || security.contains(.bonded), isEncrypted: isEncrypted,
      isAuthenticated: security.contains(.authenticated), keySize: isEncrypted ? 16 : 0)
  }

  /// No protection: the devices have no key.
  public static var none: LinkProtection {
    LinkProtection(hasKey: false, isEncrypted: false, isAuthenticated: false, keySize: 0)
  }
}

/// The protocol or service of a channel: a Simplified Protocol/Service Multiplexer.
/// Core Specification, Vol 3, Part A, 4.22: the Bluetooth SIG assigns 0x0001 to 0x007F; 0x0080 to
/// 0x00FF are dynamic, and a GATT service announces their use.
public struct SPSM: Equatable, Hashable, Sendable {
  /// The value in the PDU, 0x0001 to 0x00FF.
  public let rawValue: UInt16

  /// `nil` outside of 0x0001…0x00FF.
  public init?(_ rawValue: UInt16) {
    guard rawValue >= 0x0001, rawValue <= 0x00FF else { return nil }
    self.rawValue = rawValue
  }

  private init(valid rawValue: UInt16) { self.rawValue = rawValue }

  /// Enhanced ATT: Core Specification, Vol 3, Part G, 5.3.
  public static var eatt: SPSM { SPSM(valid: 0x0027) }

  /// The first SPSM of the dynamic range.
  public static var firstDynamic: SPSM { SPSM(valid: 0x0080) }

  /// Whether it is in the dynamic range, which each device assigns.
  public var isDynamic: Bool { rawValue >= 0x0080 }
}

/// The longest SDU that one end of a channel accepts: 23 to 65,535 bytes.
/// Core Specification, Vol 3, Part A, 4.22. Each end has its own.
public struct ChannelMTU: Equatable, Sendable {
  /// The length in bytes, 23 to 65,535.
  public let rawValue: UInt16

  /// `nil` below 23.
  public init?(_ rawValue: UInt16) {
    guard rawValue >= 23 else { return nil }
    self.rawValue = rawValue
  }

  private init(valid rawValue: UInt16) { self.rawValue = rawValue }

  /// 23, which every device accepts.
  public static var minimum: ChannelMTU { ChannelMTU(valid: 23) }

  /// Whether an enhanced channel can have it: at least 64. Vol 3, Part A, 4.25.
  var isEnhanced: Bool { rawValue >= 64 }

  /// The length in bytes.
  public var byteCount: Int { Int(rawValue) }
}

/// The longest K-frame payload that one end of a channel accepts: 23 to 65,533 bytes.
/// Core Specification, Vol 3, Part A, 3.4.1 and 4.22. It includes the two bytes of the SDU length
/// in the first K-frame of an SDU.
public struct ChannelMPS: Equatable, Sendable {
  /// The length in bytes, 23 to 65,533.
  public let rawValue: UInt16

  /// `nil` outside of 23…65,533.
  public init?(_ rawValue: UInt16) {
    guard rawValue >= 23, rawValue <= 65_533 else { return nil }
    self.rawValue = rawValue
  }

  private init(valid rawValue: UInt16) { self.rawValue = rawValue }

  /// 23, which every device accepts.
  public static var minimum: ChannelMPS { ChannelMPS(valid: 23) }

  /// Whether an enhanced channel can have it: at least 64. Vol 3, Part A, 4.25.
  var isEnhanced: Bool { rawValue >= 64 }

  /// 498: with its four-byte header, a frame then fills two link-layer packets of at most 251 bytes
  /// (Vol 6, Part B, 2.4): 2 × 251 − 4 = 498.
  public static var twoPackets: ChannelMPS { ChannelMPS(valid: 498) }

  /// The length in bytes.
  public var byteCount: Int { Int(rawValue) }
}

extension L2CAPChannel {
  /// The first dynamic channel identifier of LE links: Core Specification, Vol 3, Part A, 2.1.
  public static var firstDynamic: L2CAPChannel { L2CAPChannel(rawValue: 0x0040) }

  /// The number of dynamic channel identifiers on one LE link: 0x0040 to 0x007F.
  public static var dynamicCount: Int { 64 }

  /// Whether it is a dynamic channel identifier of an LE link.
  public var isDynamic: Bool { rawValue >= 0x0040 && rawValue <= 0x007F }
}
