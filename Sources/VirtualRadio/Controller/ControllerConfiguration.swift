import BluetoothHost

/// The properties of a virtual controller. Values outside their ranges become the nearest valid
/// ones.
public struct ControllerConfiguration: Sendable {
  /// The longest data of an ACL packet, in both directions, in bytes: 27 to 65,535.
  public let aclDataLength: UInt16

  /// How many ACL packets from the host it buffers, for all links together: at least 1.
  public let aclPacketCount: UInt8

  /// Whether LE and BR/EDR share buffers: LE Read Buffer Size then answers 0, and the host uses
  /// Read Buffer Size.
  public let sharesBuffers: Bool

  /// Whether it supports packets of up to 251 bytes over the air, and their commands. Without it,
  /// or until a host requests them, a link carries 27 bytes a packet, and the host receives a
  /// longer frame in fragments.
  public let supportsDataLengthExtension: Bool

  /// Whether it supports the 2M PHY, and the PHY commands.
  public let supports2MPHY: Bool

  /// Whether it supports the coded PHY, and the PHY commands.
  public let supportsCodedPHY: Bool

  /// Whether it supports extended advertising, scanning and connecting, and their commands.
  public let supportsExtendedAdvertising: Bool

  /// Whether it supports periodic advertising and synchronizing with it, and their commands; only with
  /// extended advertising.
  public let supportsPeriodicAdvertising: Bool

  /// Whether it supports connection subrating, and its commands.
  public let supportsSubrating: Bool

  /// How many advertising sets it has.
  public let advertisingSetCount: UInt8

  /// The largest number of links, in both roles together: 1 to 256.
  public let maximumLinks: Int

  /// How many devices its filter accept list holds.
  public let acceptListSize: UInt8

  /// Whether it supports encryption, and its commands. Without it, a peer's request to encrypt a
  /// link fails with Unsupported Remote Feature (0x1A).
  public let supportsEncryption: Bool

  /// Whether it supports link layer privacy: the resolving list, and its own private addresses.
  public let supportsPrivacy: Bool

  /// How many devices its resolving list holds.
  public let resolvingListSize: UInt8

  /// How it answers the commands for P-256 keys.
  public let p256Commands: P256Commands

  /// How a controller answers LE Read Local P-256 Public Key and LE Generate DHKey. A virtual one
  /// never executes them, since the host computes P-256 itself.
  public enum P256Commands: Equatable, Sendable {
    /// It does not know the commands.
    case unknown
    /// It lists the commands as supported, and refuses each with this error, as some real
    /// controllers do.
    case refused(HCIErrorCode)
  }

  /// The controller of most tests: 8 buffers of 251 bytes, and every feature.
  public init(
    aclDataLength: UInt16 = 251, aclPacketCount: UInt8 = 8, sharesBuffers: Bool = false,
    supportsDataLengthExtension: Bool = true, supports2MPHY: Bool = true,
    supportsCodedPHY: Bool = true, supportsExtendedAdvertising: Bool = true,
    supportsPeriodicAdvertising: Bool = true, supportsSubrating: Bool = true,
    advertisingSetCount: UInt8 = 8, maximumLinks: Int = 16,
    acceptListSize: UInt8 = 8, supportsEncryption: Bool = true, supportsPrivacy: Bool = true,
    resolvingListSize: UInt8 = 8, p256Commands: P256Commands = .unknown
  ) {
    self.aclDataLength = max(aclDataLength, 27)
    self.aclPacketCount = max(aclPacketCount, 1)
    self.sharesBuffers = sharesBuffers
    self.supportsDataLengthExtension = supportsDataLengthExtension
    self.supports2MPHY = supports2MPHY
    self.supportsCodedPHY = supportsCodedPHY
    self.supportsExtendedAdvertising = supportsExtendedAdvertising
    self.supportsPeriodicAdvertising = supportsPeriodicAdvertising
    self.supportsSubrating = supportsSubrating
    self.advertisingSetCount = max(advertisingSetCount, 1)
    self.maximumLinks = min(max(maximumLinks, 1), 256)
    self.acceptListSize = acceptListSize
    self.supportsEncryption = supportsEncryption
    self.supportsPrivacy = supportsPrivacy
    self.resolvingListSize = resolvingListSize
    self.p256Commands = p256Commands
  }

  /// The LE features of the controller, one bit each. Core Specification, Vol 6, Part B, 4.6.
  var features: UInt64 {
    // 1: Connection Parameters Request; 2: Extended Reject Indication; 3: Peripheral-initiated
    // Features Exchange.
    var features: UInt64 = 0b1110
    if supportsEncryption { features |= 1 }
    if supportsDataLengthExtension { features |= 1 &<< 5 }
    if supportsPrivacy { features |= 1 &<< 6 }
    if supports2MPHY { features |= 1 &<< 8 }
    if supportsCodedPHY { features |= 1 &<< 11 }
    if supportsExtendedAdvertising { features |= 1 &<< 12 }
    if supportsExtendedAdvertising, supportsPeriodicAdvertising { features |= 1 &<< 13 }
    if supportsSubrating { features |= 1 &<< 37 }
    return features
  }

  /// Its PHYs.
  var phys: PHYSet {
    .le1M | (supports2MPHY ? .le2M : .none) | (supportsCodedPHY ? .leCoded : .none)
  }
}

/// Counters of delivered and dropped packets, for tests and diagnosis.
public struct ControllerCounters: Equatable, Sendable {
  /// ACL packets that the host of the other side has taken.
  public var deliveredPackets = 0
  /// Packets from the host that were too short, did not match their stated length, or had a type
  /// that an LE controller does not take.
  public var malformedPackets = 0
  /// ACL packets from the host for a handle without a link.
  public var packetsForUnknownLinks = 0
  /// ACL packets that the host sent although every buffer was in use.
  public var packetsBeyondCredits = 0
  /// ACL packets from the host that were longer than the buffer size says.
  public var oversizedPackets = 0
  /// Commands dropped because the host left more than a thousand packets unread.
  public var droppedCommands = 0
  /// Advertising reports dropped because the host read too slowly.
  public var droppedReports = 0
  /// Commands left unanswered on request.
  public var unansweredCommands = 0
  /// Commands refused because the controller refuses all commands.
  package var refusedCommands = 0
  /// Packets that came after the controller left the air.
  public var packetsAfterRemoval = 0

  /// All counters at 0.
  public init() {}
}
