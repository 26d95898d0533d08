import BluetoothHost
import EightBall
import Expectations
import Linux
import LinuxRadio
import VirtualRadio

@testable import eightball

extension GATTProgram: HostSide {}

@Suite("Commands on a ball's attributes, on an air where time passes only as the test says")
struct GATTProgramTests {
  private let bench = AirBench(seed: 8)
  private let output = Output()

  private final class Output {
    var results: [String] = []
    var notes: [String] = []
  }

  private typealias Ball = Peripheral<1, EightBallProfile.Database, BallApplication<1>>

  private func addBall() throws -> AirDevice<Ball> {
    let name = DeviceName(Array("Ball".utf8).span)
    let host = Ball(
      configuration: HostConfiguration(
        name: try #require(name), service: .ballService, address: .public),
      database: EightBallProfile.makeDatabase(), application: BallApplication<1>(seed: 8))
    let ball = bench.add(
      host,
      on: bench.air.addController(address: DeviceAddress(kind: .public, bytes: [1, 0, 0, 0, 0, 0])))
    ball.host.start(at: bench.now)
    try bench.settle()
    return ball
  }

  /// A program with a radio that is ready; without commands it reads lines.
  private func start(
    _ commands: [String], on target: String = "Ball", isJSON: Bool = false
  ) throws -> AirDevice<GATTProgram> {
    let printer = GATTPrinter(
      isJSON: isJSON, print: { [output] in output.results.append($0) },
      note: { [output] in output.notes.append($0) })
    let program = GATTProgram(
      CentralTarget(target), try commands.map { try GATTCommand($0) }, limits: CentralLimits(),
      pairs: false, address: .public, bonds: KeptBonds(), printer: printer)
    let device = bench.add(
      program,
      on: bench.air.addController(
        address: DeviceAddress(kind: .public, bytes: [0xCE, 0, 0, 0, 0, 0])))
    device.host.radioIsReady(at: bench.now)
    try bench.settle()
    return device
  }

  private func waitForEnd(
    of program: AirDevice<GATTProgram>, _ sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    expect(
      try bench.run(for: 60_000) { program.host.isFinished }, sourceLocation: sourceLocation)
  }

  @Test("Commands run in turn: a value, the MTU, and an answer to a written question")
  func commands() throws {
    _ = try addBall()
    let program = try start([
      "read device-name", "mtu", "rssi", "subscribe answer for 50 ms",
      "write question text It rains.",
    ])
    try waitForEnd(of: program)
    expect(output.results, is: ["text \"Ball\"", "517", "\u{2212}50 dBm"])
    expect(
      output.notes.suffix(1),
      is: [
        "Error: Cannot write BDD37D7A-F66A-47B9-A49C-FE29FD235A77 Question, at 0x001D: The device "
          + "refused: Unlikely error. (ATT error 0x0E)."
      ])
    expect(program.host.status, is: .refused)
  }

  @Test("discover lists every attribute with its handle")
  func discover() throws {
    _ = try addBall()
    let program = try start(["discover"], on: "00:00:00:00:00:01")
    try waitForEnd(of: program)
    expect(output.results.count, is: 19)
    expect(
      output.results.suffix(4),
      is: [
        "0x001B service 8E38140A-27BE-4090-8955-4FC4B5698D1E Magic 8-Ball, to 0x0020",
        "0x001D   BDD37D7A-F66A-47B9-A49C-FE29FD235A77 Question: write-command write",
        "0x001F   349A0D7B-6215-4E2C-A095-AF078D737445 Answer: read notify",
        "0x0020     2902 Client Characteristic Configuration",
      ])
    expect(program.host.outcome == .inputEnded && program.host.status == nil)
  }

  @Test("Lines are commands: one that fails does not end the others, and decides the exit status")
  func lines() throws {
    _ = try addBall()
    let program = try start([], isJSON: true)
    for line in ["read 0x0FFF", "# a comment", "red 2A00", "write-command 2A00 hex 00", "mtu"] {
      expect(try bench.run(for: 1_000) { program.host.wantsInput })
      program.host.take(Array(line.utf8), at: bench.now)
    }
    expect(try bench.run(for: 1_000) { program.host.wantsInput })
    program.host.take(nil, at: bench.now)
    try waitForEnd(of: program)
    let reasons = output.results.compactMap { line in
      line.hasPrefix(#"{"event":"failed","reason":""#) ? line.split(separator: "\"")[7] : nil
    }
    expect(reasons, is: ["refused", "usage", "refused"])
    expect(output.results.last, is: #"{"event":"mtu","bytes":517}"#)
    expect(program.host.status, is: .refused)
  }

  @Test("A program with a subscription goes on until the subscription ends")
  func unsubscribe() throws {
    _ = try addBall()
    let program = try start(["subscribe answer", "unsubscribe answer"], isJSON: true)
    try waitForEnd(of: program)
    expect(
      output.results.suffix(2).map { $0.split(separator: "\"")[3] },
      is: ["subscribed", "unsubscribed"])
    expect(program.host.outcome == .inputEnded && program.host.status == nil)
  }

  @Test(
    "Beside bluetoothd, which loses refused requests, the advice for a device without an answer is to pair",
    arguments: [(false, false), (true, false), (true, true)])
  func advice(isBesideDaemon: Bool, pairs: Bool) {
    let program = GATTProgram(
      CentralTarget("Lock"), [], limits: CentralLimits(), pairs: pairs, address: .public,
      bonds: KeptBonds(linkSecurity: isBesideDaemon ? .full : .none),
      printer: GATTPrinter(isJSON: false))
    let text = CentralOutcome.timedOut.explanation(
      of: CentralTarget("Lock"), mayLackBond: program.mayLackBond)
    expect(text.contains("--pair"), is: isBesideDaemon && !pairs)
  }

  @Test("A subscription ends at its number of values, or fails when none comes for 30 s")
  func subscription() throws {
    _ = try addBall()
    // The ball notifies the answer to the question as soon as it can.
    let program = try start(["write question text Is it?", "subscribe answer 2"])
    expect(try bench.run(for: 1_000) { program.host.waiting == .values })
    expect(try bench.run(for: 10_000) { output.results.count == 1 })
    let start = bench.now
    expect(try bench.run(for: 29_999) { program.host.outcome != nil }, is: false)
    try waitForEnd(of: program)
    expect(bench.now >= start.advanced(by: 30_000))
    expect(
      output.notes.last, is: "Error: Only 1 of 2 values came and then none for 30 s.")
    expect(program.host.status, is: .timedOut)
  }
}
