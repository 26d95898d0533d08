import BluetoothHost

/// When the packets of an advertiser are on the air, in µs, in a model with collisions.
///
/// An advertising event sends its packet on three channels, one after another, as those of other
/// advertisers do, and a scanner hears one channel: so an event counts as one packet. Events follow
/// each other after the interval and a random delay of up to 10 ms: Core Specification, Vol 6, Part B,
/// 4.4.2.2.1.
struct AdvertisingTimes {
  /// The delays in µs: 0 up to this.
  private static let delayRange: UInt64 = 10_000

  /// How long a packet takes.
  var duration: UInt64 = 0
  /// When the last packet began; `nil` if it did not matter.
  private var last: UInt64?
  /// When the next one begins; `nil` if that is not known yet.
  private var next: UInt64?

  /// Sends a packet at `now`, or up to 1 ms earlier: events are handled at the air's milliseconds.
  /// Returns when the next one is due.
  ///
  /// - Parameter interval: In ms.
  mutating func send(at now: Instant, interval: UInt32, _ random: inout SplitMix64) -> Instant {
    let now = now.rawValue * 1_000
    // It has just begun to advertise, or what was planned has passed unheard.
    let start =
      next.flatMap { (now - min(now, 999)...now).contains($0) ? $0 : nil }
      ?? now - min(now, random.next() % 1_000)
    last = start
    return plan(start + UInt64(interval) * 1_000 + random.next() % Self.delayRange)
  }

  /// Begins to matter at `now`: somewhere between two packets.
  mutating func begin(at now: Instant, interval: UInt32, _ random: inout SplitMix64) -> Instant {
    last = nil
    return plan((now.rawValue + 1) * 1_000 + random.next() % (UInt64(max(interval, 1)) * 1_000))
  }

  private mutating func plan(_ start: UInt64) -> Instant {
    next = start
    return Instant(rawValue: (start + 999) / 1_000)
  }

  /// Whether its last packet overlaps the last or the next one of another advertiser.
  func overlaps(_ other: AdvertisingTimes) -> Bool {
    guard let last else { return false }
    func overlaps(_ start: UInt64?) -> Bool {
      guard let start else { return false }
      return start < last + duration && last < start + other.duration
    }
    return overlaps(other.last) || overlaps(other.next)
  }
}

extension VirtualAir {
  private var hasCollisions: Bool { linkLayer?.hasCollisions ?? false }

  /// The advertisers of packets that overlap the one that `set` sends now; empty without collisions.
  /// Looks at each advertiser.
  func rivals(of set: AdvertiserSet) -> [VirtualController] {
    guard hasCollisions, let interval = set.active?.interval else { return [] }
    set.times.duration = set.packetDuration
    set.active?.next = set.times.send(at: now, interval: interval, &set.advertiser.random)
    let times = set.times
    return advertisers.all.filter { other in
      other.state.sets.contains { $0 !== set && times.overlaps($0.times) }
    }
  }

  /// A controller begins to listen: with collisions, the packets of all advertisers matter from now
  /// on. Returns whether that is so.
  func beginCollisions() -> Bool {
    guard hasCollisions else { return false }
    for advertiser in advertisers.all {
      for set in advertiser.state.sets {
        guard let advertising = set.active, !set.hasReceivers || advertising.next <= now
        else { continue }
        set.times.duration = set.packetDuration
        set.active?.next = set.times.begin(
          at: now, interval: advertising.interval, &advertiser.random)
      }
      reschedule(advertiser)
    }
    return true
  }

  /// Whether an advertiser matters to some listener because its packets disturb others.
  var anyAdvertisementMatters: Bool { hasCollisions && !listeners.all.isEmpty }
}

extension AdvertiserSet {
  /// The duration of its packet on an advertising channel, in µs: an address, and data or the target's
  /// address; or an extended header that points to the data on another channel.
  fileprivate var packetDuration: UInt64 {
    guard isLegacy else {
      return PacketTime.packet(7, phy: parameters.primaryPHY.rawValue, isEncrypted: false)
    }
    return PacketTime.packet(
      6 + (active?.target == nil ? data.bytes.count : 6), phy: 1, isEncrypted: false)
  }
}
