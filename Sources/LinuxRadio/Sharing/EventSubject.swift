import BluetoothHost

/// What an event is about, and so whom it concerns.
enum EventSubject: Equatable {
  /// One link.
  case link(ConnectionHandle)
  /// Advertisers that were heard.
  case scanning
  /// The device's own advertising.
  case advertising
  /// The controller as a whole, or nothing that is known here.
  case everything

  /// Reads as much of an event as tells. Not for those that begin a link or answer a command.
  init(_ code: HCIEventCode, _ parameters: Span<UInt8>) {
    var reader = ByteReader(parameters)
    switch code {
    case .disconnectionComplete, .encryptionChange, .readRemoteVersionInformationComplete,
      .encryptionKeyRefreshComplete:
      self.init(linkAfterStatus: &reader)
    case .leMeta:
      guard let subevent = reader.readUInt8() else {
        self = .everything
        return
      }
      self.init(LEMetaSubevent(rawValue: subevent), &reader)
    default:
      self = .everything
    }
  }

  private init(_ subevent: LEMetaSubevent, _ reader: inout ByteReader) {
    switch subevent {
    case .connectionUpdateComplete, .readRemoteFeaturesComplete, .phyUpdateComplete:
      self.init(linkAfterStatus: &reader)
    case .longTermKeyRequest, .remoteConnectionParameterRequest, .dataLengthChange,
      .channelSelectionAlgorithm:
      self.init(link: &reader)
    case .advertisingReport, .extendedAdvertisingReport, .directedAdvertisingReport, .scanTimeout:
      self = .scanning
    case .advertisingSetTerminated, .scanRequestReceived:
      self = .advertising
    default:
      self = .everything
    }
  }

  private init(linkAfterStatus reader: inout ByteReader) {
    guard reader.readUInt8() != nil else {
      self = .everything
      return
    }
    self.init(link: &reader)
  }

  private init(link reader: inout ByteReader) {
    guard let handle = ConnectionHandle(&reader) else {
      self = .everything
      return
    }
    self = .link(handle)
  }
}

extension HCIEventCode {
  /// A link has new keys: 7.7.39.
  fileprivate static let encryptionKeyRefreshComplete = HCIEventCode(rawValue: 0x30)
}

// Core Specification, Vol 4, Part E, 7.7.65.
extension LEMetaSubevent {
  fileprivate static let directedAdvertisingReport = LEMetaSubevent(rawValue: 0x0B)
  fileprivate static let scanTimeout = LEMetaSubevent(rawValue: 0x11)
  fileprivate static let advertisingSetTerminated = LEMetaSubevent(rawValue: 0x12)
  fileprivate static let scanRequestReceived = LEMetaSubevent(rawValue: 0x13)
  fileprivate static let channelSelectionAlgorithm = LEMetaSubevent(rawValue: 0x14)
}

extension HCIOpcode {
  /// Whether the first parameter of the command is the handle of a link.
  var isAboutLink: Bool {
    switch self {
    case .disconnect, .readRemoteVersionInformation, .readRSSI, .leConnectionUpdate,
      .leReadRemoteFeatures, .leLongTermKeyRequestNegativeReply,
      .leRemoteConnectionParameterRequestReply,
      .leRemoteConnectionParameterRequestNegativeReply, .leSetDataLength, .leReadPHY, .leSetPHY:
      true
    default:
      false
    }
  }
}
