import BluetoothHost
import EightBall
import Testing

@testable import BallRunner

/// A handle that the tests' central has.
private let link: UInt8 = 0x40

@Suite("The loop of a ball")
struct RunnerTests {
  // MARK: A question

  @Test("The response and the answer leave before the question is printed")
  func order() throws {
    let bench = RunnerBench()
    bench.listen()
    let count = bench.machine.effects.count
    bench.receive(ScriptedController.question("Will it rain?", on: link), at: 100)
    let effects = bench.machine.effects.dropFirst(count)
    let sent = try #require(effects.lastIndex { if case .sent = $0 { true } else { false } })
    let printed = try #require(effects.firstIndex { if case .printed = $0 { true } else { false } })
    #expect(sent < printed)
    // Both lines go in one call.
    #expect(effects.count { if case .printed = $0 { true } else { false } } == 1)
    let lines = bench.machine.outputLines.suffix(2)
    #expect(lines.first == "Question: Will it rain?")
    #expect(lines.last?.hasPrefix("Answer: ") == true)
    #expect(bench.machine.answers.count == 1)
  }

  @Test("A stream's packets go in one write, an adapter's in one each", arguments: [false, true])
  func writes(isPacketwise: Bool) {
    let bench = RunnerBench { $0.isPacketwise = isPacketwise }
    bench.listen()
    let count = bench.machine.effects.count
    bench.receive(ScriptedController.question("Will it rain?", on: link), at: 100)
    let sent = bench.machine.effects.dropFirst(count).filter {
      if case .sent = $0 { true } else { false }
    }
    #expect(sent.count == (isPacketwise ? 2 : 1))
    // Each packet is noted by itself: the Write Response, and the notification.
    #expect(bench.machine.packets.suffix(2).map { $0[9] } == [0x13, 0x1B])
  }

  @Test("Two questions in one read are answered and printed, each with its own text")
  func twoQuestions() {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.incoming = [
      ScriptedController.question("First?", on: link)
        + ScriptedController.question("Second?", on: link)
    ]
    bench.turn(at: 100)
    let lines = bench.machine.outputLines.filter { $0.hasPrefix("Question") }
    #expect(lines == ["Question: First?", "Question: Second?"])
  }

  @Test("Packets may come in any pieces")
  func pieces() {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.incoming = ScriptedController.question("Cut?", on: link).map { [$0] }
    bench.turn(at: 100)
    #expect(bench.machine.outputLines.contains("Question: Cut?"))
  }

  @Test("A controller that takes few bytes at a time gets all of them, in their order")
  func partialWrites() {
    let bench = RunnerBench()
    bench.listen()
    let effectCount = bench.machine.effects.count
    bench.machine.writeLimits = [3, 0, 1, 0, 500]
    bench.receive(ScriptedController.question("Slow?", on: link), at: 100)
    for time in UInt64(101)...105 { bench.turn(at: time) }
    let sent = bench.machine.effects.dropFirst(effectCount).flatMap {
      if case .sent(let bytes) = $0 { bytes } else { [UInt8]() }
    }
    #expect(sent == Array(bench.machine.packets.suffix(2).joined()))
  }

  // MARK: Words

