import BluetoothHost

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
  case failed(connectionIndex: Int, PairingFault)
  /// A central could not encrypt its link with the key of its bond.
  case unencrypted(connectionIndex: Int)
  /// This number of bonds were deleted.
  case forgotten(Int)
}

extension PairingEvent {
  /// The event of a pairing that has ended.
  init(_ outcome: PairingOutcome, connectionIndex: Int) {
    let fault: PairingFault
    switch outcome {
    case .paired(let bond):
      self = .paired(
        connectionIndex: connectionIndex, identity: bond?.identityAddress,
        bond?.security ?? .encrypted)
      return
    case .failed(let failure): fault = .own(failure)
    case .noRoom: fault = .noRoom
    case .refused(let failure): fault = .peer(failure)
    case .timedOut: fault = .timeout
    case .linkLost: fault = .linkLost
    case .encryptionFailed(let code): fault = .encryption(code)
    }
    self = .failed(connectionIndex: connectionIndex, fault)
  }
}

/// Why a pairing has failed.
enum PairingFault: Equatable, Sendable {
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
