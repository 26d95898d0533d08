import BluetoothHost
import EightBall

/// What a ball keeps its figures in: `BallMetricStore`, or `NoMetrics`, which costs nothing.
///
/// The runner calls these requirements, and only where `isPresent` is true.
public protocol MetricStore {
  /// Whether it keeps figures. A constant, so that a program without figures has no code for them.
  static var isPresent: Bool { get }

  /// A keeper of figures that are all 0.
  init()

  /// Something has happened to the ball.
  mutating func count(_ event: BallEvent, at now: Instant)
  /// A packet arrived from the controller, or was written for it.
  mutating func count(_ direction: PacketDirection)
  /// The limit has left out this number of lines.
  mutating func count(limitedLines: Int)
  /// Notes how many lost lines the reader has not been informed of. The runner calls it before and
  /// after it prints, since printing reports lost lines.
  mutating func note(unreportedLines: Int)

  /// The figures. Those of the host, `radioReady` and `connections`, are 0.
  var figures: BallFigures { get }
}

/// No figures.
public struct NoMetrics: MetricStore {
  /// `false`.
  @inlinable public static var isPresent: Bool { false }

  /// Nothing to keep.
  @inlinable public init() {}

  /// Does nothing.
  @inlinable public mutating func count(_ event: BallEvent, at now: Instant) {}
  /// Does nothing.
  @inlinable public mutating func count(_ direction: PacketDirection) {}
  /// Does nothing.
  @inlinable public mutating func count(limitedLines: Int) {}
  /// Does nothing.
  @inlinable public mutating func note(unreportedLines: Int) {}

  /// All 0.
  public var figures: BallFigures { BallFigures() }
}

/// The figures of one ball. No allocation.
///
/// - `links`: how many centrals the ball serves at once. Questions of other connections have no
///   time.
public struct BallMetricStore<let links: Int>: MetricStore {
  /// `true`.
  @inlinable public static var isPresent: Bool { true }

  /// The figures. Those of the host, `radioReady` and `connections`, are 0.
  public private(set) var figures = BallFigures()

  /// When the unanswered question of each connection came; `noTime` without one.
  private var questionTimes = InlineArray<links, UInt64>(repeating: noTime)
  /// The lost lines that are counted and not yet reported to the reader.
  private var unreportedLines = 0

  private static var noTime: UInt64 { .max }

  /// All figures are 0.
  public init() {}

  /// Something has happened to the ball.
  public mutating func count(_ event: BallEvent, at now: Instant) {
    switch event {
    case .connected: figures.count(.connectionsBegun)
    case .disconnected(let connectionIndex, _, let reason):
      figures.count(.ended(for: reason))
      _ = takeQuestionTime(at: connectionIndex)
    case .asked(let connectionIndex):
      figures.count(.questions)
      if questionTimes.indices.contains(connectionIndex) {
        questionTimes[connectionIndex] = now.rawValue
      }
    case .answered(let connectionIndex, _):
      figures.count(.answers)
      // An answer to a shake has no question.
      guard let time = takeQuestionTime(at: connectionIndex), time <= now.rawValue else { return }
      figures.countAnswer(after: now.rawValue &- time)
    case .refused(_, .statement): figures.count(.refusedStatements)
    case .refused(_, .notUTF8): figures.count(.refusedNotUTF8)
    case .refused(_, .tooLong): figures.count(.refusedTooLong)
    case .missed(let count): figures.count(.eventsMissed, count)
    case .radio, .subscribed: break
    }
  }

  /// A packet arrived from the controller, or was written for it.
  public mutating func count(_ direction: PacketDirection) {
    figures.count(direction == .received ? .packetsIn : .packetsOut)
  }

  /// The limit has left out this number of lines.
  public mutating func count(limitedLines: Int) { figures.count(.linesLimited, limitedLines) }

  /// Notes how many lost lines the reader has not been informed of.
  public mutating func note(unreportedLines: Int) {
    if unreportedLines > self.unreportedLines {
      figures.count(.linesUnread, unreportedLines &- self.unreportedLines)
    }
    self.unreportedLines = unreportedLines
  }

  private mutating func takeQuestionTime(at connectionIndex: Int) -> UInt64? {
    guard questionTimes.indices.contains(connectionIndex),
      questionTimes[connectionIndex] != Self.noTime
    else { return nil }
    defer { questionTimes[connectionIndex] = Self.noTime }
    return questionTimes[connectionIndex]
  }
}

/// A port that says whether a ball keeps figures.
public protocol MetricsPort: ~Copyable {
  /// What the ball keeps its figures in: `NoMetrics` unless the port says otherwise.
  associatedtype Metrics: MetricStore = NoMetrics
}
