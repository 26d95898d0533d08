import BluetoothHost
import EightBall

/// Decides for each place of a ball which of its events are printed, so that no central fills a log.
///
/// A place keeps its allowance when its central leaves: coming and going is limited as well. For
/// each connection that is printed, the end is printed. A connection that is left out is printed
/// later, if it lasts. What is left out for good is counted, and the count is due when the present
/// second has passed, or when a link ends whose beginning was printed.
struct OutputLimit<let places: Int> {
  /// What is to be printed besides the events that are admitted.
  enum Notice: Equatable {
    /// So many lines were left out, of one central, or of several if `central` is `nil`.
    case omitted(Int, place: Int, central: DeviceAddress?)
    /// The connection was left out when it began, and still lasts.
    case connected(place: Int, address: DeviceAddress)
  }

  private var accounts = InlineArray<places, PlaceAccount>(repeating: PlaceAccount())
  // Each turn of the loop asks for both, and seldom has either.
  /// When `advance(to:)` must be called next, or earlier; `nil` if nothing is left out.
  private(set) var deadline: Instant?
  /// Whether a place may have a notice.
  private(set) var mayHaveNotices = false

  init() {}

  /// Whether `event` is printed. Call `nextNotice(at:)` before it is.
  mutating func admits(_ event: BallEvent, at now: Instant) -> Bool {
    // The other events come from no central.
    guard let place = event.place, accounts.indices.contains(place) else { return true }
    let isAdmitted = accounts[place].admits(event, at: now)
    if accounts[place].isDue { mayHaveNotices = true }
    if !isAdmitted { deadline = .earlier(deadline, accounts[place].deadline) }
    return isAdmitted
  }

  /// Lets time pass.
  mutating func advance(to now: Instant) {
    guard let deadline, deadline <= now else { return }
    for place in accounts.indices { accounts[place].advance(to: now) }
    mayHaveNotices = true
    findDeadline()
  }

  /// All counts are due now.
  mutating func end() {
    for place in accounts.indices { accounts[place].end() }
    mayHaveNotices = true
  }

  private mutating func findDeadline() {
    deadline = nil
    for place in accounts.indices { deadline = .earlier(deadline, accounts[place].deadline) }
  }

  /// Takes the next notice that is due; `nil` if there is none.
  mutating func nextNotice(at now: Instant) -> Notice? {
    for place in accounts.indices {
      if let omission = accounts[place].takeOmission() {
        return .omitted(omission.count, place: place, central: omission.central)
      }
      if let address = accounts[place].takeLateConnection(at: now) {
        return .connected(place: place, address: address)
      }
    }
    mayHaveNotices = false
    findDeadline()
    return nil
  }
}

/// The lines of one place.
struct PlaceAccount {
  private var allowance = OutputAllowance()
  /// The central that is connected.
  private var central: DeviceAddress?
  /// Whether its connection has not been printed.
  private var isUnprinted = false
  /// How many lines are left out for good.
  private var omitted = 0
  /// The only central that they are of; `nil` if there are several.
  private var omittedCentral: DeviceAddress?
  /// Whether what was left out is to be printed now.
  private(set) var isDue = false

  private var isComplete: Bool { omitted == 0 && !isUnprinted }
  var deadline: Instant? { isComplete ? nil : allowance.nextSecond }

  mutating func admits(_ event: BallEvent, at now: Instant) -> Bool {
    advance(to: now)
    // Nothing is printed in between lines that are left out.
    let hasRoom = (isComplete || isDue) && !allowance.isSpent
    switch event {
    case .connected(_, let address):
      central = address
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

  /// Takes the count of the lines that are left out for good, if it is due.
  mutating func takeOmission() -> (count: Int, central: DeviceAddress?)? {
    guard isDue, omitted > 0 else { return nil }
    defer {
      omitted = 0
      end()
    }
    return (omitted, omittedCentral)
  }

  /// Takes the connection that was left out and lasts, if it is due.
  mutating func takeLateConnection(at now: Instant) -> DeviceAddress? {
    guard isDue, isUnprinted else { return nil }
    isUnprinted = false
    end()
    allowance.spend(at: now)
    return central
  }

  private mutating func omit(_ count: Int) {
    omittedCentral = omitted == 0 || omittedCentral == central ? central : nil
    omitted += count
  }
}

extension BallEvent {
  /// The place of the central that it comes from; `nil` if it comes from none.
  fileprivate var place: Int? {
    switch self {
    case .connected(let place, _), .disconnected(let place, _, _), .subscribed(let place, _),
      .asked(let place), .refused(let place, _), .answered(let place, _):
      place
    case .radio, .missed: nil
    }
  }
}
