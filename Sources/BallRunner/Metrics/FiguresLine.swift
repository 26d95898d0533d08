import BluetoothHost
import EightBall

extension ByteWriter {
  /// Writes the event `figures`, without a line end: the version of the ball, and each figure by its name.
  @_lifetime(self: copy self)
  public mutating func writeJSON(_ figures: BallFigures) {
    beginJSON("figures")
    add("version", plain: EightBallProfile.version)
    var index = 0
    while let figure = Figure(rawValue: index) {
      // Above Int.max it starts at 0 again, as after a restart.
      add(figure.name, Int(truncatingIfNeeded: figures[figure]) & Int.max)
      index &+= 1
    }
    endJSON()
  }
}
