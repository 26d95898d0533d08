import BluetoothHost

/// The scan that is wanted, and the advertisers heard.
struct Scanner {
  /// How many advertisers are remembered; the first heard is forgotten for a new one.
  private static let capacity = 256

  /// The scan that is wanted; `nil` for none.
  private(set) var wanted: ScanParameters?
  /// Whether the host has yet to learn what is wanted.
  var isStale = false
  private var heard: [Advertiser] = []

  /// How many advertisers are remembered.
  var heardCount: Int { heard.count }

  /// Wants another scan, which reports everyone again.
  mutating func begin(_ parameters: ScanParameters) {
    heard = []
    wanted = parameters
    isStale = true
  }

  /// Wants no scan.
  mutating func end() {
    guard wanted != nil else { return }
    wanted = nil
    isStale = true
  }

  /// The host has ended the scan.
  mutating func fail() { wanted = nil }

  /// Adds a report; returns the advertiser if it is to be reported.
  mutating func merge(_ report: borrowing AdvertisingReport) -> Discovery? {
    guard let wanted else { return nil }
    let address = report.address
    guard let index = heard.firstIndex(where: { $0.discovery.address == address }) else {
      var advertiser = Advertiser(discovery: Discovery(address: address))
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

    mutating func merge(_ report: borrowing AdvertisingReport, _ parameters: ScanParameters) {
      discovery.merge(report)
      if report.isScanResponse { hasResponded = true }
      discovery.awaitsScanResponse = parameters.isActive && report.isScannable && !hasResponded
    }
  }
}
