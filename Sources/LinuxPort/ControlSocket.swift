import BallRunner
import BluetoothHost
import Linux

/// A listener of the ball, or an unused entry.
struct PortListener {
  /// The longest line of a request with its end.
  static var inputLimit: Int { 129 }

  /// Its connection; negative for an unused entry.
  var number: Int32 = -1
  /// Whether its start was not reported yet.
  var isNew = true
  /// Whether it has gone, or must be dropped.
  var isGone = false
  /// Whether it receives each packet.
  var wantsPackets = false
  /// The received bytes, and how many bytes of `input` they are.
  private var input = InlineArray<129, UInt8>(repeating: 0)
  private var count = 0

  /// A listener with this connection.
  init(_ number: Int32 = -1) {
    self.number = number
  }

  /// Reads what it has sent; `true` if there are bytes.
  @inline(never)
  mutating func receive() -> Bool {
    let number = self.number
    let start = count
    var space = input.mutableSpan
    let result = unsafe space.withUnsafeMutableBufferPointer {
      unsafe clinux_read(number, $0.baseAddress.map { unsafe $0 + start }, $0.count - start)
    }
    switch Transfer(result) {
    case .wouldBlock: return false
    case .bytes(let more) where more > 0:
      count = start + more
      return true
    default:
      isGone = true
      return true
    }
  }

  /// Sends it whole lines; `false` if it has gone, or its buffer stays full for `limit` milliseconds: it is then
  /// dropped.
  @inline(never)
  mutating func take(_ lines: Span<UInt8>, within limit: Int32) -> Bool {
    guard number >= 0, !isGone else { return true }
    let number = self.number
    let result = unsafe lines.withUnsafeBufferPointer {
      unsafe clinux_send_whole(number, $0.baseAddress, $0.count, limit)
    }
    isGone = Int(truncatingIfNeeded: result) != lines.count
    return !isGone
  }

  /// Takes its first line; `false` without a whole line.
  @inline(never)
  mutating func takeLine(into request: inout ByteBuffer<128>) -> Bool {
    guard let end = input.span.extracting(first: count).firstIndex(of: UInt8(ascii: "\n")) else {
      if count == Self.inputLimit { isGone = true }
      return false
    }
    _ = request.assign(input.span.extracting(first: end))
    let rest = count - end - 1
    for offset in 0..<rest { input[offset] = input[offset + end + 1] }
    count = rest
    return true
  }
}

/// The control socket of the ball: 16 programs of this user, or of root, can listen at once.
///
/// The kernel's buffer takes the bytes at once, or the listener is dropped: nothing waits for a
/// listener that does not read. Only on simulated time, which stands still meanwhile, it waits.
struct ControlSocket: ~Copyable {
  /// Why the socket cannot be used; `nil` if it can.
  private(set) var failure: SystemCallError?
  /// Whether another ball has the socket.
  var isTaken: Bool { failure?.code == .addressInUse }
  /// The path of the socket.
  private(set) var path = InlineCString<256>()
  /// Whether there is a listener, or one whose end was not reported yet.
  private(set) var isInUse = false
  /// Whether an event waits.
  private(set) var hasEvents = false
  /// Whether a listener wants packets.
  private(set) var hasPacketListeners = false

  /// How long a listener may have no room for what is sent, in milliseconds.
  var roomLimit: Int32 = 0

  /// When to accept programs again after a failure; `nil` while they are accepted.
  private(set) var deadline: Instant?

  private var listener: UnixListener?
  private var listeners = InlineArray<16, PortListener>(repeating: PortListener())
  /// The packets of this turn.
  private var packets = ByteBuffer<8_192>()

  init() {}

