import Glibc

/// The settings of a requested line.
public struct LineSettings: Equatable, Sendable {
  /// The direction of a line.
  public enum Direction: Equatable, Sendable {
    /// Read, with edge events.
    case input
    /// Driven; `isActive` is the initial value.
    case output(isActive: Bool)
  }

  /// The resistor of a line that nothing drives.
  public enum Bias: Equatable, Sendable {
    /// It pulls the line high.
    case pullUp
    /// It pulls the line low.
    case pullDown
    /// No resistor: the line keeps its level.
    case none
  }

  /// Its offset on the chip, from 0.
  public var offset: Int
  /// Whether it is an input or an output.
  public var direction: Direction
  /// Whether a low level means active.
  public var isActiveLow: Bool
  /// Its resistor.
  public var bias: Bias
  /// How long an input must keep a level until it counts, in nanoseconds; 0 reports every edge.
  public var debounce: UInt64

  /// With these values.
  public init(
    offset: Int, direction: Direction, isActiveLow: Bool = false, bias: Bias = .none,
    debounce: UInt64 = 0
  ) {
    self.offset = offset
    self.direction = direction
    self.isActiveLow = isActiveLow
    self.bias = bias
    self.debounce = debounce
  }
}

/// The kernel's information about a line.
public struct LineInfo: Equatable, Sendable {
  /// Its name; `nil` if it has no name.
  public var name: String?
  /// The name of its user; `nil` if it is free.
  public var consumer: String?
  /// Whether it is an output.
  public var isOutput: Bool
  /// Whether a low level means active.
  public var isActiveLow: Bool
  /// Its resistor.
  public var bias: LineSettings.Bias

  /// With these values.
  public init(
    name: String?, consumer: String?, isOutput: Bool, isActiveLow: Bool, bias: LineSettings.Bias
  ) {
    self.name = name
    self.consumer = consumer
    self.isOutput = isOutput
    self.isActiveLow = isActiveLow
    self.bias = bias
  }
}

/// A line of a request became active or inactive: the kernel's `struct gpio_v2_line_event`.
public struct EdgeEvent: Equatable, Sendable {
  /// The line's offset on the chip.
  public var offset: Int
  /// Whether it became active. The line's polarity says which level is active.
  public var isActive: Bool
  /// The time in nanoseconds of the chip's clock.
  public var time: UInt64
  /// Its number among all edges of the request, from 1. A gap means an overflow.
  public var sequence: UInt32
  /// Its number among the edges of the line, from 1.
  public var lineSequence: UInt32

  /// An event with these values.
  public init(
    offset: Int, isActive: Bool, time: UInt64, sequence: UInt32, lineSequence: UInt32
  ) {
    self.offset = offset
    self.isActive = isActive
    self.time = time
    self.sequence = sequence
    self.lineSequence = lineSequence
  }
}

/// The pending edges. When the queue is full, the oldest is dropped.
struct EdgeQueue {
  private var events: [EdgeEvent]
  private var first = 0
  private(set) var count = 0

  init(capacity: Int) {
    let none = EdgeEvent(offset: 0, isActive: false, time: 0, sequence: 0, lineSequence: 0)
    events = Array(repeating: none, count: max(capacity, 1))
  }

  mutating func append(_ event: EdgeEvent) {
    if count == events.count {
      first = (first + 1) % events.count
      count -= 1
    }
    events[(first + count) % events.count] = event
    count += 1
  }

  mutating func next() -> EdgeEvent? {
    guard count > 0 else { return nil }
    defer {
      first = (first + 1) % events.count
      count -= 1
    }
    return events[first]
  }
}
