import BluetoothHost

/// The scan that one manager wants: whom it wants to hear of, and whom it has been told of.
struct ScanWish {
  /// How long an advertiser's scan response is waited for, in milliseconds, before it is told of
  /// without.
  static let patience: UInt32 = 500
  /// How many advertisers are remembered, which are not told of again.
  private static let capacity = 1_024

  /// Which scan of the manager's it is.
  let number: Int
  /// Of one of these services, or looking for one of those; of any, if there are none.
  let services: Set<BluetoothUUID>
  let solicited: Set<BluetoothUUID>
  /// Whether every advertisement is told.
  let allowsDuplicates: Bool

  /// All that was told of each, the oldest first.
  private var told: [DeviceAddress: Discovery] = [:]
  private var order: [DeviceAddress] = []
  /// Those that are told of when their scan response has come, or is not waited for any longer.
  private var held: [(discovery: Discovery, deadline: Instant)] = []

  init(
    number: Int, services: Set<BluetoothUUID>, solicited: Set<BluetoothUUID>,
    allowsDuplicates: Bool
  ) {
    self.number = number
    self.services = services
    self.solicited = solicited
    self.allowsDuplicates = allowsDuplicates
  }

  /// When the first of those that are held is to be told.
  var deadline: Instant? { held.map(\.deadline).min() }

  /// What is to be told now of an advertiser that was heard, if anything is.
  mutating func hears(_ discovery: Discovery, at now: Instant) -> Discovery? {
    guard wants(discovery) else { return nil }
    if allowsDuplicates { return discovery }
    guard var before = told[discovery.address] else {
      if discovery.awaitsScanResponse {
        hold(discovery, at: now)
        return nil
      }
      remember(discovery)
      return discovery
    }
    // Another manager's scan has everyone heard from the beginning again: what is not heard yet
    // is nothing new.
    var after = before
    after.merge(discovery)
    // Nor is whether it answers, and takes connections just now.
    before.awaitsScanResponse = after.awaitsScanResponse
    before.isConnectable = after.isConnectable
    guard after.tellsMore(than: before) else { return nil }
    remember(after)
    return after
  }

  /// Those that have been waited for long enough.
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
      held.append((discovery, now.advanced(by: Self.patience)))
    }
  }

  private mutating func remember(_ discovery: Discovery) {
    held.removeAll { $0.discovery.address == discovery.address }
    if told.updateValue(discovery, forKey: discovery.address) == nil {
      order.append(discovery.address)
    }
    if order.count > Self.capacity { told[order.removeFirst()] = nil }
  }
}
