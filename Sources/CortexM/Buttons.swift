import BallRunner
import BluetoothHost
import EightBall

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