  @Test("For people, a link from its beginning to its end")
  func people() {
    let bench = RunnerBench()
    bench.listen()
    bench.receive(ScriptedController.question("Is it \u{7}?", on: link), at: 100)
    bench.receive(ScriptedController.statement("No.", on: link), at: 200)
    bench.receive(ScriptedController.disconnection(link), at: 300)
    let lines = bench.machine.outputLines
    #expect(
      lines.filter { !$0.hasPrefix("Answer") } == [
        "Advertising as “Test Ball” (F0:00:00:00:00:0A).", "Connected: C0:00:00:00:00:40.",
        "Question: Is it \u{FFFD}?", "Refused: not a question (it must end in “?”).",
        "Disconnected: C0:00:00:00:00:40, by the other side.",
      ])
    #expect(bench.machine.errors == "")
  }

  @Test("For programs, the same as JSON")
  func programs() throws {
    let bench = RunnerBench(isJSON: true)
    bench.listen()
    bench.receive(ScriptedController.question("Is \"it\"?", on: link), at: 100)
    bench.receive(ScriptedController.statement("No.", on: link), at: 200)
    bench.receive(ScriptedController.disconnection(link), at: 300)
    let lines = bench.machine.outputLines
    let central = #""central":"C0:00:00:00:00:40""#
    #expect(
      lines.filter { !$0.contains("answer") } == [
        #"{"event":"advertising","name":"Test Ball","address":"F0:00:00:00:00:0A"}"#,
        #"{"event":"connected",\#(central),"place":0}"#,
        #"{"event":"subscribed",\#(central),"place":0,"on":true}"#,
        #"{"event":"question",\#(central),"text":"Is \"it\"?"}"#,
        #"{"event":"refused",\#(central),"reason":"not a question (it must end in “?”)"}"#,
        #"{"event":"disconnected",\#(central),"place":0,"reason":"by the other side","code":19}"#,
      ])
    let answer = try #require(lines.first { $0.contains("answer") })
    #expect(answer.hasPrefix(#"{"event":"answer",\#(central),"text":""#))
  }

  @Test("The fourth central leaves no place, and the first that goes makes one")
  func places() {
    let bench = RunnerBench()
    bench.turn(at: 0)
    for handle in link..<link + 4 {
      bench.receive(ScriptedController.connection(handle), at: 10)
    }
    #expect(bench.machine.outputLines.last == "All places are taken; not advertising.")
    bench.receive(ScriptedController.disconnection(link), at: 20)
    #expect(
      bench.machine.outputLines.suffix(2) == [
        "Disconnected: C0:00:00:00:00:40, by the other side.",
        "Advertising as “Test Ball” (F0:00:00:00:00:0A).",
      ])
  }

  @Test("A line of the program goes to its stream, in its order")
  func ownLines() {
    let bench = RunnerBench()
    let text = Array("Board: none.".utf8)
    bench.runner.print(text.span)
    bench.runner.print(text.span, to: .errors)
    #expect(bench.machine.output == "Board: none.\n")
    #expect(bench.machine.errors == "Board: none.\n")
  }

  @Test("A quiet ball prints what goes wrong, and nothing else")
  func quiet() {
    let bench = RunnerBench(isQuiet: true)
    bench.listen()
    bench.receive(ScriptedController.question("Anything?", on: link), at: 100)
    #expect(bench.machine.output == "")
    #expect(bench.machine.answers.count == 1)
    bench.machine.emptyRead = .closed
    bench.turn(at: 1_000)
    #expect(
      bench.machine.errorLines == ["Radio: lost; test0 closed the connection. Trying again…"])
    #expect(bench.machine.output == "")
  }

  // MARK: An output that is not read

  @Test(
    "An output that is not read costs lines and no answers, and the loss is reported",
    arguments: [false, true])
  func unread(isJSON: Bool) throws {
    let bench = RunnerBench(isJSON: isJSON)
    bench.listen()
    bench.machine.outputRoom = 100
    let before = bench.machine.packets.count
    for number in 0..<1_000 {
      bench.receive(
        ScriptedController.question("Number \(number)?", on: link),
        at: 100_000 + UInt64(number) * 100)
    }
    // A Write Response and a notification for each.
    #expect(bench.machine.packets.count - before == 2_000)
    #expect(bench.machine.errors == "")
    bench.machine.outputRoom = nil
    bench.turn(at: 300_000)
    bench.receive(ScriptedController.question("Again?", on: link), at: 300_001)
    let lines = bench.machine.outputLines
    let report = try #require(lines.firstIndex { $0.contains("unread") || $0.contains("not read") })
    let count = try #require(Int(lines[report].filter(\.isNumber)))
    #expect(
      lines[report]
        == (isJSON
          ? #"{"event":"unread","count":\#(count)}"#
          : "(\(count) lines were not read, and are lost.)"))
    // Every line was printed, or is counted as lost.
    let answers = lines[..<report].count { $0.contains("uestion") || $0.contains("nswer") }
    #expect(answers + count == 2_000)
    #expect(lines[report + 1].contains("Again?"))
    #expect(lines.count == report + 3)
  }

  @Test("An output that nobody reads any more ends the ball, as a signal does")
  func closedOutput() {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.isOutputClosed = true
    bench.receive(ScriptedController.question("Anyone?", on: link), at: 100)
    bench.machine.onSleep = { [machine = bench.machine] deadline in
      machine.now = deadline ?? Instant(rawValue: .max)
      return true
    }
    #expect(bench.runner.run() == .asked)
    #expect(!bench.machine.isRadioOpen)
  }

  // MARK: The radio

  @Test(
    "A radio that cannot be opened at the start ends the ball, with the reason",
    arguments: [false, true])
  func noRadio(isJSON: Bool) {
    let bench = RunnerBench(isJSON: isJSON) { $0.openings = [.failed] }
    #expect(bench.runner.run() == .noRadio)
    let reason = "there is no adapter test0. Plug it in."
    #expect(bench.machine.errors == (isJSON ? "" : "Error: \(reason)\n"))
    #expect(
      bench.machine.output
        == (isJSON ? #"{"event":"failed","reason":"radio","detail":"\#(reason)"}"# + "\n" : ""))
  }

  @Test("A controller that has yet to come is waited for")
  func pendingRadio() {
    let bench = RunnerBench { $0.openings = [.pending, .pending, .opened] }
    #expect(bench.turn(at: 0))
    #expect(bench.deadline == nil)
    #expect(bench.turn(at: 50_000))
    #expect(bench.machine.output == "")
    #expect(bench.turn(at: 60_000))
    #expect(bench.machine.outputLines == ["Advertising as “Test Ball” (F0:00:00:00:00:0A)."])
  }

  @Test("A host that is not found while it is looked up ends the ball")
  func hostNotFound() {
    let bench = RunnerBench { $0.openings = [.pending, .failed] }
    #expect(bench.turn(at: 0))
    #expect(!bench.turn(at: 1_000))
  }

  @Test("A radio that is lost is opened again after 250 ms, then more and more seldom, to 5 s")
  func retries() {
    let bench = RunnerBench()
    bench.turn(at: 0)
    bench.machine.openings = [.failed]
    bench.machine.emptyRead = .closed
    bench.run(from: 1_000, until: 25_000)
    #expect(
      bench.machine.openingTimes
        == [0, 1_250, 1_750, 2_750, 4_750, 8_750, 13_750, 18_750, 23_750])
    #expect(
      bench.machine.errorLines
        == ["Radio: lost; test0 closed the connection. Trying again…"])
    bench.machine.openings = [.opened]
    bench.machine.emptyRead = .nothing
    bench.run(from: 28_750, until: 28_800)
    #expect(
      bench.machine.outputLines.suffix(2) == [
        "Radio: ready again.", "Advertising as “Test Ball” (F0:00:00:00:00:0A).",
      ])
    // A packet has come, so the next loss is the first in a while.
    bench.machine.emptyRead = .closed
    bench.turn(at: 30_000)
    #expect(bench.deadline == 30_250)
  }

  @Test("The links of a lost radio end before it is opened again")
  func lostLinks() {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.emptyRead = .failed
    bench.turn(at: 1_000)
    #expect(
      bench.machine.errorLines == [
        "Radio: lost; there is no adapter test0. Plug it in. Trying again…"
      ])
    #expect(bench.machine.outputLines.last?.hasPrefix("Disconnected: C0:00:00:00:00:40") == true)
    #expect(!bench.machine.isRadioOpen)
  }

  @Test("A write that fails loses the radio")
  func failedWrite() {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.isWriteFailing = true
    bench.receive(ScriptedController.question("Heard?", on: link), at: 100)
    #expect(!bench.machine.isRadioOpen)
    #expect(bench.deadline == 350)
  }

  @Test("A byte that begins no packet loses the radio, and is named")
  func lostSync() {
    let bench = RunnerBench()
    bench.turn(at: 0)
    bench.receive([0x99, 0x01], at: 100)
    #expect(
      bench.machine.errorLines == [
        "Radio: lost; test0 sent 0x99 where a packet begins. Does it speak H4, and at this speed? "
          + "Trying again…"
      ])
  }

  @Test("A controller that answers nothing is given up after three Resets, and opened anew")
  func silentController() {
    let bench = RunnerBench { $0.controller = nil }
    bench.run(from: 0, until: 60_000)
    #expect(bench.machine.openingTimes.count > 2)
    #expect(
      bench.machine.errorLines.contains(
        "Radio: lost; test0 answers nothing: 3 Resets were left unanswered. "
          + "Is it a Bluetooth controller that speaks H4? Trying again…"))
  }

  @Test("A full air refuses the first Reset, and is no controller")
  func fullAir() {
    let bench = RunnerBench {
      $0.controller = { _ in [[0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x0D]] }
    }
    bench.turn(at: 0)
    #expect(
      bench.machine.errorLines == [
        "Radio: lost; the virtual air at test0 is full. End a program that uses it, or host an air "
          + "for more radios before you start the others: eightball radio --limit 1000. Trying again…"
      ])
    #expect(bench.deadline == 250)
  }

  @Test("The same trouble at each attempt is printed once, another anew")
  func sameTrouble() {
    let bench = RunnerBench()
    bench.turn(at: 0)
    bench.machine.emptyRead = .closed
    bench.run(from: 1_000, until: 20_000)
    #expect(bench.machine.errorLines.count == 1)
    bench.machine.emptyRead = .failed
    bench.run(from: 20_001, until: 40_000)
    #expect(bench.machine.errorLines.count == 2)
  }

  // MARK: The panel

  @Test("A shake makes a new answer; clear forgets; clear held lets everybody go")
  func buttons() {
    let bench = RunnerBench { $0.lines.isThere = true }
    bench.listen()
    bench.receive(ScriptedController.question("Once more?", on: link), at: 100)
    let answers = bench.machine.outputLines.count { $0.hasPrefix("Answer") }
    bench.machine.lines.drive(.shake, isClosed: true, at: 1_000)
    bench.run(from: 1_000, until: 1_050)
    #expect(bench.machine.outputLines.count { $0.hasPrefix("Answer") } == answers + 1)
    #expect(bench.machine.outputLines.contains("Shaken."))
    bench.machine.lines.drive(.shake, isClosed: false, at: 1_100)
    bench.machine.lines.drive(.clear, isClosed: true, at: 2_000)
    bench.run(from: 2_000, until: 5_100)
    #expect(
      bench.machine.outputLines.suffix(3) == [
        "Cleared: every question and answer is forgotten.",
        "Clear was held: everybody is let go.",
        "Disconnected: C0:00:00:00:00:40, by this side.",
      ])
    // Disconnect, with the link's handle.
    #expect(bench.machine.packets.contains { $0.prefix(5) == [0x01, 0x06, 0x04, 0x03, link] })
    #expect(bench.machine.answers.last == .some(nil))
  }

  @Test("The answer of a shake leaves in the turn in which the button went down")
  func shakeTurn() {
    let bench = RunnerBench { $0.lines.isThere = true }
    bench.listen()
    bench.receive(ScriptedController.question("Now?", on: link), at: 100)
    let count = bench.machine.packets.count
    bench.machine.lines.drive(.shake, isClosed: true, at: 1_000)
    _ = bench.runner.turn(at: Instant(rawValue: 1_000))
    #expect(bench.machine.packets.count == count + 1)
  }

  @Test("Lines that cannot be used are reported once, and when they can", arguments: [false, true])
  func lostLines(isJSON: Bool) {
    let bench = RunnerBench(isJSON: isJSON) {
      $0.lines.isThere = true
      $0.lines.isRefused = true
    }
    bench.run(from: 0, until: 10_000)
    let trouble = "a line of “test-chip” is in use"
    #expect(
      bench.machine.errorLines
        == (isJSON ? [] : ["Buttons and lights: none for now; \(trouble)."]))
    bench.machine.lines.isRefused = false
    bench.run(from: 10_001, until: 20_000)
    #expect(
      bench.machine.outputLines.filter { !$0.contains("dvertising") }
        == (isJSON
          ? [
            #"{"event":"board","state":"lost","detail":"\#(trouble)"}"#,
            #"{"event":"board","state":"ready"}"#,
          ] : ["Buttons and lights: ready."]))
  }

  // MARK: Idleness

  @Test("Without a panel, a ball that advertises wants no turn within 10 s, nor one with a link")
  func idle() throws {
    let bench = RunnerBench()
    bench.turn(at: 0)
    #expect(try #require(bench.deadline) > 10_000)
    bench.listen()
    bench.turn(at: 20_000)
    #expect(bench.deadline.map { $0 > 30_000 } ?? true)
  }

  @Test("A board whose lines are lost wakes the ball for its retries, and not for its lights")
  func idleWithoutLines() {
    let bench = RunnerBench {
      $0.lines.isThere = true
      $0.lines.isRefused = true
    }
    bench.run(from: 0, until: 60_000)
    let (turns, openings) = (bench.turns, bench.machine.lines.openings)
    bench.run(from: 60_000, until: 120_000)
    // Each 5 s.
    #expect(bench.machine.lines.openings - openings == 12)
    // And the host's question to an idle controller, each 30 s, with its answer.
    #expect(bench.turns - turns <= 12 + 2 * 3)
  }

  // MARK: The end

  @Test("A ball that is asked to end says goodbye, turns its lights off and gives all back")
  func end() {
    let bench = RunnerBench { $0.lines.isThere = true }
    bench.listen()
    bench.turn(at: 100)
    #expect(bench.machine.lines.lit == [.status])
    bench.machine.endRequests = 1
    bench.machine.onSleep = { _ in true }
    #expect(bench.runner.run() == .asked)
    #expect(bench.machine.lines.lit == [])
    #expect(!bench.machine.lines.isOpen)
    #expect(!bench.machine.isRadioOpen)
    #expect(bench.machine.outputLines.last?.hasPrefix("Disconnected: ") == true)
  }

  @Test("A goodbye takes 2 s at most, and a second request does not wait")
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
      #expect(bench.runner.run() == .asked)
      #expect(bench.machine.now == Instant(rawValue: isTwice ? 1_000 : 3_000))
    }
  }

  @Test("A ball whose radio is lost ends at once, and does not fail")
  func endWithoutRadio() {
    let bench = RunnerBench { $0.openings = [.opened, .failed] }
    bench.turn(at: 0)
    bench.machine.emptyRead = .closed
    bench.turn(at: 10)
    bench.machine.endRequests = 1
    #expect(bench.runner.run() == .asked)
  }

  @Test("A machine that refuses to wait ends the ball, which gives all back")
  func noWait() {
    let bench = RunnerBench()
    bench.machine.onSleep = { _ in false }
    #expect(bench.runner.run() == .noWait)
    #expect(!bench.machine.isRadioOpen)
  }
}

extension RunnerBench {
  /// The ball advertises, and a central connects and subscribes.
  func listen() {
    turn(at: 0)
    receive(ScriptedController.connection(link), at: 10)
    receive(ScriptedController.subscription(true, on: link), at: 20)
  }
}
