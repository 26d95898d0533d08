import BallRunner
import BluetoothHost
import EightBall
import Glibc
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import BallControl

@Suite("The control socket, on the ball's side")
struct ControlSocketTests {
  @Test("The socket belongs to this user alone, and is removed at the end")
  func file() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/control"
    do {
      let loop = try EventLoop()
      let socket = try ControlSocket(path: path, loop: loop)
      var raw = stat()
      #expect(unsafe stat(path, &raw) == 0)
      #expect(raw.st_mode == S_IFSOCK | 0o600)
      #expect(throws: SystemError.self) { try ControlSocket(path: path, loop: loop) }
      socket.close()
    }
    #expect(unsafe access(path, F_OK) != 0)
  }

  @Test("A socket on which no program listens is replaced, whichever program left it")
  func leftover() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/control"
    try bindAndClose(path)
    let socket = try ControlSocket(path: path, loop: EventLoop())
    socket.close()
  }

  /// Leaves a socket without a listener, as a killed eightballd does.
  private func bindAndClose(_ path: String) throws {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let status = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    close(number)
    try #require(status == 0)
  }

  @Test("A program that connects or disconnects is reported")
  func comingAndGoing() throws {
    let bench = try SocketBench()
    #expect(!bench.socket.hasListeners)
    let program = try bench.connect()
    #expect(bench.takeEvents() == ["joined 1"])
    program.close()
    try bench.turn()
    #expect(bench.takeEvents() == ["left 1"])
    #expect(!bench.socket.hasListeners)
  }

  @Test("A request is a line, in any pieces")
  func pieces() throws {
    let bench = try SocketBench()
    let program = try bench.connect()
    _ = bench.takeEvents()
    for piece in ["down", " sha", "ke\nup shake", "\n", "\n"] {
      try program.write(Array(piece.utf8))
      try bench.turn()
    }
    #expect(bench.takeEvents() == ["request 1: down shake", "request 1: up shake", "request 1: "])
  }

  @Test("The longest request has 128 bytes", arguments: [128, 129])
  func longRequest(length: Int) throws {
    let bench = try SocketBench()
    let program = try bench.connect()
    _ = bench.takeEvents()
    let line = String(repeating: "x", count: length)
    try program.write(Array(line.utf8))
    try bench.turn()
    try? program.write([UInt8(ascii: "\n")])
    try bench.turn()
    #expect(bench.takeEvents() == (length == 128 ? ["request 1: \(line)"] : ["left 1"]))
  }

  @Test("Lines go to one program, or to all")
  func addressees() throws {
    let bench = try SocketBench()
    let programs = [try bench.connect(), try bench.connect()]
    bench.send("all\n", to: nil)
    bench.send("second\n", to: 2)
    #expect(
      try programs.map { String(decoding: try $0.read(), as: UTF8.self) } == [
        "all\n", "all\nsecond\n",
      ])
  }

  @Test("Changes follow the state")
  func order() throws {
    let bench = try SocketBench(sendsState: false)
    let program = try bench.connect()
    bench.send("early\n", to: nil)
    bench.send("state\n", to: 1)
    bench.send("change\n", to: nil)
    #expect(String(decoding: try program.read(), as: UTF8.self) == "state\nchange\n")
  }

  @Test("A program that does not read is dropped; others stay")
  func slow() throws {
    let bench = try SocketBench()
    let slow = try bench.connect()
    let quick = try bench.connect()
    _ = bench.takeEvents()
    let line = String(repeating: "x", count: 999) + "\n"
    var read = 0
    var sent = 0
    while bench.socket.hasListeners, sent < 10_000 {
      bench.send(line, to: nil)
      sent += 1
      read += try quick.read(limit: 4_096).count
      if bench.takeEvents() == ["left 1"] { break }
    }
    // The kernel buffers some hundred kB.
    #expect(sent > 256 && sent < 2_000)
    try bench.turn()
    read += try quick.read(limit: 100_000).count
    #expect(read == sent * 1_000)
    slow.close()
  }

  @Test("A slow program receives the waiting lines later")
  func backlog() throws {
    let bench = try SocketBench()
    let program = try bench.connect()
    let line = String(repeating: "y", count: 999) + "\n"
    for _ in 0..<300 { bench.send(line, to: nil) }
    var read = 0
    while read < 300_000 {
      let count = try program.read(limit: 65_536).count
      read += count
      try bench.turn()
      guard count > 0 else { break }
    }
    #expect(read == 300_000)
  }

  @Test("At most 16 programs listen; the next one gets the reason")
  func crowd() throws {
    let bench = try SocketBench()
    var programs: [ControllerEnd] = []
    for _ in 0..<20 { programs.append(try bench.connect()) }
    #expect(bench.takeEvents().count == 16)
    let refusal = try programs[16].read()
    #expect(ControlClient.isRefusal(refusal))
    #expect(String(decoding: refusal, as: UTF8.self).hasSuffix("End one of them\"}\n"))
    programs[0].close()
    try bench.turn()
    programs.append(try bench.connect())
    #expect(bench.takeEvents() == ["left 1", "joined 17"])
  }

  @Test("With no file descriptor left the socket pauses, then accepts programs again")
  func files() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      let bench = try SocketBench()
      let program = try bench.connectUnserved()
      var limit = rlimit()
      try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let free = dup(0)
      close(free)
      var none = rlimit(rlim_cur: rlim_t(free), rlim_max: limit.rlim_max)
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
      let before = MonotonicClock.now
      let result = Result { try bench.turn() }
      let after = MonotonicClock.now
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      try result.get()
      #expect(bench.takeEvents() == [])
      let deadline = try #require(bench.socket.deadline)
      // A second after the failure.
      #expect(deadline >= before.advanced(by: 1_000) && deadline <= after.advanced(by: 1_000))
      bench.socket.advance(to: Instant(rawValue: deadline.rawValue - 1))
      #expect(bench.socket.deadline == deadline)
      try bench.turn()
      #expect(bench.takeEvents() == [])
      bench.socket.advance(to: deadline)
      #expect(bench.socket.deadline == nil)
      try bench.turn()
      #expect(bench.takeEvents() == ["joined 1"])
      program.close()
    }
  }

  @Test("Packets with their layers go to the programs that want them")
  func packets() throws {
    let bench = try SocketBench()
    let programs = [try bench.connect(), try bench.connect()]
    let sink = ControlPackets(bench.socket, microseconds: { 7 })
    let packet: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    sink.note(packet.span, .sent)
    bench.socket.sendPackets(true, to: 2)
    sink.note(packet.span, .sent)
    bench.socket.sendPackets(false, to: 2)
    sink.note(packet.span, .sent)
    #expect(try programs[0].read().isEmpty)
    #expect(
      String(decoding: try programs[1].read(), as: UTF8.self)
        == #"{"event":"packet","time":7,"direction":"out","bytes":"01030c00","layers":["#
        + #"{"layer":"HCI","bytes":"01030c00","text":"Reset"}],"kind":"setup"}"# + "\n")
  }
}

