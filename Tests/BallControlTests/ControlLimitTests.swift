import BallRunner
import BluetoothHost
import EightBall
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import BallControl

@Suite("The limits of control sockets and their clients")
struct ControlLimitTests {
  /// A socket on a loop that the test runs.
  private struct Bench {
    let loop: EventLoop
    let socket: ControlSocket
    let directory: TemporaryDirectory

    init() throws {
      directory = try TemporaryDirectory()
      loop = try EventLoop()
      socket = try ControlSocket(path: directory.path + "/control", loop: loop)
    }

    func connect() throws -> ControllerEnd {
      let end = ControllerEnd(try StreamSocket.connect(path: directory.path + "/control"))
      try turn()
      return end
    }

    func turn() throws {
      for _ in 0..<100 where try loop.wait(until: Instant(rawValue: 0)) == false { return }
    }

    func isDropped() -> Bool {
      var request = ByteBuffer<128>()
      while let event = socket.nextEvent(into: &request) {
        if case .left = event { return true }
      }
      return false
    }
  }

  @Test("262,144 bytes may wait for a program, and no more", arguments: [0, 1])
  func backlog(excess: Int) throws {
    let bench = try Bench()
    let program = try bench.connect()
    let bytes = [UInt8](repeating: 0x78, count: 262_144 + excess)
    bench.socket.send(bytes.span, to: 1)
    #expect(bench.isDropped() == (excess == 1))
    #expect(bench.socket.hasListeners == (excess == 0))
    // The connection of a dropped program is closed.
    if excess == 1 { #expect(throws: SystemError.self) { try program.write([0x0A]) } }
    program.close()
  }

  @Test("4,096 bytes of requests may wait for a ball, and no more")
  func requests() throws {
    let directory = try TemporaryDirectory()
    let loop = try EventLoop()
    let listener = try StreamListener(path: directory.path + "/control")
    var events: [ControlClient.Event] = []
    let client = ControlClient(paths: [directory.path + "/control"], loop: loop) {
      events.append($0)
    }
    client.advance(to: Instant(rawValue: 0))
    #expect(client.isConnected)
    // A request without text has one byte, its line end.
    while client.send("") {}
    #expect(events.last == .ended(.stuck(4_097)))
    withExtendedLifetime(listener) {}
  }

  @Test("the absence of a ball is reported again after each connection")
  func absentAgain() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/control"
    let loop = try EventLoop()
    var events: [ControlClient.Event] = []
    let client = ControlClient(paths: [path], loop: loop) { events.append($0) }
    var now = Instant(rawValue: 0)
    for _ in 0..<2 {
      // Twice without a ball, which is reported once.
      for _ in 0..<2 {
        now = now.advanced(by: 20_000)
        client.advance(to: now)
      }
      #expect(events == [.unreachable(.noBall([path]))])
      do {
        let listener = try StreamListener(path: path)
        now = now.advanced(by: 20_000)
        client.advance(to: now)
        withExtendedLifetime(listener) {}
      }
      while try loop.wait(until: Instant(rawValue: 0), now: now) {}
      #expect(events.dropFirst() == [.connected(path: path), .ended(nil)])
      events = []
    }
  }

  @Test("the layers of packets begin anew when a program wants them again")
  func packets() throws {
    let bench = try Bench()
    let program = try bench.connect()
    let sink = ControlPackets(bench.socket, microseconds: { 7 })
    let (start, rest) = (
      data([0x05, 0x00, 0x04, 0x00, 0x12]), data([0x1D, 0x00, 0x41, 0x3F], 0x10)
    )
    for pauses in [false, true] {
      bench.socket.sendPackets(true, to: 1)
      sink.note(start.span, .received)
      _ = try program.read()
      if pauses {
        bench.socket.sendPackets(false, to: 1)
        sink.note(start.span, .received)
        #expect(try program.read().isEmpty)
        bench.socket.sendPackets(true, to: 1)
      }
      sink.note(rest.span, .received)
      let line = String(decoding: try program.read(), as: UTF8.self)
      #expect(line.contains("the rest of a frame that was not seen") == pauses, "\(line)")
    }
    // Only the program with this number.
    bench.socket.sendPackets(false, to: 2)
    #expect(bench.socket.hasPacketListeners)
    program.close()
    try bench.turn()
    #expect(!bench.socket.hasPacketListeners)
  }

  @Test("only an error about no request, as the first line, is a refusal")
  func refusals() {
    let start = #"{"event":"error","request":"","#
    for (line, isRefusal) in [
      (start, true), (start + #""detail":"full"}"#, true), (String(start.dropLast()), false),
      (#"{"event":"error","request":"x","detail":""}"#, false), ("{}", false), ("", false),
    ] {
      #expect(ControlClient.isRefusal(Array(line.utf8)) == isRefusal, "\(line)")
    }
  }

  @Test("one path that is not the default is named by its option")
  func options() {
    #expect(ControlPath.option(for: ["/a/b"]) == " --control /a/b")
    #expect(ControlPath.option(for: ["/a", "/b"]) == "")
    #expect(ControlPath.option(for: []) == "")
    #expect(ControlPath.option(for: ControlPath.candidates()) == "")
  }

  @Test("an error that has no remedy of its own is the system's")
  func words() {
    let error = SystemError(.accessDenied, "connect to", "/a")
    for control in [ControlError.unusable(error), .broken(error)] {
      #expect(control.description == error.description)
    }
    #expect(
      ControlError.noBall(["/a"]).description
        == "no ball runs: nothing listens at /a. Start one: eightball run --control /a")
  }
}
