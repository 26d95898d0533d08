import LinuxSystem

/// An open way to a controller: a descriptor in the loop, and what it was last ready for.
final class RadioConnection: EventHandler {
  /// Whether a read is worth a try.
  var isReadable = false
  /// Whether a write is worth a try.
  var isWritable = true
  /// One packet a read and write, as adapters have it, or a stream.
  let isPacketwise: Bool

  private var descriptor: FileDescriptor?
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var waitsToWrite = false
  /// What to give back to the kernel at the end.
  private let adapter: Adapter?

  /// - Parameter adapter: Whose user channel it is, if it is one.
  init(
    _ descriptor: consuming FileDescriptor, loop: EventLoop, adapter: Adapter? = nil
  ) throws(SystemError) {
    self.loop = loop
    self.adapter = adapter
    isPacketwise = adapter != nil
    registration = try loop.add(descriptor, for: .readable, handler: self)
    self.descriptor = consume descriptor
  }

  /// Ends the connection. An adapter is as it was before.
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
  }

  /// Reads what there is into the front of `space`.
  func read(
    into space: inout MutableSpan<UInt8>
  ) throws(SystemError) -> FileDescriptor.ReadResult {
    switch descriptor {
    case nil: return .end
    case let descriptor?: return try descriptor.read(into: &space)
    }
  }

  /// Writes what is taken, and waits until more would be if that is less than all of it.
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

/// A door at which a controller may come to us, and whether one has.
final class RadioDoor: EventHandler {
  /// The address listened on.
  let listener: StreamListener
  private let loop: EventLoop
  private var registration: EventLoop.Registration?

  init(_ listener: consuming StreamListener, loop: EventLoop) {
    self.listener = listener
    self.loop = loop
  }

  /// The controller that has come, if any. If none has, one that comes wakes the loop.
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

  /// One controller is enough: the next one waits, without waking the loop, until it has gone.
  private func watch(_ isWatched: Bool) throws(SystemError) {
    if let registration {
      try loop.change(registration, to: isWatched ? .readable : .none)
    } else {
      registration = try loop.add(
        listener.descriptor, for: isWatched ? .readable : .none, handler: self)
    }
  }
}
