import BluetoothHost
import Linux

/// The messages to the bus, and the calls whose replies are still due.
package struct DBusOutput: ~Copyable {
  /// How many bytes may wait for the bus, which reads fast.
  static var capacity: Int { 0x10_0000 }
  /// The memory that is kept after a long message.
  private static var usual: Int { 0x1_0000 }

  /// A call whose reply is due.
  private struct Call {
    var serial: UInt32
    var tag: UInt32
    var deadline: Instant
  }

  /// A descriptor to send with the byte at an offset.
  private struct Attachment {
    var offset: Int
    var number: Int32
  }

  /// How long a reply may take, in milliseconds, unless a call has its own limit: libdbus's, too.
  package static var usualTimeout: UInt32 { 25_000 }

  private var bytes: MappedBytes
  private var sent = 0
  private var end = 0
  private var serial: UInt32 = 0
  /// Where the last message begins.
  private var lastStart = 0
  private var calls = InlineArray<64, Call?>(repeating: nil)
  private var attachments = InlineArray<8, Attachment?>(repeating: nil)

  /// An output without messages; `nil` if the kernel refuses the memory.
  package init?() {
    guard let bytes = MappedBytes(Self.capacity) else { return nil }
    self.bytes = bytes
  }

  deinit {
    for index in attachments.indices {
      if let attachment = attachments[index] { clinux_close(attachment.number) }
    }
  }

  /// The bytes that wait to be sent.
  var unsent: Span<UInt8> {
    @_lifetime(borrow self) borrowing get { bytes.span.extracting(sent..<end) }
  }

  /// Counts them as sent. For tests: a radio calls `send`.
  @inline(never)
  mutating func dropUnsent() {
    sent = 0
    end = 0
  }

  /// Whether bytes wait to be sent.
  package var hasBytes: Bool { sent < end }

  /// When the next call fails without its reply; `nil` without calls.
  package var deadline: Instant? {
    var earliest: Instant?
    for index in calls.indices {
      if let call = calls[index] { earliest = Instant.earlier(earliest, call.deadline) }
    }
    return earliest
  }

  // MARK: Sending

  /// Begins the connection: SASL's mechanism EXTERNAL, for this user, and descriptors. All at once: the
  /// bus takes messages behind it. D-Bus Specification, "Authentication Protocol".
  @inline(never)
  package mutating func authenticate(as user: UInt32 = clinux_user()) {
    var digits = InlineArray<10, UInt8>(repeating: 0)
    var number = ByteWriter(digits.mutableSpan)
    number.write(decimal: user)
    let count = number.count
    append {
      $0.writer.write(UInt8(0))
      $0.writer.write(text: "AUTH EXTERNAL ")
      for index in 0..<count { $0.writer.write(hexadecimal: digits[index]) }
      $0.writer.write(text: "\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n")
    }
  }

  /// Sends what the socket takes now.
  @inline(never)
  package mutating func send(to socket: borrowing PortDescriptor) -> Transfer {
    let first = nextAttachment()
    // A descriptor goes with the first byte of its message, and messages before it go without.
    var limit = end
    var number: Int32?
    if let first, let attachment = attachments[first] {
      if attachment.offset == sent {
        number = attachment.number
        let next = nextAttachment(after: sent)
        if let next, let attachment = attachments[next] { limit = attachment.offset }
      } else {
        limit = attachment.offset
      }
    }
    let result = send(upTo: limit, with: number, to: socket)
    guard case .bytes(let count) = result else { return result }
    if let number, let first, count > 0 {
      clinux_close(number)
      attachments[first] = nil
    }
    sent &+= count
    if sent == end {
      if end > Self.usual { bytes.discard(after: Self.usual) }
      sent = 0
      end = 0
    }
    return result
  }

  private borrowing func send(
    upTo limit: Int, with number: Int32?, to socket: borrowing PortDescriptor
  ) -> Transfer {
    let part = bytes.span.extracting(sent..<limit)
    let socket = socket.number
    return unsafe part.withUnsafeBufferPointer {
      if let number {
        unsafe Transfer(clinux_send_with_descriptor(socket, $0.baseAddress, $0.count, number))
      } else {
        unsafe Transfer(clinux_send(socket, $0.baseAddress, $0.count))
      }
    }
  }

  private func nextAttachment(after offset: Int = -1) -> Int? {
    var best: Int?
    for index in attachments.indices {
      guard let attachment = attachments[index], attachment.offset > offset else { continue }
      if let best, let other = attachments[best], other.offset < attachment.offset { continue }
      best = index
    }
    return best
  }

  // MARK: Messages

  /// Calls a method.
  ///
  /// - Parameters:
  ///   - member: The method.
  ///   - path: The object.
  ///   - destination: The name of the program that has it.
  ///   - tag: Identifies the reply; `nil` if none is wanted.
  ///   - now: The time.
  ///   - timeout: How long the reply may take, in milliseconds. A call to BlueZ that connects takes up to
  ///     a minute.
  ///   - signature: The types of the values that `body` writes.
  /// - Returns: Whether it was sent: not if too many calls are due, or if it does not fit.
  @discardableResult
  @inline(never)
  package mutating func call(
    _ member: DBusMember, on path: Span<UInt8>, of destination: Span<UInt8>, tag: UInt32?,
    at now: Instant, timeout: UInt32 = usualTimeout, signature: StaticString = "",
    _ body: (inout DBusWriter) -> Void = { _ in }
  ) -> Bool {
    var slot: Int?
    if tag != nil {
      for index in calls.indices where calls[index] == nil { slot = index }
      guard slot != nil else { return false }
    }
    let serial = nextSerial()
    let isSent = append(
      .call, flags: tag == nil ? 3 : 2, serial, signature,
      {
        $0.write(field: 1, "o", path)
        $0.write(field: 2, "s", ProgramText(member.interface).span)
        $0.write(field: 3, "s", ProgramText(member.name).span)
        $0.write(field: 6, "s", destination)
      }, body)
    guard isSent else { return false }
    if let tag, let slot {
      calls[slot] = Call(serial: serial, tag: tag, deadline: now.advanced(by: timeout))
    }
    return true
  }

  /// Calls a method of the bus.
  @discardableResult
  @inline(never)
  package mutating func callBus(
    _ member: DBusMember, tag: UInt32?, at now: Instant, timeout: UInt32 = usualTimeout,
    signature: StaticString = "", _ body: (inout DBusWriter) -> Void = { _ in }
  ) -> Bool {
    call(
      member, on: ProgramText("/org/freedesktop/DBus").span,
      of: ProgramText("org.freedesktop.DBus").span, tag: tag, at: now, timeout: timeout,
      signature: signature, body)
  }

  /// Subscribes to the signals that match a rule, or ends that. D-Bus Specification, "Match Rules".
  @inline(never)
  package mutating func match(
    _ isWanted: Bool = true, at now: Instant, _ rule: (inout ByteWriter) -> Void
  ) {
    callBus(isWanted ? .addMatch : .removeMatch, tag: nil, at: now, signature: "s") {
      $0.writeText(rule)
    }
  }

  /// Replies to the call of this number.
  ///
  /// - Parameter descriptor: A descriptor that goes with the reply, as its `h` 0. It is closed once it is sent, or if it
  ///   cannot be.
  @discardableResult
  @inline(never)
  package mutating func reply(
    to call: UInt32, of destination: Span<UInt8>, signature: StaticString = "",
    with descriptor: Int32? = nil, _ body: (inout DBusWriter) -> Void = { _ in }
  ) -> Bool {
    var slot: Int?
    for index in attachments.indices where attachments[index] == nil { slot = index }
    let isSent =
      (descriptor == nil || slot != nil)
      && append(
        .reply, flags: 1, nextSerial(), signature,
        {
          $0.write(field: 5, "u", call)
          $0.write(field: 6, "s", destination)
          if descriptor != nil { $0.write(field: 9, "u", 1) }
        }, body)
    guard let descriptor else { return isSent }
    if isSent, let slot {
      attachments[slot] = Attachment(offset: lastStart, number: descriptor)
    } else {
      clinux_close(descriptor)
    }
    return isSent
  }

  /// Replies with an error to the call of this number.
  @inline(never)
  package mutating func reply(
    to call: UInt32, of destination: Span<UInt8>, error name: StaticString,
    _ text: (inout ByteWriter) -> Void
  ) {
    append(
      .error, flags: 1, nextSerial(), "s",
      {
        $0.write(field: 4, "s", ProgramText(name).span)
        $0.write(field: 5, "u", call)
        $0.write(field: 6, "s", destination)
      }, { $0.writeText(text) })
  }

  /// Sends a signal to one program.
  @inline(never)
  package mutating func signal(
    _ member: DBusMember, from path: Span<UInt8>, to destination: Span<UInt8>,
    signature: StaticString,
    _ body: (inout DBusWriter) -> Void
  ) {
    append(
      .signal, flags: 1, nextSerial(), signature,
      {
        $0.write(field: 1, "o", path)
        $0.write(field: 2, "s", ProgramText(member.interface).span)
        $0.write(field: 3, "s", ProgramText(member.name).span)
        $0.write(field: 6, "s", destination)
      }, body)
  }

  @inline(never)
  private mutating func nextSerial() -> UInt32 {
    serial = serial == .max ? 1 : serial &+ 1
    return serial
  }

  @discardableResult
  @inline(never)
  private mutating func append(
    _ kind: DBusMessage.Kind, flags: UInt8, _ serial: UInt32, _ signature: StaticString,
    _ fields: (inout DBusWriter) -> Void, _ body: (inout DBusWriter) -> Void
  ) -> Bool {
    append {
      $0.write(UInt8(ascii: "l"))
      $0.write(kind.rawValue)
      $0.write(flags)
      $0.write(UInt8(1))
      $0.write(UInt32(0))
      $0.write(serial)
      let mark = $0.beginArray(alignedTo: 8)
      fields(&$0)
      if signature.utf8CodeUnitCount > 0 {
        $0.beginStructure()
        $0.write(UInt8(8))
        $0.write(signature: "g")
        $0.write(signature: signature)
      }
      $0.endArray(mark)
      $0.align(to: 8)
      let start = $0.writer.count
      body(&$0)
      $0.patch(UInt32(truncatingIfNeeded: $0.writer.count &- start), at: 4)
    }
  }

  @discardableResult
  @inline(never)
  private mutating func append(_ body: (inout DBusWriter) -> Void) -> Bool {
    if sent > 0 {
      // Messages begin anywhere: the offsets within each count from its own start.
      let count = end &- sent
      var all = bytes.mutableSpan
      all.moveToFront(count, from: sent)
      for index in attachments.indices { attachments[index]?.offset &-= sent }
      end = count
      sent = 0
    }
    var writer = DBusWriter(bytes.mutableSpan._consumingExtracting(end...))
    body(&writer)
    guard !writer.writer.hasOverflowed else { return false }
    lastStart = end
    end &+= writer.writer.count
    return true
  }

  // MARK: Replies

  /// The tag of the call that a message replies to; `nil` if it is not one that is due.
  @inline(never)
  package mutating func takeCall(_ replySerial: UInt32) -> UInt32? {
    for index in calls.indices {
      guard let call = calls[index], call.serial == replySerial else { continue }
      calls[index] = nil
      return call.tag
    }
    return nil
  }

  /// The tag of a call whose reply is overdue; `nil` without one. The reply is ignored when it comes.
  @inline(never)
  package mutating func takeOverdueCall(at now: Instant) -> UInt32? {
    for index in calls.indices {
      guard let call = calls[index], call.deadline <= now else { continue }
      calls[index] = nil
      return call.tag
    }
    return nil
  }
}

extension DBusWriter {
  @_lifetime(self: copy self)
  fileprivate mutating func write(field code: UInt8, _ type: StaticString, _ text: Span<UInt8>) {
    beginStructure()
    write(code)
    write(signature: type)
    write(text)
  }

  @_lifetime(self: copy self)
  fileprivate mutating func write(field code: UInt8, _ type: StaticString, _ number: UInt32) {
    beginStructure()
    write(code)
    write(signature: type)
    write(number)
  }
}
