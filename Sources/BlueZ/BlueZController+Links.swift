import BluetoothHost
import Linux

// Virtual links, and the frames on them.
extension BlueZController {
  /// The most links at a time. Their indices are below it.
  package static var linkCapacity: Int { VirtualLinks.capacity }

  /// Opens a link to `peer`, on which the host has `role`. With the role central, it answers the host's request to
  /// connect.
  ///
  /// - Parameter rssi: The signal strength in dBm; `nil` if it is unknown.
  /// - Returns: The index of the link; `nil` if there are too many, or the host does not connect to this peer any more.
  package mutating func openLink(
    to peer: DeviceAddress, _ role: LEConnectionComplete.Role, rssi: Int8? = nil
  ) -> Int? {
    guard role == .peripheral || connecting == peer,
      let index = links.add(role, peer, rssi: rssi ?? LEAdvertisingReport.unknownRSSI)
    else { return nil }
    if role == .central { connecting = nil } else { isAdvertising = false }
    emit(.virtual(links[index].handle, role, peer))
    return index
  }

  /// The host's request to connect has failed. Does nothing without one.
  package mutating func failConnection(_ status: HCIErrorCode) {
    guard let peer = connecting else { return }
    connecting = nil
    emit(
      LEConnectionComplete(
        status: status, handle: ConnectionHandle(rawValue: 0), role: .central, peer: peer,
        interval: 0, latency: 0, supervisionTimeout: 0))
  }

  /// The link with this index has ended. Does nothing without one.
  package mutating func closeLink(_ index: Int, _ reason: HCIErrorCode) {
    guard links.contains(index) else { return }
    let event = DisconnectionComplete(status: .success, handle: links[index].handle, reason: reason)
    _ = packets.append { event.writePacket(to: &$0) }
    links.remove(index)
  }

  /// Whether there is a link with this index.
  package func isOpen(_ index: Int) -> Bool { links.contains(index) }

  /// The host's role on the link with this index.
  package func role(at index: Int) -> LEConnectionComplete.Role { links[index].role }

  /// The handle of the link with this index.
  package func handle(at index: Int) -> ConnectionHandle { links[index].handle }

  /// The signal strength of the peer of the link with this index, in dBm, as Read RSSI returns it.
  package mutating func setRSSI(_ rssi: Int8, at index: Int) { links[index].rssi = rssi }

  // MARK: Frames

  /// Sends an ATT PDU of at most 517 bytes to the host.
  ///
  /// - Parameter body: Writes the PDU.
  /// - Returns: Whether it was sent: there is such a link, and the queue has room. See `hasRoom`.
  @discardableResult
  package mutating func send(to index: Int, _ body: (inout ByteWriter) -> Void) -> Bool {
    send(on: .att, to: index, body)
  }

  private mutating func send(
    on channel: L2CAPChannel, to index: Int, _ body: (inout ByteWriter) -> Void
  ) -> Bool {
    guard links.contains(index) else { return false }
    let header = ACLHeader(handle: links[index].handle, boundary: .firstFlushable)
    return packets.append { writer in
      // The lengths of the packet and of the frame follow.
      header.write(dataLength: 0, to: &writer)
      writer.write(UInt16(0))
      writer.write(channel.rawValue)
      let start = writer.count
      body(&writer)
      guard writer.count > start else { return writer.truncate(to: 0) }
      let length = UInt16(truncatingIfNeeded: writer.count &- start)
      writer.patch(length &+ 4, at: start &- 6)
      writer.patch(length, at: start &- 4)
    }
  }

  /// The host may send another packet on the link with this index: its last one has been handled.
  package mutating func completePacket(at index: Int) {
    guard links.contains(index) else { return }
    let handle = links[index].handle
    _ = packets.append { NumberOfCompletedPackets.writePacket(handle: handle, count: 1, to: &$0) }
  }

  /// Takes a frame of the host. It sends each in one packet, since a packet has room for the longest.
  @_lifetime(copy data)
  mutating func receive(_ header: ACLHeader, _ data: Span<UInt8>) -> Request {
    guard let index = links.index(of: header.handle) else { return .nothing }
    var reader = ByteReader(data)
    guard header.boundary == .firstNonFlushable, let length = reader.readUInt16(),
      let channel = reader.readUInt16(), Int(length) == reader.count
    else {
      completePacket(at: index)
      return .nothing
    }
    let payload = reader.readRemaining()
    if channel == L2CAPChannel.att.rawValue { return .attribute(index, pdu: payload) }
    completePacket(at: index)
    // bluetoothd has no function for connection parameters and channels, and pairs by itself: these requests are refused,
    // as by a device that has neither.
    switch L2CAPChannel(rawValue: channel) {
    case .leSignalling:
      _ = send(on: .leSignalling, to: index) {
        _ = Signalling.respond(to: payload, isCentral: false, response: &$0)
      }
    case .securityManager:
      _ = send(on: .securityManager, to: index) { NoSecurity.respond(to: payload, response: &$0) }
    default: break
    }
    return .nothing
  }

  /// Sends the packet that `body` writes to the host; nothing if it does not fit.
  package mutating func sendPacket(_ body: (inout ByteWriter) -> Void) { _ = packets.append(body) }

  /// Sends an LE event to the host.
  private mutating func emit(_ event: LEConnectionComplete) {
    _ = packets.append { event.writePacket(to: &$0) }
  }
}

extension LEConnectionComplete {
  /// A virtual link. bluetoothd does not report the parameters; with these, 30 ms, 0 and 4 s, a host requests no others.
  static func virtual(_ handle: ConnectionHandle, _ role: Role, _ peer: DeviceAddress) -> Self {
    LEConnectionComplete(
      status: .success, handle: handle, role: role, peer: peer, interval: 24, latency: 0,
      supervisionTimeout: 400)
  }
}
