import BluetoothHost

extension CBError {
  /// Why a link ended, in Apple's terms.
  init(_ reason: DisconnectionReason) {
    switch reason {
    case .controller(let code): self.init(ending: code)
    case .encryptionFailed(let code):
      self = code.encryptionError as? CBError ?? CBError(.connectionTimeout)
    case .radioLost: self.init(.connectionFailed)
    }
  }

  /// Why a link could not be made, in Apple's terms.
  init(_ failure: ConnectionFailure) {
    switch failure {
    case .cancelled: self.init(.operationCancelled)
    case .radioLost: self.init(.connectionFailed)
    case .controller(let code):
      switch code {
      case .connectionLimitExceeded, .memoryCapacityExceeded, .rejectedDueToLimitedResources:
        self.init(.connectionLimitReached)
      default:
        self.init(.connectionFailed)
      }
    }
  }

  /// The end of a link that was open.
  private init(ending code: HCIErrorCode) {
    switch code {
    case .remoteUserTerminatedConnection, .remoteDevicePoweredOff,
      HCIErrorCode(rawValue: 0x14):
      self.init(.peripheralDisconnected)
    // The host ends a link whose peer did not respond in time or responded with nonsense. An
    // unspecified error: the controller has lost the link.
    case .connectionTimeout, .linkLayerResponseTimeout, .connectionTerminatedByLocalHost,
      .unspecifiedError:
      self.init(.connectionTimeout)
    case .connectionFailedToBeEstablished:
      self.init(.connectionFailed)
    // The peer has no key for a link that was encrypted.
    case .pinOrKeyMissing:
      self.init(.peerRemovedPairingInformation)
    default:
      self.init(.unknown)
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
