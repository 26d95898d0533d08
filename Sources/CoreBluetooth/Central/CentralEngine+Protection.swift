import BluetoothHost

/// A request that waits until its link is protected.
struct Protection {
  /// The peer's refusal: the result, if the link cannot be protected.
  let refusal: Result<OperationOutput, OperationError>
  /// The link's security when the peer refused; `nil` until it is first looked at.
  var before: LinkSecurity?
  /// Whether the host has been asked.
  var isAsked = false
  /// Whether a pairing has succeeded.
  var isPaired = false
  /// The result, if the pairing has failed.
  var failure: Result<OperationOutput, OperationError>?

  /// What a request does next.
  enum Outcome {
    case wait
    /// It is repeated.
    case again
    case failed(Result<OperationOutput, OperationError>)
  }
}

// When a peer refuses a request or a channel for lack of encryption, the central pairs unasked and
// repeats the request once: Core Specification, Vol 3, Part C, 10.3.2.
extension CentralEngine {
  /// The host's operation for `request` has ended with `error`. Returns whether to protect the link
  /// first and repeat the operation.
  func mustProtect(
    _ link: PeerLink, for request: PeerRequest, after error: OperationError?,
    _ security: LinkSecurity
  ) -> Bool {
    guard let refusal = error, refusal.wantsProtection, !request.isRepeated,
      request.operation.isOfProgram, !security.contains(.encrypted | .authenticated)
    else { return false }
    request.isRepeated = true
    request.step = .asked
    request.finds = PeerRequest.Finds()
    request.protection = Protection(refusal: .failure(refusal), before: security)
    return true
  }

  /// Asks the host to protect a link for a request, if it waits for that.
  func protect(_ request: PeerRequest, at index: Int, _ host: inout LocalDevice.Host)
    -> Protection.Outcome
  {
    guard var protection = request.protection else { return .wait }
    let pairing = host.security.pairingIndex
    let security = host.security.security(at: index)
    let before = protection.before ?? security
    protection.before = before
    request.protection = protection
    let outcome: Protection.Outcome
    if let failure = protection.failure {
      outcome = .failed(failure)
    } else if pairing != index, security.contains(.encrypted),
      protection.isPaired || security != before
    {
      outcome = .again
    } else if !protection.isAsked, pairing == nil || pairing == index {
      request.protection?.isAsked = true
      if begin(at: index, security, &host) { return .wait }
      outcome = .failed(protection.refusal)
    } else {
      return .wait
    }
    request.protection = nil
    return outcome
  }

  /// Encrypts the link with the bond, or pairs. Pairs again if the link's key was not protected
  /// against a man in the middle. `false` if neither can begin, or if pairing would not help.
  private func begin(at index: Int, _ security: LinkSecurity, _ host: inout LocalDevice.Host)
    -> Bool
  {
    guard security.contains(.encrypted) else { return host.security.secure(at: index, at: now) }
    guard !security.contains(.authenticated), host.security.policy.ioCapability != .noInputNoOutput
    else { return false }
    return host.security.pair(at: index, at: now)
  }

  /// A pairing has ended. Requests may wait for it.
  func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    needsUpdate = true
    for request in connections[index]?.link?.requests ?? [] {
      guard let refusal = request.protection?.refusal else { continue }
      switch outcome {
      case .paired: request.protection?.isPaired = true
      case .failed, .noRoom, .refused, .linkLost: request.protection?.failure = refusal
      case .timedOut: request.protection?.failure = .failure(.encryptionFailed(.connectionTimeout))
      case .encryptionFailed(let reason):
        request.protection?.failure = .failure(.encryptionFailed(reason))
      }
    }
  }

  /// A link could not be encrypted with the key of its bond. The peer is not trusted, and the link
  /// ends.
  func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    needsUpdate = true
    guard let connection = connections[index], connection.role == .central,
      let link = connection.link, link.phase == .open
    else { return }
    link.encryptionFailure = reason
    link.phase = .closing(isAsked: false)
  }

  /// Sets this device's address as the identity that pairing distributes, once it is known.
  func identify(_ host: inout LocalDevice.Host) {
    guard host.security.identity?.address != host.address else { return }
    host.security.identity = LocalIdentity(identityResolvingKey: .zero, address: host.address)
  }
}

extension OperationError {
  /// Whether the server may accept the request over a better protected link.
  fileprivate var wantsProtection: Bool {
    guard case .refused(let response) = self else { return false }
    return response.code == .insufficientAuthentication || response.code == .insufficientEncryption
  }
}
