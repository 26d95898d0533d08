import BluetoothHost
import EightBall

/// Decides for each connection which events are printed, so that no central fills a log. A
/// connection index keeps its allowance when its central leaves, so reconnecting is limited too. If
/// the beginning of a link was printed, its end is printed too. If it was left out, it is printed
/// later, unless the link has ended. Lines left out for good are counted; the count is due when the
/// present second has passed, or when a link ends whose beginning was printed.
struct OutputLimit<let links: Int> {
  /// A line to print besides the admitted events.
  enum Notice: Equatable {
    /// This number of lines were left out, of one central, or of several if `central` is `nil`.
    case omitted(Int, connectionIndex: Int, central: DeviceAddress?)
    /// The connection was left out when it began, and still lasts.
    case connected(connectionIndex: Int, address: DeviceAddress)
  }

  private var accounts = InlineArray<links, ConnectionAccount>(repeating: ConnectionAccount())
  // Each turn of the loop reads both, and seldom has either.
  /// When `advance(to:)` must be called next; `nil` if nothing is left out.
  private(set) var deadline: Instant?
  /// Whether a connection may have a notice.
  private(set) var mayHaveNotices = false

  init() {}

  /// Whether `event` is printed. Print the notices of `nextNotice(at:)` before it.
  mutating func admits(_ event: BallEvent, at now: Instant) -> Bool {
    // The other events have no central.
    guard let connectionIndex = event.connectionIndex, accounts.indices.contains(connectionIndex)
    else { return true }
    let isAdmitted = accounts[connectionIndex].admits(event, at: now)
    if accounts[connectionIndex].isDue { mayHaveNotices = true }
    if !isAdmitted { deadline = .earlier(deadline, accounts[connectionIndex].deadline) }
    return isAdmitted
  }

  /// Advances the time.
  mutating func advance(to now: Instant) {
    guard let deadline, deadline <= now else { return }
    for connectionIndex in accounts.indices { accounts[connectionIndex].advance(to: now) }
    mayHaveNotices = true
    findDeadline()
  }

  /// Makes all counts due now.
  mutating func end() {
    for connectionIndex in accounts.indices { accounts[connectionIndex].end() }
    mayHaveNotices = true
  }

  private mutating func findDeadline() {
    deadline = nil
    for connectionIndex in accounts.indices {
      deadline = .earlier(deadline, accounts[connectionIndex].deadline)
    }
  }

  /// Takes the next notice that is due; `nil` if there is none.
  mutating func nextNotice(at now: Instant) -> Notice? {
    for connectionIndex in accounts.indices {
      if let omission = accounts[connectionIndex].takeOmission() {
        return .omitted(omission.count, connectionIndex: connectionIndex, central: omission.central)
      }
      if let address = accounts[connectionIndex].takeLateConnection(at: now) {
        return .connected(connectionIndex: connectionIndex, address: address)
      }
    }
    mayHaveNotices = false
    findDeadline()
    return nil
  }
}

/// The lines of one connection.
struct ConnectionAccount {
  private var allowance = OutputAllowance()
  /// The central that is connected.
  private var central: DeviceAddress?
  /// Whether no line of it was left out.
  private var isCentralNew = false
  /// Whether its connection has not been printed.
  private var isUnprinted = false
  /// How many lines were left out for good.
  private var omitted = 0
  /// Their only central; `nil` if there are several.
  private var omittedCentral: DeviceAddress?
  /// Whether the left-out lines are due to be reported.
  private(set) var isDue = false

  private var isComplete: Bool { omitted == 0 && !isUnprinted }
  var deadline: Instant? { isComplete ? nil : allowance.nextSecond }

