import LinuxSystem

/// Is notified when a radio is ready, so that a program with many radios serves only those.
package protocol RadioWatcher: AnyObject {
  /// The radio can be read or written now.
  func radioIsReady()
}

/// An open connection to a controller: a descriptor in the loop, and what it was last ready for.
final class RadioConnection: EventHandler {
  /// Whether a read may find bytes.
  var isReadable = false
  /// Whether a write may be taken.
  var isWritable = true
  /// Whether each read and write is one packet, as with adapters, and not part of a stream.
  let isPacketwise: Bool

  private var descriptor: FileDescriptor?
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var waitsToWrite = false
  /// Is notified when the descriptor is ready; `nil` if the loop's owner checks all of its radios.
  private weak var watcher: (any RadioWatcher)?
  /// The adapter to return to the kernel at the end.
  private let adapter: Adapter?

  /// - Parameter adapter: The adapter, if `descriptor` is its user channel.
  init(
    _ descriptor: consuming FileDescriptor, loop: EventLoop, adapter: Adapter? = nil,
    watcher: (any RadioWatcher)? = nil
  ) throws(SystemError) {
    self.loop = loop
    self.watcher = watcher
    self.adapter = adapter
    isPacketwise = adapter != nil
    registration = try loop.add(descriptor, for: .readable, handler: self)
    self.descriptor = consume descriptor
  }

  /// Ends the connection, and returns the adapter to the kernel.
  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
    guard descriptor != nil else { return }
    descriptor = nil
    adapter?.restore()
  }

  func handle(_ readiness: Readiness, token: Int) {
    if readiness.isReadable { isReadable = true }
    if readiness.isWritable { isWritable = true }
    watcher?.radioIsReady()
  }

  /// Reads the available bytes into the front of `space`.
  func read(
    into space: inout MutableSpan<UInt8>
  ) throws(SystemError) -> FileDescriptor.ReadResult {
    switch descriptor {
    case nil: return .end
    case let descriptor?: return try descriptor.read(into: &space)
    }
  }

  /// Writes as many bytes as the descriptor takes. After a partial write, the loop reports when it
  /// takes more.
  func write(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
    let count =
      switch descriptor {
      case nil: bytes.count
      case let descriptor?: try descriptor.write(bytes)
      }
    isWritable = count == bytes.count
    if isWritable == waitsToWrite, let registration {
      waitsToWrite.toggle()
      try loop.change(registration, to: waitsToWrite ? .readableOrWritable : .readable)
    }
    return count
  }
}

/// Listens for a controller that connects to us.
final class ControllerListener: EventHandler {
  /// The address listened on.
  let listener: StreamListener
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  init(_ listener: consuming StreamListener, loop: EventLoop) {
    self.listener = listener
    self.loop = loop
  }

  /// The controller that has connected; if `nil`, the next one to connect wakes the loop.
  func controller() throws(SystemError) -> FileDescriptor? {
    if let controller = try listener.accept() {
      try watch(false)
      return controller
    }
    try watch(true)
    return nil
  }

  func handle(_ readiness: Readiness, token: Int) {}

  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// Only one controller is served: the next one waits, without waking the loop, until it is gone.
  private func watch(_ isWatched: Bool) throws(SystemError) {
    if let registration {
      try loop.change(registration, to: isWatched ? .readable : .none)
    } else {
      registration = try loop.add(
        listener.descriptor, for: isWatched ? .readable : .none, handler: self)
    }
  }
}
