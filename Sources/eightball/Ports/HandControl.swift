import BluetoothHost
import LinuxPort
import VirtualBoard

/// A virtual board's motion sensor and display at the control socket: listeners receive what the display shows, and
/// may shake the ball. Only `eightball run` has this.
struct HandControl {
  /// The request to shake the ball in the hand.
  static var request: StaticString { "move" }

  /// The listeners that have received nothing about the parts.
  private var newListeners: [Int] = []

  /// A listener has joined, and receives its state in this turn.
  mutating func join(_ listener: Int) { newListeners.append(listener) }

  /// Sends a new picture to all listeners, and to new ones that there is a motion sensor, and the present picture.
  ///
  /// - Parameter isNew: Whether the picture has changed.
  mutating func sendState(of parts: VirtualParts, isNew: Bool, on port: inout LinuxPort) {
    guard isNew || !newListeners.isEmpty else { return }
    let picture = parts.picture.map(\.event)
    for listener in newListeners {
      if parts.hasMotionSensor { port.send(line: #"{"event":"movable"}"#, to: listener) }
      if let picture, !isNew { port.send(line: picture, to: listener) }
    }
    newListeners = []
    if let picture, isNew { port.send(line: picture, to: nil) }
  }

  /// Answers a request to shake the ball.
  ///
  /// - Parameter shakes: Whether the ball is being shaken; `false` if it has no virtual motion sensor.
  static func reply(to listener: Int, shakes: Bool, on port: inout LinuxPort) {
    port.send(
      line: shakes
        ? #"{"event":"done","request":"\#(request)"}"#
        : #"{"event":"error","request":"\#(request)","detail":"The ball has no virtual motion "#
          + #"sensor. Start one that has: eightball run --board virtual"}"#,
      to: listener)
  }
}
