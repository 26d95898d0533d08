import BallRunner
import BluetoothHost
import EightBall

/// A port of eight pins of the LM3S6965, which is ARM's PL061.
///
/// Data sheet of the LM3S6965, "General-Purpose Input/Outputs", register map. Each register has a bit
/// for each pin.
struct GPIOPort {
  /// The base address of its registers.
  let base: UInt

  private var direction: Register<UInt32> { Register(base &+ 0x400) }
  private var interruptBothEdges: Register<UInt32> { Register(base &+ 0x408) }
  private var interruptSense: Register<UInt32> { Register(base &+ 0x404) }
  private var interruptMask: Register<UInt32> { Register(base &+ 0x410) }
  private var interruptStatus: Register<UInt32> { Register(base &+ 0x418) }
  private var interruptClear: Register<UInt32> { Register(base &+ 0x41C) }
  private var alternateFunction: Register<UInt32> { Register(base &+ 0x420) }
  private var openDrainSelect: Register<UInt32> { Register(base &+ 0x50C) }
  private var pullUp: Register<UInt32> { Register(base &+ 0x510) }
  private var digitalEnable: Register<UInt32> { Register(base &+ 0x51C) }

  /// The levels of the pins in `mask` alone: the address selects them, so a write leaves the others
  /// unchanged.
  private func data(of mask: UInt32) -> Register<UInt32> {
    Register(base &+ UInt(mask &<< 2))
  }

  /// Makes the pins in `mask` inputs with pull-ups and interrupts at both edges.
  func startInputs(_ mask: UInt32) {
    direction.value = direction.value & ~mask
    pullUp.value |= mask
    digitalEnable.value |= mask
    interruptSense.value = interruptSense.value & ~mask
    interruptBothEdges.value |= mask
    interruptClear.value = mask
  }

  /// Makes the pins in `mask` outputs, low at first.
  func startOutputs(_ mask: UInt32) {
    data(of: mask).value = 0
    direction.value |= mask
    digitalEnable.value |= mask
  }

  /// Gives the pins in `mask` to their peripheral.
  func startPeripheral(_ mask: UInt32) {
    alternateFunction.value |= mask
    digitalEnable.value |= mask
  }

  /// Makes the pins in `mask` open drains: they pull low, or not at all.
  func openDrain(_ mask: UInt32) { openDrainSelect.value |= mask }

  /// Whether edges of the pins in `mask` interrupt.
  func listen(to mask: UInt32, _ isListening: Bool) {
    let others = interruptMask.value & ~mask
    interruptMask.value = isListening ? others | mask : others
  }

  /// Takes the pending interrupts: a bit for each pin.
  func takeInterrupts() -> UInt32 {
    let pins = interruptStatus.value
    interruptClear.value = pins
    return pins
  }

  /// Whether the pin with this bit is high.
  func isHigh(_ pin: UInt32) -> Bool {
    data(of: pin).value != 0
  }

  /// Makes the pin with this bit high or low.
  func set(_ pin: UInt32, isHigh: Bool) {
    data(of: pin).value = isHigh ? pin : 0
  }
}

/// The two buttons of the board, each between a pin with a pull-up and ground: low is closed.
enum ButtonPin {
  /// Port F, pin 1.
  static var shake: UInt32 { 1 &<< 1 }
  /// Port E, pin 0.
  static var clear: UInt32 { 1 &<< 0 }

  static func isClosed(_ button: ButtonName) -> Bool {
    switch button {
    case .shake: !LM3S6965.portF.isHigh(shake)
    case .clear: !LM3S6965.portE.isHigh(clear)
    }
  }

  static func listen(_ isListening: Bool) {
    LM3S6965.portF.listen(to: shake, isListening)
    LM3S6965.portE.listen(to: clear, isListening)
  }
}

/// The first change of each button since the last read, from the interrupts. Any number of bounces
/// takes no more room.
struct ButtonEdges {
  private var shake = Change()
  private var clear = Change()

  private struct Change {
    var hasCome = false
    /// When, in ticks of the clock.
    var ticks: UInt32 = 0

    mutating func note(at ticks: UInt32) {
      if hasCome { return }
      self = Change(hasCome: true, ticks: ticks)
    }

    mutating func take() -> UInt32? {
      guard hasCome else { return nil }
      hasCome = false
      return ticks
    }
  }

  /// Takes the change of one button, and its time in ticks of the clock.
  mutating func popFirst() -> (button: ButtonName, ticks: UInt32)? {
    if let ticks = shake.take() { return (.shake, ticks) }
    if let ticks = clear.take() { return (.clear, ticks) }
    return nil
  }

  mutating func removeAll() {
    self = ButtonEdges()
  }

  /// For the interrupt handlers of both ports.
  mutating func handleInterrupt(at ticks: UInt32) {
    if LM3S6965.portF.takeInterrupts() & ButtonPin.shake != 0 { shake.note(at: ticks) }
    if LM3S6965.portE.takeInterrupts() & ButtonPin.clear != 0 { clear.note(at: ticks) }
  }
}
