import BallTestSupport
import BluetoothCentral
import BluetoothHost
import EightBall
import LinuxRadio
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import LinuxBoard

@Suite("A ball on a radio")
struct BallProgramTests {
  @Test("Is found, asked, and answers, over the virtual air that it hosts")
  func answers() throws {
    let bench = try AirBench()
    var ball = try makeBall()
    var radio = try bench.radio()
    var asker = Asker("Is this a test?")
    var askerRadio = try bench.radio()
    let hosts = [radio.isHostingAir, askerRadio.isHostingAir]
    #expect(hosts == [true, false])

    try bench.run(until: { asker.isFinished }) { now in
      let first = radio.serve(&ball, at: now)
      let second = askerRadio.serve(&asker, at: now)
      return first || second
        ? now
        : earliest(
          [ball.deadline, radio.deadline, asker.deadline, askerRadio.deadline])
    }
    guard case .answered(let answer)? = asker.outcome else {
      Issue.record("The outcome is \(String(describing: asker.outcome)).")
      return
    }
    let lines = ball.observer.lines
    #expect(
      lines.filter { !$0.hasPrefix("radio") } == [
        "connected F0:02", "subscribed true F0:02", "asked “Is this a test?” F0:02",
        "answered “\(answer)” F0:02",
      ] + lines.suffix(2))

    ball.shutDown(at: MonotonicClock.now)
    try bench.run(until: { ball.isFinished }) { now in
      radio.serve(&ball, at: now) ? now : earliest([ball.deadline, radio.deadline])
    }
    askerRadio.close()
    radio.close()
    #expect(bench.names == [])
  }

  @Test("Takes over hosting the air when its host has gone, and can be asked again")
  func takesOver() throws {
    let bench = try AirBench()
    var ball = try makeBall()
    var host = try bench.radio()
    var guest = try bench.radio()
    var idle = Recorder()
    try bench.run(until: { idle.events == [.ready] }) { now in
      _ = host.serve(&idle, at: now)
      _ = guest.serve(&ball, at: now)
      return now
    }
    try bench.run(until: { ball.observer.lines.last == "radio advertising" }) { now in
      _ = host.serve(&idle, at: now)
      return guest.serve(&ball, at: now)
        ? now : earliest([ball.deadline, host.deadline, guest.deadline])
    }
    host.close()

    var asker = Asker("Are you still there?")
    var askerRadio: Radio?
    try bench.run(until: { asker.isFinished }) { now in
      var isBusy = guest.serve(&ball, at: now)
      if askerRadio == nil, guest.isHostingAir { askerRadio = try bench.radio() }
      if askerRadio?.serve(&asker, at: now) == true { isBusy = true }
      return isBusy ? now : earliest([ball.deadline, guest.deadline, asker.deadline])
    }
    #expect(ball.observer.lines.contains("lost: virtual closed the connection"))
    guard case .answered? = asker.outcome else {
      Issue.record("The outcome is \(String(describing: asker.outcome)).")
      return
    }
    askerRadio?.close()
    guest.close()
    #expect(bench.names == [])
  }

  @Test("Ends when it is told to, also without a radio")
  func endsWithoutRadio() throws {
    var ball = try makeBall()
    ball.shutDown(at: Instant(rawValue: 0))
    let isFinished = ball.isFinished
    #expect(isFinished)
  }
}

/// A place for an air of its own.
private final class AirBench {
  let loop: EventLoop
  private let directory: TemporaryDirectory
  var names: [String] { Files.names(in: directory.path) }

  init() throws {
    directory = try TemporaryDirectory()
    loop = try EventLoop()
  }

  func radio() throws -> Radio {
    try Radio(.virtual, loop: loop, airPath: directory.path + "/air")
  }

  /// Turns the loop until `isDone`, or for far longer than it can take.
  func run(until isDone: () -> Bool, turn: (Instant) throws -> Instant?) throws {
    for _ in 0..<5_000 {
      let deadline = try turn(MonotonicClock.now)
      if isDone() { return }
      try loop.wait(until: deadline)
    }
    Issue.record("It is never done.")
  }
}

private func earliest(_ deadlines: [Instant?]) -> Instant? {
  deadlines.compactMap { $0 }.min()
}

private func makeBall() throws -> BallProgram<Lines> {
  BallProgram(
    configuration: HostConfiguration(
      name: DeviceName(StaticText("Test Ball")), service: .ballService, address: .public),
    seed: 8, style: .text, observer: Lines())
}

/// Keeps a line for each event.
private struct Lines: BallObserver {
  var lines: [String] = []

  mutating func radioWasLost(_ error: RadioError) {
    lines.append("lost: \(error.reason)")
  }

  mutating func ball(
    _ own: DeviceAddress, did event: BallEvent, with central: DeviceAddress?,
    question: Span<UInt8>
  ) {
    let who = central.map { " F0:0\($0.bytes[0])" } ?? ""
    switch event {
    case .radio(let state): lines.append("radio \(state)")
    case .connected: lines.append("connected" + who)
    case .disconnected: lines.append("disconnected" + who)
    case .subscribed(_, let isListening): lines.append("subscribed \(isListening)" + who)
    case .asked:
      let text = String(decoding: question.indices.map { question[$0] }, as: UTF8.self)
      lines.append("asked “\(text)”" + who)
    case .refused: lines.append("refused" + who)
    case .answered(_, let answer): lines.append("answered “\(text(of: answer))”" + who)
    case .missed(let count): lines.append("missed \(count)")
    }
  }

  mutating func ball(didOmit count: Int, at place: Int, of central: DeviceAddress?) {
    lines.append("omitted \(count)")
  }

  private func text(of answer: Answer) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    var writer = ByteWriter(bytes.mutableSpan)
    answer.write(.text, to: &writer)
    let count = writer.count
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}

/// A central that asks one question.
private struct Asker: RadioProgram {
  let client: BallClient
  private(set) var outcome: BallOutcome?

  init(_ question: String) {
    client = BallClient(
      BallInquiry(question: question), configuration: CentralConfiguration(randomAddress: .zero))
  }

  func radioIsReady(at now: Instant) { client.start(at: now) }
  func radioIsLost(_ error: RadioError, at now: Instant) { client.radioLost(at: now) }
  func receive(_ packet: Span<UInt8>, at now: Instant) { client.receive(packet, at: now) }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    client.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { client.deadline }
  func advance(to now: Instant) { client.advance(to: now) }

  mutating func turnEnded() {
    while let event = client.nextEvent() {
      if case .finished(let outcome) = event { self.outcome = outcome }
    }
  }

  func shutDown(at now: Instant) { client.stop(at: now) }
  var isFinished: Bool { outcome != nil }
}
