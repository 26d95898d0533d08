import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("The figures of a ball")
struct FiguresTests {
  private let bench = RunnerBench()

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
    bench.turn(at: 0)
    expect(bench.figures, have: [.radioReady: 1, .connections: 0])
    bench.listen()
    expect(bench.figures, have: [.connections: 1, .connectionsBegun: 1])
    bench.ask("Will it rain?", at: 100)
    bench.say("No.", at: 200)
    // Bytes that are not UTF-8, in a Write Command.
    bench.receive(ScriptedController.pdu([0x52, 0x1D, 0x00, 0xFF, 0x3F], on: 0x40), at: 210)
    bench.disconnect(at: 300)
    expect(
      bench.figures,
      have: [
        .connections: 0, .connectionsBegun: 1, .questions: 1, .answers: 1, .refusedStatements: 1,
        .refusedNotUTF8: 1, .refusedTooLong: 0, .endedByRemoteUser: 1, .answeredWithin1: 1,
        .answerMilliseconds: 0,
      ])
  }

  @Test("Each packet of the radio is counted once")
  func packets() {
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
    bench.turn(at: 0)
    bench.connect(at: 10)
    bench.ask("Will it rain?", at: 100)
    expect(bench.figures[.answers], is: 0)
    // 742 − 100 = 642 ms.
    bench.subscribe(at: 742)
    expect(
      bench.figures,
      have: [.answers: 1, .answerMilliseconds: 642, .answeredWithin500: 0, .answeredWithin1000: 1])
  }

  @Test("An answer to a shake is counted without a time")
  func shake() {
    let bench = RunnerBench(hasPanel: true)
    bench.listen()
    bench.ask("Will it rain?", at: 100)
    bench.lines.drive(.shake, isClosed: true, at: 1_000)
    bench.run(from: 1_000, until: 1_100)
    // Only answers to questions have times.
    expect(
      bench.figures,
      have: [.questions: 1, .answers: 2, .answeredWithin1: 1, .answerMilliseconds: 0])
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
    expect(figures, have: [figure: 1, .answerMilliseconds: milliseconds])
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
    expect(counter.figures, have: [.answers: 1, .answerMilliseconds: 0, .answeredWithin1: 0])
  }

  @Test("A lost radio is not ready, and ends the links")
  func lostRadio() {
    bench.listen()
    bench.machine.emptyRead = .closed
    bench.turn(at: 100)
    expect(bench.figures, have: [.radioReady: 0, .connections: 0, .endedByHardwareFailure: 1])
  }

  @Test("The figures of several balls are added one by one")
  func sum() {
    var sum = BallFigures()
    var one = BallFigures()
    one[.questions] = 3
    one[.packetsOut] = 5
    sum.add(one)
    sum.add(one)
    expect(sum, have: [.questions: 6, .packetsOut: 10, .answers: 0])
  }

  @Test("A listener that requests the figures receives them in one line")
  func event() throws {
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

/// Compares some of the figures.
private func expect(
  _ figures: BallFigures, have counts: KeyValuePairs<Figure, UInt64>,
  at location: SourceLocation = #_sourceLocation
) {
  for (figure, count) in counts {
    expect(figures[figure], is: count, "\(figure.name)", sourceLocation: location)
  }
}
