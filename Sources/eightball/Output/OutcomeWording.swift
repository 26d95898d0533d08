import CoreBluetooth
import EightBallKit

extension AskOutcome {
  /// What happened and what may help, for people.
  func explanation(for request: AskRequest) -> String {
    switch self {
    case .answered(let text):
      "Answer: \(printable(text))"
    case .refused:
      "Refused: please phrase it as a question (it must end in “?”)."
    case .failed(let error) where error.wantsPairing:
      "The ball answers only paired centrals: hold its shake button for 3 s, then run eightball "
        + "ask --pair."
    case .noBallFound:
      request.name.map {
        "No ball called “\(printable($0))” was found. Is it running, on the same radio, and near?"
      } ?? "No ball was found. Is one running, on the same radio, and near? (eightball run)"
    case .failed(let error) where error.isAboutKeys:
      "The ball does not accept the bond: it has lost its key, or another ball has its address. "
        + "Forget the bond with eightball bonds --of-ask --remove all, hold the ball's shake "
        + "button for 3 s, then run eightball ask --pair."
    case .failed(let error):
      "\(sentenceOf(error)) (\(error.rejection?.slug ?? error.slug))"
    case .unreachable(let error):
      "A ball was found, but the connection failed"
        + (error.map { ": \(sentenceOf($0))" } ?? ".") + " Try again."
    case .noService(let name):
      "“\(printable(name))” advertises as a ball, but lacks the ball's service."
    case .timedOut:
      "The ball did not answer in time. Try again, or wait longer with --timeout."
    case .disconnected:
      "The connection was closed. Try again."
    case .cancelled:
      "Stopped."
    case .radioTrouble(let error):
      "The radio failed: \(sentence(error.description))"
    case .inputEnded:
      "Standard input has ended."
    }
  }

  /// What happened, in a word or two, for programs.
  var word: String {
    switch self {
    case .answered: "answered"
    case .refused: "refused"
    case .failed(let error): error.wantsPairing || error.isAboutKeys ? "not paired" : "error"
    case .noBallFound: "no ball found"
    case .unreachable: "unreachable"
    case .noService: "no service"
    case .timedOut: "timed out"
    case .disconnected: "disconnected"
    case .cancelled: "stopped"
    case .radioTrouble: "radio"
    case .inputEnded: "input ended"
    }
  }

  private func sentenceOf(_ error: BallError) -> String {
    sentence(printable(error.localizedDescription))
  }
}

extension BallError {
  /// Whether the ball refused because there is no bond, or only one that is too weak.
  fileprivate var wantsPairing: Bool {
    guard let code = (innermost as? CBATTError)?.code else { return false }
    return code == .insufficientAuthentication || code == .insufficientEncryption
  }

  /// Whether the bond's key did not encrypt the link.
  var isAboutKeys: Bool {
    guard let code = (innermost as? CBError)?.code else { return false }
    return code == .peerRemovedPairingInformation || code == .encryptionTimedOut
  }

  /// The Bluetooth error within.
  private var innermost: (any Error)? {
    var error: (any Error)? = self
    while let outer = error {
      switch outer {
      case let outer as BallError: error = outer.underlyingError
      case RejectionReason.peripheralError(let inner), RejectionReason.unknown(let inner):
        error = inner
      default: return outer
      }
    }
    return nil
  }
}
