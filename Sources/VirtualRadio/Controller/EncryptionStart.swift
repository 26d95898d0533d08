import BluetoothHost

/// The start of encryption on a link, or of encryption with a new key: each side has one while it goes on.
///
/// The keys of the two hosts are compared. The data stays plain, for no radio carries it.
/// Core Specification, Vol 6, Part B, 5.1.3.
struct EncryptionStart {
  /// What the peripheral's host has answered.
  enum Answer: Equatable {
    case key(Number128)
    case noKey
  }

  /// Data that the host has sent since, and that goes over the air afterwards.
  struct HeldPacket {
    var boundary: ACLHeader.Boundary
    var data: [UInt8]
  }

  /// The key of the central's host.
  let key: Number128
  /// When each link layer gives up the other. Core Specification, Vol 6, Part B, 5.2.
  let deadline: Instant
  /// At the peripheral's side: its host's answer, and when it goes over the air if that is not at once.
  var answer: Answer?
  var answerDue: Instant?
  var heldPackets: [HeldPacket] = []

  /// How long a procedure of the link layer may take, in ms.
  static let patience: UInt32 = 40_000
}

extension VirtualController {
  /// Puts the central's wish before the peripheral's host.
  func startEncryption(of end: LinkEnd, _ request: LEEnableEncryption) {
    guard let air else { return }
    let start = EncryptionStart(
      key: faults.change(request.key), deadline: air.now.advanced(by: EncryptionStart.patience))
    end.encryptionStart = start
    air.reschedule(self)
    // Out of reach, no answer comes; the end of the link does.
    guard let peer = end.peer, let controller = peer.controller else { return }
    guard controller.configuration.supportsEncryption else {
      end.stateEncryption(.unsupportedRemoteFeature)
      return end.resumeData()
    }
    peer.encryptionStart = start
    air.reschedule(controller)
    guard controller.allows(.longTermKeyRequest) else { return controller.refuseKey(at: peer) }
    controller.emit(
      LELongTermKeyRequest(
        handle: peer.handle, randomNumber: request.randomNumber,
        encryptedDiversifier: request.encryptedDiversifier))
  }

  /// Sends the answer of the peripheral's host, whose side `end` is; `nil` for no key.
  func answer(_ end: LinkEnd, _ key: Number128?) {
    end.encryptionStart?.answer = key.map { .key($0) } ?? .noKey
    if let delay = faults.takeKeyAnswerDelay(), let air {
      end.encryptionStart?.answerDue = air.now.advanced(by: delay)
      air.reschedule(self)
    } else {
      sendAnswer(of: end)
    }
  }

  /// What has become due on a link.
  func passDeadline(of end: LinkEnd, at now: Instant) {
    if let due = end.lossDeadline, due <= now { return finish(end, .connectionTimeout) }
    guard let start = end.encryptionStart else { return }
    if start.deadline <= now {
      // Each side waits for the other's link layer, and both give up at the same time.
      finishBoth(end, .linkLayerResponseTimeout)
    } else {
      end.encryptionStart?.answerDue = nil
      sendAnswer(of: end)
      air?.reschedule(self)
    }
  }

  private func sendAnswer(of end: LinkEnd) {
    // A peer out of reach does not hear it.
    guard end.peer != nil, let start = end.encryptionStart else { return }
    switch start.answer {
    case .key(start.key):
      let isRefresh = end.isEncrypted
      for side in [end, end.peer].compactMap({ $0 }) {
        side.isEncrypted = true
        if isRefresh { side.stateRefresh() } else { side.stateEncryption(.success) }
      }
      end.resumeData()
    case .key:
      finishBoth(end, .micFailure)
    case .noKey, nil:
      refuseKey(at: end)
    }
  }

  /// The peripheral, whose side `end` is, has no key.
  private func refuseKey(at end: LinkEnd) {
    // A link that was encrypted does not go on without: Vol 6, Part B, 5.1.3.1.
    guard !end.isEncrypted else { return finishBoth(end, .pinOrKeyMissing) }
    end.peer?.stateEncryption(.pinOrKeyMissing)
    end.resumeData()
  }

  private func finishBoth(_ end: LinkEnd, _ reason: HCIErrorCode) {
    let peer = end.peer
    finish(end, reason)
    if let peer { peer.controller?.finish(peer, reason) }
  }
}

extension LinkEnd {
  /// Whether this side's host owes a key.
  var isAskedForKey: Bool {
    guard role == .peripheral, let encryptionStart else { return false }
    return encryptionStart.answer == nil
  }

  /// When something happens on this side by itself.
  var deadline: Instant? {
    guard let encryptionStart else { return lossDeadline }
    let due = Instant.earlier(encryptionStart.deadline, encryptionStart.answerDue)
    return Instant.earlier(lossDeadline, due)
  }

  /// Ends the start of encryption, and sends what both sides' hosts have sent since.
  fileprivate func resumeData() {
    for side in [peer, self] {
      guard let side, let start = side.encryptionStart else { continue }
      side.encryptionStart = nil
      if let controller = side.controller { controller.air?.reschedule(controller) }
      for packet in start.heldPackets { side.send(packet.data.span, packet.boundary) }
    }
  }

  fileprivate func stateEncryption(_ status: HCIErrorCode) {
    controller?.emit(
      EncryptionChange(status: status, handle: handle, enabled: status == .success ? 1 : 0))
  }

  fileprivate func stateRefresh() {
    controller?.emit(EncryptionKeyRefreshComplete(status: .success, handle: handle))
  }
}
