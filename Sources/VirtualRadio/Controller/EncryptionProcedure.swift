import BluetoothHost

/// A running encryption start or key refresh on one side of a link. It compares the keys of the two
/// hosts. The data stays plaintext, since no radio carries it.
/// Core Specification, Vol 6, Part B, 5.1.3.
struct EncryptionProcedure {
  /// The answer of the peripheral's host.
  enum Answer: Equatable {
    case key(Number128)
    case noKey
  }

  /// Data that the host sends during the procedure, delivered afterwards.
  struct HeldPacket {
    var boundary: ACLHeader.Boundary
    var data: [UInt8]
  }

  /// The key of the central's host.
  let key: Number128
  /// When the link layers time out. Core Specification, Vol 6, Part B, 5.2.
  let deadline: Instant
  /// On the peripheral's side: its host's answer, and when it is sent if delayed.
  var answer: Answer?
  var answerDue: Instant?
  var heldPackets: [HeldPacket] = []

  /// When something happens in it.
  var due: Instant? { Instant.earlier(deadline, answerDue) }

  /// The procedure response timeout of the link layer, in ms.
  static let timeout: UInt32 = 40_000
}

extension VirtualController {
  /// Passes the central's request to the peripheral's host.
  func startEncryption(of end: LinkEnd, _ request: LEEnableEncryption) {
    guard let air else { return }
    let start = EncryptionProcedure(
      key: faults.change(request.key), deadline: air.now.advanced(by: EncryptionProcedure.timeout))
    end.encryptionStart = start
    air.reschedule(self)
    // Out of range, only the end of the link follows.
    guard let peer = end.peer, let controller = peer.controller else { return }
    guard controller.configuration.supportsEncryption else {
      end.reportEncryption(.unsupportedRemoteFeature)
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

  /// Sends the answer of the peripheral's host; `nil` for no key. `end` is the peripheral's side.
  func answer(_ end: LinkEnd, _ key: Number128?) {
    end.encryptionStart?.answer = key.map { .key($0) } ?? .noKey
    if let delay = faults.takeKeyAnswerDelay(), let air {
      end.encryptionStart?.answerDue = air.now.advanced(by: delay)
      air.reschedule(self)
    } else {
      sendAnswer(of: end)
    }
  }

  /// Handles the timed event of a link.
  func passDeadline(of end: LinkEnd, at now: Instant) {
    if let due = end.lossDeadline, due <= now { return finish(end, .connectionTimeout) }
    if let due = end.encryptionStart?.due, due <= now {
      return passEncryptionDeadline(of: end, at: now)
    }
    guard let events = end.events else { return }
    if events.pass(at: now) { finishBoth(end, .connectionTimeout) }
    air?.reschedule(self)
  }

  private func passEncryptionDeadline(of end: LinkEnd, at now: Instant) {
    if let deadline = end.encryptionStart?.deadline, deadline <= now {
      // Each side waits for the other's link layer, and both time out together.
      finishBoth(end, .linkLayerResponseTimeout)
    } else {
      end.encryptionStart?.answerDue = nil
      sendAnswer(of: end)
      air?.reschedule(self)
    }
  }

  private func sendAnswer(of end: LinkEnd) {
    // A peer out of range does not receive it.
    guard end.peer != nil, let start = end.encryptionStart else { return }
    switch start.answer {
    case .key(start.key):
      let isRefresh = end.isEncrypted
      for side in [end, end.peer].compactMap({ $0 }) {
        side.isEncrypted = true
        if isRefresh { side.reportKeyRefresh() } else { side.reportEncryption(.success) }
      }
      end.resumeData()
    case .key: finishBoth(end, .micFailure)
    case .noKey, nil: refuseKey(at: end)
    }
  }

  /// Handles a missing key of the peripheral. `end` is the peripheral's side.
  private func refuseKey(at end: LinkEnd) {
    // An encrypted link ends, and does not continue unencrypted: Vol 6, Part B, 5.1.3.1.
    guard !end.isEncrypted else { return finishBoth(end, .pinOrKeyMissing) }
    end.peer?.reportEncryption(.pinOrKeyMissing)
    end.resumeData()
  }

  private func finishBoth(_ end: LinkEnd, _ reason: HCIErrorCode) {
    let peer = end.peer
    finish(end, reason)
    if let peer { peer.controller?.finish(peer, reason) }
  }
}

extension LinkEnd {
  /// Whether this side's host must still answer with a key.
  var isAskedForKey: Bool {
    guard role == .peripheral, let encryptionStart else { return false }
    return encryptionStart.answer == nil
  }

  /// The next timed event on this side.
  var deadline: Instant? {
    guard sending.obstacle != nil else { return lossDeadline }
    // The central's side has the events of both.
    let event = role == .central ? events?.deadline : nil
    return Instant.earlier(lossDeadline, Instant.earlier(encryptionStart?.due, event))
  }

  /// Ends the procedure, and delivers the data that both hosts sent meanwhile.
  fileprivate func resumeData() {
    for side in [peer, self] {
      guard let side, let start = side.encryptionStart else { continue }
      side.encryptionStart = nil
      if let controller = side.controller { controller.air?.reschedule(controller) }
      for packet in start.heldPackets { side.send(packet.data.span, packet.boundary) }
    }
  }

  fileprivate func reportEncryption(_ status: HCIErrorCode) {
    controller?.emit(
      EncryptionChange(status: status, handle: handle, enabled: status == .success ? 1 : 0))
  }

  fileprivate func reportKeyRefresh() {
    controller?.emit(EncryptionKeyRefreshComplete(status: .success, handle: handle))
  }
}
