import BluetoothHost
import LinuxSystem

/// A program that listens to a ball.
final class ControlListener: EventHandler {
  /// How many bytes may wait for a slow program.
  static let maximumBacklog = 262_144
  /// The longest line of a request, without its end.
  static let longestRequest = 128

  let number: Int
  var wantsPackets = false
  /// Whether it has received the state, and receives changes.
  var isCurrent = false

  private let connection: FileDescriptor
  private unowned let socket: ControlSocket
  private var loop: EventLoop?
  private var registration: EventLoop.Registration?
  private var input: [UInt8] = []
  /// The bytes that the program has not read, from `sent` on.
  private var output: [UInt8] = []
  private var sent = 0

  init(_ connection: consuming FileDescriptor, number: Int, socket: ControlSocket) {
    self.connection = connection
    self.number = number
    self.socket = socket
  }

  /// Starts to wait for its requests; `false` if the kernel has no memory.
  func open(in loop: EventLoop) -> Bool {
    self.loop = loop
    registration = try? loop.add(connection, for: .readable, handler: self)
    return registration != nil
  }

  /// Stops sending and receiving.
  func close() {
    if let registration { loop?.remove(registration) }
    registration = nil
  }

  /// Sends whole lines now or when there is room; `false` if the program is too slow or has gone.
  func send(_ lines: Span<UInt8>) -> Bool {
    guard output.count - sent + lines.count <= Self.maximumBacklog else { return false }
    output.reserveCapacity(output.count + lines.count)
    for index in lines.indices { output.append(lines[index]) }
    return flush()
  }

  /// The connection is readable, writable or closed.
  func handle(_ readiness: Readiness, token: Int) {
    guard registration != nil else { return }
    if readiness.isReadable || readiness.isHangUp, !receive() { return socket.drop(self) }
    if !flush() { socket.drop(self) }
  }

  /// Receives lines; `false` if it has gone, or does not send lines.
  private func receive() -> Bool {
    var storage = [UInt8](repeating: 0, count: 512)
    var space = storage.mutableSpan
    switch try? connection.read(into: &space) {
    case .nothingYet: return true
    case nil, .end: return false
    case .bytes(let count): input += storage.prefix(count)
    }
    while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
      guard end <= Self.longestRequest else { return false }
      socket.received(Array(input.prefix(end)), from: self)
      input.removeFirst(end + 1)
    }
    return input.count <= Self.longestRequest
  }

  /// Writes what the kernel takes; `false` if the program reads no more.
  private func flush() -> Bool {
    while sent < output.count {
      guard let count = try? connection.write(output.span.extracting(sent..<output.count)) else {
        return false
      }
      guard count > 0 else { return waitForRoom(true) }
      sent += count
    }
    output.removeAll(keepingCapacity: true)
    sent = 0
    return waitForRoom(false)
  }

  private var isWaitingForRoom = false

  private func waitForRoom(_ isWaiting: Bool) -> Bool {
    guard isWaiting != isWaitingForRoom, let registration else { return true }
    isWaitingForRoom = isWaiting
    // Fails only for a descriptor that is not in the loop.
    try? loop?.change(registration, to: isWaiting ? .readableOrWritable : .readable)
    return true
  }
}
