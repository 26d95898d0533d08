import BluetoothHost
import EightBall

/// Decides who may pair with a ball, and when.
///
/// Pairing opens for a minute when shake is held for 3 s, and when a ball without bonds starts. It
/// closes when a central has paired, unless the policy keeps it open. Holding clear for 10 s deletes
/// the bonds. The time is injected.
public struct PairingGate: PairingDelegate, Sendable {
  /// `false`: a ball is the peripheral of all its links.
  @inlinable public static var isEverCentral: Bool { false }

  #if WITHOUT_PRIVACY
    /// `false`: the program is a small one.
    @inlinable public static var keepsPrivacy: Bool { false }
  #endif

  /// How long pairing stays open, in milliseconds.
  public static var openTime: UInt32 { 60_000 }
  /// How long shake has to be held to open it, in milliseconds.
  public static var shakeTime: UInt32 { 3_000 }
  /// How long clear has to be held to delete the bonds, in milliseconds.
  public static var clearTime: UInt32 { 10_000 }

  /// What held buttons request.
  enum Action: Equatable {
    /// Open pairing.
    case open
    /// Delete every bond.
    case forget
  }

  /// The protection that the ball requires of a link.
  let protection: BallProtection

  /// When pairing closes; `nil` while it is closed.
  private(set) var closing: Instant?
  /// When shake and clear have been held long enough; `nil` while they are up.
  private var shakeDeadline: Instant?
  private var clearDeadline: Instant?

  /// Whether the bonds were stored the last time.
  var areBondsKept = true

  private var events = InlineArray<8, PairingEvent>(repeating: .closed)
  private var eventCount = 0
  /// The question that the user has to answer, and the connection that waits for it.
  private(set) var question: (prompt: PairingPrompt, connectionIndex: Int)?

  /// Pairing is closed.
  public init(_ protection: BallProtection) { self.protection = protection }

  /// When `close()` or `hold(shake:clear:at:)` has to be called; `nil` if nothing is due.
  var deadline: Instant? { Instant.earlier(closing, Instant.earlier(shakeDeadline, clearDeadline)) }

  // MARK: Open and closed

  /// Opens pairing for `openTime`.
  mutating func open(at now: Instant) {
    closing = now.advanced(by: Self.openTime)
    append(.opened(seconds: Int(Self.openTime / 1_000)))
  }

  /// Closes pairing. Does nothing if it is closed.
  mutating func close() {
    guard closing != nil else { return }
    closing = nil
    append(.closed)
  }

  // MARK: Buttons

  /// Notes a press.
  mutating func press(_ action: FrontPanelAction, at now: Instant) {
    if protection == .none { return }
    switch action {
    case .shake: shakeDeadline = now.advanced(by: Self.shakeTime)
    case .clear: clearDeadline = now.advanced(by: Self.clearTime)
    // It is still down.
    case .release: break
    }
  }

  /// Takes whether shake and clear are down. Returns the action of a button that was held long
  /// enough.
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

  // MARK: Events

  /// Whether an event waits.
  var hasEvents: Bool { eventCount > 0 }

  /// Takes the oldest event; `nil` without one.
  mutating func nextEvent() -> PairingEvent? {
    guard eventCount > 0 else { return nil }
    let first = events[0]
    eventCount &-= 1
    for index in 0..<eventCount { events[index] = events[index &+ 1] }
    return first
  }

  /// Adds an event. If the queue is full, the oldest is dropped.
  @inline(never) mutating func append(_ item: PairingEvent) {
    if eventCount == events.count { _ = nextEvent() }
    events[eventCount] = item
    eventCount &+= 1
  }

  // MARK: PairingDelegate

  /// The user has to see or answer a prompt.
  public mutating func show(_ prompt: PairingPrompt, at index: Int) {
    #if !JUST_WORKS_ONLY
      switch prompt {
      case .compareNumber, .confirmPairing: question = (prompt, index)
      case .showPasskey, .enterPasskey: break
      }
      append(.prompt(prompt, connectionIndex: index))
    #endif
  }

  /// A pairing has ended.
  public mutating func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    #if !JUST_WORKS_ONLY
      // Another connection may still wait for its answer.
      if question?.connectionIndex == index { question = nil }
    #endif
    append(PairingEvent(outcome, connectionIndex: index))
  }

  /// The user has answered.
  mutating func promptIsOver() { question = nil }

  /// Does nothing: the attributes check the security themselves.
  public mutating func securityChanged(to security: LinkSecurity, at index: Int) {}

  /// A central could not encrypt its link.
  public mutating func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    if protection != .none { append(.unencrypted(connectionIndex: index)) }
  }
}

/// An event of the protection of a ball's links. It contains no keys.
enum PairingEvent: Equatable, Sendable {
  /// Centrals may pair for this number of seconds.
  case opened(seconds: Int)
  /// No central may pair any more.
  case closed
  /// The user has to see or answer a prompt.
  case prompt(PairingPrompt, connectionIndex: Int)
  /// A central has paired. `identity` is its identity address, which may differ from its address on
  /// the link.
  case paired(connectionIndex: Int, identity: DeviceAddress?, LinkSecurity)
  /// A pairing has failed.
  case failed(connectionIndex: Int, PairingEventError)
  /// A central could not encrypt its link with the key of its bond.
  case unencrypted(connectionIndex: Int)
  /// This number of bonds were deleted.
  case forgotten(Int)
}

extension PairingEvent {
  /// The event of a pairing that has ended.
  init(_ outcome: PairingOutcome, connectionIndex: Int) {
    let error: PairingEventError
    switch outcome {
    case .paired(let bond):
      self = .paired(
        connectionIndex: connectionIndex, identity: bond?.identityAddress,
        bond?.security ?? .encrypted)
      return
    case .failed(let reason): error = .own(reason)
    case .noRoom: error = .noRoom
    case .refused(let reason): error = .peer(reason)
    case .timedOut: error = .timeout
    case .linkLost: error = .linkLost
    case .encryptionFailed(let code): error = .encryption(code)
    }
    self = .failed(connectionIndex: connectionIndex, error)
  }
}

/// Why a pairing has failed.
enum PairingEventError: Equatable, Sendable {
  /// This device ended it.
  case own(PairingError)
  /// This device has no room for another bond.
  case noRoom
  /// The other side ended it.
  case peer(PairingError)
  /// The other side said nothing for 30 s.
  case timeout
  /// The link was lost.
  case linkLost
  /// The controller could not encrypt the link with the new key.
  case encryption(HCIErrorCode)
}
