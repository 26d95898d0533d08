/// What channels are for: the owner of a host's channels.
///
/// A *channel* is a number, from 0 up to the host's number of channels, less one. A channel has its
/// number from `opened`, or from `CreditBasedChannels.open`, until `closed`; then another may get it. A
/// *link* is the number of a connection. Every call returns at once.
///
/// The core keeps no SDU. To send one, the owner says how long it is, and writes each part when there is
/// room for it. To receive one, it takes each segment as it comes, and says how much more it can take:
/// that much, and no more, the peer may send. After anything changes in between, the owner calls
/// `CreditBasedChannels.resume`.
public protocol ChannelApplication: ~Copyable {
  /// What there is on an SPSM for the peer on `link`; `nil` for nothing.
  func listener(on spsm: SPSM, at link: Int) -> ChannelListener?

  /// A channel is open. It carries SDUs of at most `peerMTU` bytes to the peer.
  mutating func opened(_ channel: Int, on spsm: SPSM, at link: Int, peerMTU: Int)

  /// A channel has ended, and its number is free. Follows exactly once after `opened`, or after
  /// `CreditBasedChannels.open` if the channel was never opened.
  mutating func closed(_ channel: Int, with end: ChannelEnd)

  // MARK: Receiving

  /// How many more bytes of SDUs the owner can take on a channel.
  ///
  /// The peer gets a credit for each whole MPS in it. Below the MPS that is none, and a peer without
  /// credits sends nothing.
  func room(of channel: Int) -> Int

  /// Takes the next part of an SDU.
  mutating func received(_ segment: SDUSegment, on channel: Int)

  // MARK: Sending

  /// The length in bytes of the SDU to be sent next, up to the peer's MTU; `nil` if there is none.
  ///
  /// The owner keeps the SDU until `sent` or `closed`.
  func nextSDULength(on channel: Int) -> Int?

  /// Writes the bytes of the SDU from `offset` on: exactly as many as `writer` has room for.
  mutating func writeSDU(on channel: Int, from offset: Int, into writer: inout ByteWriter)

  /// The whole SDU has gone to the controller.
  mutating func sent(on channel: Int)
}

/// A part of an SDU, as one K-frame carries it.
public struct SDUSegment: ~Escapable {
  /// Where it belongs in the SDU: the number of bytes before it.
  public let offset: Int
  /// The length of the whole SDU in bytes, up to this device's MTU.
  public let sduLength: Int
  /// The bytes.
  public let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(offset: Int, sduLength: Int, bytes: Span<UInt8>) {
    self.offset = offset
    self.sduLength = sduLength
    self.bytes = bytes
  }

  /// Whether the SDU is complete with it.
  public var isLast: Bool { offset &+ bytes.count == sduLength }
}
