import CCortexM

/// The bits of a register, each with a name.
///
/// Not an `OptionSet`, which Embedded Swift refuses without a heap.
protocol RegisterBits {
  /// All of them.
  var rawValue: UInt32 { get }

  /// These bits, with or without a name.
  init(rawValue: UInt32)
}

extension RegisterBits {
  /// Only the bit with this number.
  init(bit: UInt32) {
    self.init(rawValue: 1 &<< bit)
  }

  /// No bit.
  static var none: Self { Self(rawValue: 0) }

  /// Whether all bits of `other` are set.
  func contains(_ other: Self) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }

  /// Whether at least one bit of `other` is set.
  func containsAny(_ other: Self) -> Bool {
    rawValue & other.rawValue != 0
  }

  /// The bits of either.
  static func | (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue | right.rawValue)
  }

  /// The bits of the first that are not in the second.
  static func - (left: Self, right: Self) -> Self {
    Self(rawValue: left.rawValue & ~right.rawValue)
  }
}

/// A number in a register without named bits.
extension UInt32: RegisterBits {
  /// The number itself.
  var rawValue: UInt32 { self }

  /// The number itself.
  init(rawValue: UInt32) { self = rawValue }
}

/// A register of 32 bits. Each read and each write happens, in the order of the source.
struct Register<Bits: RegisterBits> {
  /// The address.
  let address: UInt

  /// The register at `address`, which must exist in this processor or chip.
  init(_ address: UInt) {
    self.address = address
  }

  /// The register's value. Reading may have effects: see the chip's data sheet.
  @inline(__always)
  var value: Bits {
    get { Bits(rawValue: cortexm_load(address)) }
    nonmutating set { cortexm_store(address, newValue.rawValue) }
  }
}

/// Runs `body` while interrupts are held back.
///
/// The loop accesses what it shares with interrupt handlers only in here. Do not nest it, and do
/// not use it in handlers: they never interrupt each other, because all have one priority.
@inline(__always)
func withInterruptsHeld<Result>(_ body: () -> Result) -> Result {
  cortexm_hold_interrupts()
  defer { cortexm_serve_interrupts() }
  return body()
}

/// The processor's interrupt controller.
///
/// ARMv6-M and ARMv7-M Architecture Reference Manuals, "Nested Vectored Interrupt Controller".
enum InterruptController {
  /// Lets the interrupt with this number, 0 to 31, call its handler.
  static func enable(_ number: UInt32) {
    Register<UInt32>(0xE000_E100).value = 1 &<< number
  }
}

/// Restarts the processor and the chip, as after power-up.
///
/// ARMv6-M and ARMv7-M Architecture Reference Manuals, "Application Interrupt and Reset Control
/// Register".
func resetSystem() -> Never {
  cortexm_finish_writes()
  Register<UInt32>(0xE000_ED0C).value = 0x05FA_0004  // the key, and SYSRESETREQ
  while true {}
}
