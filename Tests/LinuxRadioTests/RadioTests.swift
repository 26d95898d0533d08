import BluetoothHost
import Expectations
import LinuxAir
import LinuxTestSupport
import VirtualRadio

@testable import LinuxRadio

@Suite("Radios")
struct RadioTests {
  private let now = Instant(rawValue: 1_000)
  private let bench: Bench

  init() throws { bench = try Bench() }

  @Test("Packets go both ways, whole, however the stream is divided")
  func bothWays() throws {
    let controller = try bench.accept()
    let data: [UInt8] = [0x02, 0x40, 0x00, 0x01, 0x00, 0xAA]
    bench.program.outgoing = [reset, data]
    try bench.turn(at: now)
    expect(bench.program.take(), is: [.ready])
    expect(try controller.read(), is: reset + data)

    try controller.write(Array(resetComplete.prefix(3)))
    try bench.turn(at: now)
    expect(bench.program.take(), is: [])
    try controller.write(Array(resetComplete.dropFirst(3)) + resetComplete)
    try bench.turn(at: now)
    expect(bench.program.take(), is: [.packet(resetComplete), .packet(resetComplete)])
  }

  @Test("A controller that does not read delays the program's packets, and loses none")
  func backPressure() throws {
    let controller = try bench.accept()
    // 1 (type) + 2 (handle) + 2 (length) + 1,000
    let packet = [0x02, 0x40, 0x00, 0xE8, 0x03] + [UInt8](repeating: 0xAA, count: 1_000)
    bench.program.outgoing = Array(repeating: packet, count: 2_000)
    try bench.turn(at: now)
    let waiting = bench.program.outgoing.count
    expect(waiting > 0)
    try bench.turn(at: now)
    expect(bench.program.outgoing.count, is: waiting)

    var received: [UInt8] = []
    while received.count < 2_000 * packet.count {
      let piece = try controller.read(limit: 65_536)
      try #require(!piece.isEmpty)
      received += piece
      try bench.turn(at: now)
    }
    expect(received, is: Array(repeating: packet, count: 2_000).flatMap { $0 })
  }

  @Test("A flood of packets leaves other descriptors their turn")
  func flood() throws {
    let controller = try bench.accept()
    try controller.write(Array(repeating: resetComplete, count: 40).flatMap { $0 })
    try bench.loop.wait(until: now)
    expect(bench.serve(at: now))
    // Ready, and a burst.
    expect(bench.program.take().count, is: 1 + RadioLink<2_053>.burst)
    expect(!bench.serve(at: now))
    expect(bench.program.take().count, is: 40 - RadioLink<2_053>.burst)
  }

  @Test("A lost radio is reported once, retried at growing intervals, and used again")
  func lostAndFound() throws {
    let controller = try bench.accept()
    try bench.turn(at: now)
    expect(bench.program.take(), is: [.ready])
    try controller.write(resetComplete + [0x04, 0x0E])
    controller.close()
    bench.stopListening()

    try bench.turn(at: now)
    expect(bench.program.take(), is: [.packet(resetComplete)])
    try bench.turn(at: now)
    expect(bench.program.take(), is: [.lost("\(bench.name) closed the connection")])
    expect(!bench.radio.isOpen)
    var time = now
    for wait in [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000] as [UInt32] {
      expect(bench.radio.deadline, is: time.advanced(by: wait))
      try bench.turn(at: time.advanced(by: wait - 1))
      expect(bench.radio.deadline, is: time.advanced(by: wait))
      time = time.advanced(by: wait)
      try bench.turn(at: time)
      expect(bench.program.take(), is: [])
    }

    try bench.listen()
    time = time.advanced(by: 5_000)
    bench.program.outgoing = [reset]
    try bench.turn(at: time)
    expect(bench.program.take(), is: [.ready])
    expect(bench.radio.deadline, is: nil)
    let end = try bench.accept()
    expect(try end.read(), is: reset)
    // Half a packet of the last connection is dropped.
    try end.write(resetComplete)
    try bench.turn(at: time)
    expect(bench.program.take(), is: [.packet(resetComplete)])
  }

