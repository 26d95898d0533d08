/// What the channels of one link share.
struct ChannelBearer {
  /// A K-frame of which more is to be sent.
  struct UnfinishedFrame {
    /// `nil` if the channel has ended since: the rest of the frame is zeros, which the peer ignores.
    var channel: Int?
    /// How many bytes of the payload are still to be sent.
    var remaining: Int
  }

  /// The channels of the link.
  var members = ChannelSet.none
  /// Those that may have something to send.
  var ready = ChannelSet.none
  /// Which channel is asked first: the one after that which has just sent something.
  var next = 0
  /// The K-frame that is on its way.
  var unfinished: UnfinishedFrame?
  private var lastIdentifier = Self.reservedIdentifier

  /// The identifier with which the host asks for other connection parameters.
  private static var reservedIdentifier: UInt8 { 1 }

  init() {}

  /// The identifier after the last one: from 2 up to 255, and from 2 again.
  ///
  /// Core Specification, Vol 3, Part A, 4: 0 is never used, and each request or indication has another
  /// than the one before.
  mutating func nextIdentifier() -> UInt8 {
    lastIdentifier = lastIdentifier == .max ? Self.reservedIdentifier + 1 : lastIdentifier + 1
    return lastIdentifier
  }

  /// The channel has ended.
  mutating func remove(_ channel: Int) {
    members.remove(channel)
    ready.remove(channel)
    if unfinished?.channel == channel { unfinished?.channel = nil }
  }
}
