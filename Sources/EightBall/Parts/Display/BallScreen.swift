import BluetoothHost

/// What a display of the ball shows.
///
/// Two screens with the same text are equal.
public struct BallScreen: Equatable, Sendable {
  /// Its text; none if the display is off.
  let text: ScreenText

  /// The radio is being set up.
  public static var starting: BallScreen { BallScreen("Waking up…") }
  /// At least one central is connected.
  public static var connected: BallScreen { BallScreen("Connected", asks: true) }
  /// The radio has failed.
  public static var fault: BallScreen { BallScreen("Radio fault") }
  /// Nothing: the display is off.
  public static var off: BallScreen { BallScreen("") }
  /// Centrals may pair.
  public static var pairing: BallScreen { BallScreen("Open for pairing") }
  /// A central has written something that is not a question.
  public static var refusal: BallScreen { BallScreen("Not a question") }

  /// Centrals can find the ball, by this name.
  public static func advertising(_ name: DeviceName) -> BallScreen {
    var text = ScreenText()
    text.append(name.span)
    return BallScreen(text, asks: true)
  }

  /// The answer to a question, in English.
  public static func answer(_ answer: Answer) -> BallScreen {
    var utf8 = InlineArray<40, UInt8>(repeating: 0)
    var writer = ByteWriter(utf8.mutableSpan)
    answer.write(.text, to: &writer)
    let length = writer.count
    var text = ScreenText()
    text.append(utf8.span.extracting(first: length))
    return BallScreen(text, asks: false)
  }

  /// What a display shows of a ball: the most urgent of its state.
  ///
  /// - Parameters:
  ///   - state: The state of the ball.
  ///   - name: The ball's name, which its advertising contains.
  public init(_ state: BallState, name: DeviceName) {
    switch state.status {
    case .fault: self = .fault
    case _ where state.isPairingOpen: self = .pairing
    case _ where state.isRefusing: self = .refusal
    case .starting: self = .starting
    case .off: self = .off
    case .advertising, .connected:
      if let answer = state.answer {
        self = .answer(answer)
      } else {
        self = state.status == .connected ? .connected : .advertising(name)
      }
    }
  }

  @inline(never)
  private init(_ string: StaticString, asks: Bool = false) {
    var text = ScreenText()
    text.append(string)
    self.init(text, asks: asks)
  }

  /// A text, and a line that invites to ask below it.
  private init(_ text: ScreenText, asks: Bool) {
    var text = text
    if asks { text.appendLastLine("Ask me") }
    self.text = text
  }
}

/// How bright a display is.
public enum Brightness: Equatable, Sendable {
  /// As bright as is usual in a room.
  case lit
  /// As dark as the display can be while it shows something.
  case dim
  /// It shows nothing.
  case off
}