  @Test("A controller that closes each time is retried with a pause")
  func closesEachTime() throws {
    var time = now
    for wait in [250, 500, 1_000] as [UInt32] {
      do { _ = try bench.accept() }
      try bench.turn(at: time)
      expect(bench.radio.deadline, is: time.advanced(by: wait))
      time = time.advanced(by: wait)
      try bench.turn(at: time)
    }
  }

  @Test("A write to a controller that is gone is a loss, not the end of the process")
  func writeToNobody() throws {
    do { _ = try bench.accept() }
    bench.program.outgoing = [reset]
    // Before the loop reports the end.
    bench.serve(at: now)
    expect(bench.program.take(), is: [.ready, .lost("cannot write to \(bench.path): Broken pipe")])
  }

  /// Symptom: of two questions in one burst, one was answered.
  @Test("What a packet brings is sent before the next packet is received")
  func burstOfQuestions() throws {
    let controller = try bench.accept()
    var program = OneAnswer()
    let packets = (0..<20 as Range<UInt8>).map { [0x02, 0x40, 0x00, 0x01, 0x00, $0] as [UInt8] }
    try controller.write(packets.flatMap { $0 })
    try bench.loop.wait(until: Instant(rawValue: 0))
    _ = bench.radio.serve(&program, at: now)
    expect(try controller.read(), is: packets.flatMap { $0 })
  }

  /// Symptom: the next controller waited for ever.
  @Test("A controller that leaves three Resets unanswered makes room for the next one")
  func silentController() throws {
    let port = try freePort()
    let loop = try EventLoop()
    let name = RadioAddress.tcpServer(host: "127.0.0.1", port: port)
    var radio = try Radio(name, loop: loop)
    let silent = ControllerEnd(try StreamSocket.connect(host: "127.0.0.1", port: port))
    let next = ControllerEnd(try StreamSocket.connect(host: "127.0.0.1", port: port))
    var program = Recorder()
    _ = radio.serve(&program, at: now)
    expect(program.take(), is: [.ready])
    for _ in 0..<3 {
      program.outgoing = [reset]
      _ = radio.serve(&program, at: now)
      expect(program.take(), is: [])
    }
    program.outgoing = [reset]
    _ = radio.serve(&program, at: now)
    expect(program.take(), is: [.lost("\(name) does not answer: 3 Resets had no response")])
    expect(try silent.read(atLeast: 16), is: reset + reset + reset + reset)

    _ = radio.serve(&program, at: now.advanced(by: 250))
    expect(program.take(), is: [.ready])
    program.outgoing = [reset]
    _ = radio.serve(&program, at: now.advanced(by: 250))
    expect(try next.read(atLeast: 4), is: reset)
    radio.close()
  }

  @Test("A controller that sends anything between Resets is kept")
  func slowController() throws {
    let controller = try bench.accept()
    for _ in 0..<5 {
      bench.program.outgoing = [reset, reset, reset]
      try bench.turn(at: now)
      try controller.write(resetComplete)
      try bench.turn(at: now)
    }
    expect(bench.program.take().last, is: .packet(resetComplete))
    expect(bench.radio.isOpen)
  }

  // Symptom: the error was "the controller left command 0x0C03 unanswered".
  @Test("A full air is a loss that says so, and what to do")
  func fullAir() throws {
    let server = AirServer(air: VirtualAir(), maximumClients: 1, loop: bench.loop)
    let path = bench.path + "-air"
    try server.listen(on: try StreamListener(path: path))
    let name = RadioAddress.unix(path: path)
    var first = try Radio(name, loop: bench.loop)
    var firstProgram = Recorder()
    firstProgram.outgoing = [reset]
    for _ in 0..<3 { try turn(&first, &firstProgram, bench.loop, at: now) }
    expect(firstProgram.take(), is: [.ready, .packet(resetComplete)])

    var second = try Radio(name, loop: bench.loop)
    var secondProgram = Recorder()
    secondProgram.outgoing = [reset]
    for _ in 0..<3 { try turn(&second, &secondProgram, bench.loop, at: now) }
    expect(secondProgram.take(), is: [.ready, .lost("the virtual air at unix:\(path) is full")])
    expect(
      RadioError(.airIsFull, of: .virtual, failure: nil).description,
      is: "the virtual air is full. End a program that uses it, or host a larger air "
        + "before you start the others: eightball radio --limit 1000.")
    // It is retried, and there is room once the first one is gone.
    first.close()
    secondProgram.outgoing = [reset]
    let deadline = second.deadline
    let retry = try #require(deadline)
    for _ in 0..<4 { try turn(&second, &secondProgram, bench.loop, at: retry) }
    expect(secondProgram.take(), is: [.ready, .packet(resetComplete)])
    second.close()
    server.close()
  }

