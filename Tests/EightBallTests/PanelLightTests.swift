import BluetoothHost
import Expectations

@testable import EightBall

@Suite("The panel's lights")
struct PanelLightTests {
  /// A light that goes on or off at a time in milliseconds.
  struct Change: Equatable {
    var time: UInt64
    var isLit: Bool

    static func on(_ time: UInt64) -> Change { Change(time: time, isLit: true) }
    static func off(_ time: UInt64) -> Change { Change(time: time, isLit: false) }
  }

  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var status: BallLights.Status
    var changes: [Change]
    /// Wake-ups from 0 to 4 s.
    var wakeUps: Int
  }

  @Test(
    "The status light shows what the ball does, and wakes the loop only at its edges",
    arguments: [
      Case(testDescription: "starting", status: .starting, changes: [], wakeUps: 0),
      Case(testDescription: "off", status: .off, changes: [], wakeUps: 0),
      Case(testDescription: "connected", status: .connected, changes: [.on(0)], wakeUps: 0),
      Case(
        testDescription: "advertising", status: .advertising,
        changes: [.on(0), .off(1_000), .on(2_000), .off(3_000), .on(4_000)], wakeUps: 4),
      Case(
        testDescription: "fault", status: .fault,
        // On at every even tenth of a second, off at every odd one.
        changes: (0...40).map { Change(time: UInt64($0) * 100, isLit: $0 % 2 == 0) }, wakeUps: 40),
    ])
  func status(_ row: Case) {
    var film = Film(.status)
    film.panel.show(lights(row.status), at: Instant(rawValue: 0))
    film.play(from: 0, until: 4_000)
    expect(film.changes, is: row.changes)
    expect(film.wakeUps, is: row.wakeUps)
  }

  @Test("A refused statement is a double flash, after which the light is as before")
  func refusal() {
    var film = Film(.status)
    film.panel.show(lights(.connected), at: Instant(rawValue: 0))
    film.play(from: 0, until: 900)
    film.panel.showRefusal(at: Instant(rawValue: 1_000))
    film.play(from: 1_000, until: 4_000)
    // On 100, off 100, on 100, off 300, and steady again.
    expect(film.changes, is: [.on(0), .off(1_100), .on(1_200), .off(1_300), .on(1_600)])
    expect(film.panel.deadline, is: nil)
  }

  @Test("A change of the state during a flash is shown afterwards")
  func changeDuringFlash() {
    var film = Film(.status)
    film.panel.show(lights(.connected), at: Instant(rawValue: 0))
    film.panel.showRefusal(at: Instant(rawValue: 0))
    film.panel.show(lights(.off), at: Instant(rawValue: 50))
    film.play(from: 0, until: 4_000)
    expect(film.changes, is: [.on(0), .off(100), .on(200), .off(300)])
  }

  @Test("An answer is one pulse of the answer light; another answer restarts it")
  func answer() {
    var film = Film(.answer)
    film.panel.showAnswer(at: Instant(rawValue: 0))
    film.play(from: 0, until: 200)
    film.panel.showAnswer(at: Instant(rawValue: 300))
    film.play(from: 300, until: 4_000)
    // 300 + 400 = 700.
    expect(film.changes, is: [.on(0), .off(700)])
    expect(film.panel.deadline, is: nil)
  }

  @Test("A pattern that is shown again does not restart")
  func showTwice() {
    var panel = FrontPanel(shakeDebounce: 20, clearDebounce: 20)
    panel.show(lights(.advertising), at: Instant(rawValue: 0))
    panel.show(lights(.advertising), at: Instant(rawValue: 700))
    expect(panel.deadline, is: Instant(rawValue: 1_000))
  }

  @Test("After a long sleep the missed blinks are skipped")
  func longSleep() {
    var panel = FrontPanel(shakeDebounce: 20, clearDebounce: 20)
    panel.show(lights(.fault), at: Instant(rawValue: 0))
    let morning: UInt64 = 365 * 86_400_000
    panel.advance(to: Instant(rawValue: morning))
    let next = panel.deadline?.rawValue ?? 0
    expect(next > morning && next <= morning + 100)
  }

  private func lights(_ status: BallLights.Status) -> BallLights {
    BallLights(status: status, isAnswering: false)
  }

  /// Records one light, and calls the panel at its deadlines as a loop would.
  private struct Film {
    let light: LightName
    var panel = FrontPanel(shakeDebounce: 20, clearDebounce: 20)
    var changes: [Change] = []
    var wakeUps = 0
    private var isLit = false

    init(_ light: LightName) {
      self.light = light
    }

    mutating func play(from start: UInt64, until end: UInt64) {
      look(at: start)
      while let deadline = panel.deadline, deadline.rawValue <= end {
        panel.advance(to: deadline)
        wakeUps += 1
        look(at: deadline.rawValue)
      }
    }

    private mutating func look(at time: UInt64) {
      guard panel.isLit(light) != isLit else { return }
      isLit.toggle()
      changes.append(Change(time: time, isLit: isLit))
    }
  }
}
