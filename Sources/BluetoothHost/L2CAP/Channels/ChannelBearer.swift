/// The state that the channels of one link share.
struct ChannelBearer {
  /// A K-frame that is partly sent.
  struct UnfinishedFrame {
    /// The channel; `nil` if it has ended: the rest of the frame is zeros, which the peer ignores.
    var channel: Int?
    /// How many bytes of the payload remain to be sent.
    var remaining: Int
  }

  /// The channels of the link.
  var members = ChannelSet.none
  /// The channels that may have something to send.
  var ready = ChannelSet.none
  /// The channel that may send next: the one after the last sender.
  var next = 0
  /// The K-frame that is being sent.
  var unfinished: UnfinishedFrame?
  private var lastIdentifier = Self.reservedIdentifier

  /// The identifier of the host's connection parameter requests.
  private static var reservedIdentifier: UInt8 { 1 }

  init() {}

  /// The next identifier: 2 to 255, and then 2 again.
  ///
  /// Core Specification, Vol 3, Part A, 4: 0 is invalid, and successive requests or indications
  /// have different identifiers.
  mutating func nextIdentifier() -> UInt8 {
    lastIdentifier = lastIdentifier == .max ? Self.reservedIdentifier + 1 : lastIdentifier + 1
    return lastIdentifier
  }

  /// Removes a channel that has ended.
  mutating func remove(_ channel: Int) {
    members.remove(channel)
    ready.remove(channel)
    if unfinished?.channel == channel { unfinished?.channel = nil }
  }
}
