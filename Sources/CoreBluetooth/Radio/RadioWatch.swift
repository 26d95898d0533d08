import LinuxRadio

/// Derives the managers' state from the radio, and logs why the radio cannot be used.
struct RadioWatch {
  /// Receives the reason why a radio cannot be used.
  typealias Listener = (RadioError) -> Void

  private let onTrouble: Listener
  private var wasReady = false
  /// The last logged reason; `nil` if the radio is open.
  private var complaint: RadioError?

  init(onTrouble: @escaping Listener) {
    self.onTrouble = onTrouble
  }

  /// The state now. To be called after every turn.
  mutating func state(of radio: borrowing Radio, _ program: DeviceProgram)
    -> CBManagerState
  {
    report(radio.isOpen ? nil : radio.refusal)
    let isReady = radio.isOpen && program.isReady
    wasReady = wasReady || isReady
    return Self.state(
      isOpen: radio.isOpen, isReady: isReady, wasReady: wasReady, refusal: radio.refusal?.kind)
  }

  /// - Parameters:
  ///   - isOpen: Whether the controller can be reached.
  ///   - isReady: Whether it has been set up.
  ///   - wasReady: Whether it has ever been set up.
  ///   - refusal: Why it could not be opened; `nil` before the first attempt.
  static func state(
    isOpen: Bool, isReady: Bool, wasReady: Bool, refusal: RadioError.Kind?
  ) -> CBManagerState {
    if isReady { return .poweredOn }
    switch isOpen ? nil : refusal {
    case .absent: return .unsupported
    case .notAllowed: return .unauthorized
    case .switchedOff: return .poweredOff
    case .other, nil: return wasReady ? .resetting : .unknown
    }
  }

  private mutating func report(_ refusal: RadioError?) {
    guard refusal != complaint else { return }
    complaint = refusal
    guard let refusal else { return }
    Log.logger.error("\(refusal.description)")
    onTrouble(refusal)
  }
}
