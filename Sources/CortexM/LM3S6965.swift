/// Texas Instruments' LM3S6965: its clock, its peripherals and their interrupts.
///
/// Data sheet of the LM3S6965, "System Control", "Memory Map" and "Interrupts".
enum LM3S6965 {
  /// The ticks of the system's clock in a second, once `start` has returned.
  static var clock: UInt32 { 12_500_000 }

  static var uart0: UARTRegisters { UARTRegisters(base: 0x4000_C000) }
  static var uart1: UARTRegisters { UARTRegisters(base: 0x4000_D000) }
  static var portE: GPIOPort { GPIOPort(base: 0x4002_4000) }
  static var portF: GPIOPort { GPIOPort(base: 0x4002_5000) }

  /// The numbers of interrupts.
  enum Interrupt {
    static var portE: UInt32 { 4 }
    static var uart0: UInt32 { 5 }
    static var uart1: UInt32 { 6 }
    static var watchdog: UInt32 { 18 }
    static var timer0A: UInt32 { 19 }
    static var portF: UInt32 { 30 }
  }

  private static var base: UInt { 0x400F_E000 }
  private static var interruptStatus: Register<UInt32> { Register(base &+ 0x050) }
  private static var clockConfiguration: Register<ClockConfiguration> { Register(base &+ 0x060) }
  private static var user: (low: Register<UInt32>, high: Register<UInt32>) {
    (Register(base &+ 0x1E0), Register(base &+ 0x1E4))
  }
  /// The clock gates of the watchdog, of timers and UARTs, and of GPIO ports.
  private static var clockGates: (Register<UInt32>, Register<UInt32>, Register<UInt32>) {
    (Register(base &+ 0x100), Register(base &+ 0x104), Register(base &+ 0x108))
  }

  private struct ClockConfiguration: RegisterBits {
    var rawValue: UInt32
    static var pllOff: Self { Self(bit: 13) }
    static var bypassPLL: Self { Self(bit: 11) }
    static var mainOscillatorOff: Self { Self(bit: 0) }
    static var useDivider: Self { Self(bit: 22) }
    static var crystalAndSource: Self { Self(rawValue: 0x3F0) }
    /// A crystal of 8 MHz, as on the evaluation board; the main oscillator.
    static var crystal8MHz: Self { Self(rawValue: 0x380) }
    /// The PLL's 200 MHz divided by 16.
    static var divideBy16: Self { Self(rawValue: 0xF &<< 23) }
  }

  /// Sets the clock from the crystal, and starts the clocks of the peripherals that the ball uses.
  static func start() {
    let configuration = clockConfiguration
    configuration.value =
      (configuration.value | .bypassPLL) - .useDivider - .mainOscillatorOff
    configuration.value =
      (configuration.value - .crystalAndSource - .pllOff) | .crystal8MHz
    configuration.value = configuration.value | .divideBy16 | .useDivider
    while interruptStatus.value & (1 &<< 6) == 0 {}  // until the PLL is locked
    configuration.value = configuration.value - .bypassPLL

    clockGates.0.value |= 1 &<< 3  // the watchdog
    clockGates.1.value |= 1 &<< 16 | 1 &<< 0 | 1 &<< 1  // timer 0, UART0, UART1
    clockGates.2.value |= 1 &<< 0 | 1 &<< 1 | 1 &<< 3 | 1 &<< 4 | 1 &<< 5  // ports A, B, D, E, F
    _ = clockGates.2.value  // a peripheral is ready a few ticks after its clock starts

    // The UARTs' pins: PA0 and PA1, PD2 and PD3.
    GPIOPort(base: 0x4000_4000).startPeripheral(0x03)
    GPIOPort(base: 0x4000_7000).startPeripheral(0x0C)
  }

  /// Starts the clock of the first I2C controller, and gives it its pins: PB2, which it drives both ways, and
  /// PB3, whose drain is open.
  static func startI2C() {
    clockGates.1.value |= 1 &<< 12
    let portB = GPIOPort(base: 0x4000_5000)
    portB.startPeripheral(0x0C)
    portB.openDrain(0x08)
  }

  /// The 48 bits that the board's maker wrote into the chip to identify it, such as a MAC address;
  /// all ones without any.
  static var identity: UInt64 {
    let low = user.low.value & 0xFF_FFFF
    let high = user.high.value & 0xFF_FFFF
    return UInt64(widening: high) &<< 24 | UInt64(widening: low)
  }
}
