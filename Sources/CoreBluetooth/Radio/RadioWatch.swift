import LinuxRadio

/// What managers are told of a radio, and what the log is.
struct RadioWatch {
  /// Who is told why a radio cannot be used.
  typealias Listener = (RadioError) -> Void

  private let onTrouble: Listener
  private var wasReady = false
  /// What is wrong, as it was last logged.
  private var complaint: RadioError?

  init(onTrouble: @escaping Listener) {
    self.onTrouble = onTrouble
  }

  /// The state now; to be asked after every turn.
  mutating func state(of radio: borrowing Radio, _ program: DeviceProgram)
    -> CBManagerState
  {
    complain(of: radio.isOpen ? nil : radio.refusal)
    let isReady = radio.isOpen && program.isReady
    wasReady = wasReady || isReady
    return Self.state(
      isOpen: radio.isOpen, isReady: isReady, wasReady: wasReady, refusal: radio.refusal?.kind)
  }

  /// - Parameters:
  ///   - isOpen: Whether the controller can be reached.
  ///   - isReady: Whether it has been set up.
  ///   - wasReady: Whether it has ever been.
  ///   - refusal: Why it could not be opened, if that was tried.
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

  private mutating func complain(of refusal: RadioError?) {
    guard refusal != complaint else { return }
    complaint = refusal
    guard let refusal else { return }
    Log.logger.error("\(refusal.description)")
    onTrouble(refusal)
  }
}
