import BluetoothHost

/// Where a central did otherwise than in the recorded session.
struct SessionDifference {
  enum Kind: String {
    /// The attribute is right, the value is another.
    case value
    /// It is a later step, or an earlier one that had its turn.
    case order
    /// The session has no such step, or no more of them.
    case extra
    /// The central disconnected before these steps.
    case missing
  }

  let kind: Kind
  /// What the central did.
  let did: String
  /// What it did in the session; `nil` for nothing more.
  var expected: String?
  /// How many steps are missing.
  var missing = 0
}

/// A session that is replayed: what the peripheral answers, what it sends, and where the central does otherwise.
///
/// A central may do its steps in any order: each has the response that it had. Updates follow the subscription, write or
/// connection that they followed in the session, after the same time.
struct SessionScript {
  /// Updates that are under way after a step.
  private struct Run {
    /// The next update.
    var index: Int
    /// When the step was done, and its time in the session.
    let start: Instant
    let time: UInt32
  }

  private let steps: [SessionStep]
  /// The steps that were done.
  private var isDone: [Bool]
  /// The steps of the current link.
  private var link = 0..<0
  /// The step of the central that is next in the session.
  private var next = 0
  /// The first step of the central on this link that was not done.
  private var open = 0
  private var runs: [Run] = []
  /// How many steps were done as in the session, how many were not, and how many are missing.
  private(set) var counts: (same: Int, different: Int, missing: Int) = (0, 0, 0)

  init(_ steps: [SessionStep]) {
    self.steps = steps
    isDone = Array(repeating: false, count: steps.count)
  }

  /// Whether the central did otherwise.
  var hasDifferences: Bool { counts.different + counts.missing > 0 }

  // MARK: Links

  /// A central has connected: the next link of the session begins, or the first one again after the last.
  mutating func connected(at now: Instant) {
    var start = link.upperBound
    if start >= steps.count {
      start = 0
      isDone = Array(repeating: false, count: steps.count)
    }
    let end = steps[(start + 1)...].firstIndex { $0.action == .connect } ?? steps.count
    link = start..<end
    next = moveOn(from: start)
    open = next
    runs = []
    begin(start, at: now)
  }

  /// The central has disconnected.
  ///
  /// - Returns: The steps that it left out; `nil` if there are none.
  mutating func disconnected() -> SessionDifference? {
    runs = []
    let missing = link.filter { steps[$0].action.isCentrals && !isDone[$0] }
    guard let first = missing.first else { return nil }
    counts.missing += missing.count
    return SessionDifference(
      kind: .missing, did: "disconnect", expected: steps[first].text, missing: missing.count)
  }

  // MARK: The central's steps

  /// The central does something.
  ///
  /// - Returns: The step of the session that it is, with the response, if there is one; and where it differs.
  mutating func perform(
    _ action: SessionStep.Action, _ label: String, _ value: [UInt8] = [], at now: Instant
  ) -> (step: SessionStep?, difference: SessionDifference?) {
    var did = SessionStep(time: 0, action: action, label: label, value: value)
    var same: Int?
    var alike: Int?
    for index in open..<link.upperBound
    where !isDone[index] && steps[index].action == action && steps[index].label == label {
      alike = alike ?? index
      guard action == .read || steps[index].value == value else { continue }
      same = index
      break
    }
    let expected = next < link.upperBound ? steps[next] : nil
    guard let index = same ?? alike else {
      counts.different += 1
      // Further reads get what the last one got.
      let last =
        action != .read
        ? nil
        : steps.indices.last { isDone[$0] && steps[$0].action == .read && steps[$0].label == label }
      return (
        last.map { steps[$0] },
        SessionDifference(kind: .extra, did: did.text, expected: expected?.text)
      )
    }
    let isLater = index > next
    isDone[index] = true
    open = moveOn(from: open)
    if index >= next { next = moveOn(from: index) }
    if action.isCause { begin(index, at: now) }
    if action == .read { did.value = steps[index].value }
    guard same == nil || isLater else {
      counts.same += 1
      return (steps[index], nil)
    }
    counts.different += 1
    return (
      steps[index],
      same == nil
        ? SessionDifference(kind: .value, did: did.text, expected: steps[index].text)
        : SessionDifference(kind: .order, did: did.text, expected: expected?.text)
    )
  }

  /// The first step of the central from `index` on that was not done; the end of the link if there is none.
  private func moveOn(from index: Int) -> Int {
    var index = index
    while index < link.upperBound, isDone[index] || !steps[index].action.isCentrals { index += 1 }
    return index
  }

  // MARK: The peripheral's steps

  /// Begins the updates after a step.
  private mutating func begin(_ index: Int, at now: Instant) {
    if let first = update(after: index) {
      runs.append(Run(index: first, start: now, time: steps[index].time))
    }
  }

  /// The next step of the peripheral, before the next one that causes others.
  private func update(after index: Int) -> Int? {
    for index in (index + 1)..<max(link.upperBound, index + 1) {
      if steps[index].action.isCause { return nil }
      switch steps[index].action {
      case .notify, .indicate, .drop: return index
      default: continue
      }
    }
    return nil
  }

  private func due(_ run: Run) -> Instant {
    run.start.advanced(by: steps[run.index].time - run.time)
  }

  /// When the peripheral does its next step; `nil` if it waits for the central.
  var deadline: Instant? { runs.reduce(nil) { Instant.earlier($0, due($1)) } }

  /// The step that the peripheral has to do now; `nil` if there is none.
  mutating func takeDue(at now: Instant) -> SessionStep? {
    guard let number = runs.indices.min(by: { due(runs[$0]) < due(runs[$1]) }),
      due(runs[number]) <= now
    else { return nil }
    let index = runs[number].index
    if let following = update(after: index) {
      runs[number].index = following
    } else {
      runs.remove(at: number)
    }
    return steps[index]
  }
}
