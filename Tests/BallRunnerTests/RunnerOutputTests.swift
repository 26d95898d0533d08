import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("What a ball sends and prints")
struct RunnerOutputTests {
  private let bench = RunnerBench()

  // MARK: A question

  @Test("The response and the answer leave before the question is printed")
  func order() throws {
    bench.listen()
    let count = bench.machine.effects.count
    bench.ask("Will it rain?", at: 100)
    let effects = bench.machine.effects.dropFirst(count)
    let sent = try #require(effects.lastIndex { if case .sent = $0 { true } else { false } })
    let printed = try #require(effects.firstIndex { if case .printed = $0 { true } else { false } })
    expect(sent < printed)
    // Both lines are printed in one call.
    expect(effects.count { if case .printed = $0 { true } else { false } }, is: 1)
    let lines = bench.machine.outputLines.suffix(2)
    expect(lines.first, is: "Question: Will it rain?")
    expect(lines.last?.hasPrefix("Answer: "), is: true)
    expect(bench.machine.answers.count, is: 1)
  }

  @Test(
    "A stream's packets are sent in one write, an adapter's in one each", arguments: [false, true])
  func writes(isPacketwise: Bool) {
    let bench = RunnerBench { $0.isPacketwise = isPacketwise }
    bench.listen()
    let count = bench.machine.effects.count
    bench.ask("Will it rain?", at: 100)
    let sent = bench.machine.effects.dropFirst(count).filter {
      if case .sent = $0 { true } else { false }
    }
    expect(sent.count, is: isPacketwise ? 2 : 1)
    // Each packet is recorded: the Write Response, and the notification.
    expect(bench.machine.packets.suffix(2).map { $0[9] }, is: [0x13, 0x1B])
  }

  @Test("Two questions in one read are both answered and printed")
  func twoQuestions() {
    bench.listen()
    bench.machine.incoming = [
      ScriptedController.question("First?", on: link)
        + ScriptedController.question("Second?", on: link)
    ]
    bench.turn(at: 100)
    let lines = bench.machine.outputLines.filter { $0.hasPrefix("Question") }
    expect(lines, is: ["Question: First?", "Question: Second?"])
  }

  @Test("Packets may come in any pieces")
  func pieces() {
    bench.listen()
    bench.machine.incoming = ScriptedController.question("Cut?", on: link).map { [$0] }
    bench.turn(at: 100)
    expect(bench.machine.outputLines.contains("Question: Cut?"))
  }

  @Test("A controller that takes few bytes at a time receives all of them in order")
  func partialWrites() {
    bench.listen()
    let effectCount = bench.machine.effects.count
    bench.machine.writeLimits = [3, 0, 1, 0, 500]
    bench.ask("Slow?", at: 100)
    for time in UInt64(101)...105 { bench.turn(at: time) }
    let sent = bench.machine.effects.dropFirst(effectCount).flatMap {
      if case .sent(let bytes) = $0 { bytes } else { [UInt8]() }
    }
    expect(sent, is: Array(bench.machine.packets.suffix(2).joined()))
  }

  // MARK: Lines

  @Test(
    "People, and programs, read about a link from its beginning to its end",
    arguments: [false, true])
  func visit(isJSON: Bool) {
    let bench = RunnerBench(isJSON: isJSON)
    bench.listen()
    bench.ask("Is \"it\" \u{7}?", at: 100)
    bench.say("No.", at: 200)
    bench.disconnect(at: 300)
    let central = #""central":"C0:00:00:00:00:40""#
    let json = [
      #"{"event":"advertising","name":"Test Ball","address":"F0:00:00:00:00:0A"}"#,
      #"{"event":"connected",\#(central),"connection":0}"#,
      #"{"event":"subscribed",\#(central),"connection":0,"on":true}"#,
      #"{"event":"question",\#(central),"text":"Is \"it\" \u0007?"}"#, "answer",
      #"{"event":"refused",\#(central),"reason":"not a question (it must end in “?”)"}"#,
      #"{"event":"disconnected",\#(central),"connection":0,"reason":"by the other side","code":19}"#,
    ]
    let words = [
      "Advertising as “Test Ball” (F0:00:00:00:00:0A).", "Connected: C0:00:00:00:00:40.",
      "Question: Is \"it\" \u{FFFD}?", "answer", "Refused: not a question (it must end in “?”).",
      "Disconnected: C0:00:00:00:00:40, by the other side.",
    ]
    let answer = isJSON ? #"{"event":"answer",\#(central),"text":""# : "Answer: "
    expect(
      bench.machine.outputLines.map { $0.hasPrefix(answer) ? "answer" : $0 },
      is: isJSON ? json : words)
    expect(bench.machine.errors, is: "")
  }

