import LinuxPort

/// The clock of a ball at the control socket: its listeners receive whether that is simulated, since they
/// go by real time. Only `eightball run` has this.
struct ClockControl {
  /// The listeners that have not received it.
  private var newListeners: [Int] = []
  private var wasSimulated = false

  /// A listener has joined, and receives its state in this turn.
  mutating func join(_ listener: Int) { newListeners.append(listener) }

  /// Sends the clock to all listeners if it has changed, and to new ones if it is simulated.
  mutating func sendState(isSimulated: Bool, on port: inout LinuxPort) {
    guard isSimulated != wasSimulated || !newListeners.isEmpty else { return }
    let line = #"{"event":"time","clock":"\#(isSimulated ? "simulated" : "real")"}"#
    if isSimulated != wasSimulated {
      port.send(line: line, to: nil)
    } else if isSimulated {
      for listener in newListeners { port.send(line: line, to: listener) }
    }
    wasSimulated = isSimulated
    newListeners = []
  }
}
