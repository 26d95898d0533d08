import BluetoothHost
import EightBall

/// The figures of one ball, or of several together.
///
/// 35 numbers in 280 bytes, without a heap.
public struct BallFigures: Sendable {
  private var numbers = InlineArray<35, UInt64>(repeating: 0)

  /// Nothing has happened.
  public init() {}

  /// One figure.
  public subscript(_ figure: Figure) -> UInt64 {
    get { numbers[figure.rawValue] }
    set { numbers[figure.rawValue] = newValue }
  }

  /// Adds each figure of another ball.
  public mutating func add(_ others: BallFigures) {
    for index in numbers.indices { numbers[index] &+= others.numbers[index] }
  }

  /// Counts `number` more of a figure.
  public mutating func count(_ figure: Figure, _ number: Int = 1) {
    numbers[figure.rawValue] &+= UInt64(widening: UInt32(truncatingIfNeeded: number))
  }

  /// Counts a question that was answered after `milliseconds`.
  public mutating func countAnswer(after milliseconds: UInt64) {
    numbers[Figure.answerMilliseconds.rawValue] &+= milliseconds
    count(.answered(after: milliseconds))
  }
}

extension BallFigures: Equatable {
  /// Whether all figures are the same.
  public static func == (left: BallFigures, right: BallFigures) -> Bool {
    for index in left.numbers.indices where left.numbers[index] != right.numbers[index] {
      return false
    }
    return true
  }
}

extension Figure {
  /// The longest time, in milliseconds, of an answer that is counted here; `nil` for
  /// `answeredLater`, which has no longest, and for other figures.
  public var longestTime: UInt64? {
    switch self {
    case .answeredWithin1: 1
    case .answeredWithin5: 5
    case .answeredWithin10: 10
    case .answeredWithin50: 50
    case .answeredWithin100: 100
    case .answeredWithin500: 500
    case .answeredWithin1000: 1_000
    case .answeredWithin5000: 5_000
    default: nil
    }
  }

  /// The figure for an answer that took `milliseconds`.
  static func answered(after milliseconds: UInt64) -> Figure {
    switch milliseconds {
    case ...1: .answeredWithin1
    case ...5: .answeredWithin5
    case ...10: .answeredWithin10
    case ...50: .answeredWithin50
    case ...100: .answeredWithin100
    case ...500: .answeredWithin500
    case ...1_000: .answeredWithin1000
    case ...5_000: .answeredWithin5000
    default: .answeredLater
    }
  }

  /// The figure for a connection that ended for `reason`.
  static func ended(for reason: HCIErrorCode) -> Figure {
    switch reason {
    case .remoteUserTerminatedConnection: .endedByRemoteUser
    case .remoteDevicePoweredOff: .endedByRemotePowerOff
    case .connectionTerminatedByLocalHost: .endedByLocalHost
    case .connectionTimeout: .endedByTimeout
    case .authenticationFailure: .endedByAuthenticationFailure
    case .pinOrKeyMissing: .endedByMissingKey
    case .micFailure: .endedByMICFailure
    case .linkLayerResponseTimeout: .endedByResponseTimeout
    case .unacceptableConnectionParameters: .endedByUnacceptableParameters
    case .connectionFailedToBeEstablished: .endedBeforeEstablished
    case .hardwareFailure: .endedByHardwareFailure
    default: .endedOtherwise
    }
  }
}

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
  @inline(never) mutating func sendFigures(to listener: Int) {
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

extension ByteWriter {
  /// Writes the event `figures`, without a line end: the version of the ball, and each figure by its name.
  @_lifetime(self: copy self) public mutating func writeJSON(_ figures: BallFigures) {
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
