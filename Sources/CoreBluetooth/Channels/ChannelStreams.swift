import Foundation

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

  override func close() {
    if state.close() { state.pipe.closeInput() }
  }

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

  override func close() {
    if state.close() { state.pipe.closeOutput() }
  }

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
