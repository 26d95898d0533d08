import Foundation

/// The protocol/service multiplexer (PSM) of an L2CAP channel. Published ones are 0x0080 to 0x00FF.
public typealias CBL2CAPPSM = UInt16

/// An open L2CAP channel to a peer.
///
/// Keep it while its streams are used: it closes when it is released, or when both streams are
/// closed. Bytes written before are sent first, for 10 s at most.
///
/// Open each stream before use. Its delegate is called where the stream is scheduled. `read` waits
/// for the first byte, and `write` for room: call them from the delegate's events to avoid waiting.
/// When either side closes the channel, both streams encounter their end, the input after its last
/// byte. When the link is lost, both encounter an error, which is a `CBError`.
open class CBL2CAPChannel: NSObject, @unchecked Sendable {
  /// The device on the other side.
  public let peer: CBPeer!
  /// What the peer sends.
  public let inputStream: InputStream!
  /// What is sent to the peer.
  public let outputStream: OutputStream!
  /// The PSM with which the channel was opened.
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
