/// What a peripheral advertises, and the known state of its controller.
public struct Advertiser {
  /// The advertisement while a connection is free, if `hasAdvertisement`. Not an optional, which the
  /// compiler copies for each use.
  private(set) var content = Advertisement(data: AdvertisingData(), scanResponse: AdvertisingData())
  /// Whether there is an advertisement.
  private(set) var hasAdvertisement = false

  var isAdvertising = false
  /// The state in the last advertising command.
  var requestedAdvertising = false
  /// Whether the controller's advertising state is unknown.
  var isAdvertisingUncertain = false
  /// Whether the advertising parameters have yet to be sent to the controller again.
  var areParametersPending = false
  /// Whether the advertising data has yet to be sent to the controller.
  var isAdvertisingDataPending = false
  /// Whether the scan response data has yet to be sent to the controller.
  var isScanResponseDataPending = false
  /// Whether the controller refused to advertise beside links, scans or attempts. The host tries
  /// again when one has ended, and each minute.
  var isAdvertisingRefused = false

  /// Whether to check that the controller still advertises.
  var isCheckPending = false
  /// Whether the check is reliable with this controller.
  var check = AdvertisingCheck.untried
  /// Whether the last check indicates that the controller does not advertise.
  var seemsStopped = false

  /// Nothing to advertise.
  init() {}

  /// The advertisement; `nil` for none.
  var advertisement: Advertisement? { hasAdvertisement ? content : nil }

  /// Sets the advertisement, or with `nil` none. False if it is the same.
  mutating func advertise(_ advertisement: Advertisement?) -> Bool {
    guard let advertisement else {
      let isChange = hasAdvertisement
      hasAdvertisement = false
      return isChange
    }
    if hasAdvertisement, advertisement == content { return false }
    content = advertisement
    hasAdvertisement = true
    return true
  }

  /// The controller is reset. The advertisement and the reliability of the check stay.
  mutating func reset() {
    isAdvertising = false
    requestedAdvertising = false
    isAdvertisingUncertain = false
    areParametersPending = false
    isAdvertisingDataPending = false
    isScanResponseDataPending = false
    isAdvertisingRefused = false
    isCheckPending = false
    seemsStopped = false
  }
}

/// What it means that a controller accepts advertising parameters. One that advertises must refuse
/// them (Core Specification, Vol 4, Part E, 7.8.5), but some accept them at any time.
enum AdvertisingCheck {
  /// The controller has not been checked.
  case untried
  /// It refuses them during advertising, so acceptance means that it has lost its state.
  case reliable
  /// It accepted them and was set up again. If it accepts them again, it always does.
  case uncertain
  /// It always accepts them: the answer only shows that it works.
  case unreliable
}

/// The parameters of a scan.
public struct ScanParameters: Equatable, Sendable {
  /// Whether to request scan responses.
  public var isActive = true
  /// Whether the controller reports each advertiser once.
  public var filtersDuplicates = true
  /// The time between the starts of two scans, in units of 0.625 ms, 4 to 16,384.
  public var interval: UInt16 = 96
  /// The duration of a scan, in units of 0.625 ms, at most the interval.
  public var window: UInt16 = 96

  /// Creates parameters for an active scan that reports each advertiser once.
  public init() {}
}

/// The requested scan and connection of a central, and the known state of its controller.
public struct Initiator {
  /// The known state of the controller's scan.
  enum ScanState: Equatable {
    case off
    /// The parameters are set, and the scan may be enabled.
    case prepared(ScanParameters)
    case on(ScanParameters)
  }

  /// The progress of the attempt to connect.
  enum Attempt: Equatable {
    case none
    /// A command to connect has to be sent.
    case wanted
    /// The controller is connecting.
    case running
    /// A command to cancel has to be sent.
    case unwanted
    /// The command to cancel was sent.
    case cancelling
    /// Cancelled for a change of the controller's lists or address. The attempt goes on afterwards.
    case pausing
  }

  /// The requested scan; `nil` for none.
  var wantedScan: ScanParameters?
  var scan = ScanState.off
  /// The state in the last scan command.
  var requestedScan = ScanState.off
  /// Whether to restart the scan, so that every advertiser is reported again.
  var restartsScan = false

  var attempt = Attempt.none
  /// The peer of the attempt.
  var peer = DeviceAddress.zero
  /// Whether to keep a link that is made while the attempt is being cancelled.
  var keepsLateLink = false
  /// When the controller should have ended a cancelled attempt.
  var cancelDeadline: Instant?

  /// No scan and no connection.
  init() {}

  /// Whether no attempt to connect is requested or under way.
  var isIdle: Bool { attempt == .none }

  /// Whether the controller neither scans nor connects.
  var isOff: Bool {
    if case .on = scan { return false }
    return isIdle
  }

  /// The controller is reset. The requested scan stays.
  mutating func reset() {
    let wanted = wantedScan
    self = Initiator()
    wantedScan = wanted
  }
}
