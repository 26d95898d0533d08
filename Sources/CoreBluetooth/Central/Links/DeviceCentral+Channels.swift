import BluetoothHost

// The channels that a central opens. A channel refused for lack of encryption is requested again
// once the link is protected: Core Specification, Vol 3, Part C, 10.3.2.
extension DeviceCentral {
  /// A channel to open.
  struct ChannelRequest {
    let operation: OperationID
    let spsm: SPSM
    let pipe: ChannelPipe
    /// Why the peer refused it; it waits until the link is protected. `nil` before.
    var refusal: ChannelEnd?
    /// The link's security when the peer refused it.
    var before: LinkSecurity?
    /// Whether the host has been asked to protect the link.
    var isAsked = false
    /// Whether a pairing has succeeded.
    var isPaired = false
    /// The result, if the pairing has failed.
    var failure: Result<OperationOutput, OperationError>?
  }

  /// Opens a channel, outside of the link's queue. `completed` follows, unless the link ends.
  func openChannel(_ spsm: SPSM, _ pipe: ChannelPipe, on id: LinkID) -> OperationID {
    let operation = newOperation()
    needsUpdate = true
    if let link = link(id), link.isOpen {
      link.channelRequests.append(
        ChannelRequest(operation: operation, spsm: spsm, pipe: pipe))
    } else {
      post(.completed(operation, id, .failure(.disconnected)))
    }
    return operation
  }

  /// Asks the host to open a link's channels, or to protect the link for them.
  func openChannels(of link: CentralLink, at index: Int, _ host: inout Device.Host) {
    let requests = link.channelRequests
    link.channelRequests = []
    for request in requests {
      guard let refusal = request.refusal else {
        ask(for: request, on: link, at: index, &host)
        continue
      }
      protect(request, refusal, on: link, at: index, &host)
    }
  }

  private func ask(
    for request: ChannelRequest, on link: CentralLink, at index: Int, _ host: inout Device.Host
  ) {
    let channel = host.channels.open(request.spsm, mtu: DeviceChannels.mtu, at: index)
    guard let channel else {
      return complete(
        request.operation, link, .success(.channel(.refused(.noResourcesAvailable))))
    }
    host.channels.application.begin(channel, request.pipe, at: index) {
      [weak self, weak link] end in
      guard let self, let link else { return }
      if let end, end.wantsProtection, request.refusal == nil, link.isOpen {
        var request = request
        request.refusal = end
        link.channelRequests.append(request)
        needsUpdate = true
      } else {
        complete(request.operation, link, .success(.channel(end)))
      }
    }
  }

  private func protect(
    _ request: ChannelRequest, _ refusal: ChannelEnd, on link: CentralLink, at index: Int,
    _ host: inout Device.Host
  ) {
    var request = request
    let pairing = host.security.pairingIndex
    let security = host.security.security(at: index)
    let before = request.before ?? security
    request.before = before
    if let failure = request.failure {
      return complete(request.operation, link, failure)
    }
    if pairing != index, security.contains(.encrypted), request.isPaired || security != before {
      return ask(for: request, on: link, at: index, &host)
    }
    if !request.isAsked, pairing == nil || pairing == index {
      request.isAsked = true
      guard !security.contains(.encrypted | .authenticated), begin(at: index, security, &host)
      else { return complete(request.operation, link, .success(.channel(refusal))) }
    }
    link.channelRequests.append(request)
  }

  /// A pairing has ended. Channels may wait for it.
  func channelPairingEnded(_ outcome: PairingOutcome, on link: CentralLink) {
    for index in link.channelRequests.indices {
      guard let refusal = link.channelRequests[index].refusal else { continue }
      switch outcome {
      case .paired:
        link.channelRequests[index].isPaired = true
      case .failed, .noRoom, .refused, .linkLost:
        link.channelRequests[index].failure = .success(.channel(refusal))
      case .timedOut:
        link.channelRequests[index].failure = .failure(.encryptionFailed(.connectionTimeout))
      case .encryptionFailed(let reason):
        link.channelRequests[index].failure = .failure(.encryptionFailed(reason))
      }
    }
  }
}

extension ChannelEnd {
  /// Whether the peer may open the channel over a better protected link.
  fileprivate var wantsProtection: Bool {
    self == .refused(.insufficientAuthentication) || self == .refused(.insufficientEncryption)
  }
}
