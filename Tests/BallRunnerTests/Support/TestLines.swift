import BallRunner
import BluetoothHost
import EightBall

/// Two buttons and two lights on a chip that a test removes and restores.
final class TestLines {
  /// Whether the board has lines.
  var isThere = false
  /// Whether the chip has gone.
  private(set) var isGone = false
  /// Whether another program has the lines, or this one may not have them.
  var isRefused = false
  private(set) var isOpen = false
  var isListening = false
  /// The buttons and lights that the chip, on its way out, no longer reads or sets.
  var lostButtons: Set<ButtonName> = []
  var lostLights: Set<LightName> = []
  /// The buttons and lights that the board has.
  var buttons: Set<ButtonName> = [.shake, .clear]
  var lights: Set<LightName> = [.status, .answer]
  private(set) var lit: Set<LightName> = []
  /// How often a light was set.
  private(set) var writes = 0
  private(set) var openings = 0
  private(set) var closings = 0

  private var closed: Set<ButtonName> = []
  private var edges: [ButtonEdge] = []
  private var lastChange = LinesChange.none

  /// Why the lines cannot be used.
  var trouble: String {
    isGone
      ? "the GPIO chip “test-chip” has gone. It is used again when it comes back"
      : "a line of “test-chip” is in use"
  }

  /// Whether the lines wake a sleeping loop.
  var isWaking: Bool { isOpen && isListening && !edges.isEmpty || lastChange != .none }

  func open() -> Bool {
    openings += 1
    guard !isGone, !isRefused else { return false }
    isOpen = true
    isListening = true
    edges = []
    return true
  }

  func close() {
    closings += 1
    isOpen = false
    isListening = false
  }

  func contact(of button: ButtonName) -> ContactRead {
    if isGone || lostButtons.contains(button) { return .lost }
    guard buttons.contains(button) else { return .none }
    return closed.contains(button) ? .closed : .open
  }

  func nextEdge() -> EdgeRead {
    if isGone { return .lost }
    return edges.isEmpty ? .none : .edge(edges.removeFirst())
  }

  func set(_ light: LightName, _ isLit: Bool) -> Bool {
    if isGone || lostLights.contains(light) { return false }
    guard lights.contains(light) else { return true }
    writes += 1
    if isLit { lit.insert(light) } else { lit.remove(light) }
    return true
  }

  func takeChange() -> LinesChange {
    defer { lastChange = .none }
    return lastChange
  }

  // MARK: For the test

  /// A contact closes or opens.
  func drive(_ button: ButtonName, isClosed: Bool, at time: UInt64) {
    if isClosed { closed.insert(button) } else { closed.remove(button) }
    guard isOpen, !isGone, edges.count < 128 else { return }
    edges.append(ButtonEdge(button: button, isClosed: isClosed, time: Instant(rawValue: time)))
  }

  /// Removes the chip. The machine reports that by the chip's name, by its descriptor or not at
  /// all.
  func remove(_ change: LinesChange = .none) {
    isGone = true
    lit = []
    self.lastChange = change
  }

  /// Restores the chip.
  func restore(_ change: LinesChange = .none) {
    isGone = false
    self.lastChange = change
  }

  /// A chip of the machine changes.
  func change() { lastChange = .chipChanged }
}
