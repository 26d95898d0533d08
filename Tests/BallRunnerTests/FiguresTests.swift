import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("The figures of a ball")
struct FiguresTests {
  @Test("A ball without figures needs no memory for them; one with figures needs 280 bytes")
  func sizes() {
    expect(MemoryLayout<NoMetrics>.size, is: 0)
    // 35 figures of 8 bytes.
    expect(MemoryLayout<BallFigures>.size, is: 280)
    expect(Figure.count, is: 35)
    // Plus a time for each connection, and a count of lines.
    expect(MemoryLayout<BallMetricStore<4>>.size, is: 280 + 4 * 8 + 8)
  }

  @Test("A link is counted from its beginning to its end")
  func visit() {
    let bench = RunnerBench()
    bench.turn(at: 0)
    let start = bench.figures
    expect(start[.radioReady], is: 1)
    expect(start[.connections], is: 0)
    bench.listen()
    let before = bench.figures
    expect(before[.connections], is: 1)
    expect(before[.connectionsBegun], is: 1)
    bench.ask("Will it rain?", at: 100)
    bench.say("No.", at: 200)
    // Bytes that are not UTF-8, in a Write Command.
    bench.receive(ScriptedController.pdu([0x52, 0x1D, 0x00, 0xFF, 0x3F], on: 0x40), at: 210)
    bench.disconnect(at: 300)
    let figures = bench.figures
    expect(figures[.connections], is: 0)
    expect(figures[.connectionsBegun], is: 1)
    expect(figures[.questions], is: 1)
    expect(figures[.answers], is: 1)
    expect(figures[.refusedStatements], is: 1)
    expect(figures[.refusedNotUTF8], is: 1)
    expect(figures[.refusedTooLong], is: 0)
    expect(figures[.endedByRemoteUser], is: 1)
    expect(figures[.answeredWithin1], is: 1)
    expect(figures[.answerMilliseconds], is: 0)
  }

  @Test("Each packet of the radio is counted once")
  func packets() {
    let bench = RunnerBench()
    bench.listen()
    bench.ask("Will it rain?", at: 100)
    let figures = bench.figures
    let notes = bench.machine.notes
    expect(figures[.packetsIn], is: UInt64(notes.count { $0.direction == .received }))
    expect(figures[.packetsOut], is: UInt64(notes.count { $0.direction == .sent }))
    expect(figures[.packetsIn] > 0)
  }

  @Test("The time of an answer includes the wait for the subscription")
  func late() {
    let bench = RunnerBench()
    bench.turn(at: 0)
    bench.connect(at: 10)
    bench.ask("Will it rain?", at: 100)
    expect(bench.figures[.answers], is: 0)
    // 742 − 100 = 642 ms.
    bench.subscribe(at: 742)
    let figures = bench.figures
    expect(figures[.answers], is: 1)
    expect(figures[.answerMilliseconds], is: 642)
    expect(figures[.answeredWithin500], is: 0)
    expect(figures[.answeredWithin1000], is: 1)
  }

  @Test("An answer to a shake is counted without a time")
  func shake() {
    let bench = RunnerBench(hasPanel: true)
    bench.listen()
    bench.ask("Will it rain?", at: 100)
    bench.lines.drive(.shake, isClosed: true, at: 1_000)
    bench.run(from: 1_000, until: 1_100)
    let figures = bench.figures
    expect(figures[.questions], is: 1)
    expect(figures[.answers], is: 2)
    // Only answers to questions have times.
    expect(figures[.answeredWithin1], is: 1)
    expect(figures[.answerMilliseconds], is: 0)
  }

  @Test(
    "A time counts in the first bucket that it fits",
    arguments: [
      (0, .answeredWithin1), (1, .answeredWithin1), (2, .answeredWithin5), (5, .answeredWithin5),
      (6, .answeredWithin10), (10, .answeredWithin10), (11, .answeredWithin50),
      (50, .answeredWithin50), (51, .answeredWithin100), (100, .answeredWithin100),
      (101, .answeredWithin500), (500, .answeredWithin500), (501, .answeredWithin1000),
      (1_000, .answeredWithin1000), (1_001, .answeredWithin5000), (5_000, .answeredWithin5000),
      (5_001, .answeredLater), (.max, .answeredLater),
    ] as [(UInt64, Figure)])
  func buckets(milliseconds: UInt64, figure: Figure) {
    var figures = BallFigures()
    figures.countAnswer(after: milliseconds)
    expect(figures[figure], is: 1)
    expect(figures[.answerMilliseconds], is: milliseconds)
    expect(figure.longestTime.map { milliseconds <= $0 } ?? true)
  }

