import CCortexM

/// A fault of the program, or an interrupt that it did not ask for: says so, and starts anew.
@c func fault() {
  cortexm_hold_interrupts()
  let text: StaticString = "\r\nA fault has ended the ball. It starts anew.\r\n"
  var index = 0
  while index < text.utf8CodeUnitCount {
    unsafe LM3S6965.uart0.sendWaiting(text.utf8Start[index])
    index += 1
  }
  resetSystem()
}
