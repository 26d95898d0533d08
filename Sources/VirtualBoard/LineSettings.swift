/// How a line is asked for.
public struct LineSettings: Equatable, Sendable {
  /// What the line is for.
  public enum Direction: Equatable, Sendable {
    /// Read, and listened to.
    case input
    /// Driven, active or not at first.
    case output(isActive: Bool)
  }

  /// The resistor of a line that nothing drives.
  public enum Bias: Equatable, Sendable {
    /// It pulls the line high.
    case pullUp
    /// It pulls the line low.
    case pullDown
    /// There is none: the line stays at the level that it had.
    case none
  }

  /// Its place on the chip, from 0.
  public var offset: Int
  /// Whether it is read or driven.
  public var direction: Direction
  /// Whether the line is active while its level is low.
  public var isActiveLow: Bool
  /// Where it is drawn while nothing drives it.
  public var bias: Bias
  /// For how long an input must keep its level before it counts, in nanoseconds; 0 to hear of
  /// every edge.
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

/// What the kernel tells of a line to whoever asks.
public struct LineInfo: Equatable, Sendable {
  /// What the chip calls it; `nil` if it has no name.
  public var name: String?
  /// Who has it; `nil` if nobody has.
  public var consumer: String?
  /// Whether it is driven.
  public var isOutput: Bool
  /// Whether a low level means active.
  public var isActiveLow: Bool
  /// Where it is drawn while nothing drives it.
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
