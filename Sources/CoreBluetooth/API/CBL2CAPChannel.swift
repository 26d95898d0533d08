import Foundation

/// The number by which an L2CAP channel is asked for: its protocol/service multiplexer.
public typealias CBL2CAPPSM = UInt16

/// An open L2CAP channel to a peer.
///
/// There is none yet: the delegates are always given `nil`.
open class CBL2CAPChannel: NSObject, @unchecked Sendable {
  /// The device on the other side.
  public let peer: CBPeer!
  /// What the peer sends.
  public let inputStream: InputStream!
  /// What is sent to the peer.
  public let outputStream: OutputStream!
  /// The number by which the channel was asked for.
  public let psm: CBL2CAPPSM

  init(peer: CBPeer, inputStream: InputStream, outputStream: OutputStream, psm: CBL2CAPPSM) {
    self.peer = peer
    self.inputStream = inputStream
    self.outputStream = outputStream
    self.psm = psm
    super.init()
  }
}
