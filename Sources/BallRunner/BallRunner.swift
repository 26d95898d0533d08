import BluetoothHost
import EightBall

/// What a ball is like: decided once, at its beginning.
public struct BallConfiguration: Sendable {
  /// The host's part: the name, the address, the limits.
  public var host: HostConfiguration
  /// Decides all answers.
  public var seed: UInt64
  /// How answers are worded.
  public var style: AnswerStyle
  /// Whether lines are JSON for programs, rather than words for people.
  public var isJSON: Bool

  /// A ball of this name, address and seed.
  public init(
    host: HostConfiguration, seed: UInt64, style: AnswerStyle = .text, isJSON: Bool = false
  ) {
    self.host = host
    self.seed = seed
    self.style = style
    self.isJSON = isJSON
  }
}

/// How a ball has ended.
public enum BallEnd: Equatable, Sendable {
  /// It was asked to.
  case asked
  /// Its radio could not be opened at the start.
  case noRadio
  /// The machine refused to wait.
  case noWait
}

/// A ball with its host, its panel and its words, on a port: one thread, one loop, asleep when idle.
///
/// - `places`: how many centrals it serves at once.
/// - `packet`: the longest packet that it receives, at least `RadioLink.longestSentPacket`.
/// - `words`: how many bytes of lines wait for a reader that does not read.
public struct BallRunner<
  let places: Int, let packet: Int, let words: Int, Machine: Port & ~Copyable
>: ~Copyable {
  /// The machine.
  public var port: Machine

  /// A ball on `port` that has not begun.
  public init(_ configuration: BallConfiguration, on port: consuming Machine) {
    self.port = port
  }

  /// Runs until it is asked to end.
  public mutating func run() -> BallEnd { .asked }
}
