import BluetoothHost
import EightBall

/// Who may pair with a ball, and when: only while its owner says so.
///
/// Pairing is open for a minute after shake was held for 3 s, and from the ball's start if it has no bonds.
/// Clear, held for 10 s, forgets the bonds. All on injected time.
public struct PairingDesk: PairingDelegate, Sendable {
  /// False: a ball is the peripheral of all its links.
  @inlinable
  public static var isEverCentral: Bool { false }

  #if JUST_WORKS_ONLY
    /// False: the program is a small one.
    @inlinable
    public static var keepsPrivacy: Bool { false }
  #endif

  /// How long pairing stays open, in milliseconds.
  public static var openTime: UInt32 { 60_000 }
  /// How long shake has to be held to open it, in milliseconds.
  public static var shakeTime: UInt32 { 3_000 }
  /// How long clear has to be held to forget the bonds, in milliseconds.
  public static var clearTime: UInt32 { 10_000 }

  /// What held buttons ask for.
  enum Action: Equatable {
    /// Let centrals pair.
    case open
    /// Forget every bond.
    case forget
  }

  /// What the ball wants of a link.
  let protection: BallProtection

  /// When pairing closes; `nil` while it is closed.
  private(set) var closing: Instant?
  /// When shake and clear have been held long enough; `nil` while they are not down.
  private var shakeDeadline: Instant?
  private var clearDeadline: Instant?

  /// Whether the bonds could be kept the last time.
  var areBondsKept = true

  private var news = InlineArray<8, PairingNews>(repeating: .closed)
  private var newsCount = 0
  /// What the user has to say yes or no to, and the connection that waits for it.
  private(set) var question: (prompt: PairingPrompt, place: Int)?

  /// A desk that is closed.
  public init(_ protection: BallProtection) {
    self.protection = protection
  }

  /// When `advance` or `holdButtons` has to be called; `nil` if nothing is waited for.
  var deadline: Instant? {
    Instant.earlier(closing, Instant.earlier(shakeDeadline, clearDeadline))
  }

  // MARK: Open and closed

  /// Pairing is open for `openTime` from now on.
  mutating func open(at now: Instant) {
    closing = now.advanced(by: Self.openTime)
    append(.opened(seconds: Int(Self.openTime / 1_000)))
  }

  /// Closes pairing if its time is over; whether it has.
  mutating func close(at now: Instant) -> Bool {
    guard let closing, closing <= now else { return false }
    self.closing = nil
    append(.closed)
    return true
  }

  // MARK: Buttons

  /// The panel has taken a button for pressed.
  mutating func press(_ action: PanelAction, at now: Instant) {
    switch action {
    case .shake: shakeDeadline = now.advanced(by: Self.shakeTime)
    case .clear: clearDeadline = now.advanced(by: Self.clearTime)
    // It is still down.
    case .release: break
    }
  }

  /// Whether shake and clear are down now; gives what they have been held for.
  mutating func hold(shake: Bool, clear: Bool, at now: Instant) -> Action? {
    if !shake { shakeDeadline = nil }
    if !clear { clearDeadline = nil }
    if let time = clearDeadline, time <= now {
      clearDeadline = nil
      return .forget
    }
    if let time = shakeDeadline, time <= now {
      shakeDeadline = nil
      return .open
    }
    return nil
  }

  // MARK: News

  /// Whether something has happened that has not been taken.
  var hasNews: Bool { newsCount > 0 }

  /// Takes the oldest; `nil` if there is nothing.
  mutating func nextNews() -> PairingNews? {
    guard newsCount > 0 else { return nil }
    let first = news[0]
    newsCount &-= 1
    for index in 0..<newsCount { news[index] = news[index &+ 1] }
    return first
  }

  /// Adds what has happened. If nobody takes any, the oldest goes.
  mutating func append(_ item: PairingNews) {
    if newsCount == news.count { _ = nextNews() }
    news[newsCount] = item
    newsCount &+= 1
  }

  // MARK: PairingDelegate

  /// The user has to see something, or to answer.
  public mutating func show(_ prompt: PairingPrompt, at index: Int) {
    #if !JUST_WORKS_ONLY
      switch prompt {
      case .compareNumber, .confirmPairing: question = (prompt, index)
      case .showPasskey, .enterPasskey: break
      }
      append(.prompt(prompt, place: index))
    #endif
  }

  /// A pairing has ended.
  public mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    question = nil
    switch outcome {
    case .paired(let bond):
      append(
        .paired(
          place: index, identity: bond?.identityAddress, bond?.security ?? .encrypted))
    case .failed(let failure): append(.failed(place: index, .own(failure)))
    case .refused(let failure): append(.failed(place: index, .peer(failure)))
    case .timedOut: append(.failed(place: index, .timeout))
    case .linkLost: append(.failed(place: index, .linkLost))
    case .encryptionFailed(let code): append(.failed(place: index, .encryption(code)))
    }
  }

  /// The user has answered.
  mutating func promptIsOver() { question = nil }

  /// Nothing happens: the attributes see to it.
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {}

  /// A central could not encrypt its link.
  public mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    append(.unencrypted(place: index))
  }
}
