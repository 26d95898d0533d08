/// What a UART sends: a queue that its interrupt empties, so that nobody waits.
struct Transmitter<let capacity: Int>: ~Copyable {
  private var ring = ByteRing<capacity>()
  /// Somebody had more bytes than fitted.
  private var isWaitedFor = false
  /// There is room for somebody who had more bytes than fitted.
  private(set) var hasNews = false

  init() {}

  /// Takes the first of `bytes`, as many as fit; how many those are. If not all fit, `hasNews` is set
  /// when half of the queue is empty.
  mutating func send(_ bytes: Span<UInt8>, to uart: UARTRegisters) -> Int {
    let count = take(bytes, uart)
    finish(uart, isComplete: count == bytes.count)
    return count
  }

  /// As `send`, with a carriage return before each line feed, as terminals want it.
  mutating func sendText(_ bytes: Span<UInt8>, to uart: UARTRegisters) -> Int {
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end &+= 1 }
      start &+= take(bytes.extracting(start..<end), uart)
      guard start == end, end < bytes.count, ring.freeCapacity >= 2 else { break }
      _ = ring.append(UInt8(ascii: "\r"))
      _ = ring.append(UInt8(ascii: "\n"))
      start &+= 1
    }
    finish(uart, isComplete: start == bytes.count)
    return start
  }

  private mutating func take(_ bytes: Span<UInt8>, _ uart: UARTRegisters) -> Int {
    // What the UART takes at once needs no queue.
    var count = 0
    let direct = ring.isEmpty ? min(bytes.count, UARTRegisters.queueLength) : 0
    while count < direct, !uart.flags.value.contains(.transmitQueueFull) {
      uart.data.value = UARTRegisters.Received(rawValue: UInt32(bytes[count]))
      count &+= 1
    }
    return count &+ ring.append(bytes.extracting(count...))
  }

  /// Forgets what has not been sent.
  mutating func removeAll() {
    ring.removeAll()
    isWaitedFor = false
    hasNews = false
  }

  /// Gives the UART what it takes now. For its interrupt handler.
  mutating func transmit(to uart: UARTRegisters) {
    uart.interruptClear.value = .transmit
    // No more than its queue holds: the interrupt comes when half of that has gone.
    var room = UARTRegisters.queueLength
    while room > 0, !uart.flags.value.contains(.transmitQueueFull), let byte = ring.popFirst() {
      uart.data.value = UARTRegisters.Received(rawValue: UInt32(byte))
      room &-= 1
    }
    listen(to: uart)
    if isWaitedFor, ring.count <= capacity / 2 { hasNews = true }
  }

  /// The UART interrupts while there is something for it.
  private func listen(to uart: UARTRegisters) {
    let mask = uart.interruptMask.value
    uart.interruptMask.value = ring.isEmpty ? mask - .transmit : mask | .transmit
  }

  private mutating func finish(_ uart: UARTRegisters, isComplete: Bool) {
    isWaitedFor = !isComplete
    hasNews = false
    listen(to: uart)
  }
}

/// What a UART receives from a Bluetooth controller: a queue that its interrupt fills.
struct Receiver<let capacity: Int>: ~Copyable {
  private var ring = ByteRing<capacity>()
  private var boundary = PacketBoundary()
  /// A packet has ended, the queue is half full, or bytes were lost.
  private(set) var hasNews = false
  /// Bytes were lost, or came broken.
  private(set) var isBroken = false

  init() {}

  /// Begins to receive, at the start of a packet.
  mutating func start(_ uart: UARTRegisters) {
    while !uart.flags.value.contains(.receiveQueueEmpty) { _ = uart.data.value }
    ring.removeAll()
    boundary = PacketBoundary()
    hasNews = false
    isBroken = false
    uart.interruptClear.value = .receive | .receiveTimeout
    uart.interruptMask.value = uart.interruptMask.value | .receive | .receiveTimeout
  }

  /// Receives no more.
  func stop(_ uart: UARTRegisters) {
    uart.interruptMask.value = uart.interruptMask.value - (.receive | .receiveTimeout)
  }

  /// Takes what has come; how many bytes that is.
  mutating func move(into space: inout MutableSpan<UInt8>) -> Int {
    let count = ring.move(into: &space)
    hasNews = isBroken || ring.count > 0
    return count
  }

  /// Takes what the UART has. For its interrupt handler.
  mutating func receive(from uart: UARTRegisters) {
    uart.interruptClear.value = .receive | .receiveTimeout
    while !uart.flags.value.contains(.receiveQueueEmpty) {
      let received = uart.data.value
      let byte = UInt8(truncatingIfNeeded: received.rawValue)
      // This UART has no line by which to stop the controller.
      if received.containsAny(.anyError) || !ring.append(byte) {
        isBroken = true
        hasNews = true
      }
      if boundary.ends(with: byte) || ring.count >= capacity / 2 { hasNews = true }
    }
  }
}
