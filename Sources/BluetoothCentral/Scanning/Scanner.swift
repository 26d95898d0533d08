import BluetoothHost

/// How to look for advertisers.
public struct ScanOptions: Equatable, Sendable {
  /// Whether to ask advertisers for their scan responses.
  public var isActive = true
  /// Whether to tell of an advertiser again only when it tells something more than before. If
  /// not, every report is told, with its signal strength.
  public var filtersDuplicates = true
  /// From one scan to the next, in 0.625 ms, 4 to 16,384.
  public var interval: UInt16 = 96
  /// How long a scan lasts, in 0.625 ms, at most the interval.
  public var window: UInt16 = 96

  /// An active scan that tells of every advertiser once.
  public init() {}
}

/// The scan that is wanted, the scan that there is, and the advertisers heard.
struct Scanner {
  /// What the controller has been told, as far as that is known.
  enum State: Equatable {
    case off
    /// The parameters are set, and the scan may be enabled.
    case prepared(ScanOptions)
    case on(ScanOptions)
  }

  /// How many advertisers are remembered; the first heard is forgotten for a new one.
  private static let capacity = 256

  /// What the caller wants.
  var wanted: ScanOptions?
  var state = State.off
  private var heard: [Advertiser] = []
  /// Whether the controller has to begin anew, since it leaves out whom it has told of.
  private var isStale = false

  /// How many advertisers are remembered.
  var heardCount: Int { heard.count }

  /// Wants another scan, which tells of everyone again.
  mutating func begin(_ options: ScanOptions) {
    heard = []
    wanted = options
    if case .on = state { isStale = true }
  }

  /// The next command that brings the controller to what is wanted; `nil` if it is there. While
  /// the controller is connecting, it does not scan: not every controller can do both at once.
  mutating func nextCommand(isPaused: Bool, ownAddressType: UInt8) -> Command? {
    let target = isPaused ? nil : wanted
    switch (state, target) {
    case (.on(let current), let target) where current != target || isStale:
      isStale = false
      return .scanEnable(LESetScanEnable(enable: 0, filterDuplicates: 0))
    case (.prepared(let current), let target?) where current == target:
      return .scanEnable(
        LESetScanEnable(enable: 1, filterDuplicates: target.filtersDuplicates ? 1 : 0))
    case (.off, let target?), (.prepared, let target?):
      return .scanParameters(target, ownAddressType: ownAddressType)
    default:
      return nil
    }
  }

  /// Adds a report; gives the advertiser if it is to be told of.
  mutating func merge(_ report: AdvertiserReport) -> Discovery? {
    guard let wanted else { return nil }
    let known = heard.firstIndex { $0.discovery.address == report.address }
    guard let index = known else {
      var advertiser = Advertiser(discovery: Discovery(address: report.address))
      advertiser.merge(report, wanted)
      if heard.count == Self.capacity { heard.removeFirst() }
      heard.append(advertiser)
      return advertiser.discovery
    }
    let before = heard[index].discovery
    heard[index].merge(report, wanted)
    let after = heard[index].discovery
    return wanted.filtersDuplicates && !after.tellsMore(than: before) ? nil : after
  }

  /// One advertiser, from its first report on.
  private struct Advertiser {
    var discovery: Discovery
    var hasResponded = false

    mutating func merge(_ report: AdvertiserReport, _ options: ScanOptions) {
      discovery.merge(report)
      if report.isScanResponse { hasResponded = true }
      discovery.awaitsScanResponse = options.isActive && report.isScannable && !hasResponded
    }
  }
}
