/// What the host knows about its controller.
struct ControllerState {
  /// How far the controller's set-up has come.
  enum Phase: Equatable {
    /// Not there, or not started.
    case off
    /// Being set up: the next step.
    case starting(StartUpStep)
    /// Set up.
    case ready
  }

  var phase = Phase.off
  /// The state last reported to the application.
  var reported = RadioState.starting
  /// When to send Reset again.
  var restartTime: Instant?
  var isShuttingDown = false
  /// Whether a command may be pending. The host looks for one only then.
  var mayHaveCommands = false

  /// The controller's public address; `nil` if it has reported none.
  var publicAddress: DeviceAddress?
  /// The address that the device uses.
  var address = DeviceAddress.zero
  /// LE features: bit 5 is the data length extension, bit 8 the 2M PHY.
  /// Core Specification, Vol 6, Part B, 4.6.
  var features: UInt64 = 0

  /// The longest data of an ACL packet in bytes, at least 27.
  var aclPacketLength = Self.leastPacketLength
  /// How many ACL packets the controller can hold.
  var aclPacketCount = 1
  /// How many ACL packets the controller holds.
  var inFlight = 0
  /// Whether the controller has separate LE ACL buffers.
  var hasLEBuffers = false
  /// How many links have a packet in the controller.
  var sendingLinks = 0

  /// The link of the last Disconnect command.
  var closing: ConnectionHandle?
  /// The link of the last LE Enable Encryption command.
  var encrypting: ConnectionHandle?
  /// The link of the last Read RSSI command.
  var checking: ConnectionHandle?
  /// Whether the controller answers Read RSSI, which shows whether a link exists.
  var checksLinks = true
  /// When to check silent links, or, without a link, the advertising.
  var checkTime: Instant?
  /// Links whose data arrived before their Connection Complete.
  var unknownLinks = UnknownLinks()
  /// When to reset the controller after a Hardware Error.
  var retryPace = RetryPace()

  /// The minimum that every LE controller supports. Core Specification, Vol 4, Part E, 7.8.2.
  static let leastPacketLength = 27

  private static var dataLengthFeature: UInt64 { 1 &<< 5 }
  private static var twoMegabitFeature: UInt64 { 1 &<< 8 }

  var supportsDataLength: Bool { features & Self.dataLengthFeature != 0 }
  var supports2MPHY: Bool { features & Self.twoMegabitFeature != 0 }

  /// The controller claims a feature but left its command unanswered. The host stops using the
  /// feature, since an unanswered command delays every other one.
  mutating func disableFeature(_ opcode: HCIOpcode) {
    switch opcode {
    case .leSetDataLength: features &= ~Self.dataLengthFeature
    case .leSetPHY: features &= ~Self.twoMegabitFeature
    case .readRSSI: checksLinks = false
    default: break
    }
  }

  init() {}

  /// Begins the set-up again, from Reset.
  mutating func restart() {
    reset()
    phase = .starting(.reset)
    mayHaveCommands = true
  }

  /// Forgets the controller's state. The reported state, a shutdown and the retry delay stay.
  mutating func reset() {
    let old = self
    self = ControllerState()
    reported = old.reported
    isShuttingDown = old.isShuttingDown
    retryPace = old.retryPace
  }

  /// Sets the buffer sizes that the controller reports. Values below the specification's minimum
  /// are raised to it.
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
  /// Only if the controller has no separate LE buffers.
  case readBufferSize
  case readLEFeatures
  /// Only if the device uses a random address.
  case setRandomAddress
  case setAdvertisingParameters
  case setAdvertisingData
  case setScanResponseData

  /// The step after this one; `nil` after the last.
  var next: StartUpStep? { StartUpStep(rawValue: rawValue + 1) }

  /// Whether the host works without this step. It needs Reset, the advertising commands, and Set
  /// Event Mask: LE events are off by default.
  var isOptional: Bool {
    switch self {
    case .reset, .setEventMask, .setAdvertisingParameters, .setAdvertisingData,
      .setScanResponseData:
      false
    default: true
    }
  }
}
