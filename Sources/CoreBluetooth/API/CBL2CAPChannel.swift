import Foundation

/// The number by which an L2CAP channel is asked for: its protocol/service multiplexer. Those that are
/// published are 0x0080 to 0x00FF.
public typealias CBL2CAPPSM = UInt16

/// An open L2CAP channel to a peer.
///
/// Keep it for as long as its streams are used: it is closed when nothing refers to it any more, as when
/// both streams are closed. What has been written before is sent first, for 10 s at most.
///
/// A stream has to be opened. Its delegate is called where the stream is scheduled. Without a delegate,
/// `read` waits until the peer has sent something, and `write` until there is room. When either side has
/// closed the channel, both streams encounter their end, the input once it has been read; when the link
/// is lost, both encounter an error, which is a `CBError`.
open class CBL2CAPChannel: NSObject, @unchecked Sendable {
  /// The device on the other side.
  public let peer: CBPeer!
  /// What the peer sends.
  public let inputStream: InputStream!
  /// What is sent to the peer.
  public let outputStream: OutputStream!
  /// The number by which the channel was asked for.
  public let psm: CBL2CAPPSM

  private let keeper: ChannelKeeper

  init(peer: CBPeer, psm: CBL2CAPPSM, _ keeper: ChannelKeeper) {
    let input = ChannelStreamState(keeper.pipe, isInput: true)
    let output = ChannelStreamState(keeper.pipe, isInput: false)
    self.keeper = keeper
    self.peer = peer
    self.psm = psm
    inputStream = ChannelInputStream(input)
    outputStream = ChannelOutputStream(output)
    super.init()
    keeper.pipe.observe { [weak input] in
      input?.signal()
    } output: { [weak output] in
      output?.signal()
    }
  }
}
