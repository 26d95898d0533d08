import BluetoothHost
import Foundation

extension ChannelEnd {
  /// Whether one of the two sides closed the channel.
  var isOrderly: Bool {
    switch self {
    case .closed, .closedByPeer, .linkLost(.connectionTerminatedByLocalHost): true
    default: false
    }
  }

  /// Why a channel has ended or could not be opened, in Apple's terms.
  var publicError: any Error {
    switch self {
    case .refused(let result): result.publicError
    case .rejected: CBError(.operationNotSupported)
    case .timedOut: CBError(.connectionTimeout)
    case .linkLost(.hardwareFailure): CBError(.connectionFailed)
    case .linkLost(let code): CBError(DisconnectionReason.controller(code))
    case .closed: CBError(.operationCancelled)
    case .closedByPeer: CBError(.peripheralDisconnected)
    case .invalidResponse: CBError(.unknown, saying: "The response to the request is invalid.")
    case .frameWithoutCredit: CBError(.unknown, saying: "The peer sent a frame without a credit.")
    case .tooManyCredits: CBError(.unknown, saying: "The peer gave too many credits.")
    case .frameTooLong, .frameTooShort, .sduTooLong, .sduOverrun, .invalidSDU:
      CBError(.unknown, saying: "A frame has a wrong length.")
    }
  }
}

extension LECreditBasedConnectionResult {
  /// Why a peer refuses a channel, in Apple's terms.
  fileprivate var publicError: any Error {
    switch self {
    case .insufficientAuthentication: CBATTError(.insufficientAuthentication)
    case .insufficientAuthorization: CBATTError(.insufficientAuthorization)
    case .encryptionKeySizeTooShort: CBATTError(.insufficientEncryptionKeySize)
    case .insufficientEncryption: CBATTError(.insufficientEncryption)
    case .noResourcesAvailable: CBError(.connectionLimitReached)
    case .spsmNotSupported: CBError(.unknown, saying: "The peer has no channel with this PSM.")
    default: CBError(.unknown, saying: "The peer refuses the channel with result \(rawValue).")
    }
  }
}

extension CBError {
  /// An error with another sentence than its code's.
  fileprivate init(_ code: Code, saying sentence: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: sentence])
  }
}
