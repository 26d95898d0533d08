import BluetoothHost
import EightBall
import Expectations

@Suite("The panel's buttons")
struct PanelButtonTests {
  /// The contact closes or opens at a time in milliseconds.
  struct Edge {
    var time: UInt64
    var isClosed: Bool

    static func closed(_ time: UInt64) -> Edge { Edge(time: time, isClosed: true) }
    static func open(_ time: UInt64) -> Edge { Edge(time: time, isClosed: false) }
  }

  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var debounce: UInt32 = 20
    var edges: [Edge]
    var presses: [UInt64]
  }

  @Test(
    "A press counts once, at its first edge",
    arguments: [
      Case(testDescription: "clean", edges: [.closed(100), .open(200)], presses: [100]),
      Case(
        testDescription: "bounces when it closes",
        edges: [.closed(100), .open(102), .closed(103), .open(107), .closed(109), .open(300)],
        presses: [100]),
      Case(
        testDescription: "bounces when it opens",
        edges: [.closed(100), .open(200), .closed(203), .open(205), .closed(206), .open(210)],
        presses: [100]),
      Case(
        testDescription: "two presses",
        edges: [.closed(100), .open(200), .closed(300), .open(400)],
        presses: [100, 300]),
      Case(
        testDescription: "a tap shorter than a bounce, and a press after it",
        edges: [.closed(100), .open(105), .closed(300), .open(400)], presses: [100, 300]),
      Case(
        testDescription: "stays closed at the end of a bounce",
        edges: [.closed(100), .open(200), .closed(210)], presses: [100, 220]),
      Case(testDescription: "stuck", edges: [.closed(100), .closed(5_000)], presses: [100]),
      Case(
        testDescription: "debounced by the kernel", debounce: 0,
        edges: [.closed(100), .open(101), .closed(102), .open(103)], presses: [100, 102]),
    ])
  func presses(_ row: Case) {
    var panel = FrontPanel(shakeDebounce: row.debounce, clearDebounce: row.debounce)
    expect(presses(of: &panel, row.edges, until: 10_000), is: row.presses)
  }

  @Test("A chattering button makes few presses, however many edges it has")
  func chatter() {
    var panel = FrontPanel(shakeDebounce: 20, clearDebounce: 20)
    // An edge each millisecond for 10 s.
    let edges = (0..<10_000).map { Edge(time: UInt64($0), isClosed: $0 % 2 == 0) }
    let presses = presses(of: &panel, edges, until: 10_020)
    // A press takes two debounced edges: 10,000 / (2 × 20) = 250.
    expect(presses.count <= 250)
    expect(panel.deadline, is: nil)
  }

  @Test("Edges whose actions were not taken become one action")
  func actionsDoNotQueueUp() {
    var panel = FrontPanel(shakeDebounce: 0, clearDebounce: 0)
    for time in 0..<1_000 {
      panel.edge(.shake, isClosed: time % 2 == 0, at: Instant(rawValue: UInt64(time)))
    }
    expect(actions(of: &panel), is: [.shake])
  }

  @Test("Clear cancels the shakes before it, and not the ones after it")
  func order() {
    var panel = FrontPanel(shakeDebounce: 0, clearDebounce: 0)
    press(.shake, of: &panel, at: 10)
    press(.clear, of: &panel, at: 20)
    expect(actions(of: &panel), is: [.clear])
    press(.clear, of: &panel, at: 30)
    press(.shake, of: &panel, at: 40)
    expect(actions(of: &panel), is: [.clear, .shake])
  }

  @Test("Clear held for 3 s releases once")
  func hold() {
    var panel = FrontPanel(shakeDebounce: 20, clearDebounce: 20)
    panel.edge(.clear, isClosed: true, at: Instant(rawValue: 1_000))
    expect(actions(of: &panel), is: [.clear])
    panel.advance(to: Instant(rawValue: 3_999))
    expect(actions(of: &panel), is: [])
    expect(panel.deadline, is: Instant(rawValue: 4_000))
    panel.advance(to: Instant(rawValue: 4_000))
    expect(actions(of: &panel), is: [.release])
    // A button that is stuck has no deadline.
    expect(panel.deadline, is: nil)
    panel.advance(to: Instant(rawValue: 60_000))
    expect(actions(of: &panel), is: [])
  }

  @Test("Clear released before 3 s, or bouncing within, does not release", arguments: [2_999, 1])
  func release(after time: UInt64) {
    var panel = FrontPanel(shakeDebounce: 20, clearDebounce: 20)
    panel.edge(.clear, isClosed: true, at: Instant(rawValue: 0))
    panel.edge(.clear, isClosed: false, at: Instant(rawValue: time))
    while let deadline = panel.deadline { panel.advance(to: deadline) }
    expect(actions(of: &panel), is: [.clear])
    expect(panel.deadline, is: nil)
  }

  @Test("Shake held for 3 s is a shake")
  func holdShake() {
    var panel = FrontPanel(shakeDebounce: 0, clearDebounce: 0)
    panel.edge(.shake, isClosed: true, at: Instant(rawValue: 0))
    panel.advance(to: Instant(rawValue: 10_000))
    expect(actions(of: &panel), is: [.shake])
  }

  @Test("A button that is down at the start counts only after it has been up")
  func found() {
    var panel = FrontPanel(shakeDebounce: 0, clearDebounce: 0)
    panel.setContact(of: .clear, isClosed: true)
    expect(panel.isPressed(.clear))
    panel.advance(to: Instant(rawValue: 10_000))
    expect(actions(of: &panel), is: [])
    panel.edge(.clear, isClosed: false, at: Instant(rawValue: 11_000))
    press(.clear, of: &panel, at: 12_000)
    expect(actions(of: &panel), is: [.clear])
  }

  // MARK: Helpers

  private func press(_ button: ButtonName, of panel: inout FrontPanel, at time: UInt64) {
    panel.edge(button, isClosed: true, at: Instant(rawValue: time))
    panel.edge(button, isClosed: false, at: Instant(rawValue: time + 1))
  }

  private func actions(of panel: inout FrontPanel) -> [FrontPanelAction] {
    var actions: [FrontPanelAction] = []
    while let action = panel.nextAction() { actions.append(action) }
    return actions
  }

  /// When shake was pressed. The panel is called at its deadlines as by a loop.
  private func presses(of panel: inout FrontPanel, _ edges: [Edge], until end: UInt64) -> [UInt64] {
    var presses: [UInt64] = []
    func wake(_ panel: inout FrontPanel, until time: UInt64) {
      while let deadline = panel.deadline, deadline.rawValue <= time {
        panel.advance(to: deadline)
        if panel.nextAction() != nil { presses.append(deadline.rawValue) }
      }
    }
    for edge in edges {
      wake(&panel, until: edge.time)
      panel.edge(.shake, isClosed: edge.isClosed, at: Instant(rawValue: edge.time))
      if panel.nextAction() != nil { presses.append(edge.time) }
    }
    wake(&panel, until: end)
    return presses
  }
}
