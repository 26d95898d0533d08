/// A port through which a program may request the figures of a ball.
public protocol FiguresPort: ~Copyable {
  /// What the ball keeps its figures in: `NoFigures` unless the port says otherwise.
  associatedtype Figures: FigureKeeper = NoFigures

  /// Whether a program waits for the figures. The runner checks it at the end of each turn.
  var wantsFigures: Bool { get }

  /// Takes the present figures.
  mutating func take(_ figures: BallFigures)
}

extension FiguresPort where Self: ~Copyable {
  /// `false`.
  @inlinable
  public var wantsFigures: Bool { false }

  /// Does nothing.
  @inlinable
  public mutating func take(_ figures: BallFigures) {}
}