  /// The bytes of the path.
  var location: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { path.span }
  }

  /// Whether programs of this user may listen: the user is the ball's, or root.
  static func trusts(_ user: Int64) -> Bool {
    user >= 0
      && (user == 0 || UInt32(truncatingIfNeeded: user) == clinux_user())
  }

  /// Writes the path to listen on: `path`; or else `control.sock` in the first folder of
  /// `folders`; or else `eightball-control.sock` in `user`, or in /tmp with the user's number,
  /// and with `number` from 2 on.
  @inline(never)
  static func writePath(
    _ path: ProgramText?, service folders: ProgramText?, user: ProgramText?, _ number: UInt32,
    to writer: inout ByteWriter
  ) {
    if let path {
      writer.write(start: path.span)
    } else if let folders {
      writer.write(
        start: folders.first(folders.span.firstIndex(of: UInt8(ascii: ":")) ?? folders.count).span
      )
      writer.write(text: "/control.sock")
    } else {
      UserSocket.writePath("eightball-control", number, in: user, to: &writer)
    }
  }

  /// Listens at a path; `false`, with `failure`, if that fails.
  mutating func open(_ location: Span<UInt8>, _ queue: borrowing PollQueue) -> Bool {
    // The beginning shows which path it was.
    _ = path.assign(location.extracting(first: min(location.count, 255)))
    do throws(SystemCallError) {
      let listener = try UnixListener(path, replacesAll: true)
      queue.add(listener.descriptor.number, .control, for: .readable)
      self.listener = consume listener
      failure = nil
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Writes why it cannot be used, without a full stop.
  func writeError(to writer: inout ByteWriter) {
    failure?.write(to: &writer) { $0.write(start: path.span) }
  }

  // MARK: For the loop

  /// A program connects, has sent something, or has gone.
  @inline(never)
  mutating func handle(_ queue: borrowing PollQueue) {
    accept(queue)
    for index in listeners.indices where listeners[index].number >= 0 {
      if listeners[index].receive() { hasEvents = true }
    }
  }

  /// Accepts programs again if the pause is over.
  mutating func advance(to now: Instant, _ queue: borrowing PollQueue) {
    guard let deadline, deadline <= now, let number = listener?.descriptor.number else { return }
    self.deadline = nil
    queue.change(number, .control, to: .readable)
  }

  private mutating func accept(_ queue: borrowing PollQueue) {
    guard let number = listener?.descriptor.number else { return }
    let connection = clinux_accept(number)
    guard connection >= 0 else {
      if ErrorNumber(connection) != .wouldBlock {
        // For example too many open files: a waiting program would wake the loop repeatedly.
        deadline = MonotonicClock.now.advanced(by: 1_000)
        queue.change(number, .control, to: .none)
      }
      return
    }
    var index = 0
    while index < listeners.count, listeners[index].number >= 0 { index += 1 }
    guard Self.trusts(clinux_peer(connection)) else { return clinux_close(connection) }
    if index == listeners.count { Self.refuse(connection) }
    guard index < listeners.count, queue.add(connection, .control, for: .readable)
    else { return clinux_close(connection) }
    clinux_keep_more(connection)
    listeners[index] = PortListener(connection)
    isInUse = true
    hasEvents = true
  }

  /// Sends the only line for a program that is too many, as the tools' balls do.
  private static func refuse(_ connection: Int32) {
    let line: StaticString = """
      {"event":"error","request":"","detail":"16 programs listen to the ball, which takes no \
      more. End one of them"}

      """
    _ = unsafe clinux_send(connection, line.utf8Start, line.utf8CodeUnitCount)
  }

  // MARK: For the ball

  /// Takes the oldest event.
  mutating func nextEvent(into request: inout ByteBuffer<128>) -> ControlEvent? {
    for index in listeners.indices where listeners[index].number >= 0 {
      if listeners[index].isNew {
        listeners[index].isNew = false
        return .joined(index)
      }
      if listeners[index].takeLine(into: &request) { return .request(index) }
      if listeners[index].isGone {
        clinux_close(listeners[index].number)
        listeners[index].number = -1
        sendPackets(false, to: index)
        return .left(index)
      }
    }
    hasEvents = false
    return nil
  }

  /// Sends whole lines to one listener, or to all that have the state if `listener` is `nil`.
  @inline(never)
  mutating func send(_ lines: Span<UInt8>, to listener: Int?) {
    for index in listeners.indices
    where listener == index || listener == nil && !listeners[index].isNew {
      if !listeners[index].take(lines, within: roomLimit) { hasEvents = true }
    }
  }

  // MARK: Packets

  /// Whether a listener receives packets from now on.
  mutating func sendPackets(_ isWanted: Bool, to listener: Int) {
    // The packets until now are for the listeners until now.
    sendPackets()
    listeners[listener].wantsPackets = isWanted
    isInUse = false
    hasPacketListeners = false
    for index in listeners.indices {
      if listeners[index].number >= 0 { isInUse = true }
      if listeners[index].wantsPackets { hasPacketListeners = true }
    }
  }

  /// Keeps the line of a packet until the end of the turn.
  @inline(never)
  mutating func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    // 100 bytes are enough for everything but the packet.
    if packets.freeCapacity < 100 + packet.count * 2 { sendPackets() }
    let start = packets.count
    var writer = packets.makeAppendingWriter()
    writer.write(text: "{\"event\":\"packet\",\"time\":")
    var fraction: UInt32 = 0
    let seconds = unsafe clinux_time(&fraction)
    writer.write(decimal: seconds)
    writer.write(sixDigits: fraction)
    writer.write(text: ",\"direction\":\"")
    writer.write(text: direction == .received ? "in" : "out")
    writer.write(text: "\",\"bytes\":\"")
    for index in packet.indices {
      let byte = packet[index]
      Self.write(digit: byte &>> 4, to: &writer)
      Self.write(digit: byte & 0xF, to: &writer)
    }
    writer.write(text: "\"}\n")
    let count = writer.count
    packets.keepWritten(start + count)
  }

  @inline(never)
  private static func write(digit number: UInt8, to writer: inout ByteWriter) {
    writer.write(number < 10 ? UInt8(ascii: "0") &+ number : UInt8(ascii: "a") &+ number &- 10)
  }

  /// Sends the packets of this turn.
  @inline(never)
  mutating func sendPackets() {
    if packets.isEmpty { return }
    for index in listeners.indices where listeners[index].wantsPackets {
      if !listeners[index].take(packets.span, within: roomLimit) { hasEvents = true }
    }
    packets.removeAll()
  }
}
