import BallRunner
import BluetoothHost
import CCortexM
import EightBall

/// What runs first: fills the memory, and becomes a ball.
@c func reset() {
  let seed = prepareMemory()
  let identity = LM3S6965.identity
  let configuration = BallConfiguration(
    host: HostConfiguration(
      name: DeviceName(StaticText("Magic 8-Ball")), service: .ballService,
      address: .automatic(orRandom: address(from: identity))),
    seed: seed ^ identity)
  var runner = BallRunner<1, 526, 384, LM3S6965Port>(configuration, on: LM3S6965Port())
  _ = runner.run()
  resetSystem()
}

/// A fault of the program, or an interrupt that it did not ask for: says so, and starts anew.
@c func fault() {
  cortexm_hold_interrupts()
  let text: StaticString = "\r\nA fault has ended the ball. It starts anew.\r\n"
  var index = 0
  while index < text.utf8CodeUnitCount {
    while LM3S6965.uart0.flags.value.contains(.transmitQueueFull) {}
    let byte = unsafe text.utf8Start[index]
    LM3S6965.uart0.data.value = UARTRegisters.Received(rawValue: UInt32(byte))
    index += 1
  }
  resetSystem()
}

/// Gives all variables their first values, as the linker script has laid them out.
///
/// - Returns: A number that differs from start to start as far as memory after power-up does.
private func prepareMemory() -> UInt64 {
  var seed: UInt64 = 0xCBF2_9CE4_8422_2325
  var word = unsafe cortexm_stack_bottom()
  while unsafe word < cortexm_data_start() {
    // FNV-1a, a word at a time.
    unsafe seed = (seed ^ UInt64(widening: word.pointee)) &* 0x100_0000_01B3
    unsafe word += 1
  }
  let dataCount = unsafe cortexm_data_end() - cortexm_data_start()
  unsafe cortexm_data_start().update(from: cortexm_data_initial(), count: dataCount)
  let bssCount = unsafe cortexm_bss_end() - cortexm_bss_start()
  unsafe cortexm_bss_start().update(repeating: 0, count: bssCount)
  return seed
}

/// A static random address that a board keeps.
///
/// Core Specification, Vol 6, Part B, 1.3.2.1.
private func address(from identity: UInt64) -> DeviceAddress {
  var bytes = InlineArray<6, UInt8>(repeating: 0)
  var index = 0
  while index < 6 {
    bytes[index] = UInt8(truncatingIfNeeded: identity &>> UInt64(widening: UInt32(index &* 8)))
    index += 1
  }
  return .staticRandom(bytes)
}
