import BluetoothHost

/// An event of the host's channel.
enum ChannelEvent {
  /// It has opened, for SDUs of at most so many bytes to the peer.
  case opened(peerMTU: Int)
  /// The SDU to send was passed to the controller.
  case sent
  /// A whole SDU has come.
  case received([UInt8])
  /// It has closed, or did not open.
  case closed(ChannelEnd)
}

/// The application of a host with one channel: keeps its events, in order, until the program takes
/// them. Peers get no channel.
struct ChannelEvents: ChannelApplication, ~Copyable {
  /// The longest SDU that this device accepts.
  static let mtu = ChannelMTU(4_096) ?? .minimum

  /// The SDU to send; `nil` if there is none.
  var outgoing: [UInt8]?

  private var incoming: [UInt8] = []
  private var events: [ChannelEvent] = []

  /// Whether `takeEvents` has any.
  var hasEvents: Bool { !events.isEmpty }

  /// Takes the events, the oldest first.
  mutating func takeEvents() -> [ChannelEvent] {
    var taken: [ChannelEvent] = []
    swap(&taken, &events)
    return taken
  }

  // MARK: ChannelApplication

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? { nil }

  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    events.append(.opened(peerMTU: peerMTU))
  }

  mutating func closed(_ channel: Int, with end: ChannelEnd) {
    outgoing = nil
    incoming = []
    events.append(.closed(end))
  }

  /// The program takes each SDU at once.
  func room(of channel: Int) -> Int { Self.mtu.byteCount }

  mutating func received(_ segment: SDUSegment, on channel: Int) {
    incoming += [UInt8](segment.bytes)
    guard segment.isLast else { return }
    events.append(.received(incoming))
    incoming = []
  }

  func nextSDULength(on channel: Int) -> Int? { outgoing?.count }

  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    guard let outgoing, offset < outgoing.count else { return }
    writer.writePrefix(of: outgoing.span.extracting(offset..<outgoing.count))
  }

  mutating func sent(on channel: Int) {
    outgoing = nil
    events.append(.sent)
  }
}
