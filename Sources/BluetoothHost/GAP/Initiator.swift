/// How to look for advertisers.
public struct ScanParameters: Equatable, Sendable {
  /// Whether to ask advertisers for their scan responses.
  public var isActive = true
  /// Whether the controller reports each advertiser once.
  public var filtersDuplicates = true
  /// From one scan to the next, in 0.625 ms, 4 to 16,384.
  public var interval: UInt16 = 96
  /// How long a scan lasts, in 0.625 ms, at most the interval.
  public var window: UInt16 = 96

  /// An active scan that reports every advertiser once.
  public init() {}
}

/// What a central looks for and connects to, and what its controller is known to do of it.
public struct Initiator {
  /// What the controller is known to do.
  enum ScanState: Equatable {
    case off
    /// The parameters are set, and the scan may be enabled.
    case prepared(ScanParameters)
    case on(ScanParameters)
  }

  /// How far the attempt to connect is.
  enum Attempt: Equatable {
    case none
    /// The controller shall be asked to connect.
    case wanted
    /// The controller tries to connect.
    case running
    /// The controller shall be asked to stop trying.
    case unwanted
    /// The controller has been asked to stop.
    case cancelling
  }

  /// The scan that the application wants; `nil` for none.
  var wantedScan: ScanParameters?
  var scan = ScanState.off
  /// What the last scan command asked for.
  var requestedScan = ScanState.off
  /// Whether the scan shall begin anew, so that every advertiser is reported again.
  var restartsScan = false

  var attempt = Attempt.none
  /// Whom the attempt is for.
  var peer = DeviceAddress.zero
  /// Whether a link is kept that comes while the attempt is being cancelled.
  var keepsLateLink = false
  /// When the controller should have ended an attempt that it was asked to stop.
  var cancelDeadline: Instant?

  /// Nothing is looked for.
  init() {}

  /// Whether no attempt to connect is wanted or under way.
  var isIdle: Bool { attempt == .none }

  /// Whether the controller neither scans nor connects.
  var isOff: Bool {
    if case .on = scan { return false }
    return isIdle
  }

  /// The controller is reset. The wanted scan stays.
  mutating func reset() {
    let wanted = wantedScan
    self = Initiator()
    wantedScan = wanted
  }
}
