import BluetoothHost
import EightBall
import Expectations
import Linux
import LinuxRadio
import VirtualRadio

@testable import eightball

extension AskProgram: HostSide {}

@Suite("Asking a ball, on an air where time passes only as the test says")
struct AskProgramTests {
  private let bench = AirBench(seed: 8)
  private let output = Output()

  private final class Output {
    var results: [String] = []
    var notes: [String] = []
  }

  /// A ball that takes every question and never answers.
  private struct SilentBall: GATTApplication, ~Copyable {
    private(set) var questions: [String] = []

    func read(
      _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
      into value: inout ByteWriter
    ) {}

    mutating func write(
      _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
    ) {
      questions.append(String(decoding: Array(value), as: UTF8.self))
    }

    func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? { nil }

    mutating func writeUpdate(
      of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
    ) {}
  }

  private func addBall<Ball: GATTApplication & ~Copyable>(
    _ application: consuming Ball, name: String = "Ball", number: UInt8 = 1
  ) throws -> AirDevice<Peripheral<1, EightBallProfile.Database, Ball>> {
    let deviceName = DeviceName(Array(name.utf8).span)
    let host = Peripheral<1, EightBallProfile.Database, Ball>(
      configuration: HostConfiguration(
        name: try #require(deviceName), service: .ballService, address: .public),
      database: EightBallProfile.makeDatabase(), application: application)
    let ball = bench.add(host, on: bench.air.addController(address: Self.address(number)))
    ball.host.start(at: bench.now)
    try bench.settle()
    return ball
  }

  /// The values of the Write Requests that a ball gets.
  private final class WrittenValues {
    private(set) var values: [[UInt8]] = []

    init<Side: HostSide & ~Copyable>(of ball: AirDevice<Side>) {
      ball.onPacket = { [unowned self] packet, direction in
        // After the type byte, the headers of ACL and L2CAP, and the opcode and handle of ATT.
        guard direction == .received, packet.count >= 12, packet[0] == 0x02, packet[9] == 0x12
        else { return }
        values.append(Array(Array(packet)[12...]))
      }
    }
  }

  /// A program with a radio that is ready, and a search that has begun.
  private func ask(_ request: AskRequest, isJSON: Bool = false) throws -> AirDevice<AskProgram> {
    let printer = AskPrinter(
      isJSON: isJSON, print: { [output] in output.results.append($0) },
      note: { [output] in output.notes.append($0) })
    let asker = bench.add(
      AskProgram(request, address: .public, bonds: KeptBonds(), printer: printer),
      on: bench.air.addController(address: Self.address(0xCE)))
    asker.host.radioIsReady(at: bench.now)
    try bench.settle()
    return asker
  }

  private static func address(_ number: UInt8) -> DeviceAddress {
    DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0])
  }

  /// Lets time pass until `isDone`, for a minute at most.
  private func wait(
    _ sourceLocation: SourceLocation = #_sourceLocation, until isDone: () -> Bool
  ) throws {
    expect(try bench.run(for: 60_000, until: isDone), sourceLocation: sourceLocation)
  }

  /// Lets the program end: it disconnects and has nothing left to do.
  private func waitForEnd(
    of asker: AirDevice<AskProgram>, _ sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try wait(sourceLocation) { asker.host.isFinished }
    expect(asker.host.session.host.connectionCount, is: 0, sourceLocation: sourceLocation)
  }

  @Test("A question is answered, and then the program unsubscribes and disconnects")
  func answer() throws {
    let ball = try addBall(BallApplication<1>(seed: 8))
    let values = WrittenValues(of: ball)
    let asker = try ask(AskRequest(question: "Will it rain?"))
    try wait { asker.host.outcome != nil }
    guard case .answered(let text) = asker.host.outcome else {
      return expect(asker.host.outcome, is: nil)
    }
    let answers = (0..<Answer.count).compactMap { Answer(rawValue: $0) }
    expect(
      answers.contains { answer in String(writing: { answer.write(.text, to: &$0) }) == text })
    expect(output.notes, is: ["Looking for a ball…", "Found “Ball”, \u{2212}50 dBm."])
    try waitForEnd(of: asker)
    expect(values.values, is: [[1, 0], Array("Will it rain?".utf8), [0, 0]])
    expect(output.results, is: [])
  }

  @Test("Of two balls the one with the name is asked")
  func name() throws {
    let other = try addBall(BallApplication<1>(seed: 8))
    let ball = try addBall(BallApplication<1>(seed: 8), name: "Kitchen", number: 2)
    let values = (WrittenValues(of: ball), WrittenValues(of: other))
    let asker = try ask(AskRequest(question: "Is it?", name: "Kitchen"))
    try wait { asker.host.outcome != nil }
    expect(values.0.values.contains(Array("Is it?".utf8)) && values.1.values.isEmpty)
    expect(output.notes, is: ["Looking for “Kitchen”…", "Found “Kitchen”, \u{2212}50 dBm."])
  }

  @Test("Without a ball the search ends after 5 s")
  func noBall() throws {
    let asker = try ask(AskRequest(question: "Is it?"))
    let start = bench.now
    try bench.run(for: 4_999)
    expect(asker.host.outcome, is: nil)
    try bench.run(for: 1)
    expect(asker.host.outcome == .notFound && bench.now == start.advanced(by: 5_000))
    try waitForEnd(of: asker)
  }

  @Test("Without an answer the program ends 2 s after it has begun to ask")
  func noAnswer() throws {
    let ball = try addBall(SilentBall())
    let asker = try ask(AskRequest(question: "Is it?"))
    try wait { asker.host.question != nil }
    let start = bench.now
    try bench.run(for: 1_999)
    expect(ball.host.server.application.questions == ["Is it?"] && asker.host.outcome == nil)
    try bench.run(for: 1)
    expect(asker.host.outcome == .timedOut && bench.now == start.advanced(by: 2_000))
    try waitForEnd(of: asker)
  }

  @Test(
    "Beside bluetoothd, which loses refused requests, the advice for a ball without an answer is to pair",
    arguments: [(false, false), (true, false), (true, true)])
  func advice(isBesideDaemon: Bool, pairs: Bool) {
    var request = AskRequest(question: "Is it?")
    request.isBesideDaemon = isBesideDaemon
    request.pairs = pairs
    let text = CentralOutcome.timedOut.explanation(for: request)
    expect(text.contains("eightball ask --pair"), is: isBesideDaemon && !pairs)
    expect(text.hasPrefix("The ball did not answer in time."))
    expect(text.hasSuffix("ry again, or wait longer with --timeout."))
  }

  @Test("--timeout limits all of it together")
  func wholeTimeout() throws {
    _ = try addBall(SilentBall())
    var request = AskRequest(question: "Is it?")
    request.limits.whole = 700
    let asker = try ask(request)
    let start = bench.now
    try wait { asker.host.outcome != nil }
    expect(asker.host.outcome == .timedOut && bench.now == start.advanced(by: 700))
  }

  @Test("A ball that disconnects, or falls silent, ends the program", arguments: [true, false])
  func lost(disconnects: Bool) throws {
    let ball = try addBall(SilentBall())
    var request = AskRequest(question: "Is it?")
    request.answerTimeout = 30_000
    let asker = try ask(request)
    try wait { !ball.host.server.application.questions.isEmpty }
    if disconnects { ball.host.disconnect(at: 0) } else { ball.unplug() }
    try wait { asker.host.outcome != nil }
    expect(asker.host.outcome, is: .disconnected)
    try waitForEnd(of: asker)
  }

  @Test("The ball refuses a statement")
  func refusal() throws {
    _ = try addBall(BallApplication<1>(seed: 8))
    let asker = try ask(AskRequest(question: "It rains."))
    try wait { asker.host.outcome != nil }
    expect(asker.host.outcome, is: .refused)
    try waitForEnd(of: asker)
  }

  @Test("A program that stays prints each outcome, and asks each line until the input ends")
  func stays() throws {
    let ball = try addBall(BallApplication<1>(seed: 8))
    let asker = try ask(AskRequest(stays: true), isJSON: true)
    try wait { asker.host.session.isChosen }
    expect(asker.host.wantsInput, is: true)
    for line in ["It rains.", "", "Will it rain?"] {
      asker.host.take(Array(line.utf8), at: bench.now)
      try wait { asker.host.question == nil }
    }
    let count = output.results.count
    let answer = #"{"event":"answer","question":"Will it rain?","text":"#
    expect(count, is: 4)
    expect(
      output.results.prefix(3),
      is: [
        #"{"event":"found","name":"Ball","address":"00:00:00:00:00:01","rssi":-50}"#,
        #"{"event":"connected","address":"00:00:00:00:00:01"}"#,
        #"{"event":"refused","question":"It rains.","reason":"not a question"}"#,
      ])
    expect(output.results.last?.hasPrefix(answer), is: true)
    ball.host.server.application.shake()
    try wait { output.results.count > count }
    expect(output.results.last?.hasPrefix(#"{"event":"answer","text":"#), is: true)
    asker.host.take(nil, at: bench.now)
    expect(asker.host.outcome == .inputEnded && !asker.host.wantsInput)
    try waitForEnd(of: asker)
    expect(output.notes, is: [])
  }

  @Test("A signal ends the search, and a second one does not wait for the disconnection")
  func signals() throws {
    let ball = try addBall(SilentBall())
    let asker = try ask(AskRequest(question: "Is it?"))
    try wait { !ball.host.server.application.questions.isEmpty }
    asker.host.interrupt(at: bench.now)
    expect(asker.host.outcome == .cancelled && !asker.host.isFinished)
    asker.host.interrupt(at: bench.now)
    expect(asker.host.isFinished, is: asker.host.session.host.isShutDown)
    try waitForEnd(of: asker)
  }

  @Test("A radio that fails ends the program with its error")
  func radio() throws {
    let asker = try ask(AskRequest(question: "Is it?"))
    asker.host.radioFailed(RadioError("The radio is gone"), at: bench.now)
    expect(asker.host.outcome, is: .radioFailed(RadioError("The radio is gone")))
    expect(asker.host.isFinished, is: true)
  }
}
