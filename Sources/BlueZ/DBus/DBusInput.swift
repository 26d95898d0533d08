import BluetoothHost
import Linux

/// The messages from the bus: cuts the stream, and lends one message after another.
package struct DBusInput: ~Copyable {
  /// What went wrong with the stream.
  package enum StreamError: Error, Equatable {
    /// The bus does not accept this user.
    case refused
    /// The bytes are not those of D-Bus.
    case invalid
  }

  /// The longest message that is kept, such as all objects of a machine with thousands of devices. A
  /// longer one is skipped; the call that it replies to times out.
  static var capacity: Int { 0x80_0000 }
  /// The memory that is kept after a long message.
  private static var usual: Int { 0x1_0000 }

  /// What comes next in the stream.
  private enum Phase {
    /// The answer to AUTH.
    case acceptance
    /// The answer to NEGOTIATE_UNIX_FD.
    case agreement
    case messages
  }

  private var bytes: MappedBytes
  private var start = 0
  private var end = 0
  /// Where the last message began.
  private var lastStart = 0
  /// How much of a message that is too long is still to be skipped.
  private var skipped = 0
  private var phase = Phase.acceptance

  /// An input without bytes; `nil` if the kernel refuses the memory.
  package init?() {
    guard let bytes = MappedBytes(Self.capacity) else { return nil }
    self.bytes = bytes
  }

  /// Whether every byte has been read.
  var isEmpty: Bool { start == end }

  /// Reads what is there, with the descriptors that come with it.
  package mutating func receive(
    from socket: borrowing PortDescriptor, _ descriptors: inout DBusDescriptors
  ) -> Transfer {
    makeRoom()
    let space = bytes.mutableSpan._consumingExtracting(end...)
    let result = descriptors.receive(from: socket, into: space)
    if case .bytes(let count) = result { end &+= count }
    return result
  }

  /// Takes received bytes: as many as fit.
  package mutating func receive(_ received: Span<UInt8>) {
    makeRoom()
    let space = bytes.mutableSpan._consumingExtracting(end...)
    let count = min(received.count, space.count)
    var writer = ByteWriter(space, limit: count)
    writer.writePrefix(of: received)
    end &+= count
  }

  /// Moves what is unread to the front.
  private mutating func makeRoom() {
    guard start > 0 else { return }
    let count = end &- start
    if count > 0 {
      var all = bytes.mutableSpan
      all.moveToFront(count, from: start)
    }
    if end > Self.usual, count <= Self.usual { bytes.discard(after: Self.usual) }
    start = 0
    end = count
  }

  /// Lends the next whole message; `nil` if none is complete.
  ///
  /// - Throws: Why no further message can be read.
  @_lifetime(&self)
  package mutating func next() throws(StreamError) -> DBusMessage? {
    if phase != .messages, try !acceptLines() { return nil }
    skip()
    let unread = end &- start
    guard unread >= DBusMessage.prefixCount else { return nil }
    guard
      let length = DBusMessage.length(
        bytes.span.extracting(start..<start &+ DBusMessage.prefixCount))
    else { throw .invalid }
    if length > Self.capacity {
      skipped = length
      skip()
      return nil
    }
    guard unread >= length else { return nil }
    lastStart = start
    start &+= length
    let span = bytes.span.extracting(lastStart..<start)
    guard let message = DBusMessage(span) else { throw .invalid }
    return message
  }

  /// Makes `next` lend the last message again. Nothing may have been received since.
  mutating func putBack() { start = lastStart }

  /// Skips what is left of a message that is too long.
  private mutating func skip() {
    let count = min(skipped, end &- start)
    skipped &-= count
    start &+= count
  }

  /// Reads the bus's answers to the lines of `DBusOutput.authenticate`; `false` if one is incomplete.
  /// D-Bus Specification, "Authentication Protocol".
  private mutating func acceptLines() throws(StreamError) -> Bool {
    while phase != .messages {
      let unread = bytes.span.extracting(start..<end)
      guard let length = unread.firstIndex(of: "\r\n") else {
        // The longest line has 32 digits.
        if unread.count > 1_024 { throw .invalid }
        return false
      }
      let line = unread.extracting(first: length)
      switch phase {
      case .acceptance:
        if line.begins(with: "REJECTED") || line.begins(with: "ERROR") { throw .refused }
        guard line.begins(with: "OK ") else { throw .invalid }
        phase = .agreement
      case .agreement:
        guard line.begins(with: "AGREE_UNIX_FD") else { throw .invalid }
        phase = .messages
      case .messages: break
      }
      start &+= length &+ 2
    }
    return true
  }
}

/// The descriptors that came with messages, in their order, until they are used.
package struct DBusDescriptors: ~Copyable {
  /// How many are kept. Those of a message are used or closed before the next message.
  static var capacity: Int { 16 }

  private var numbers = InlineArray<16, Int32>(repeating: -1)
  private var count = 0

  /// None.
  package init() {}

  deinit { for index in 0..<count where numbers[index] >= 0 { clinux_close(numbers[index]) } }

  mutating func receive(
    from socket: borrowing PortDescriptor, into space: consuming MutableSpan<UInt8>
  ) -> Transfer {
    var number: Int32 = 0
    var space = space
    let first = count
    var all = numbers.mutableSpan
    let result = unsafe space.withUnsafeMutableBufferPointer { bytes in
      unsafe all.withUnsafeMutableBufferPointer { numbers in
        unsafe clinux_receive_with_descriptors(
          socket.number, bytes.baseAddress, bytes.count,
          numbers.baseAddress.map { unsafe $0 + first },
          Int32(truncatingIfNeeded: Self.capacity &- first), &number)
      }
    }
    count &+= Int(number)
    return Transfer(result)
  }

  /// Takes the descriptor at `index` of the present message, which the caller closes; `nil` if there is none.
  package mutating func take(at index: UInt32) -> Int32? {
    guard index < UInt32(count), numbers[Int(index)] >= 0 else { return nil }
    defer { numbers[Int(index)] = -1 }
    return numbers[Int(index)]
  }

  /// Closes those of the present message that were not taken, after it was handled.
  package mutating func drop(_ number: Int) {
    let number = min(number, count)
    for index in 0..<number where numbers[index] >= 0 { clinux_close(numbers[index]) }
    for index in number..<count { numbers[index &- number] = numbers[index] }
    count &-= number
  }
}