/// A control socket and its programs, on a loop that the test runs.
private final class SocketBench {
  let socket: ControlSocket
  private let directory: TemporaryDirectory
  private let loop: EventLoop
  private let sendsState: Bool
  private var connections = 0

  init(sendsState: Bool = true) throws {
    self.sendsState = sendsState
    directory = try TemporaryDirectory()
    loop = try EventLoop()
    socket = try ControlSocket(path: directory.path + "/control", loop: loop)
  }

  func connectUnserved() throws -> ControllerEnd {
    ControllerEnd(try StreamSocket.connect(path: directory.path + "/control"))
  }

  func connect() throws -> ControllerEnd {
    let end = try connectUnserved()
    try turn()
    connections += 1
    if sendsState { socket.send(Span(), to: connections) }
    return end
  }

  /// Serves what is ready.
  func turn() throws {
    for _ in 0..<100 where try loop.wait(until: Instant(rawValue: 0)) == false { return }
  }

  func send(_ text: String, to listener: Int?) {
    let bytes = Array(text.utf8)
    socket.send(bytes.span, to: listener)
  }

  func takeEvents() -> [String] {
    var all: [String] = []
    var request = ByteBuffer<128>()
    while let event = socket.nextEvent(into: &request) {
      switch event {
      case .joined(let number): all.append("joined \(number)")
      case .left(let number): all.append("left \(number)")
      case .request(let number):
        let line = request.span.indices.map { request.span[$0] }
        all.append("request \(number): \(String(decoding: line, as: UTF8.self))")
      }
    }
    return all
  }
}
