import BluetoothHost

/// What a UART sends: a queue that its interrupt empties while the loop continues.
struct Transmitter<let capacity: Int>: ~Copyable {
  private var queue = InlineArray<capacity, UInt8>(repeating: 0)
  /// The indices of the oldest byte and after the newest: both 0 when the queue is empty.
  private var start = 0
  private var end = 0
  /// Whether a caller had more bytes than fitted.
  private var isWaitedFor = false

  init() {}

  /// Takes as many of the first `bytes` as fit; returns how many. If not all fit, `transmit`
  /// reports when there is room.
  mutating func send(_ bytes: Span<UInt8>, to uart: UARTRegisters) -> Int {
    let direct = end == 0 ? sendDirectly(bytes, to: uart) : 0
    guard direct < bytes.count else { return direct }
    // The UART's queue is full, or its interrupt is pending and takes more.
    let count = min(bytes.count &- direct, capacity &- end)
    var space = queue.mutableSpan
    space.copy(bytes.extracting(direct..<direct &+ count), at: end)
    end &+= count
    isWaitedFor = direct &+ count < bytes.count
    uart.interruptMask.value = uart.interruptMask.value | .transmit
    return direct &+ count
  }

  /// Gives the UART what it takes at once; returns how many bytes.
  private func sendDirectly(_ bytes: Span<UInt8>, to uart: UARTRegisters) -> Int {
    // Clear an interrupt for earlier bytes.
    uart.interruptClear.value = .transmit
    let limit = min(bytes.count, UARTRegisters.queueLength)
    var count = 0
    if uart.flags.value.contains(.transmitQueueEmpty), limit > 0 {
      // One check covers everything that its queue holds.
      repeat {
        uart.send(unsafe bytes[unchecked: count])
        count &+= 1
      } while count < limit
    } else {
      while count < limit, !uart.flags.value.contains(.transmitQueueFull) {
        uart.send(unsafe bytes[unchecked: count])
        count &+= 1
      }
    }
    return count
  }

  /// Drops the unsent bytes.
  mutating func removeAll() {
    (start, end) = (0, 0)
    isWaitedFor = false
  }

  /// Gives the UART what it takes now. Returns whether there is room for a caller that had more
  /// bytes than fitted. For its interrupt handler.
  @inline(__always)
  mutating func transmit(to uart: UARTRegisters) -> Bool {
    uart.interruptClear.value = .transmit
    let limit = min(end, start &+ UARTRegisters.queueRefill)
    while start < limit {
      // The indices are within what was written.
      uart.send(unsafe queue[unchecked: start])
      start &+= 1
    }
    guard start == end else { return false }
    (start, end) = (0, 0)
    uart.interruptMask.value = uart.interruptMask.value - .transmit
    return isWaitedFor
  }
}
