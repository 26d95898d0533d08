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

/// The bytes that a peer sends on a channel.
final class ChannelInputStream: InputStream {
  let state: ChannelStreamState

  init(_ state: ChannelStreamState) {
    self.state = state
    super.init(data: Data())
    state.represent(self)
  }

  deinit { close() }

  override func open() { state.open() }

  override func close() { if state.close() { state.pipe.closeInput() } }

  override var streamStatus: Stream.Status { state.status }
  override var streamError: (any Error)? { state.error }
  override var hasBytesAvailable: Bool { state.isUsable && state.pipe.hasBytes }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
    false
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    state.schedule(in: aRunLoop, forMode: mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    state.remove(from: aRunLoop, forMode: mode)
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    guard state.isUsable, len >= 0 else { return -1 }
    guard len > 0 else { return 0 }
    let count = unsafe state.pipe.read(
      into: UnsafeMutableRawBufferPointer(start: buffer, count: len))
    state.noteUse()
    return count == 0 && (state.error != nil || !state.isUsable) ? -1 : count
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
    length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}

/// The bytes that are sent to a peer on a channel.
final class ChannelOutputStream: OutputStream {
  let state: ChannelStreamState

  init(_ state: ChannelStreamState) {
    self.state = state
    super.init(toMemory: ())
    state.represent(self)
  }

  /// A stream without a channel: the superclass requires this initialiser.
  required init(toMemory: ()) {
    state = ChannelStreamState(ChannelPipe { _ in }, isInput: false)
    super.init(toMemory: ())
  }

  deinit { close() }

  override func open() { state.open() }

  override func close() { if state.close() { state.pipe.closeOutput() } }

  override var streamStatus: Stream.Status { state.status }
  override var streamError: (any Error)? { state.error }
  override var hasSpaceAvailable: Bool { state.isUsable && state.pipe.hasRoom }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
    false
  }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    state.schedule(in: aRunLoop, forMode: mode)
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    state.remove(from: aRunLoop, forMode: mode)
  }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    guard state.isUsable, len >= 0 else { return -1 }
    guard len > 0 else { return 0 }
    let count = unsafe state.pipe.write(UnsafeRawBufferPointer(start: buffer, count: len))
    if count == nil { state.noteFailure() }
    state.noteUse()
    return count ?? -1
  }
}
