import LinuxRadio
import Logging

/// What is told in the log of radios.
enum RadioLog {
  static let logger = Logger(label: "CoreBluetooth")
}

/// What managers are told of a radio, and what the log is.
struct RadioWatch {
  private var wasReady = false
  /// What is wrong, as it was last logged.
  private var complaint: RadioError?

  /// The state now; to be asked after every turn.
  mutating func state(of radio: borrowing Radio, _ program: borrowing DeviceProgram)
    -> CBManagerState
  {
    complain(of: radio.isOpen ? nil : radio.refusal)
    let isReady = radio.isOpen && program.shared.first.central.isReady
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
    RadioLog.logger.error("\(refusal.description)")
  }
}

extension RadioEngine {
  /// The engine of the default radio, which `name` names if it is set.
  static func `default`(named name: String?) -> RadioEngine {
    guard let name else {
      let choice = DefaultRadio.choose()
      RadioLog.logger.debug("using \(choice.name.description): \(choice.reason)")
      return RadioEngine(choice.name, stopsWhenUnused: false)
    }
    do throws(RadioNameError) {
      return RadioEngine(try RadioName(name), stopsWhenUnused: false)
    } catch {
      RadioLog.logger.error("EIGHTBALL_RADIO: \(error.description)")
      return RadioEngine(nil, stopsWhenUnused: false)
    }
  }
}
