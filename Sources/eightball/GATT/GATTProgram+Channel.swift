import BluetoothHost

// One LE credit-based channel: Core Specification, Vol 3, Part A, 4.22.
extension GATTProgram {
  /// The channel that is open, opening or closing.
  struct Channel {
    let psm: SPSM
    /// Its number at the host.
    let number: Int
    /// The longest SDU for the device in bytes; `nil` until it is open.
    var peerMTU: Int?
    var isOpen: Bool { peerMTU != nil }
  }

  /// Opens the channel of the current command, or sends on it if it is open.
  mutating func useChannel(at now: Instant) {
    guard case .channel(let psm, _, _) = command else { return }
    received = 0
    if let channel {
      guard channel.psm == psm else {
        return fail(
          "The channel to the PSM \(handleText(channel.psm.rawValue)) is open, and there is one at a "
            + "time: COUNT or TIME close it.", reason: "usage", .usage, at: now)
      }
      return send(at: now)
    }
    // The link is about to end if the host refuses.
    guard let number = session.host.channels.open(psm, mtu: ChannelEvents.mtu, at: 0) else {
      return
    }
    channel = Channel(psm: psm, number: number)
    waiting = .channel
  }

  /// Sends the SDU of the current command, if it has one.
  private mutating func send(at now: Instant) {
    guard case .channel(_, let value?, _) = command, let channel, let limit = channel.peerMTU else {
      return awaitSDUs(at: now)
    }
    guard value.count <= limit else {
      let text = "The SDU has \(value.count) bytes; the device takes at most \(limit)."
      fail(text, reason: "too long", .refused, at: now)
      return closeChannel()
    }
    session.host.channels.application.application.outgoing = value
    session.host.channels.resume(channel.number)
    waiting = .channel
    waitingEnd = now.advanced(by: Self.valueTimeout)
  }

  private mutating func awaitSDUs(at now: Instant) {
    waiting = nil
    waitingEnd = nil
    awaitValues(at: now)
  }

  /// Closes the channel. The next command waits for its end.
  mutating func closeChannel() {
    guard let channel, outcome == nil else { return }
    waiting = .channel
    session.host.channels.disconnect(channel.number)
  }

  mutating func channelChanged(_ event: ChannelEvent, at now: Instant) {
    guard outcome == nil, let psm = channel?.psm else { return }
    switch event {
    case .opened(let peerMTU):
      channel?.peerMTU = peerMTU
      printer.channel("opened", psm, "mtu", peerMTU, "The channel is open.")
      send(at: now)
    case .sent:
      guard case .channel(_, let value?, _) = command else { return }
      printer.channel("sent", psm, "bytes", value.count, "Sent.")
      awaitSDUs(at: now)
    case .received(let sdu):
      printer.sdu(sdu, on: psm)
      if case .channel = command { countValue(at: now) }
    case .closed(let end):
      let isOpen = channel?.isOpen ?? false
      channel = nil
      closed(psm, with: end, wasOpen: isOpen, at: now)
    }
  }

  /// The link could not be protected after the device had refused the channel.
  mutating func channelRefused(with code: ATTErrorCode, at now: Instant) {
    guard case .channel(let psm, _, _) = command else { return }
    let result: LECreditBasedConnectionResult =
      code == .insufficientEncryption ? .insufficientEncryption : .insufficientAuthentication
    closed(psm, with: .refused(result), wasOpen: false, at: now)
  }

  private mutating func closed(
    _ psm: SPSM, with end: ChannelEnd, wasOpen: Bool, at now: Instant
  ) {
    switch end {
    case .linkLost: return
    case .closed:
      printer.channel("closed", psm, nil, 0, "The channel is closed.")
      if waiting == .channel { waiting = nil }
      return
    case .refused(let result):
      if let code = result.missingProtection, !isRepeated,
        protect(
          after: .refused(
            ErrorResponse(request: ATTOpcode(rawValue: 0), handle: .first, code: code)))
      {
        isRepeated = true
        refusedTask = .begin
        waiting = nil
        return
      }
    default: break
    }
    let name = handleText(psm.rawValue)
    var text =
      wasOpen
      ? "The channel to the PSM \(name) has ended: \(end.text)"
      : "Cannot open a channel to the PSM \(name): \(end.text)"
    if case .refused(let result) = end, result.missingProtection != nil, !session.pairs {
      text += Self.pairingHint
    }
    text += "."
    var isCurrent = false
    if case .channel = command { isCurrent = true }
    guard isCurrent || !readsInput else {
      // The command under way goes on.
      printer.failed(text, reason: "closed")
      status = status ?? .refused
      return
    }
    fail(
      text, reason: wasOpen ? "closed" : "refused", end == .timedOut ? .timedOut : .refused, at: now
    )
  }
}

extension ChannelEnd {
  /// Why a channel has ended or did not open, for people; without a period.
  fileprivate var text: String {
    switch self {
    case .closed: "this side closed it"
    case .closedByPeer: "the device closed it"
    case .linkLost: "the link ended"
    case .refused(let result):
      "the device refused: \(result.words) (result \(handleText(result.rawValue)))"
    case .rejected: "the device has no such channels"
    case .timedOut: "the device did not answer within 30 s"
    case .sduTooLong: "the device sent more than \(ChannelEvents.mtu.byteCount) bytes at once"
    case .invalidResponse, .frameWithoutCredit, .tooManyCredits, .frameTooLong, .frameTooShort,
      .sduOverrun, .invalidSDU:
      "the device broke the rules of the protocol"
    }
  }
}

extension LECreditBasedConnectionResult {
  /// The same lack of protection as an error of an attribute; `nil` for another result.
  fileprivate var missingProtection: ATTErrorCode? {
    switch self {
    case .insufficientAuthentication: .insufficientAuthentication
    case .insufficientEncryption: .insufficientEncryption
    default: nil
    }
  }

  /// What it means, for people.
  fileprivate var words: StaticString {
    switch self {
    case .spsmNotSupported: "it does not have this PSM"
    case .noResourcesAvailable: "it has no room for another channel"
    case .insufficientAuthentication: "the devices have to pair"
    case .insufficientAuthorization: "it does not permit this PSM"
    case .encryptionKeySizeTooShort: "the key is too short"
    case .insufficientEncryption: "the link has to be encrypted"
    case .unacceptableParameters: "it does not accept the parameters"
    default: "it gives another reason"
    }
  }
}
