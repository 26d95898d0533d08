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
    listen(to: uart)
  }

  /// Stops receiving.
  func stop(_ uart: UARTRegisters) {
    uart.interruptMask.value = uart.interruptMask.value - (.receive | .receiveTimeout)
  }

  /// Moves received bytes to `space`, as many as fit; returns how many. An empty queue receives again.
  mutating func move(into space: inout MutableSpan<UInt8>, from uart: UARTRegisters) -> Int {
    let count = min(end &- start, space.count)
    space.copy(queue.span.extracting(start..<start &+ count), at: 0)
    start &+= count
    if start == end {
      (start, end) = (0, 0)
      listen(to: uart)
    }
    return count
  }

  private func listen(to uart: UARTRegisters) {
    uart.interruptMask.value = uart.interruptMask.value | .receive | .receiveTimeout
  }

  /// Takes the bytes of the UART, at least one. Returns whether a packet has ended, the queue is
  /// half full, or bytes were lost. For its interrupt handler.
  @inline(__always)
  mutating func receive(from uart: UARTRegisters) -> Bool {
    // Or an error, which the loop must report.
    var hasPacket = false
    var index = end
    var skipped = boundary.skipped
    // Reading also clears the interrupt.
    repeat {
      let received = uart.data.value
      if received.containsAny(.anyError) {
        isBroken = true
        hasPacket = true
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
    } while index < capacity && !uart.flags.value.contains(.receiveQueueEmpty)
    // The UART keeps 16 more bytes, until the loop has taken these. It has no flow control to stop the controller, and
    // reports an error if it loses any.
    if index == capacity { stop(uart) }
    end = index
    boundary.skipped = skipped
    return hasPacket || index >= capacity / 2
  }
}

/// Finds the ends of H4 packets in a stream, so that the loop wakes once a packet.
///
/// It only counts; the host's decoder checks. Core Specification, Vol 4, Part A, 2, and Part E,
/// 5.4. All zeros at the start of a packet, so that a variable of it takes no program memory.
struct PacketBoundary {
  /// How many bytes to skip before the next one that is decoded. The receiver counts them down.
  var skipped = 0
  private var next = Next.type
  /// The low byte of a two-byte length.
  private var low = 0

  /// What the decoded byte is.
  private enum Next: UInt8 {
    case type
    case lengthOfOne
    case lowOfLength
    case highOfLength
    case last
  }

  init() {}

  /// Decodes a byte. `true` if the packet ends with it, or if no packet can begin with it.
  @inline(never)
  mutating func ends(with byte: UInt8) -> Bool {
    let byte = Int(byte)
    skipped = 0
    switch next {
    case .type:
      switch HCIPacketType(rawValue: UInt8(truncatingIfNeeded: byte)) {
      case .event: (skipped, next) = (1, .lengthOfOne)  // event code
      case .command, .sco: (skipped, next) = (2, .lengthOfOne)  // opcode or handle
      case .acl, .iso: (skipped, next) = (2, .lowOfLength)  // handle
      default: return true
      }
      return false
    case .lengthOfOne: return begin(byte)
    case .lowOfLength:
      (low, next) = (byte, .highOfLength)
      return false
    case .highOfLength: return begin(byte &* 256 &+ low)
    case .last:
      next = .type
      return true
    }
  }

  /// Begins a body of `length` bytes; `true` if it is empty.
  private mutating func begin(_ length: Int) -> Bool {
    if length == 0 {
      next = .type
      return true
    }
    (skipped, next) = (length &- 1, .last)
    return false
  }
}
