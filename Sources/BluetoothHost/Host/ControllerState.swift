/// What the host knows of its controller.
struct ControllerState {
  /// How far the controller has been brought.
  enum Phase: Equatable {
    /// Not there, or not started.
    case off
    /// Being set up: the next step.
    case starting(StartUpStep)
    /// Set up.
    case ready
  }

  var phase = Phase.off
  /// What the application was last told.
  var reported = RadioState.starting
  /// When to reset it once more.
  var restartTime: Instant?
  var isShuttingDown = false
  /// Whether there may be a command to send: looked into only then.
  var owesCommands = false

  /// The controller's own address; `nil` if it has not told one.
  var publicAddress: DeviceAddress?
  /// The address that the device goes by.
  var address = DeviceAddress.zero
  /// LE features: bit 5 is the data length extension, bit 8 the 2M PHY.
  /// Core Specification, Vol 6, Part B, 4.6.
  var features: UInt64 = 0

  /// How many bytes of data an ACL packet takes, at least 27.
  var aclPacketLength = Self.leastPacketLength
  /// How many ACL packets the controller has room for.
  var aclPacketCount = 1
  /// How many ACL packets the controller has.
  var inFlight = 0
  /// Whether the LE controller has ACL buffers of its own.
  var hasLEBuffers = false
  /// How many links have a packet in the controller.
  var sendingLinks = 0

  /// The link that the last Disconnect was for.
  var closing: ConnectionHandle?
  /// The link that the controller has been asked to encrypt.
  var encrypting: ConnectionHandle?
  /// The link that was asked after last.
  var checking: ConnectionHandle?
  /// Whether it may know how to tell if there is a link.
  var checksLinks = true
  /// When to look for links that have been silent; or, without a link, for the advertising.
  var checkTime: Instant?
  /// Links whose data came before their Connection Complete.
  var unknownLinks = UnknownLinks()
  /// When it is reset after a Hardware Error.
  var retryPace = RetryPace()

  /// What every LE controller takes. Core Specification, Vol 4, Part E, 7.8.2.
  static let leastPacketLength = 27

  private static var dataLengthFeature: UInt64 { 1 &<< 5 }
  private static var twoMegabitFeature: UInt64 { 1 &<< 8 }

  var supportsDataLength: Bool { features & Self.dataLengthFeature != 0 }
  var supports2MPHY: Bool { features & Self.twoMegabitFeature != 0 }

  /// The controller says that it can do something, and leaves the command for it unanswered: it
  /// is not asked again, since every other command would have to wait.
  mutating func distrust(_ opcode: HCIOpcode) {
    switch opcode {
    case .leSetDataLength: features &= ~Self.dataLengthFeature
    case .leSetPHY: features &= ~Self.twoMegabitFeature
    case .readRSSI: checksLinks = false
    default: break
    }
  }

  init() {}

  /// Everything about the controller is to be found out anew.
  mutating func restart() {
    reset()
    phase = .starting(.reset)
    owesCommands = true
  }

  /// Forgets the state that the controller had. What the application knows and wants stays, as does
  /// what the controller's past says of it.
  mutating func reset() {
    let old = self
    self = ControllerState()
    reported = old.reported
    isShuttingDown = old.isShuttingDown
    retryPace = old.retryPace
  }

  /// Takes what the controller tells of its buffers; a controller that tells nonsense is treated
  /// as the least one that the specification allows.
  mutating func setBuffers(length: UInt16, count: UInt16) {
    aclPacketLength = max(Self.leastPacketLength, Int(length))
    aclPacketCount = max(1, Int(count))
  }
}

/// The commands that set a controller up, in their order.
enum StartUpStep: UInt8 {
  case reset
  case readAddress
  case setEventMask
  case setLEEventMask
  case readLEBufferSize
  /// Only where the LE controller has no buffers of its own.
  case readBufferSize
  case readLEFeatures
  /// Only where a random address is to be used.
  case setRandomAddress
  case setAdvertisingParameters
  case setAdvertisingData
  case setScanResponseData

  /// The step after this one; `nil` after the last.
  var next: StartUpStep? { StartUpStep(rawValue: rawValue + 1) }

  /// Whether the peripheral can do its work without this step. A controller that cannot be reset,
  /// or not be told how to advertise, is of no use; nor is one that keeps its LE events to itself,
  /// as each does until it is told otherwise.
  var isOptional: Bool {
    switch self {
    case .reset, .setEventMask, .setAdvertisingParameters, .setAdvertisingData,
      .setScanResponseData:
      false
    default: true
    }
  }
}
