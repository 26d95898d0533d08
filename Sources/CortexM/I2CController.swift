import BluetoothHost
import EightBall

/// The first I2C controller of the LM3S6965, on PB2 (SCL) and PB3 (SDA).
///
/// Data sheet of the LM3S6965, "Inter-Integrated Circuit (I2C) Interface", register map.
struct I2CController: I2CBus {
  /// What the controller is to do, and how it did.
  private struct Control: RegisterBits {
    var rawValue: UInt32
    // To write:
    static var run: Self { Self(bit: 0) }
    static var start: Self { Self(bit: 1) }
    static var stop: Self { Self(bit: 2) }
    static var acknowledge: Self { Self(bit: 3) }
    // To read:
    static var busy: Self { Self(bit: 0) }
    static var error: Self { Self(bit: 1) }
    static var arbitrationLost: Self { Self(bit: 4) }
  }

  private static var base: UInt { 0x4002_0000 }
  private static var address: Register<UInt32> { Register(base &+ 0x000) }
  private static var control: Register<Control> { Register(base &+ 0x004) }
  private static var data: Register<UInt32> { Register(base &+ 0x008) }
  private static var timerPeriod: Register<UInt32> { Register(base &+ 0x00C) }
  private static var configuration: Register<UInt32> { Register(base &+ 0x020) }

  /// Starts the controller, after `LM3S6965.start`.
  init() {
    LM3S6965.startI2C()
    Self.configuration.value = 1 &<< 4  // a controller, not a target
    // A period of SCL is 20 × (1 + 1) ticks: 312.5 kHz, the fastest that is at most 400 kHz.
    Self.timerPeriod.value = 1
  }

  func write(_ bytes: Span<UInt8>, to address: UInt8) throws(I2CError) {
    Self.address.value = UInt32(address) &<< 1
    var command = Control.start
    for index in bytes.indices {
      Self.data.value = UInt32(bytes[index])
      if index == bytes.count &- 1 { command = command | .stop }
      try run(command)
      command = .none
    }
  }

  func read<let count: Int>(
    from register: UInt8, of address: UInt8
  ) throws(I2CError) -> InlineArray<count, UInt8> {
    var bytes = InlineArray<count, UInt8>(repeating: 0)
    Self.address.value = UInt32(address) &<< 1
    Self.data.value = UInt32(register)
    try run(.start)
    Self.address.value = UInt32(address) &<< 1 | 1
    var command = Control.start
    for index in bytes.indices {
      // The last byte is not acknowledged: so the device lets the data line go.
      try run(index == count &- 1 ? command | .stop : command | .acknowledge)
      bytes[index] = UInt8(truncatingIfNeeded: Self.data.value)
      command = .none
    }
    return bytes
  }

  /// Moves one byte, which takes 29 µs, and waits for its end.
  private func run(_ command: Control) throws(I2CError) {
    Self.control.value = command | .run
    // Each look takes at least four ticks of the clock, so this is ten times what a byte takes.
    var looks: UInt32 = 1_000
    var result = Self.control.value
    while result.contains(.busy) {
      looks &-= 1
      guard looks > 0 else { throw .stuck }
      result = Self.control.value
    }
    guard result.containsAny(.error | .arbitrationLost) else { return }
    // Lets the bus go.
    Self.control.value = .stop
    throw result.contains(.arbitrationLost) ? .stuck : .notAcknowledged
  }
}
