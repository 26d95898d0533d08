import BluetoothHost

/// How to look for advertisers.
public struct ScanOptions: Equatable, Sendable {
  /// Whether to ask advertisers for their scan responses.
  public var isActive = true
  /// Whether to tell of an advertiser again only when it has something new to tell, its signal
  /// strength aside.
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
  private var heard: [Discovery] = []

  /// How many advertisers are remembered.
  var heardCount: Int { heard.count }

  /// Forgets what was heard.
  mutating func forget() {
    heard = []
  }

  /// The next command that brings the controller to what is wanted; `nil` if it is there. While
  /// the controller is connecting, it does not scan: not every controller can do both at once.
  func nextCommand(isPaused: Bool, ownAddressType: UInt8) -> Command? {
    let target = isPaused ? nil : wanted
    switch (state, target) {
    case (.on(let current), let target) where current != target:
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
    guard let index = heard.firstIndex(where: { $0.address == report.address }) else {
      var discovery = Discovery(address: report.address)
      discovery.merge(report)
      if heard.count == Self.capacity { heard.removeFirst() }
      heard.append(discovery)
      return discovery
    }
    var before = heard[index]
    heard[index].merge(report)
    before.rssi = heard[index].rssi
    return wanted.filtersDuplicates && before == heard[index] ? nil : heard[index]
  }
}