  mutating func admits(_ event: BallEvent, at now: Instant) -> Bool {
    advance(to: now)
    // While lines are left out, no line is printed between them.
    let hasRoom = (isComplete || isDue) && !allowance.isSpent
    switch event {
    case .connected(_, let address):
      central = address
      isCentralNew = true
      isUnprinted = !hasRoom
      if hasRoom { allowance.spend(at: now) }
      return hasRoom
    case .disconnected where isUnprinted:
      isUnprinted = false
      // The connection and its end.
      omit(2)
      return false
    case .disconnected:
      allowance.spend(at: now)
      end()
      return true
    default:
      if hasRoom { allowance.spend(at: now) } else { omit(1) }
      return hasRoom
    }
  }

  mutating func advance(to now: Instant) {
    allowance.advance(to: now)
    if !allowance.isSpent { end() }
  }

  mutating func end() { isDue = !isComplete }

  /// Takes the count of the lines that were left out for good, if it is due.
  mutating func takeOmission() -> (count: Int, central: DeviceAddress?)? {
    guard isDue, omitted > 0 else { return nil }
    defer {
      omitted = 0
      end()
    }
    return (omitted, omittedCentral)
  }

  /// Takes a connection that was left out and lasts, if it is due.
  mutating func takeLateConnection(at now: Instant) -> DeviceAddress? {
    guard isDue, isUnprinted else { return nil }
    isUnprinted = false
    end()
    allowance.spend(at: now)
    return central
  }

  private mutating func omit(_ count: Int) {
    if omitted == 0 || isCentralNew { noteOmittedCentral() }
    omitted += count
  }

  // Once for each central, not for each line.
  private mutating func noteOmittedCentral() {
    isCentralNew = false
    omittedCentral = omitted == 0 || omittedCentral == central ? central : nil
  }
}

extension BallEvent {
  /// The connection that it comes from; `nil` for an event without one.
  fileprivate var connectionIndex: Int? {
    switch self {
    case .connected(let connectionIndex, _), .disconnected(let connectionIndex, _, _),
      .subscribed(let connectionIndex, _), .asked(let connectionIndex),
      .refused(let connectionIndex, _), .answered(let connectionIndex, _):
      connectionIndex
    case .radio, .missed: nil
    }
  }
}

/// How much one source may write: a burst, and then a number of lines each second.
///
/// It does no I/O and has no clock: the caller gives the time.
public struct OutputAllowance {
  /// The most lines in a row. Enough for 248 questions with their answers, and the beginning and
  /// end of a link and of a subscription. No person asks so often in a few seconds, and no test of
  /// an app does.
  static var burst: Int { 500 }

  /// How many lines each second gives back. Four centrals that never stop make 4 × (500 + 30 × 20)
  /// = 4,400 lines in the first 30 s. The systemd journal drops lines above 10,000
  /// (`RateLimitBurst` in journald.conf(5)).
  static var perSecond: Int { 20 }

  /// The length of a second, in milliseconds.
  private static var second: UInt32 { 1_000 }

  /// The length of a day, in milliseconds.
  private static var day: UInt64 { 86_400_000 }

  private var spent = 0
  /// When the present second began; meaningless while nothing is spent.
  private var beginning = Instant(rawValue: 0)

  /// A full allowance.
  public init() {}

  /// Whether nothing is left before the next second.
  public var isSpent: Bool { spent >= Self.burst }

  /// When the next second begins.
  public var nextSecond: Instant { beginning.advanced(by: Self.second) }

  /// Gives back the lines for the seconds up to `now`.
  @inline(never) public mutating func advance(to now: Instant) {
    guard spent > 0, now >= nextSecond else { return }
    // A day gives everything back, so 32 bits are enough.
    let milliseconds = now.rawValue &- beginning.rawValue
    guard milliseconds < Self.day else { return spent = 0 }
    let elapsed = UInt32(truncatingIfNeeded: milliseconds)
    let seconds = elapsed / Self.second
    spent -= min(spent, min(Int(bitPattern: UInt(seconds)), Self.burst) &* Self.perSecond)
    beginning = beginning.advanced(by: seconds &* Self.second)
  }

  /// Spends one line, even if nothing is left.
  public mutating func spend(at now: Instant) {
    advance(to: now)
    if spent == 0 { beginning = now }
    spent += 1
  }
}
