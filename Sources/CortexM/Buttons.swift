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

/// What the buttons' interrupts have brought: when each changed first since it was looked at. Bounces,
/// however many, take no room.
struct ButtonEdges {
  private var shake: UInt32?
  private var clear: UInt32?

  /// Whether there is any.
  var hasNews: Bool { shake != nil || clear != nil }

  /// Takes the change of one button, and when it was, in ticks of the clock.
  mutating func popFirst() -> (button: ButtonName, ticks: UInt32)? {
    if let ticks = shake {
      shake = nil
      return (.shake, ticks)
    }
    if let ticks = clear {
      clear = nil
      return (.clear, ticks)
    }
    return nil
  }

  mutating func removeAll() {
    shake = nil
    clear = nil
  }

  /// For the interrupt handlers of both ports.
  mutating func handleInterrupt(at ticks: UInt32) {
    if LM3S6965.portF.takeInterrupts() & ButtonPin.shake != 0, shake == nil { shake = ticks }
    if LM3S6965.portE.takeInterrupts() & ButtonPin.clear != 0, clear == nil { clear = ticks }
  }
}
