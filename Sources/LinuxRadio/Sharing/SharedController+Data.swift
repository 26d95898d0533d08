import BluetoothHost

// The data of links, and the controller's buffers for it.
extension SharedController where First: ~Copyable, Second: ~Copyable {
  /// Data from a link goes to whoever has the link.
  mutating func receiveData(
    _ packet: Span<UInt8>, on handle: ConnectionHandle, at now: Instant
  ) {
    if let link = links[handle] {
      if let half = link.half { deliver(packet, to: half, at: now) }
    } else if let half = halves.sole {
      deliver(packet, to: half, at: now)
    } else if halves[.second].isUp {
      // Nobody knows the link: it is the peripheral that looks after such.
      deliver(packet, to: .second, at: now)
    }
  }

  /// Data of a half goes to the controller, or waits for room; `false` if it does not go.
  mutating func passData(
    _ packet: Span<UInt8>, on handle: ConnectionHandle, from half: SharedHalf,
    into writer: inout ByteWriter
  ) -> Bool {
    if isShared, links[handle]?.half != half { return false }
    guard mayGo(half), halves[half].backlog.count == 0 else {
      halves[half].backlog.append(packet)
      return false
    }
    links.spend(on: handle)
    writer.write(packet)
    return true
  }

  /// Writes the next packet that has waited for room and has it now.
  mutating func writeBacklog(into writer: inout ByteWriter) -> Bool {
    for half in inTurn where halves[half].backlog.count > 0 && mayGo(half) {
      guard let handle = halves[half].backlog.moveFirst(to: &writer) else { continue }
      links.spend(on: handle)
      nextHalf = half.other
      return true
    }
    return false
  }

  /// Whether data of a half may go now. One that is alone keeps to the buffers by itself.
  private func mayGo(_ half: SharedHalf) -> Bool {
    !isShared || links.hasRoom(for: half)
  }

  /// Buffers are free again.
  mutating func receiveCompletedPackets(
    _ parameters: Span<UInt8>, _ packet: Span<UInt8>, at now: Instant
  ) {
    guard var event = NumberOfCompletedPackets(parameters: parameters) else { return }
    let sole = halves.sole
    while let (handle, count) = event.next() {
      links.giveBack(count, on: handle)
      guard sole == nil, let half = links[handle]?.half else { continue }
      deliver(to: half, at: now) {
        NumberOfCompletedPackets.writePacket(handle: handle, count: count, to: &$0)
      }
    }
    if let sole { deliver(packet, to: sole, at: now) }
  }
}
