/// How a light changes: on and off for a number of milliseconds each, repeatedly or once.
///
/// The steps begin with the light on; a steady light has no steps.
public struct LightPattern: Equatable, Sendable {
  /// The state at the end of the pattern, or of a pattern without steps.
  public let rest: Bool
  /// Whether it begins again after its last step.
  public let repeats: Bool
  /// The lengths of its steps in milliseconds, on first; 0 where there is none.
  private let first: UInt16
  private let second: UInt16
  private let third: UInt16
  private let fourth: UInt16

  private init(
    rest: Bool, repeats: Bool, _ first: UInt16 = 0, _ second: UInt16 = 0, _ third: UInt16 = 0,
    _ fourth: UInt16 = 0
  ) {
    self.rest = rest
    self.repeats = repeats
    self.first = first
    self.second = second
    self.third = third
    self.fourth = fourth
  }

  /// Dark.
  public static var off: LightPattern { LightPattern(rest: false, repeats: false) }
  /// Lit.
  public static var steady: LightPattern { LightPattern(rest: true, repeats: false) }
  /// Once in 2 s: centrals can find the ball.
  public static var slowBlink: LightPattern {
    LightPattern(rest: false, repeats: true, 1_000, 1_000)
  }
  /// Five times a second: a fault.
  public static var fastBlink: LightPattern { LightPattern(rest: false, repeats: true, 100, 100) }
  /// A short pulse, twice a second: centrals may pair.
  public static var pairing: LightPattern { LightPattern(rest: false, repeats: true, 100, 400) }
  /// Two flashes, then dark for a moment: not a question.
  public static var doubleFlash: LightPattern {
    LightPattern(rest: false, repeats: false, 100, 100, 100, 300)
  }
  /// One pulse: an answer.
  public static var pulse: LightPattern { LightPattern(rest: false, repeats: false, 400) }

  /// How long a step lasts, in milliseconds; 0 if there is no such step.
  func duration(ofStep step: Int) -> UInt32 {
    switch step {
    case 0: UInt32(first)
    case 1: UInt32(second)
    case 2: UInt32(third)
    case 3: UInt32(fourth)
    default: 0
    }
  }

  /// Whether the light is on in a step.
  func isLit(inStep step: Int) -> Bool { step % 2 == 0 }
}
