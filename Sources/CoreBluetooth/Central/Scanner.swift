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

/// The scan that one manager wants: which advertisers it reports, and which it has reported.
struct ManagerScan {
  /// How long a report waits for the advertiser's scan response, in milliseconds.
  static let responseTimeout: UInt32 = 500
  /// How many reported advertisers are remembered, so that they are not reported again.
  private static let capacity = 1_024

  /// The number of the manager's scan.
  let number: Int
  /// Advertisers with one of these services, or soliciting one of those; all, if both are empty.
  let services: Set<BluetoothUUID>
  let solicited: Set<BluetoothUUID>
  /// Whether every advertisement is reported.
  let allowsDuplicates: Bool

  /// What was reported of each advertiser; `order` has the oldest first.
  private var reported: [DeviceAddress: Discovery] = [:]
  private var order: [DeviceAddress] = []
  /// Advertisers that wait for their scan response, until their deadline.
  private var held: [(discovery: Discovery, deadline: Instant)] = []

  init(
    number: Int, services: Set<BluetoothUUID>, solicited: Set<BluetoothUUID>, allowsDuplicates: Bool
  ) {
    self.number = number
    self.services = services
    self.solicited = solicited
    self.allowsDuplicates = allowsDuplicates
  }

  /// When the first of the held advertisers is due.
  var deadline: Instant? { held.map(\.deadline).min() }

  /// What to report now of an advertiser; `nil` for nothing.
  mutating func report(for discovery: Discovery, at now: Instant) -> Discovery? {
    guard wants(discovery) else { return nil }
    if allowsDuplicates { return discovery }
    guard var before = reported[discovery.address] else {
      if discovery.awaitsScanResponse {
        hold(discovery, at: now)
        return nil
      }
      remember(discovery)
      return discovery
    }
    // Another manager's scan starts every discovery from the beginning: what is still missing has
    // not changed.
    var after = before
    after.merge(discovery)
    // Whether it responds, and is connectable just now, does not justify a report either.
    before.awaitsScanResponse = after.awaitsScanResponse
    before.isConnectable = after.isConnectable
    guard after.hasMore(than: before) else { return nil }
    remember(after)
    return after
  }

  /// Removes and returns the held advertisers that are due.
  mutating func takeHeld(at now: Instant) -> [Discovery] {
    let due = held.filter { $0.deadline <= now }.map(\.discovery)
    for discovery in due { remember(discovery) }
    return due
  }

  private func wants(_ discovery: Discovery) -> Bool {
    if services.isEmpty && solicited.isEmpty { return true }
    return !services.isDisjoint(with: discovery.serviceUUIDs)
      || !solicited.isDisjoint(with: discovery.solicitedUUIDs)
  }

  private mutating func hold(_ discovery: Discovery, at now: Instant) {
    if let index = held.firstIndex(where: { $0.discovery.address == discovery.address }) {
      held[index].discovery = discovery
    } else if held.count < Self.capacity {
      held.append((discovery, now.advanced(by: Self.responseTimeout)))
    }
  }

  private mutating func remember(_ discovery: Discovery) {
    held.removeAll { $0.discovery.address == discovery.address }
    if reported.updateValue(discovery, forKey: discovery.address) == nil {
      order.append(discovery.address)
    }
    if order.count > Self.capacity { reported[order.removeFirst()] = nil }
  }
}
