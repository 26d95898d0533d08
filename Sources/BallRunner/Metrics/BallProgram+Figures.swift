import BluetoothHost
import EightBall

// A program without figures calls and compiles nothing of this.
extension BallProgram where Security: ~Copyable {
  /// The present figures.
  var figures: BallFigures {
    var figures = counter.figures
    figures[.connections] = UInt64(widening: UInt32(truncatingIfNeeded: host.connectionCount))
    figures[.radioReady] = isRadioReady ? 1 : 0
    return figures
  }

  private var isRadioReady: Bool {
    switch host.radio {
    case .silent, .advertising: true
    case .starting, .fault: false
    }
  }
}

extension ProtectedBallRunner where Machine: ~Copyable, Security: ~Copyable {
  /// The present figures; all but `radioReady` and `connections` are 0 on a port without figures.
  public var figures: BallFigures { ball.figures }

  /// Sends the event `figures` to one listener at the control socket.
  @inline(never)
  mutating func sendFigures(to listener: Int) {
    // 35 numbers of at most 19 digits; their names take 941 bytes.
    var line = ByteBuffer<2_048>()
    let figures = figures
    line.write { writer in
      writer.writeJSON(figures)
      writer.write(UInt8(ascii: "\n"))
    }
    port.send(line.span, to: listener)
  }
}
