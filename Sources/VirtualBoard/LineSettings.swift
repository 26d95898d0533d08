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
  public var direction: Direction
  /// Whether the line is active while its level is low.
  public var isActiveLow: Bool
  public var bias: Bias
  /// For how long an input must keep its level before it counts, in nanoseconds; 0 to hear of
  /// every edge.
  public var debounce: UInt64

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
  public var isOutput: Bool
  public var isActiveLow: Bool
  public var bias: LineSettings.Bias

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
