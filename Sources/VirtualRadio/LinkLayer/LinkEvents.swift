import BluetoothHost

/// The connection events of one link, on an air with a `LinkLayerModel`: when its data leaves, and
/// what is lost. Events without data are not simulated, so that an idle link is no work.
/// Core Specification, Vol 6, Part B, 4.5.
final class LinkEvents {
  /// A packet of the link layer.
  private struct Packet {
    let boundary: ACLHeader.Boundary
    let data: [UInt8]
    /// Whether it is the last of a packet of the host, whose buffer it then frees.
    let isLast: Bool
  }

  /// What one side sends.
  private struct Side {
    weak var end: LinkEnd?
    private var packets: [Packet] = []
    private var sentCount = 0
    /// Whether the first packet has arrived, and its acknowledgement has not: it is sent again.
    var hasArrived = false

    init(_ end: LinkEnd) { self.end = end }

    var isEmpty: Bool { sentCount == packets.count }
    var hasOne: Bool { sentCount + 1 == packets.count }
    var first: Packet? { isEmpty ? nil : packets[sentCount] }

    mutating func append(_ packet: Packet) { packets.append(packet) }

    /// The first packet has been acknowledged.
    mutating func removeFirst() {
      hasArrived = false
      sentCount += 1
      guard isEmpty || sentCount == 64 else { return }
      packets = Array(packets.suffix(from: sentCount))
      sentCount = 0
    }
  }

  private weak var air: VirtualAir?
  private var central: Side
  private var peripheral: Side
  private var random: SplitMix64
  /// The last event with data, or the start of the link, in µs. Others follow at each interval.
  private var anchor: UInt64
  /// The last of the events that a subrate leaves, in µs.
  private var subratedEvent: UInt64
  /// The next event with data, in µs; `nil` without data.
  private var next: UInt64?
  /// When both sides last heard each other, in µs.
  private var contact: UInt64

  /// The events of a link that begins now.
  init(_ air: VirtualAir, central: LinkEnd, peripheral: LinkEnd, seed: UInt64) {
    self.air = air
    self.central = Side(central)
    self.peripheral = Side(peripheral)
    random = SplitMix64(seed: seed)
    anchor = air.now.rawValue * 1_000
    subratedEvent = anchor
    contact = anchor
  }

  /// When `pass(at:)` must be called; `nil` without data. The air's time is in milliseconds, so an event
  /// is handled up to 1 ms late; the next one is not.
  var deadline: Instant? { next.map { Instant(rawValue: ($0 + 999) / 1_000) } }

  // MARK: Data

  /// Takes a packet of the host of `end`.
  func add(_ data: Span<UInt8>, _ boundary: ACLHeader.Boundary, from end: LinkEnd) {
    guard let air, let receiver = end.peer?.controller else { return }
    let limit = end.fragmentLength(for: receiver)
    var boundary = boundary == .continuing ? boundary : .firstFlushable
    var offset = 0
    while offset < data.count {
      let length = min(limit, data.count - offset)
      let packet = Packet(
        boundary: boundary, data: (offset..<offset + length).map { data[$0] },
        isLast: offset + length == data.count)
      if end.role == .central { central.append(packet) } else { peripheral.append(packet) }
      boundary = .continuing
      offset += length
    }
    plan(at: air.now.rawValue * 1_000)
  }

  /// Plans the next event, if there is none or an earlier one is possible.
  private func plan(at now: UInt64) {
    guard let parameters = central.end?.parameters else { return }
    if next == nil {
      // The link was idle, and heard the events between.
      let interval = parameters.subratedMicroseconds
      let missed = now > subratedEvent ? (now - subratedEvent) / interval : 0
      contact = max(contact, subratedEvent + missed * interval)
    }
    // A peripheral without data listens only to each event after its latency.
    let event = event(after: now, skipping: peripheral.isEmpty ? parameters.latency : 0, parameters)
    guard event < next ?? .max else { return }
    next = event
    if let controller = central.end?.controller { air?.reschedule(controller) }
  }

