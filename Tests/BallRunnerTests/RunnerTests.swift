import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("The loop of a ball: its radio, its panel and its end")
struct RunnerTests {
  private let bench = RunnerBench()

  // MARK: The radio

  @Test(
    "A radio that cannot be opened at the start ends the ball with the reason",
    arguments: [false, true])
  func noRadio(isJSON: Bool) {
    let bench = RunnerBench(isJSON: isJSON) { $0.openings = [.failed] }
    expect(bench.runner.run(), is: .noRadio)
    let reason = "there is no adapter test0. Plug it in."
    expect(bench.machine.errors, is: isJSON ? "" : "Error: \(reason)\n")
    expect(
      bench.machine.output,
      is: isJSON ? #"{"event":"failed","reason":"radio","detail":"\#(reason)"}"# + "\n" : "")
  }

  @Test("The ball waits for a controller that has not connected yet")
  func pendingRadio() {
    let bench = RunnerBench { $0.openings = [.pending, .pending, .opened] }
    expect(bench.rest(at: 0))
    expect(bench.deadline, is: nil)
    expect(bench.rest(at: 50_000))
    expect(bench.machine.output, is: "")
    expect(bench.rest(at: 60_000))
    expect(bench.machine.outputLines, is: ["Advertising as “Test Ball” (F0:00:00:00:00:0A)."])
  }

  // Symptom: Question required an encryption that such a ball cannot begin.
  @Test("A ball that is made with no security answers every central")
  func noSecurity() {
    bench.runner = BallRunner(.test(), security: NoSecurity(), on: bench.machine)
    bench.listen()
    bench.ask("Open?", at: 30)
    expect(bench.runner.ball.host.connectionCount, is: 1)
    expect(bench.machine.outputLines.contains("Question: Open?"))
  }

  @Test("A host name that is not found ends the ball")
  func hostNotFound() {
    let bench = RunnerBench { $0.openings = [.pending, .failed] }
    expect(bench.rest(at: 0))
    expect(!bench.rest(at: 1_000))
  }

  @Test("A lost radio is reopened after 250 ms, then at growing intervals up to 5 s")
  func retries() {
    bench.turn(at: 0)
    bench.machine.openings = [.failed]
    bench.machine.emptyRead = .closed
    bench.run(from: 1_000, until: 25_000)
    expect(
      bench.machine.openingTimes,
      is: [0, 1_250, 1_750, 2_750, 4_750, 8_750, 13_750, 18_750, 23_750])
    expect(
      bench.machine.errorLines, is: ["Radio: lost; test0 closed the connection. Trying again…"])
    bench.machine.openings = [.opened]
    bench.machine.emptyRead = .nothing
    bench.run(from: 28_750, until: 28_800)
    expect(
      bench.machine.outputLines.suffix(2),
      is: ["Radio: ready again.", "Advertising as “Test Ball” (F0:00:00:00:00:0A)."])
    // A packet has come, so the intervals start again.
    bench.machine.emptyRead = .closed
    bench.turn(at: 30_000)
    expect(bench.deadline, is: 30_250)
  }

  @Test("The links of a lost radio end before it is reopened")
  func lostLinks() {
    bench.listen()
    bench.machine.emptyRead = .failed
    bench.turn(at: 1_000)
    expect(
      bench.machine.errorLines,
      is: ["Radio: lost; there is no adapter test0. Plug it in. Trying again…"])
    expect(bench.machine.outputLines.last?.hasPrefix("Disconnected: C0:00:00:00:00:40"), is: true)
    expect(!bench.machine.isRadioOpen)
  }

  @Test("A failed write loses the radio")
  func failedWrite() {
    bench.listen()
    bench.machine.isWriteFailing = true
    bench.ask("Heard?", at: 100)
    expect(!bench.machine.isRadioOpen)
    expect(bench.deadline, is: 350)
  }

  @Test("A byte that begins no packet loses the radio, and is reported")
  func lostSync() {
    bench.turn(at: 0)
    bench.receive([0x99, 0x01], at: 100)
    expect(
      bench.machine.errorLines,
      is: [
        "Radio: lost; test0 sent 0x99 where a packet begins. Does it speak H4, and at this speed? "
          + "Trying again…"
      ])
  }

  @Test("A silent controller is reopened after three Resets")
  func silentController() {
    let bench = RunnerBench { $0.controller = nil }
    bench.run(from: 0, until: 60_000)
    expect(bench.machine.openingTimes.count > 2)
    expect(
      bench.machine.errorLines.contains(
        "Radio: lost; test0 does not answer: 3 Resets had no response. "
          + "Is it a Bluetooth controller that speaks H4? Trying again…"))
  }

  @Test("A full air refuses the first Reset, which loses the radio")
  func fullAir() {
    let bench = RunnerBench {
      $0.controller = { _ in [[0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x0D]] }
    }
    bench.turn(at: 0)
    expect(
      bench.machine.errorLines,
      is: [
        "Radio: lost; the virtual air at test0 is full. End a program that uses it, or host a larger "
          + "air before you start the others: eightball radio --limit 1000. Trying again…"
      ])
    expect(bench.deadline, is: 250)
  }

  @Test("The same trouble is printed once, and new trouble again")
  func sameTrouble() {
    bench.turn(at: 0)
    bench.machine.emptyRead = .closed
    bench.run(from: 1_000, until: 20_000)
    expect(bench.machine.errorLines.count, is: 1)
    bench.machine.emptyRead = .failed
    bench.run(from: 20_001, until: 40_000)
    expect(bench.machine.errorLines.count, is: 2)
  }

  // MARK: The panel

  @Test("Shake gives a new answer, clear deletes, and clear held disconnects all")
  func buttons() {
    let bench = RunnerBench(hasPanel: true)
    bench.listen()
    bench.ask("Once more?", at: 100)
    let answers = bench.machine.outputLines.count { $0.hasPrefix("Answer") }
    bench.lines.drive(.shake, isClosed: true, at: 1_000)
    bench.run(from: 1_000, until: 1_050)
    expect(bench.machine.outputLines.count { $0.hasPrefix("Answer") }, is: answers + 1)
    expect(bench.machine.outputLines.contains("Shaken: 1 central gets a new answer."))
    bench.lines.drive(.shake, isClosed: false, at: 1_100)
    bench.lines.drive(.clear, isClosed: true, at: 2_000)
    bench.run(from: 2_000, until: 5_100)
    expect(
      bench.machine.outputLines.suffix(3),
      is: [
        "Cleared: every question and answer is forgotten.",
        "Clear was held: all disconnected.",
        "Disconnected: C0:00:00:00:00:40, by this side.",
      ])
    // Disconnect, with the link's handle.
    expect(bench.machine.packets.contains { $0.prefix(5) == [0x01, 0x06, 0x04, 0x03, link] })
    expect(bench.machine.answers.last, is: .some(nil))
  }

  @Test("The answer to a shake is sent in the turn in which the button goes down")
  func shakeTurn() {
    let bench = RunnerBench(hasPanel: true)
    bench.listen()
    bench.ask("Now?", at: 100)
    let count = bench.machine.packets.count
    bench.lines.drive(.shake, isClosed: true, at: 1_000)
    _ = bench.runner.turn(at: Instant(rawValue: 1_000))
    expect(bench.machine.packets.count, is: count + 1)
  }

  @Test(
    "Lines that cannot be used are reported once, and again when they can",
    arguments: [false, true])
  func lostLines(isJSON: Bool) {
    let bench = RunnerBench(isJSON: isJSON, hasPanel: true) { $0.lines.isRefused = true }
    bench.run(from: 0, until: 10_000)
    let trouble = "a line of “test-chip” is in use"
    expect(
      bench.machine.errorLines,
      is: isJSON ? [] : ["Buttons and lights: none for now; \(trouble)."])
    bench.lines.isRefused = false
    bench.run(from: 10_001, until: 20_000)
    expect(
      bench.machine.outputLines.filter { !$0.contains("dvertising") },
      is: isJSON
        ? [
          #"{"event":"board","state":"lost","detail":"\#(trouble)"}"#,
          #"{"event":"board","state":"ready"}"#,
        ] : ["Buttons and lights: ready."])
  }

  // MARK: Idleness

  @Test("Without a panel, an advertising or connected ball needs no turn within 10 s")
  func idle() throws {
    bench.turn(at: 0)
    expect(try #require(bench.deadline) > 10_000)
    bench.listen()
    bench.turn(at: 20_000)
    expect(bench.deadline.map { $0 > 30_000 } ?? true)
  }

  @Test("A board with lost lines wakes the ball for retries, and not for lights")
  func idleWithoutLines() {
    let bench = RunnerBench(hasPanel: true) { $0.lines.isRefused = true }
    bench.run(from: 0, until: 60_000)
    let (turns, openings) = (bench.turns, bench.lines.openings)
    bench.run(from: 60_000, until: 120_000)
    // Each 5 s.
    expect(bench.lines.openings - openings, is: 12)
    // Plus the host's check of an idle controller each 30 s, with its response.
    expect(bench.turns - turns <= 12 + 2 * 3)
  }

  // MARK: The end

  @Test("A ball that is asked to end disconnects, turns its lights off and releases everything")
  func end() {
    let bench = RunnerBench(hasPanel: true)
    bench.listen()
    bench.turn(at: 100)
    expect(bench.lines.lit, is: [.status])
    bench.machine.endRequests = 1
    bench.machine.onSleep = { _ in true }
    expect(bench.runner.run(), is: .asked)
    expect(bench.lines.lit, is: [])
    expect(!bench.lines.isOpen)
    expect(!bench.machine.isRadioOpen)
    expect(bench.machine.outputLines.last?.hasPrefix("Disconnected: "), is: true)
  }

  @Test("Disconnecting takes at most 2 s, and a second request does not wait")
  func farewell() {
    for isTwice in [false, true] {
      let bench = RunnerBench()
      bench.listen()
      bench.machine.controller = nil
      bench.machine.now = Instant(rawValue: 1_000)
      bench.machine.endRequests = isTwice ? 2 : 1
      bench.machine.onSleep = { [machine = bench.machine] deadline in
        machine.now = deadline ?? .init(rawValue: .max)
        return true
      }
      expect(bench.runner.run(), is: .asked)
      expect(bench.machine.now, is: Instant(rawValue: isTwice ? 1_000 : 3_000))
    }
  }

  @Test("A ball with a lost radio ends at once, without an error")
  func endWithoutRadio() {
    let bench = RunnerBench { $0.openings = [.opened, .failed] }
    bench.turn(at: 0)
    bench.machine.emptyRead = .closed
    bench.turn(at: 10)
    bench.machine.endRequests = 1
    expect(bench.runner.run(), is: .asked)
  }

  @Test("A machine that refuses to wait ends the ball, which releases everything")
  func noWait() {
    bench.machine.onSleep = { _ in false }
    expect(bench.runner.run(), is: .noWait)
    expect(!bench.machine.isRadioOpen)
  }
}
