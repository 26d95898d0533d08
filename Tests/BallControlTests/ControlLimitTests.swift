import BallRunner
import BluetoothHost
import EightBall
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import BallControl

@Suite("The limits of clients of control sockets")
struct ControlLimitTests {
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