  /// The first event after `now` that both sides use, if the peripheral skips `latency` of them.
  private func event(
    after now: UInt64, skipping latency: UInt16, _ parameters: LinkParameters
  ) -> UInt64 {
    let soon = Self.event(after: now, since: anchor, each: parameters.microseconds)
    if soon <= anchor + UInt64(parameters.continuationNumber) * parameters.microseconds {
      return soon
    }
    return Self.event(
      after: now, since: subratedEvent,
      each: parameters.subratedMicroseconds * (UInt64(latency) + 1))
  }

  private static func event(after now: UInt64, since start: UInt64, each step: UInt64) -> UInt64 {
    start + (now < start ? 1 : (now - start) / step + 1) * step
  }

  /// Delivers all data at once: a side ends the link, whose last packet follows the data.
  func flush() {
    while let packet = central.first { acknowledge(&central, packet, to: peripheral.end) }
    while let packet = peripheral.first { acknowledge(&peripheral, packet, to: central.end) }
    next = nil
  }

  private func acknowledge(_ side: inout Side, _ packet: Packet, to receiver: LinkEnd?) {
    if !side.hasArrived { deliver(packet, from: side.end, to: receiver) }
    side.removeFirst()
  }

  private func deliver(_ packet: Packet, from sender: LinkEnd?, to receiver: LinkEnd?) {
    guard let receiver, let controller = receiver.controller else { return }
    controller.deliver(
      packet.data.span, packet.boundary, to: receiver, completing: packet.isLast ? sender : nil)
  }

  // MARK: Events

  /// Carries out the event that is due. Returns whether the link has been silent for its supervision
  /// timeout.
  func pass(at now: Instant) -> Bool {
    guard let event = next, event <= now.rawValue * 1_000, let end = central.end else {
      return false
    }
    let interval = end.parameters.microseconds
    anchor = event
    let step = end.parameters.subratedMicroseconds
    subratedEvent = step == interval ? event : subratedEvent + (event - subratedEvent) / step * step
    next = nil
    // Out of range, the data stays until the link ends.
    guard end.peer != nil else { return false }
    exchange(within: interval, at: event)
    if !central.isEmpty || !peripheral.isEmpty {
      next = self.event(after: event, skipping: 0, end.parameters)
    }
    return event > contact + UInt64(end.parameters.supervisionTimeout) * 10_000
  }

  /// The packets of one event: the central's, the peripheral's, and so on while either has data and
  /// there is time before the next event. A lost packet ends the event.
  private func exchange(within interval: UInt64, at event: UInt64) {
    var time: UInt64 = 0
    repeat {
      let duration = duration(of: central) + duration(of: peripheral)
      guard time == 0 || time + duration <= interval else { return }
      time += duration
      if isLost() { return }
      // The central's packet acknowledges the peripheral's last one.
      if peripheral.hasArrived { peripheral.removeFirst() }
      if let packet = central.first, !central.hasArrived {
        central.hasArrived = true
        deliver(packet, from: central.end, to: peripheral.end)
      }
      if isLost() { return }
      contact = event
      if central.hasArrived { central.removeFirst() }
      if let packet = peripheral.first, !peripheral.hasArrived {
        peripheral.hasArrived = true
        deliver(packet, from: peripheral.end, to: central.end)
      }
      // Nothing is left but to acknowledge it, which costs the next data nothing.
      if peripheral.hasOne, peripheral.hasArrived, central.isEmpty {
        peripheral.removeFirst()
      }
    } while !central.isEmpty || !peripheral.isEmpty
  }

  private func duration(of side: Side) -> UInt64 {
    guard let end = side.end else { return PacketTime.interFrameSpace }
    let packet = PacketTime.packet(
      side.first?.data.count ?? 0, phy: end.transmitPHY, isEncrypted: end.isEncrypted)
    return packet + PacketTime.interFrameSpace
  }

  private func isLost() -> Bool {
    guard let loss = air?.linkLayer?.packetLoss, loss > 0 else { return false }
    return random.nextFraction() < loss
  }
}

extension LinkParameters {
  /// The interval in µs.
  fileprivate var microseconds: UInt64 { UInt64(max(interval, 1)) * 1_250 }
  /// The time between two events that the subrate leaves, in µs.
  fileprivate var subratedMicroseconds: UInt64 { microseconds * UInt64(max(subrateFactor, 1)) }
}
