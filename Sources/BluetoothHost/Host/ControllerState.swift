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
  /// LE features: bit 5 is the data length extension, bit 8 the 2M PHY, bit 11 the coded PHY, bit 12
  /// extended advertising, bit 13 periodic advertising, bit 37 connection subrating.
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
  /// Whether it has left Read RSSI unanswered once. Only a host with security asks again.
  var hasMissedLinkAnswer = false
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
  private static var codedFeature: UInt64 { 1 &<< 11 }
  private static var extendedFeature: UInt64 { 1 &<< 12 }
  private static var periodicFeature: UInt64 { 1 &<< 13 }
  private static var subratingFeature: UInt64 { 1 &<< 37 }

  var supportsDataLength: Bool { features & Self.dataLengthFeature != 0 }
  var supports2MPHY: Bool { features & Self.twoMegabitFeature != 0 }
  var supportsCodedPHY: Bool { features & Self.codedFeature != 0 }
  var supportsExtendedAdvertising: Bool { features & Self.extendedFeature != 0 }

  var supportsPeriodicAdvertising: Bool { features & Self.periodicFeature != 0 }
  var supportsSubrating: Bool { features & Self.subratingFeature != 0 }

  /// Its PHYs.
  var phys: PHYSet {
    PHYSet.le1M | (supports2MPHY ? .le2M : .none) | (supportsCodedPHY ? .leCoded : .none)
  }

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

  /// The same for connection subrating.
  mutating func disableSubrating() { features &= ~Self.subratingFeature }

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
  /// Only if the controller has connection subrating, and the host too.
  case setHostFeature
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

/// Links without a connection in the host: their Connection Complete is late or lost, or the host
/// refuses them. The host ends each link at a time of its own. A late event may arrive before that.
struct UnknownLinks {
  /// A link, and when the host ends it.
  private struct Entry {
    var handle: ConnectionHandle
    /// `nil` if the host has to end the link now.
    var time: Instant?
  }

  /// How many links are stored. Data of another one is noted when there is room.
  private static var capacity: Int { 8 }

  private var entries = InlineArray<8, Entry?>(repeating: nil)
  /// When to end the next link; `nil` if none waits.
  private(set) var deadline: Instant?

  /// Notes the link `handle`. The first call sets `time`, when the host ends the link.
  mutating func note(_ handle: ConnectionHandle, endedAt time: Instant) {
    var free: Int?
    for index in 0..<Self.capacity {
      if entries[index]?.handle == handle { return }
      if entries[index] == nil { free = free ?? index }
    }
    guard let free else { return }
    entries[free] = Entry(handle: handle, time: time)
    deadline = Instant.earlier(deadline, time)
  }

  /// Removes a link that is now known, or has ended.
  mutating func remove(_ handle: ConnectionHandle) {
    for index in 0..<Self.capacity where entries[index]?.handle == handle { entries[index] = nil }
    findDeadline()
  }

  /// Returns whether another link has to be ended at `now`.
  mutating func advance(to now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    for index in 0..<Self.capacity {
      if let time = entries[index]?.time, time <= now { entries[index]?.time = nil }
    }
    findDeadline()
    return true
  }

  /// Whether the host has to end the link `handle` now.
  func isDue(_ handle: ConnectionHandle) -> Bool {
    for index in 0..<Self.capacity {
      if let entry = entries[index], entry.handle == handle { return entry.time == nil }
    }
    return false
  }

  /// Removes and returns a link that has to be ended; `nil` if there is none.
  mutating func takeDue() -> ConnectionHandle? {
    for index in 0..<Self.capacity {
      guard let entry = entries[index], entry.time == nil else { continue }
      entries[index] = nil
      return entry.handle
    }
    return nil
  }

  private mutating func findDeadline() {
    deadline = nil
    for index in 0..<Self.capacity { deadline = Instant.earlier(deadline, entries[index]?.time) }
  }
}

/// How long to wait before a failed action is repeated.
///
/// After a period without failures, the first retry is immediate. Further retries wait 250 ms, then
/// twice as long each time, up to 5 s.
public struct RetryPace {
  /// How long without failures until the next one counts as the first, in milliseconds.
  static var calm: UInt32 { 10_000 }

  private var failures: UInt32 = 0
  private var calmTime: Instant?

  /// Records a failure at `now`. Returns when to try again.
  mutating func retryTime(failingAt now: Instant) -> Instant {
    if let calmTime, calmTime <= now { failures = 0 }
    let time = failures == 0 ? now : now.advanced(by: Self.delay(after: failures - 1))
    failures += 1
    calmTime = time.advanced(by: Self.calm)
    return time
  }

  /// The delay after this many failures in a row, in milliseconds: 250 after none, 5,000 after five
  /// and more.
  public static func delay(after failures: UInt32) -> UInt32 {
    min(250 &<< min(failures, 5), 5_000)
  }
}
