import BluetoothHost

// When a server refuses a request for lack of encryption, the central pairs unasked and repeats the
// request once: Core Specification, Vol 3, Part C, 10.3.2.
extension DeviceCentral {
  /// A request that waits until its link is protected.
  struct Securing {
    /// The request to repeat.
    let operation: ClientOperation
    let value: [UInt8]
    /// The server's error: the result, if the link cannot be protected.
    let refusal: OperationError
    /// The link's security before.
    let before: LinkSecurity
    /// Whether the host has been asked.
    var isAsked = false
    /// Whether a pairing has succeeded.
    var isPaired = false
    /// The result, if the pairing has failed.
    var failure: OperationError?
  }

  /// The current request on `link` has ended with `error`. Returns whether to protect the link
  /// first and repeat the request.
  func mustSecure(
    _ link: CentralLink, after error: OperationError?, _ security: LinkSecurity
  ) -> Bool {
    guard let refusal = error, refusal.wantsProtection, let asked = link.asked, !link.isRepeated,
      link.procedure?.operation.isOfProgram == true,
      !security.contains(.encrypted | .authenticated)
    else { return false }
    link.isRepeated = true
    link.step = nil
    link.procedure?.finds = CentralProcedure.Finds()
    link.securing = Securing(
      operation: asked.operation, value: asked.value, refusal: refusal, before: security)
    return true
  }

  /// Asks the host to protect a link, and continues with its request afterwards.
  func secure(_ link: CentralLink, at index: Int, _ host: inout Device.Host) {
    guard var securing = link.securing else { return }
    let pairing = host.security.pairingIndex
    let security = host.security.security(at: index)
    if let failure = securing.failure {
      link.securing = nil
      link.step = .ended(failure)
    } else if pairing != index, security.contains(.encrypted),
      securing.isPaired || security != securing.before
    {
      link.securing = nil
      link.step = .ask(securing.operation, value: securing.value)
    } else if !securing.isAsked, pairing == nil || pairing == index {
      securing.isAsked = true
      link.securing = securing
      guard begin(at: index, security, &host) else {
        link.securing = nil
        link.step = .ended(securing.refusal)
        return
      }
    }
  }

  /// Encrypts the link with the bond, or pairs. Pairs again if the link's key was not protected
  /// against a man in the middle. `false` if neither can begin, or if pairing would not help.
  func begin(
    at index: Int, _ security: LinkSecurity, _ host: inout Device.Host
  ) -> Bool {
    guard security.contains(.encrypted) else { return host.security.secure(at: index, at: now) }
    guard host.security.policy.ioCapability != .noInputNoOutput else { return false }
    return host.security.pair(at: index, at: now)
  }

  func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    needsUpdate = true
    guard let link = connections[index]?.link else { return }
    channelPairingEnded(outcome, on: link)
    guard let securing = link.securing else { return }
    switch outcome {
    case .paired:
      link.securing?.isPaired = true
    case .failed, .noRoom, .refused, .linkLost:
      link.securing?.failure = securing.refusal
    case .timedOut:
      link.securing?.failure = .encryptionFailed(.connectionTimeout)
    case .encryptionFailed(let reason):
      link.securing?.failure = .encryptionFailed(reason)
    }
  }

  /// A link could not be encrypted with the key of its bond. The peer is not trusted, and the link
  /// ends.
  func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    needsUpdate = true
    guard let connection = connections[index], connection.role == .central,
      let link = connection.link, link.isOpen
    else { return }
    link.encryptionFailure = reason
    link.phase = .closing(isAsked: false)
  }
}

extension DeviceCentral {
  /// Sets this device's address as the identity that pairing distributes, once it is known.
  func identify(_ host: inout Device.Host) {
    guard host.security.identity?.address != host.address else { return }
    host.security.identity = LocalIdentity(identityResolvingKey: .zero, address: host.address)
  }
}

extension CentralOperation {
  /// Whether a program asked for a value. Requests of this module itself do not start a pairing,
  /// and discovery needs no permission (Core Specification, Vol 3, Part G, 8.1).
  fileprivate var isOfProgram: Bool {
    switch self {
    case .read, .write, .subscribe, .configure: true
    default: false
    }
  }
}

extension OperationError {
  /// Whether the server may accept the request over a better protected link.
  fileprivate var wantsProtection: Bool {
    guard case .refused(let response) = self else { return false }
    return response.code == .insufficientAuthentication || response.code == .insufficientEncryption
  }
}
