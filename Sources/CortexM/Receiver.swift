import BluetoothHost

/// What a UART receives from a Bluetooth controller: a queue that its interrupt fills.
struct Receiver<let capacity: Int>: ~Copyable {
  private var queue = InlineArray<capacity, UInt8>(repeating: 0)
  /// The indices of the oldest byte and after the newest: both 0 when the queue is empty.
  private var start = 0
  private var end = 0
  private var boundary = PacketBoundary()
  /// Whether bytes were lost or damaged.
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

  /// Stops receiving.
  func stop(_ uart: UARTRegisters) {
    uart.interruptMask.value = uart.interruptMask.value - (.receive | .receiveTimeout)
  }

  /// Moves received bytes to `space`, as many as fit; returns how many.
  mutating func move(into space: inout MutableSpan<UInt8>) -> Int {
    let count = min(end &- start, space.count)
    space.copy(queue.span.extracting(start..<start &+ count), at: 0)
    start &+= count
    if start == end { (start, end) = (0, 0) }
    return count
  }

  /// Takes the bytes of the UART, at least one. Returns whether a packet has ended, the queue is
  /// half full, or bytes were lost. For its interrupt handler.
  @inline(__always)
  mutating func receive(from uart: UARTRegisters) -> Bool {
    var hasPacket = false
    var index = end
    var skipped = boundary.skipped
    // Reading also clears the interrupt.
    repeat {
      let received = uart.data.value
      // This UART has no flow control to stop the controller.
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
        if boundary.ends(with: byte) { hasPacket = true }
        skipped = boundary.skipped
      }
    } while !uart.flags.value.contains(.receiveQueueEmpty)
    end = index
    boundary.skipped = skipped
    return hasPacket || isBroken || index >= capacity / 2
  }
}
