import CCortexM

/// A fault of the program or an unexpected interrupt: prints that and restarts.
@c func fault() {
  cortexm_hold_interrupts()
  let text: StaticString = "\r\nA fault has ended the ball. It restarts.\r\n"
  var index = 0
  while index < text.utf8CodeUnitCount {
    unsafe LM3S6965.uart0.sendWaiting(text.utf8Start[index])
    index += 1
  }
  resetSystem()
}
