import BluetoothHost

/// What a UART receives from a Bluetooth controller: a queue that its interrupt fills.
struct Receiver<let capacity: Int>: ~Copyable {
  private var queue = InlineArray<capacity, UInt8>(repeating: 0)
  /// Where the oldest byte is, and where the next is to be: both at the front when there is none.
  private var start = 0
  private var end = 0
  private var boundary = PacketBoundary()
  /// Bytes were lost, or came broken.
  private(set) var isBroken = false

  init() {}

  /// Begins to receive, at the start of a packet.
  mutating func start(_ uart: UARTRegisters) {
    while !uart.flags.value.contains(.receiveQueueEmpty) { _ = uart.data.value }
    (start, end) = (0, 0)
    boundary = PacketBoundary()
    isBroken = false
    uart.interruptMask.value = uart.interruptMask.value | .receive | .receiveTimeout
  }

  /// Receives no more.
  func stop(_ uart: UARTRegisters) {
    uart.interruptMask.value = uart.interruptMask.value - (.receive | .receiveTimeout)
  }

  /// Takes what has come, or as much as `space` holds; how many bytes that is.
  mutating func move(into space: inout MutableSpan<UInt8>) -> Int {
    let count = min(end &- start, space.count)
    space.copy(queue.span.extracting(start..<start &+ count), at: 0)
    start &+= count
    if start == end { (start, end) = (0, 0) }
    return count
  }

  /// Takes what the UART has, and that is at least a byte; whether a packet has ended, the queue is half
  /// full, or bytes were lost. For its interrupt handler.
  @inline(__always)
  mutating func receive(from uart: UARTRegisters) -> Bool {
    var isNews = false
    var index = end
    var skipped = boundary.skipped
    // Reading also ends the interrupt.
    repeat {
      let received = uart.data.value
      // This UART has no line by which to stop the controller.
      guard !received.containsAny(.anyError), index < capacity else {
        isBroken = true
        continue
      }
      let byte = UInt8(truncatingIfNeeded: received.rawValue)
      unsafe queue[unchecked: index] = byte
      index &+= 1
      if skipped > 0 {
        skipped &-= 1
      } else {
        if boundary.ends(with: byte) { isNews = true }
        skipped = boundary.skipped
      }
    } while !uart.flags.value.contains(.receiveQueueEmpty)
    end = index
    boundary.skipped = skipped
    return isNews || isBroken || index >= capacity / 2
  }
}