  @Test("A missing radio is an error at the start")
  func missing() throws {
    let error = #expect(throws: RadioError.self) {
      _ = try Radio(.unix(path: "/tmp/no/such/socket"), loop: bench.loop)
    }
    expect(error?.reason, is: "no controller listens at /tmp/no/such/socket")
  }

  @Test("A program without a virtual air cannot open the radio virtual")
  func withoutAir() throws {
    let error = #expect(throws: RadioError.self) { _ = try Radio(.virtual, loop: bench.loop) }
    expect(error?.description, is: "this program has no virtual air. Choose another radio.")
  }

  @Test("Sinks see the packets of both directions")
  func sinks() throws {
    let onlooker = Onlooker()
    bench.radio.sinks = [onlooker]
    bench.program.outgoing = [reset]
    try bench.accept().write(resetComplete)
    try bench.turn(at: now)
    expect(onlooker.notes, is: ["received \(resetComplete)", "sent \(reset)"])
  }
}

/// A radio in a loop, with a program that records, and a path where its controller listens.
private final class Bench {
  let loop: EventLoop
  var radio: Radio
  var program = Recorder()
  private let directory: TemporaryDirectory
  private var listener: StreamListener?
  var path: String { directory.path + "/controller" }
  var name: RadioAddress { .unix(path: path) }

  init() throws {
    directory = try TemporaryDirectory()
    loop = try EventLoop()
    let path = directory.path + "/controller"
    listener = try StreamListener(path: path)
    radio = try Radio(.unix(path: path), loop: loop)
  }

  deinit { radio.close() }

  func listen() throws { listener = try StreamListener(path: path) }
  func stopListening() { listener = nil }

  /// The controller's end of the radio's connection.
  func accept() throws -> ControllerEnd {
    if let connection = try listener?.accept() { return ControllerEnd(connection) }
    throw SystemError(.wouldBlock, "accept a connection on", path)
  }

  /// One turn of the loop, which does not sleep.
  func turn(at now: Instant) throws {
    try loop.wait(until: Instant(rawValue: 0))
    serve(at: now)
  }

  /// The radio's part of a turn.
  @discardableResult
  func serve(at now: Instant) -> Bool { radio.serve(&program, at: now) }
}

/// A program that holds one answer: the last packet.
private struct OneAnswer: RadioProgram {
  private var answer: [UInt8] = []

  mutating func radioIsReady(at now: Instant) {}
  mutating func radioIsLost(_ error: RadioError, at now: Instant) {}

  mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    answer = packet.indices.map { packet[$0] }
  }

  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    guard !answer.isEmpty else { return false }
    writer.write(answer.span)
    answer = []
    return true
  }

  var deadline: Instant? { nil }
  mutating func advance(to now: Instant) {}
  mutating func turnEnded() {}
  mutating func shutDown(at now: Instant) {}
  var isFinished: Bool { false }
}

private final class Onlooker: PacketSink {
  var notes: [String] = []

  func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    notes.append("\(direction) \(packet.indices.map { packet[$0] })")
  }
}

/// One turn of the loop, which does not sleep.
private func turn(
  _ radio: inout Radio, _ program: inout Recorder, _ loop: EventLoop, at now: Instant
) throws {
  try loop.wait(until: Instant(rawValue: 0))
  _ = radio.serve(&program, at: now)
}