  @Test(
    "A connection is counted by the reason of its end",
    arguments: [
      (0x13, .endedByRemoteUser), (0x15, .endedByRemotePowerOff), (0x16, .endedByLocalHost),
      (0x08, .endedByTimeout), (0x05, .endedByAuthenticationFailure), (0x06, .endedByMissingKey),
      (0x3D, .endedByMICFailure), (0x22, .endedByResponseTimeout),
      (0x3B, .endedByUnacceptableParameters), (0x3E, .endedBeforeEstablished),
      (0x03, .endedByHardwareFailure), (0x14, .endedOtherwise), (0xFF, .endedOtherwise),
    ] as [(UInt8, Figure)])
  func reasons(code: UInt8, figure: Figure) {
    var counter = BallMetricStore<4>()
    counter.count(
      .disconnected(connectionIndex: 0, address: .zero, reason: HCIErrorCode(rawValue: code)),
      at: Instant(rawValue: 0))
    var expected = BallFigures()
    expected[figure] = 1
    expect(counter.figures, is: expected)
  }

  @Test("The question of a disconnected central is not answered by the next central's answer")
  func gone() throws {
    var counter = BallMetricStore<4>()
    counter.count(.asked(connectionIndex: 0), at: Instant(rawValue: 0))
    counter.count(
      .disconnected(connectionIndex: 0, address: .zero, reason: .connectionTimeout),
      at: Instant(rawValue: 10))
    counter.count(
      .answered(connectionIndex: 0, try #require(Answer(rawValue: 3))), at: Instant(rawValue: 20))
    expect(counter.figures[.answers], is: 1)
    expect(counter.figures[.answerMilliseconds], is: 0)
    expect(counter.figures[.answeredWithin1], is: 0)
  }

  @Test("A lost radio is not ready, and ends the links")
  func lostRadio() {
    let bench = RunnerBench()
    bench.listen()
    bench.machine.emptyRead = .closed
    bench.turn(at: 100)
    let figures = bench.figures
    expect(figures[.radioReady], is: 0)
    expect(figures[.connections], is: 0)
    expect(figures[.endedByHardwareFailure], is: 1)
  }

  @Test("The figures of several balls are added one by one")
  func sum() {
    var sum = BallFigures()
    var one = BallFigures()
    one[.questions] = 3
    one[.packetsOut] = 5
    sum.add(one)
    sum.add(one)
    expect(sum[.questions], is: 6)
    expect(sum[.packetsOut], is: 10)
    expect(sum[.answers], is: 0)
  }

  @Test("A listener that requests the figures receives them in one line")
  func event() throws {
    let bench = RunnerBench()
    bench.listen()
    bench.join(1, 2, at: 50)
    bench.request("figures", at: 60)
    let lines = bench.takeLines()
    expect(lines.count, is: 1)
    let line = try #require(lines.first)
    expect(
      line.hasPrefix(
        #"{"event":"figures","version":"0.2.0","radio_ready":1,"connections":1,"connections_total":1,"questions":0"#
      ))
    expect(line.hasSuffix(#","lines_unread":0,"lines_limited":0,"events_missed":0}"#))
    // The event, the version, and 35 figures.
    expect(line.split(separator: ",").count, is: 37)
    expect(bench.takeLines(of: 2).isEmpty)
  }

  @Test("The buffer has room for the longest line")
  func longest() {
    var figures = BallFigures()
    for number in 0..<Figure.count { Figure(rawValue: number).map { figures[$0] = .max } }
    var line = ByteBuffer<2_048>()
    line.write { $0.writeJSON(figures) }
    let text = String(decoding: Array(line.span), as: UTF8.self)
    expect(text.hasSuffix("}"))
    expect(!text.contains("-"))
    expect(text.contains(#""questions":9223372036854775807,"#))
  }
}
