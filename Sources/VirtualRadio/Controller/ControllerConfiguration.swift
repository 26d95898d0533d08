import BluetoothHost

/// What kind of controller a virtual one is. Values outside of their ranges become the nearest.
public struct ControllerConfiguration: Sendable {
  /// The longest data of one ACL packet, from the host and to it, in bytes: 27 to 65,535.
  public let aclDataLength: UInt16

  /// How many ACL packets from the host it holds, for all links together: at least 1.
  public let aclPacketCount: UInt8

  /// Says 0 × 0 for LE, which sends the host to Read Buffer Size, as a controller does whose
  /// buffers are the same for BR/EDR.
  public let sharesBuffers: Bool

  /// Packets of up to 251 bytes over the air, and the commands that ask for them. Without it,
  /// or until they are asked for, a link carries 27 bytes a packet, and the host receives a longer
  /// frame in as many fragments.
  public let supportsDataLengthExtension: Bool

  /// The 2M PHY, and the commands that choose it.
  public let supports2MPHY: Bool

  /// How many links it has at most, in both roles together: 1 to 256.
  public let maximumLinks: Int

  /// How many devices its filter accept list holds.
  public let acceptListSize: UInt8

  /// Encryption, and the commands for it. Without it, a peer's wish for an encrypted link ends with
  /// Unsupported Remote Feature (0x1A).
  public let supportsEncryption: Bool

  /// Link layer privacy: the resolving list, and private addresses of its own.
  public let supportsPrivacy: Bool

  /// How many devices its resolving list holds.
  public let resolvingListSize: UInt8

  /// What becomes of the commands that make keys on the curve P-256.
  public let p256Commands: P256Commands

  /// What a controller does with LE Read Local P-256 Public Key and LE Generate DHKey: none of the virtual
  /// ones carries them out, as a host with a curve of its own does not ask.
  public enum P256Commands: Equatable, Sendable {
    /// It does not know the commands.
    case unknown
    /// It claims the commands among those that it supports, and refuses each with this error, as some
    /// real controllers do.
    case refused(HCIErrorCode)
  }

  /// The controller of most tests: 8 buffers of 251 bytes, and every feature.
  public init(
    aclDataLength: UInt16 = 251, aclPacketCount: UInt8 = 8, sharesBuffers: Bool = false,
    supportsDataLengthExtension: Bool = true, supports2MPHY: Bool = true, maximumLinks: Int = 16,
    acceptListSize: UInt8 = 8, supportsEncryption: Bool = true, supportsPrivacy: Bool = true,
    resolvingListSize: UInt8 = 8, p256Commands: P256Commands = .unknown
  ) {
    self.aclDataLength = max(aclDataLength, 27)
    self.aclPacketCount = max(aclPacketCount, 1)
    self.sharesBuffers = sharesBuffers
    self.supportsDataLengthExtension = supportsDataLengthExtension
    self.supports2MPHY = supports2MPHY
    self.maximumLinks = min(max(maximumLinks, 1), 256)
    self.acceptListSize = acceptListSize
    self.supportsEncryption = supportsEncryption
    self.supportsPrivacy = supportsPrivacy
    self.resolvingListSize = resolvingListSize
    self.p256Commands = p256Commands
  }

  /// The LE features, a bit each. Core Specification, Vol 6, Part B, 4.6.
  var features: UInt64 {
    // 1: connection parameters request; 2: extended reject; 3: features exchange begun by the
    // peripheral.
    var features: UInt64 = 0b1110
    if supportsEncryption { features |= 1 }
    if supportsDataLengthExtension { features |= 1 &<< 5 }
    if supportsPrivacy { features |= 1 &<< 6 }
    if supports2MPHY { features |= 1 &<< 8 }
    return features
  }
}

/// What a virtual controller has thrown away or passed on, for tests and for diagnosis.
public struct ControllerCounters: Equatable, Sendable {
  /// ACL packets that the host of the other side has taken.
  public var deliveredPackets = 0
  /// Packets from the host that were too short, too long for their stated length, or of a kind
  /// that an LE controller does not take.
  public var malformedPackets = 0
  /// ACL packets from the host for a handle without a link.
  public var packetsForUnknownLinks = 0
  /// ACL packets that the host sent although every buffer was in use.
  public var packetsBeyondCredits = 0
  /// ACL packets from the host that were longer than the buffer size says.
  public var oversizedPackets = 0
  /// Commands thrown away because the host left more than a thousand packets unread.
  public var droppedCommands = 0
  /// Advertising reports thrown away because the host read too slowly.
  public var droppedReports = 0
  /// Commands left unanswered on request.
  public var unansweredCommands = 0
  /// Commands refused because the controller refuses every one.
  var refusedCommands = 0
  /// Packets that came after the controller left the air.
  public var packetsAfterRemoval = 0

  /// Nothing yet.
  public init() {}
}
