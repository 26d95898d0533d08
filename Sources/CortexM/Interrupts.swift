import CCortexM

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
