import BluetoothHost

/// What a UART sends: a queue that its interrupt empties, so that the loop goes on meanwhile.
struct Transmitter<let capacity: Int>: ~Copyable {
  private var queue = InlineArray<capacity, UInt8>(repeating: 0)
  /// Where the oldest byte is, and where the next is to be: both at the front when there is none.
  private var start = 0
  private var end = 0
  /// Somebody had more bytes than fitted.
  private var isWaitedFor = false

  init() {}

  /// Takes the first of `bytes`, as many as fit; how many those are. If not all fit, `transmit` says when
  /// more would.
  mutating func send(_ bytes: Span<UInt8>, to uart: UARTRegisters) -> Int {
    let direct = end == 0 ? sendDirectly(bytes, to: uart) : 0
    guard direct < bytes.count else { return direct }
    // The UART's own queue is full, or its interrupt is still to come: more is asked for.
    let count = min(bytes.count &- direct, capacity &- end)
    var space = queue.mutableSpan
    space.copy(bytes.extracting(direct..<direct &+ count), at: end)
    end &+= count
    isWaitedFor = direct &+ count < bytes.count
    uart.interruptMask.value = uart.interruptMask.value | .transmit
    return direct &+ count
  }

  /// Gives the UART what it takes at once; how many bytes that is.
  private func sendDirectly(_ bytes: Span<UInt8>, to uart: UARTRegisters) -> Int {
    // One that came for what was sent before does not count.
    uart.interruptClear.value = .transmit
    let limit = min(bytes.count, UARTRegisters.queueLength)
    var count = 0
    if uart.flags.value.contains(.transmitQueueEmpty), limit > 0 {
      // One look is enough for all that its queue holds.
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

  /// Forgets what has not been sent.
  mutating func removeAll() {
    (start, end) = (0, 0)
    isWaitedFor = false
  }

  /// Gives the UART what it takes now; whether there is room for somebody who had more bytes than fitted.
  /// For its interrupt handler.
  @inline(__always)
  mutating func transmit(to uart: UARTRegisters) -> Bool {
    uart.interruptClear.value = .transmit
    let limit = min(end, start &+ UARTRegisters.queueRefill)
    while start < limit {
      // No index is negative, or beyond the end of what was written.
      uart.send(unsafe queue[unchecked: start])
      start &+= 1
    }
    guard start == end else { return false }
    (start, end) = (0, 0)
    uart.interruptMask.value = uart.interruptMask.value - .transmit
    return isWaitedFor
  }
}
