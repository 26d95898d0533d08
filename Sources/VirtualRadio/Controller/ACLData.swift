import BluetoothHost

/// ACL packets, from one host to the other.
extension VirtualController {
  /// Passes a packet to the other side, in fragments of the link's size; or drops and counts it.
  func receiveACL(_ header: ACLHeader, _ data: Span<UInt8>) {
    guard let end = link(header.handle) else {
      counters.packetsForUnknownLinks += 1
      return
    }
    guard data.count <= Int(configuration.aclDataLength) else {
      counters.oversizedPackets += 1
      return
    }
    // 0b11 is reserved on LE. A packet without data needs no buffer.
    guard header.boundary.rawValue <= 0b10, !data.isEmpty else {
      counters.malformedPackets += 1
      return
    }
    guard links.reduce(0, { $0 + $1.sending.outstanding }) < Int(configuration.aclPacketCount)
    else {
      counters.packetsBeyondCredits += 1
      return
    }
    guard !end.sending.begin() else {
      end.hold(data, header.boundary)
      return
    }
    // Out of range, the packet stays in its buffer until the link ends.
    guard let peer = end.peer, let receiver = peer.controller else { return }
    receiver.deliver(data, header.boundary, to: peer, from: end)
  }

  /// Queues `data` for the host. After the host takes the last fragment, `sender` gets its buffer
  /// back.
  fileprivate func deliver(
    _ data: Span<UInt8>, _ boundary: ACLHeader.Boundary, to end: LinkEnd, from sender: LinkEnd
  ) {
    let limit = sender.fragmentLength(for: self)
    var boundary = boundary == .continuing ? boundary : .firstFlushable
    var offset = 0
    while offset < data.count {
      let length = min(limit, data.count - offset)
      outgoing.append(
        ACLHeader(handle: end.handle, boundary: boundary),
        data.extracting(offset..<offset + length),
        completing: offset + length == data.count ? sender : nil)
      onPacket?()
      boundary = .continuing
      offset += length
    }
  }

  /// Queues one packet of the link layer for the host. After the host takes it, `sender` gets its
  /// buffer back.
  func deliver(
    _ data: Span<UInt8>, _ boundary: ACLHeader.Boundary, to end: LinkEnd,
    completing sender: LinkEnd?
  ) {
    outgoing.append(ACLHeader(handle: end.handle, boundary: boundary), data, completing: sender)
    onPacket?()
  }

  /// The other side's host has taken a whole packet sent over `end`.
  func complete(_ end: LinkEnd) {
    counters.deliveredPackets += 1
    // After the end of a link its buffers are free without an event.
    guard end.sending.outstanding > 0, links.contains(where: { $0 === end }) else { return }
    guard !faults.takeLostCompletion() else { return }
    end.sending.outstanding -= 1
    emitEvent(.numberOfCompletedPackets) { writer in
      writer.write(UInt8(1))
      writer.write(end.handle.rawValue)
      writer.write(UInt16(1))
    }
  }
}

extension LinkEnd {
  /// Sends a held packet, unless the other side is out of range.
  func send(_ data: Span<UInt8>, _ boundary: ACLHeader.Boundary) {
    if let events { return events.add(data, boundary, from: self) }
    guard let peer, let receiver = peer.controller else { return }
    receiver.deliver(data, boundary, to: peer, from: self)
  }

  /// The longest packet over the air to `receiver`, in bytes.
  @inline(__always) func fragmentLength(for receiver: VirtualController) -> Int {
    min(Int(transmitDataLength.octets), Int(receiver.configuration.aclDataLength))
  }

  /// Keeps a packet until encryption has started, or until a connection event.
  /// Core Specification, Vol 6, Part B, 5.1.3: no data while encryption starts.
  @inline(never) fileprivate func hold(_ data: Span<UInt8>, _ boundary: ACLHeader.Boundary) {
    guard encryptionStart != nil else { return send(data, boundary) }
    let bytes = (0..<data.count).map { data[$0] }
    encryptionStart?.heldPackets.append(.init(boundary: boundary, data: bytes))
  }
}
