/// What a connection waits for.
enum ConnectionTimer: Int {
  /// It is time to request other connection parameters.
  case parameterRequest
  /// The client has not confirmed an indication in time.
  case confirmation
  /// The server has not answered a request in time.
  case transaction
  /// The controller does not send the link's packets.
  case stall
  /// A link that is being closed has not ended in time.
  case close
}

/// When each timer of a connection is due.
struct ConnectionTimers {
  private var times = InlineArray<5, UInt64>(repeating: Self.never)
  /// Whether a timer has been set or cleared since the host last looked.
  var haveChanged = false

  private static var never: UInt64 { .max }

  init() {}

  /// When `timer` is due; `nil` if it does not run.
  subscript(timer: ConnectionTimer) -> Instant? {
    get {
      let time = times[timer.rawValue]
      return time == Self.never ? nil : Instant(rawValue: time)
    }
    @inline(never)
    set {
      let time = newValue?.rawValue ?? Self.never
      guard times[timer.rawValue] != time else { return }
      times[timer.rawValue] = time
      haveChanged = true
    }
  }

  /// The earliest time; `nil` if no timer runs.
  var earliest: Instant? {
    var earliest = Self.never
    // A span: indexing the array copies all of it.
    let times = times.span
    for index in times.indices { earliest = min(earliest, times[index]) }
    return earliest == Self.never ? nil : Instant(rawValue: earliest)
  }

  /// Whether `timer` is due at `now`; it is cleared then.
  @inline(never)
  mutating func take(_ timer: ConnectionTimer, at now: Instant) -> Bool {
    guard let time = self[timer], time <= now else { return false }
    self[timer] = nil
    return true
  }
}

/// When each connection is next due, and the earliest of these times.
struct ConnectionDeadlines<let links: Int> {
  private var times = InlineArray<links, UInt64>(repeating: Self.never)
  private var first = Self.never

  private static var never: UInt64 { .max }

  init() {}

  /// The earliest time; `nil` if no connection waits for anything.
  var earliest: Instant? { first == Self.never ? nil : Instant(rawValue: first) }

  /// When the connection at `index` is due.
  subscript(index: Int) -> Instant? {
    times[index] == Self.never ? nil : Instant(rawValue: times[index])
  }

  /// Sets when the connection at `index` is next due; `nil` for never.
  mutating func set(_ time: Instant?, at index: Int) {
    let old = times[index]
    times[index] = time?.rawValue ?? Self.never
    if times[index] <= first {
      first = times[index]
    } else if old == first {
      first = Self.never
      for index in 0..<links { first = min(first, times[index]) }
    }
  }
}
