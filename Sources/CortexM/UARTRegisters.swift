/// A UART of the LM3S6965, which is ARM's PL011.
///
/// Data sheet of the LM3S6965, "Universal Asynchronous Receivers/Transmitters", register map.
struct UARTRegisters {
  /// The base address of its registers.
  let base: UInt

  /// A read takes the oldest received byte with its errors; a write sends a byte.
  var data: Register<Received> { Register(base &+ 0x000) }
  var flags: Register<Flags> { Register(base &+ 0x018) }
  /// The whole part of clock / (16 × baud rate), and its fraction in 1/64.
  var integerDivisor: Register<UInt32> { Register(base &+ 0x024) }
  var fractionalDivisor: Register<UInt32> { Register(base &+ 0x028) }
  /// A write also applies the divisors.
  var lineControl: Register<LineControl> { Register(base &+ 0x02C) }
  var control: Register<Control> { Register(base &+ 0x030) }
  var queueLevels: Register<QueueLevels> { Register(base &+ 0x034) }
  var interruptMask: Register<Interrupts> { Register(base &+ 0x038) }
  /// The unmasked pending interrupts.
  var interrupts: Register<Interrupts> { Register(base &+ 0x040) }
  var interruptClear: Register<Interrupts> { Register(base &+ 0x044) }

  /// How many bytes each of its two queues holds.
  static var queueLength: Int { 16 }

  /// How many bytes it takes at its transmit interrupt: it then holds at most 2.
  static var queueRefill: Int { 14 }

  struct Received: RegisterBits {
    var rawValue: UInt32
    /// A framing error, a parity error, a break, or bytes lost before this one.
    static var anyError: Self { Self(rawValue: 0xF00) }
  }

  struct Flags: RegisterBits {
    var rawValue: UInt32
    static var receiveQueueEmpty: Self { Self(bit: 4) }
    static var transmitQueueFull: Self { Self(bit: 5) }
    static var transmitQueueEmpty: Self { Self(bit: 7) }
  }

  struct LineControl: RegisterBits {
    var rawValue: UInt32
    static var queues: Self { Self(bit: 4) }
    static var eightBits: Self { Self(rawValue: 3 &<< 5) }
  }

  struct Control: RegisterBits {
    var rawValue: UInt32
    static var enable: Self { Self(bit: 0) }
    static var transmit: Self { Self(bit: 8) }
    static var receive: Self { Self(bit: 9) }
  }

  struct QueueLevels: RegisterBits {
    var rawValue: UInt32
    /// Transmit interrupt when an eighth of the queue is left: 2 bytes.
    static var transmitAtEighth: Self { Self(rawValue: 0 &<< 0) }
    /// Receive interrupt when half of the queue is full.
    static var receiveAtHalf: Self { Self(rawValue: 2 &<< 3) }
  }

  struct Interrupts: RegisterBits {
    var rawValue: UInt32
    /// The queue is half full.
    static var receive: Self { Self(bit: 4) }
    /// An eighth of the queue is left.
    static var transmit: Self { Self(bit: 5) }
    /// The queue has bytes, and nothing more has come for 32 bits.
    static var receiveTimeout: Self { Self(bit: 6) }
  }

  /// Starts it with 8 bits, no parity, one stop bit and no interrupts.
  func start(clock: UInt32, baud: UInt32) {
    // In 1/64, rounded: clock × 64 / (16 × baud) = clock × 4 / baud.
    let divisor = (clock &* 8 / baud &+ 1) / 2
    control.value = .none
    interruptMask.value = .none
    integerDivisor.value = divisor / 64
    fractionalDivisor.value = divisor % 64
    lineControl.value = .eightBits | .queues
    queueLevels.value = .transmitAtEighth | .receiveAtHalf
    control.value = .enable | .transmit | .receive
  }

  /// Waits for room and sends a byte: for a program that has nothing else to do.
  func sendWaiting(_ byte: UInt8) {
    while flags.value.contains(.transmitQueueFull) {}
    send(byte)
  }

  /// Sends a byte. There must be room.
  @inline(__always)
  func send(_ byte: UInt8) {
    data.value = Received(rawValue: UInt32(byte))
  }
}
