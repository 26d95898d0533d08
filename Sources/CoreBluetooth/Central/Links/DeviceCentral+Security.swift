import BluetoothHost

// A central pairs by itself when a server refuses a request for want of encryption, and repeats the request
// once: Core Specification, Vol 3, Part C, 10.3.2.
extension DeviceCentral {
  /// A request that waits until its link is protected.
  struct Securing {
    /// What is repeated then.
    let operation: ClientOperation
    let value: [UInt8]
    /// What the server said: the result, if the link is not protected.
    let refusal: OperationError
    /// What protected the link before.
    let before: LinkSecurity
    /// Whether the host has been asked.
    var isAsked = false
    /// Whether a pairing has ended with success.
    var isPaired = false
    /// Why it has ended without.
    var failure: OperationError?
  }

  /// The request under way on `link` has ended with `error`: whether the link is to be protected first, and
  /// the request repeated.
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

  /// Has the host protect a link, and goes on with its request when that has ended.
  func secure(_ link: CentralLink, at index: Int, _ host: inout Device.Host) {
    guard var securing = link.securing else { return }
    let pairing = host.security.pairingConnection
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

  /// Encrypts the link with the bond, or pairs; pairs anew if the link's key was not protected against a
  /// man in the middle. `false` if neither can begin, or if that would not help.
  func begin(
    at index: Int, _ security: LinkSecurity, _ host: inout Device.Host
  ) -> Bool {
    guard security.contains(.encrypted) else { return host.security.secure(at: index, at: now) }
    guard host.security.policy.ioCapability != .noInputNoOutput else { return false }
    return host.security.pair(at: index, at: now)
  }

  /// A pairing has ended.
  func pairingEnded(_ outcome: PairingOutcome, at index: Int) {
    needsUpdate = true
    guard let link = places[index]?.link else { return }
    channelPairingEnded(outcome, on: link)
    guard let securing = link.securing else { return }
    switch outcome {
    case .paired:
      link.securing?.isPaired = true
    case .failed, .refused, .linkLost:
      link.securing?.failure = securing.refusal
    case .timedOut:
      link.securing?.failure = .encryptionFailed(.connectionTimeout)
    case .encryptionFailed(let reason):
      link.securing?.failure = .encryptionFailed(reason)
    }
  }

  /// A link could not be encrypted with the key of its bond: the peer is not believed, and the link ends.
  func encryptionFailed(_ reason: HCIErrorCode, at index: Int) {
    needsUpdate = true
    guard let place = places[index], place.role == .central, let link = place.link, link.isOpen
    else { return }
    link.encryptionFailure = reason
    link.phase = .closing(isAsked: false)
  }
}

extension DeviceCentral {
  /// Peers that pair get this device's address as its identity, as soon as it is known.
  func identify(_ host: inout Device.Host) {
    guard host.security.identity?.address != host.address else { return }
    host.security.identity = LocalIdentity(identityResolvingKey: .zero, address: host.address)
  }
}

extension CentralOperation {
  /// Whether a program has asked for a value. What this module asks of its own accord pairs with nobody,
  /// and discovery needs no permission (Core Specification, Vol 3, Part G, 8.1).
  fileprivate var isOfProgram: Bool {
    switch self {
    case .read, .write, .subscribe, .configure: true
    default: false
    }
  }
}

extension OperationError {
  /// Whether the server would do what it was asked over a better protected link.
  fileprivate var wantsProtection: Bool {
    guard case .refused(let response) = self else { return false }
    return response.code == .insufficientAuthentication || response.code == .insufficientEncryption
  }
}
