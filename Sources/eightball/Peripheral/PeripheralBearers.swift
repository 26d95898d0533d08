import BluetoothHost

/// The enhanced bearers of a peripheral whose file has them. Without them it has no memory for them: a
/// swarm has thousands of peripherals.
struct PeripheralBearers: ChannelApplication, ~Copyable {
  private final class Storage {
    var bearers = EnhancedBearers<4, 8, NoChannelApplication>(application: NoChannelApplication())
  }

  private let storage: Storage?

  /// - Parameter isPresent: Whether centrals may open bearers.
  init(isPresent: Bool) { storage = isPresent ? Storage() : nil }

  static var hasBearers: Bool { true }

  func listener(on spsm: SPSM, at link: Int) -> ChannelListener? {
    storage?.bearers.listener(on: spsm, at: link)
  }

  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int) {
    storage?.bearers.opened(channel, on: spsm, at: link, peerMTU: peerMTU)
  }

  mutating func reconfigured(_ channel: Int, peerMTU: Int) {
    storage?.bearers.reconfigured(channel, peerMTU: peerMTU)
  }

  mutating func closed(_ channel: Int, with end: ChannelEnd) {
    storage?.bearers.closed(channel, with: end)
  }

  func room(of channel: Int) -> Int { storage?.bearers.room(of: channel) ?? 0 }

  mutating func received(_ segment: SDUSegment, on channel: Int) {
    storage?.bearers.received(segment, on: channel)
  }

  func nextSDULength(on channel: Int) -> Int? { storage?.bearers.nextSDULength(on: channel) }

  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter) {
    storage?.bearers.writeSDU(on: channel, from: offset, into: &writer)
  }

  mutating func sent(on channel: Int) { storage?.bearers.sent(on: channel) }

  var deadline: Instant? { storage?.bearers.deadline }

  mutating func advance(to now: Instant) { storage?.bearers.advance(to: now) }

  mutating func withBearer<Result>(
    _ number: Int, _ body: (inout EnhancedBearer) -> Result
  ) -> Result? { storage?.bearers.withBearer(number, body) }

  mutating func withOwnBearer<Result>(
    _ link: Int, _ body: (inout BearerTurn) -> Result
  ) -> Result? { storage?.bearers.withOwnBearer(link, body) }

  var linksInTurn: ConnectionSet {
    get { storage?.bearers.linksInTurn ?? .none }
    set { storage?.bearers.linksInTurn = newValue }
  }

  mutating func takeNextBearer() -> Int? { storage?.bearers.takeNextBearer() }

  func hasPutOff(at link: Int) -> Bool { storage?.bearers.hasPutOff(at: link) ?? false }

  func bearers(at link: Int) -> ConnectionSet { storage?.bearers.bearers(at: link) ?? .none }
}
