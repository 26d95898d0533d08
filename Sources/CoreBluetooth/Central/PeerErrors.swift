import BluetoothHost
import Foundation

/// Why a link has ended, or could not be made.
enum LinkEnd: Equatable {
  /// The controller cannot make it.
  case refused(HCIErrorCode)
  /// The controller's reason for the end: `remoteUserTerminatedConnection` if the peer ended it.
  case disconnected(HCIErrorCode)
  /// The link could not be encrypted with the key of its bond.
  case encryptionFailed(HCIErrorCode)
  /// The radio failed.
  case radioLost
}

extension CBError {
  /// Why a link ended or could not be made, in Apple's terms.
  init(_ end: LinkEnd) {
    switch end {
    case .refused(.connectionLimitExceeded), .refused(.memoryCapacityExceeded),
      .refused(.rejectedDueToLimitedResources):
      self.init(.connectionLimitReached)
    case .refused, .radioLost: self.init(.connectionFailed)
    case .disconnected(let code): self.init(ending: code)
    case .encryptionFailed(let code):
      self = code.encryptionError as? CBError ?? CBError(.connectionTimeout)
    }
  }

  /// The end of a link that was open.
  private init(ending code: HCIErrorCode) {
    switch code {
    case .remoteUserTerminatedConnection, .remoteDevicePoweredOff, HCIErrorCode(rawValue: 0x14):
      self.init(.peripheralDisconnected)
    // The host ends a link whose peer did not respond in time or responded with nonsense. An
    // unspecified error: the controller has lost the link.
    case .connectionTimeout, .linkLayerResponseTimeout, .connectionTerminatedByLocalHost,
      .unspecifiedError:
      self.init(.connectionTimeout)
    case .connectionFailedToBeEstablished: self.init(.connectionFailed)
    // The peer has no key for a link that was encrypted.
    case .pinOrKeyMissing: self.init(.peerRemovedPairingInformation)
    default: self.init(.unknown)
    }
  }
}

extension HCIErrorCode {
  /// Why a link could not be encrypted, in Apple's terms.
  var encryptionError: any Error {
    switch self {
    case .pinOrKeyMissing: CBError(.peerRemovedPairingInformation)
    case .connectionTimeout, .linkLayerResponseTimeout: CBError(.encryptionTimedOut)
    default: CBATTError(.insufficientEncryption)
    }
  }
}

extension OperationError {
  /// Why an operation failed, in Apple's terms.
  var publicError: any Error {
    switch self {
    case .refused(let response):
      let code = CBATTError.Code(rawValue: Int(response.code.rawValue))
      return CBATTError(code ?? .unlikelyError)
    case .wrongResponse(.valueTooLong), .tooLong: return CBATTError(.invalidAttributeValueLength)
    case .wrongResponse(.echoDiffers): return CBATTError(.unlikelyError)
    case .wrongResponse: return CBATTError(.invalidPdu)
    case .timedOut: return CBError(.connectionTimeout)
    case .disconnected: return CBError(.notConnected)
    case .encryptionFailed(let reason): return reason.encryptionError
    }
  }
}

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
    case .linkLost(let code): CBError(LinkEnd.disconnected(code))
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
