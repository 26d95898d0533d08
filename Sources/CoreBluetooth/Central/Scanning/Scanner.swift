import BluetoothHost

/// The wanted scan, and the advertisers found.
struct Scanner {
  /// How many advertisers are remembered. A new one replaces the oldest.
  private static let capacity = 256

  /// The wanted scan; `nil` for none.
  private(set) var wanted: ScanParameters?
  /// Whether the host must be asked for the wanted scan.
  var isStale = false
  private(set) var advertisers: [KnownAdvertiser] = []

  /// Starts a scan, which reports every advertiser again.
  mutating func begin(_ parameters: ScanParameters) {
    advertisers = []
    wanted = parameters
    isStale = true
  }

  mutating func end() {
    guard wanted != nil else { return }
    wanted = nil
    isStale = true
  }

  /// The host has ended the scan.
  mutating func fail() { wanted = nil }

  /// Adds a report. Returns the advertiser if it is due for a report to the managers.
  mutating func merge(_ report: borrowing AdvertisingReport) -> Discovery? {
    guard let wanted else { return nil }
    let address = report.address
    guard let index = advertisers.firstIndex(where: { $0.discovery.address == address }) else {
      var advertiser = KnownAdvertiser(discovery: Discovery(address: address))
      advertiser.merge(report, wanted)
      if advertisers.count == Self.capacity { advertisers.removeFirst() }
      advertisers.append(advertiser)
      return advertiser.discovery
    }
    let before = advertisers[index].discovery
    advertisers[index].merge(report, wanted)
    let after = advertisers[index].discovery
    return wanted.filtersDuplicates && !after.hasMore(than: before) ? nil : after
  }

  /// One advertiser, since its first report.
  struct KnownAdvertiser {
    var discovery: Discovery
    var hasResponded = false

    mutating func merge(_ report: borrowing AdvertisingReport, _ parameters: ScanParameters) {
      discovery.merge(report)
      if report.isScanResponse { hasResponded = true }
      discovery.awaitsScanResponse = parameters.isActive && report.isScannable && !hasResponded
    }
  }
}
