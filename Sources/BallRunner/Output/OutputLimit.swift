import BluetoothHost
import EightBall

/// Decides for each connection which events are printed, so that no central fills a log.
///
/// A connection index keeps its allowance when its central leaves, so reconnecting is limited too.
/// If the beginning of a link was printed, its end is printed too. If it was left out, it is
/// printed later, unless the link has ended. Lines left out for good are counted; the count is due
/// when the present second has passed, or when a link ends whose beginning was printed.
struct OutputLimit<let capacity: Int> {
  /// A line to print besides the admitted events.
  enum Notice: Equatable {
    /// This number of lines were left out, of one central, or of several if `central` is `nil`.
    case omitted(Int, connectionIndex: Int, central: DeviceAddress?)
    /// The connection was left out when it began, and still lasts.
    case connected(connectionIndex: Int, address: DeviceAddress)
  }

  private var accounts = InlineArray<capacity, ConnectionAccount>(repeating: ConnectionAccount())
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

  mutating func end() {
    isDue = !isComplete
  }

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
      .subscribed(let connectionIndex, _),
      .asked(let connectionIndex), .refused(let connectionIndex, _),
      .answered(let connectionIndex, _):
      connectionIndex
    case .radio, .missed: nil
    }
  }
}
