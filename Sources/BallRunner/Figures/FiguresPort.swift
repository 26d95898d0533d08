/// A port that says whether a ball keeps figures.
public protocol FiguresPort: ~Copyable {
  /// What the ball keeps its figures in: `NoFigures` unless the port says otherwise.
  associatedtype Figures: FigureKeeper = NoFigures
}
