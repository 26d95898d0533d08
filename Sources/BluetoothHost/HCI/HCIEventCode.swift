/// The code of an event packet. Core Specification, Vol 4, Part E, 7.7. An open set: a controller
/// may send any byte.
public struct HCIEventCode: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A link has ended: 7.7.5.
  public static let disconnectionComplete = HCIEventCode(rawValue: 0x05)
  /// Encryption of a link was turned on or off: 7.7.8.
  public static let encryptionChange = HCIEventCode(rawValue: 0x08)
  /// The version of the peer's controller: 7.7.12.
  public static let readRemoteVersionInformationComplete = HCIEventCode(rawValue: 0x0C)
  /// A command has completed: 7.7.14.
  public static let commandComplete = HCIEventCode(rawValue: 0x0E)
  /// A command has begun, or failed: 7.7.15.
  public static let commandStatus = HCIEventCode(rawValue: 0x0F)
  /// The controller has failed: 7.7.16.
  public static let hardwareError = HCIEventCode(rawValue: 0x10)
  /// The controller has room for more packets: 7.7.19.
  public static let numberOfCompletedPackets = HCIEventCode(rawValue: 0x13)
  /// The key of an encrypted link has changed: 7.7.39.
  public static let encryptionKeyRefreshComplete = HCIEventCode(rawValue: 0x30)
  /// An LE event: 7.7.65.
  public static let leMeta = HCIEventCode(rawValue: 0x3E)

  /// The event's name in the specification; `nil` for a value that is not listed here.
  public var name: StaticString? {
    switch self {
    case .disconnectionComplete: "Disconnection Complete"
    case .encryptionChange: "Encryption Change"
    case .readRemoteVersionInformationComplete: "Read Remote Version Information Complete"
    case .commandComplete: "Command Complete"
    case .commandStatus: "Command Status"
    case .hardwareError: "Hardware Error"
    case .numberOfCompletedPackets: "Number Of Completed Packets"
    case .encryptionKeyRefreshComplete: "Encryption Key Refresh Complete"
    case .leMeta: "LE Meta"
    default: nil
    }
  }

  /// The event's bit in Set Event Mask; 0 for an event that a host cannot mask, such as the answers
  /// to its commands and packets: Core Specification, Vol 4, Part E, 7.3.1.
  public var mask: UInt64 {
    @inline(__always) get {
      switch self {
      case .disconnectionComplete: 1 &<< 4
      case .encryptionChange: 1 &<< 7
      case .readRemoteVersionInformationComplete: 1 &<< 11
      case .hardwareError: 1 &<< 15
      case .encryptionKeyRefreshComplete: 1 &<< 47
      case .leMeta: 1 &<< 61
      default: 0
      }
    }
  }
}

/// The type of an LE Meta event: its first parameter. Core Specification, Vol 4, Part E, 7.7.65. An
/// open set.
public struct LEMetaSubevent: RawRepresentable, Equatable, Sendable {
  /// The value in the packet.
  public var rawValue: UInt8

  /// Any value, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A link was made, or could not be made: 7.7.65.1.
  public static let connectionComplete = LEMetaSubevent(rawValue: 0x01)
  /// Advertising reports: 7.7.65.2.
  public static let advertisingReport = LEMetaSubevent(rawValue: 0x02)
  /// A link's parameters changed: 7.7.65.3.
  public static let connectionUpdateComplete = LEMetaSubevent(rawValue: 0x03)
  /// The peer's LE features: 7.7.65.4.
  public static let readRemoteFeaturesComplete = LEMetaSubevent(rawValue: 0x04)
  /// The controller requests a key: 7.7.65.5.
  public static let longTermKeyRequest = LEMetaSubevent(rawValue: 0x05)
  /// The peer requests other parameters: 7.7.65.6.
  public static let remoteConnectionParameterRequest = LEMetaSubevent(rawValue: 0x06)
  /// The maximum packet length changed: 7.7.65.7.
  public static let dataLengthChange = LEMetaSubevent(rawValue: 0x07)
  /// The controller's public key: 7.7.65.8.
  public static let readLocalP256PublicKeyComplete = LEMetaSubevent(rawValue: 0x08)
  /// The shared key that the controller computed: 7.7.65.9.
  public static let generateDHKeyComplete = LEMetaSubevent(rawValue: 0x09)
  /// `connectionComplete` with resolvable addresses: 7.7.65.10.
  public static let enhancedConnectionComplete = LEMetaSubevent(rawValue: 0x0A)
  /// The PHYs changed: 7.7.65.12.
  public static let phyUpdateComplete = LEMetaSubevent(rawValue: 0x0C)
  /// Extended advertising reports: 7.7.65.13.
  public static let extendedAdvertisingReport = LEMetaSubevent(rawValue: 0x0D)
  /// Synchronized with a periodic advertising train, or not: 7.7.65.14.
  public static let periodicAdvertisingSyncEstablished = LEMetaSubevent(rawValue: 0x0E)
  /// Data of a periodic advertising train: 7.7.65.15.
  public static let periodicAdvertisingReport = LEMetaSubevent(rawValue: 0x0F)
  /// A periodic advertising train was not received for the time-out: 7.7.65.16.
  public static let periodicAdvertisingSyncLost = LEMetaSubevent(rawValue: 0x10)
  /// An extended scan has ended: 7.7.65.17.
  public static let scanTimeout = LEMetaSubevent(rawValue: 0x11)
  /// An advertising set has stopped: 7.7.65.18.
  public static let advertisingSetTerminated = LEMetaSubevent(rawValue: 0x12)
  /// A link's subrate changed, or could not be changed: 7.7.65.35.
  public static let subrateChange = LEMetaSubevent(rawValue: 0x23)

  /// The event's name in the specification; `nil` for a value that is not listed here.
  public var name: StaticString? {
    switch self {
    case .connectionComplete: "LE Connection Complete"
    case .advertisingReport: "LE Advertising Report"
    case .connectionUpdateComplete: "LE Connection Update Complete"
    case .readRemoteFeaturesComplete: "LE Read Remote Features Complete"
    case .longTermKeyRequest: "LE Long Term Key Request"
    case .remoteConnectionParameterRequest: "LE Remote Connection Parameter Request"
    case .dataLengthChange: "LE Data Length Change"
    case .readLocalP256PublicKeyComplete: "LE Read Local P-256 Public Key Complete"
    case .generateDHKeyComplete: "LE Generate DHKey Complete"
    case .enhancedConnectionComplete: "LE Enhanced Connection Complete"
    case .phyUpdateComplete: "LE PHY Update Complete"
    case .extendedAdvertisingReport: "LE Extended Advertising Report"
    case .periodicAdvertisingSyncEstablished: "LE Periodic Advertising Sync Established"
    case .periodicAdvertisingReport: "LE Periodic Advertising Report"
    case .periodicAdvertisingSyncLost: "LE Periodic Advertising Sync Lost"
    case .scanTimeout: "LE Scan Timeout"
    case .advertisingSetTerminated: "LE Advertising Set Terminated"
    case .subrateChange: "LE Subrate Change"
    default: nil
    }
  }

  /// The event's bit in LE Set Event Mask; 0 for a subevent without one:
  /// Core Specification, Vol 4, Part E, 7.8.1.
  public var mask: UInt64 {
    @inline(__always) get {
      rawValue >= 1 && rawValue <= 64 ? 1 &<< UInt64(widening: UInt32(rawValue &- 1)) : 0
    }
  }
}
