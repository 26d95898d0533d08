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
