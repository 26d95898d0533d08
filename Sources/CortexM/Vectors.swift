import CCortexM

// What interrupt handlers and the loop share. The loop accesses it only in `withInterruptsHeld`.

/// From and to the Bluetooth controller.
nonisolated(unsafe) var controllerReceiver = Receiver<256>()
nonisolated(unsafe) var controllerTransmitter = Transmitter<128>()
/// To people.
nonisolated(unsafe) var console = Transmitter<128>()
/// From the buttons.
nonisolated(unsafe) var buttonEdges = ButtonEdges()

/// A function for the vector table.
typealias Handler = @convention(c) () -> Void

/// The handlers of reset, faults and each interrupt of the chip. The linker script puts the initial
/// stack pointer before them.
@used @section(".vectors")
let vectors: InlineArray<46, Handler> = [
  reset,
  // Non-maskable interrupt, hard fault, faults of memory, bus and usage, reserved, and what the
  // ball does not use: SVCall, debug monitor, PendSV, SysTick.
  fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault,
  // Interrupts 0 to 30.
  fault, fault, fault, fault, portsInterrupted, consoleInterrupted, controllerInterrupted, fault,
  fault, fault, fault, fault, fault, fault, fault, fault,
  fault, fault, clockInterrupted, alarmInterrupted, fault, fault, fault, fault,
  fault, fault, fault, fault, fault, fault, portsInterrupted,
]

@c func controllerInterrupted() {
  let uart = LM3S6965.uart1
  let interrupts = uart.interrupts.value
  if interrupts.containsAny(.receive | .receiveTimeout),
    unsafe controllerReceiver.receive(from: uart)
  {
    Sleep.end()
  }
  if interrupts.contains(.transmit), unsafe controllerTransmitter.transmit(to: uart) {
    Sleep.end()
  }
}

@c func consoleInterrupted() {
  if unsafe console.transmit(to: LM3S6965.uart0) { Sleep.end() }
}

@c func portsInterrupted() {
  unsafe buttonEdges.handleInterrupt(at: Clock.ticks)
  Sleep.end()
}

@c func clockInterrupted() {
  Clock.handleInterrupt()
  Sleep.end()
}

@c func alarmInterrupted() {
  Alarm.handleInterrupt()
  Sleep.end()
}

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