  @Test("The fourth central ends the advertising, and a disconnection resumes it")
  func capacity() {
    bench.turn(at: 0)
    for handle in link..<link + 4 { bench.connect(handle, at: 10) }
    expect(bench.machine.outputLines.last, is: "All connections are in use; not advertising.")
    bench.disconnect(at: 20)
    expect(
      bench.machine.outputLines.suffix(2),
      is: [
        "Disconnected: C0:00:00:00:00:40, by the other side.",
        "Advertising as “Test Ball” (F0:00:00:00:00:0A).",
      ])
  }

  @Test("A line of the program goes to its stream, in order")
  func ownLines() {
    let text = Array("Board: none.".utf8)
    bench.runner.print(text.span)
    bench.runner.print(text.span, to: .errors)
    expect(bench.machine.output, is: "Board: none.\n")
    expect(bench.machine.errors, is: "Board: none.\n")
  }

  @Test("A quiet ball prints only errors and lost parts")
  func quiet() {
    let bench = RunnerBench(isQuiet: true)
    bench.listen()
    bench.ask("Anything?", at: 100)
    expect(bench.machine.output, is: "")
    expect(bench.machine.answers.count, is: 1)
    bench.machine.emptyRead = .closed
    bench.turn(at: 1_000)
    expect(
      bench.machine.errorLines, is: ["Radio: lost; test0 closed the connection. Trying again…"])
    expect(bench.machine.output, is: "")
  }

  // MARK: An output that is not read

  @Test(
    "An unread output loses lines but no answers, and reports the loss",
    arguments: [false, true])
  func unread(isJSON: Bool) throws {
    let bench = RunnerBench(isJSON: isJSON)
    bench.listen()
    bench.machine.outputRoom = 100
    let before = bench.machine.packets.count
    for number in 0..<1_000 {
      bench.ask("Number \(number)?", at: 100_000 + UInt64(number) * 100)
    }
    // A Write Response and a notification for each.
    expect(bench.machine.packets.count - before, is: 2_000)
    expect(bench.machine.errors, is: "")
    bench.machine.outputRoom = nil
    bench.turn(at: 300_000)
    bench.ask("Again?", at: 300_001)
    let lines = bench.machine.outputLines
    let report = try #require(lines.firstIndex { $0.contains("unread") || $0.contains("not read") })
    let count = try #require(Int(lines[report].filter(\.isNumber)))
    expect(
      lines[report],
      is: isJSON
        ? #"{"event":"unread","count":\#(count)}"#
        : "(\(count) lines dropped: output was not read.)")
    // Every line was printed, or is counted as lost.
    let answers = lines[..<report].count { $0.contains("uestion") || $0.contains("nswer") }
    expect(answers + count, is: 2_000)
    expect(lines[report + 1].contains("Again?"))
    expect(lines.count, is: report + 3)
  }

  @Test("Without a reader of its output the ball goes on, and answers")
  func closedOutput() {
    bench.listen()
    bench.machine.isOutputClosed = true
    bench.ask("Anyone?", at: 100)
    let packets = bench.machine.packets.count
    bench.ask("And now?", at: 200)
    // The response and the answer.
    expect(bench.machine.packets.count, is: packets + 2)
    expect(bench.machine.isRadioOpen)
  }
}
