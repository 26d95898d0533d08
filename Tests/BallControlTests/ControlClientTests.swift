import BluetoothHost
import Expectations
import LinuxRadio
import LinuxTestSupport

@testable import BallControl

/// A control socket that sends what a test gives it.
private final class SmallBall {
  private let listener: StreamListener
  private(set) var listeners: [ControllerEnd] = []

  init(_ path: String) throws { listener = try StreamListener(path: path) }

  /// Takes the connections that wait.
  func accept() throws {
    while let connection = try listener.accept() { listeners.append(ControllerEnd(connection)) }
  }

  func send(_ text: String) throws {
    try accept()
    for listener in listeners { try listener.write(Array(text.utf8)) }
  }

  /// The requests since the last call.
  func requests() throws -> String {
    try accept()
    return String(decoding: try listeners.last?.read() ?? [], as: UTF8.self)
  }

  func dropAll() throws {
    try accept()
    for listener in listeners { listener.close() }
    listeners.removeAll()
  }
}

@Suite("The client of a control socket")
final class ControlClientTests {
  private let directory: TemporaryDirectory
  private let loop: EventLoop
  private var events: [ControlClient.Event] = []
  private var client: ControlClient?
  private var now = Instant(rawValue: 5_000)
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    loop = try EventLoop()
    path = directory.path + "/control.sock"
  }

  @discardableResult
  private func begin(_ paths: [String]? = nil, wantsPackets: Bool = false) -> ControlClient {
    let client = ControlClient(paths: paths ?? [path], wantsPackets: wantsPackets, loop: loop) {
      [unowned self] in events.append($0)
    }
    self.client = client
    return client
  }

  /// A ball, and a client that has just connected to it.
  private func connect() throws -> (ball: SmallBall, client: ControlClient) {
    let ball = try SmallBall(path)
    let client = begin()
    expect(try turns(), is: [.connected(path: path)])
    return (ball, client)
  }

  /// Runs the loop until nothing is ready; returns the events.
  private func turns() throws -> [ControlClient.Event] {
    repeat { client?.advance(to: now) } while try loop.wait(until: Instant(rawValue: 0), now: now)
    client?.advance(to: now)
    defer { events.removeAll() }
    return events
  }

  private func lines(_ texts: String...) -> [ControlClient.Event] {
    texts.map { .line(Array($0.utf8)) }
  }

  @Test("A ball with too many listeners is an error, and is tried again")
  func full() throws {
    let ball = try connect().ball
    try ball.send(#"{"event":"error","request":"","detail":"…"}"# + "\n{}\n")
    expect(try turns(), is: [.ended(.full)])
    now = now.advanced(by: 1_000)
    expect(try turns(), is: [.connected(path: path)])
  }

  @Test("The client splits any pieces into lines, and sends requests")
  func lines() throws {
    let ball = try SmallBall(path)
    let client = begin()
    expect(!client.send("packets"))
    expect(try turns(), is: [.connected(path: path)])
    try ball.send("{\"event\":\"ball\"}\n{\"eve")
    expect(try turns(), is: lines("{\"event\":\"ball\"}"))
    try ball.send("nt\":\"current\"}\n\n{}\n")
    expect(try turns(), is: lines("{\"event\":\"current\"}", "", "{}"))
    expect(client.send("down shake"))
    expect(!client.send("up shake\ndown clear"))
    expect(try ball.requests(), is: "down shake\n")
  }

  @Test("The client requests packets from each ball, if it wants them")
  func packets() throws {
    let ball = try SmallBall(path)
    begin(wantsPackets: true)
    expect(try turns(), is: [.connected(path: path)])
    expect(try ball.requests(), is: "packets\n")
    try ball.dropAll()
    expect(try turns(), is: [.ended(.silent(path))])
    now = now.advanced(by: 1_000)
    expect(try turns(), is: [.connected(path: path)])
    expect(try ball.requests(), is: "packets\n")
  }

  @Test("Without a ball the client reports that once, and connects as soon as one comes")
  func comes() throws {
    let client = begin()
    expect(try turns(), is: [.unreachable(.noBall([path]))])
    // The kernel reports the new socket, so the next attempt is far away.
    expect(client.deadline, is: now.advanced(by: 10_000))
    now = now.advanced(by: 10_000)
    expect(try turns(), is: [])
    _ = try SmallBall(directory.path + "/another.sock")
    expect(try turns(), is: [])
    let ball = try SmallBall(path)
    expect(try turns(), is: [.connected(path: path)])
    try ball.send("{}\n")
    expect(try turns(), is: lines("{}"))
  }

  @Test("When a ball ends, its last lines are read, and the client connects to the next one")
  func returns() throws {
    do {
      let ball = try connect().ball
      try ball.send("{\"event\":\"last\"}\nhalf")
    }
    expect(try turns(), is: lines("{\"event\":\"last\"}") + [.ended(nil)])
    now = now.advanced(by: 1_000)
    expect(try turns(), is: [.unreachable(.noBall([path]))])
    let ball = try SmallBall(path)
    expect(try turns(), is: [.connected(path: path)])
    // Half a line of the last ball does not begin a line of this one.
    try ball.send("{}\n")
    expect(try turns(), is: lines("{}"))
  }

  @Test("A program that sends nothing for 10 s is no ball")
  func silence() throws {
    let (ball, client) = try connect()
    try ball.accept()
    client.isReading = false
    now = now.advanced(by: 20_000)
    expect(client.deadline, is: nil)
    client.isReading = true
    now = Instant(rawValue: 14_999)
    expect(client.deadline, is: Instant(rawValue: 15_000))
    expect(try turns(), is: [])
    now = Instant(rawValue: 15_000)
    expect(try turns().first, is: .ended(.silent(path)))
    expect(
      ControlError.silent(path).description,
      is:
        "the program at \(path) sends no state, as a ball does. Name a ball's socket by --control or "
        + "EIGHTBALL_CONTROL")
  }

  @Test("A ball that has sent a line may be silent")
  func quiet() throws {
    let (ball, client) = try connect()
    try ball.send("{}\n")
    expect(try turns(), is: lines("{}"))
    expect(client.deadline, is: nil)
    now = now.advanced(by: 20_000)
    expect(try turns(), is: [])
  }

  @Test("A ball that closes each connection at once is tried once a second")
  func turnedAway() throws {
    let ball = try SmallBall(path)
    let client = begin()
    for _ in 0..<3 {
      expect(try turns(), is: [.connected(path: path)])
      try ball.dropAll()
      expect(try turns(), is: [.ended(.silent(path))])
      expect(client.deadline, is: now.advanced(by: 1_000))
      now = now.advanced(by: 999)
      expect(try turns(), is: [])
      now = now.advanced(by: 1)
    }
  }

  @Test("Without a folder to watch, the client tries once a second")
  func noFolder() throws {
    let missing = directory.path + "/folder/control.sock"
    let client = begin([missing])
    expect(try turns(), is: [.unreachable(.noBall([missing]))])
    expect(client.deadline, is: now.advanced(by: 1_000))
    try directory.write("", to: "folder/file")
    let ball = try SmallBall(missing)
    expect(try turns(), is: [])
    now = now.advanced(by: 1_000)
    expect(try turns(), is: [.connected(path: missing)])
    try ball.accept()
    expect(ball.listeners.count, is: 1)
  }

  @Test("A file, or a socket that nothing listens at, is not a ball")
  func noSocket() throws {
    try directory.write("a file", to: "control.sock")
    begin()
    expect(try turns(), is: [.unreachable(.noBall([path]))])
  }

  @Test("The second path is used if the first has no socket")
  func secondPath() throws {
    let other = directory.path + "/other.sock"
    let ball = try SmallBall(other)
    begin([path, other])
    expect(try turns(), is: [.connected(path: other)])
    try ball.dropAll()
    let first = try SmallBall(path)
    expect(try turns(), is: [.ended(.silent(other))])
    now = now.advanced(by: 1_000)
    expect(try turns(), is: [.connected(path: path)])
    try first.accept()
    expect(first.listeners.count, is: 1)
  }

  @Test("A path that is too long for a socket is reported as such")
  func badPath() throws {
    let long = "/tmp/" + String(repeating: "a", count: 200)
    begin([long])
    let events = try turns()
    guard case .unreachable(.unusable(let error))? = events.first else {
      Issue.record("\(events)")
      return
    }
    expect(error.code, is: .nameTooLong)
    // It is reported once.
    now = now.advanced(by: 1_000)
    expect(try turns(), is: [])
  }

  @Test("A line of 64 kB is taken; a longer one ends the connection", arguments: [0, 1])
  func longLine(excess: Int) throws {
    let ball = try connect().ball
    let line = String(repeating: "x", count: 65_536 + excess)
    try ball.send(line)
    // The rest stays in the socket: only whole lines, or the excess, count here.
    expect(try turns(), is: excess == 0 ? [] : [.ended(.lineTooLong(65_536))])
    guard excess == 0 else { return }
    try ball.send("\n")
    expect(try turns(), is: lines(line))
  }

  @Test(
    "4,096 bytes of requests may wait for a ball, and no more: it is disconnected with their number"
  )
  func stuck() throws {
    let (ball, client) = try connect()
    try ball.accept()
    // A request without text has one byte, its line end.
    while client.send("") {}
    expect(try turns(), is: [.ended(.stuck(4_097))])
  }

  @Test("The absence of a ball is reported again after each connection")
  func absentAgain() throws {
    begin()
    for _ in 0..<2 {
      // Twice without a ball, which is reported once.
      expect(try turns(), is: [.unreachable(.noBall([path]))])
      now = now.advanced(by: 20_000)
      expect(try turns(), is: [])
      do {
        let ball = try SmallBall(path)
        now = now.advanced(by: 20_000)
        expect(try turns(), is: [.connected(path: path)])
        try ball.dropAll()
      }
      expect(try turns(), is: [.ended(.silent(path))])
      now = now.advanced(by: 20_000)
    }
  }

  @Test("Only an error about no request, as the first line, is a refusal")
  func refusals() {
    let start = #"{"event":"error","request":"","#
    for (line, isRefusal) in [
      (start, true), (start + #""detail":"full"}"#, true), (String(start.dropLast()), false),
      (#"{"event":"error","request":"x","detail":""}"#, false), ("{}", false), ("", false),
    ] { expect(ControlClient.isErrorLine(Array(line.utf8)), is: isRefusal, "\(line)") }
  }

  @Test("While the client does not read, lines wait, and it still sees the end of the ball")
  func pausing() throws {
    do {
      let (ball, client) = try connect()
      client.isReading = false
      try ball.send("1\n")
      expect(try turns(), is: [])
      // Requests are sent without reading.
      client.send("packets")
      expect(try ball.requests(), is: "packets\n")
      expect(try turns(), is: [])
      client.isReading = true
      expect(try turns(), is: lines("1"))
      client.isReading = false
      try ball.send("2\n")
      expect(try turns(), is: [])
    }
    expect(try turns(), is: lines("2") + [.ended(nil)])
  }

  @Test("A closed client does not connect again")
  func closed() throws {
    let (ball, client) = try connect()
    try ball.send("{}\n")
    client.close()
    now = now.advanced(by: 60_000)
    expect(try turns(), is: [])
    expect(client.deadline, is: nil)
  }

  @Test("The event handler may close the client")
  func closesItself() throws {
    let ball = try SmallBall(path)
    var count = 0
    let client = ControlClient(paths: [path], loop: loop) { [unowned self] in
      guard case .line = $0 else { return }
      count += 1
      self.client?.close()
    }
    self.client = client
    _ = try turns()
    try ball.send("{}\n{}\n")
    _ = try turns()
    expect(count, is: 1)
  }
}

@Suite("The paths and errors of a control client")
struct ControlWordsTests {
  private static let denied = SystemError(.accessDenied, "connect to", "/a")

  @Test(
    "A path from the user is the only candidate; one that is not the default is named by its option"
  )
  func option() {
    expect(ControlPath.candidates("/tmp/own.sock"), is: ["/tmp/own.sock"])
    expect(ControlPath.option(for: ["/a/b"]), is: " --control /a/b")
    for paths in [["/a", "/b"], [], ControlPath.candidates()] {
      expect(ControlPath.option(for: paths), is: "")
    }
  }

  @Test(
    "An error says what to do",
    arguments: [
      (
        ControlError.noBall(["/a", "/b"]),
        "no ball runs: nothing listens at /a or /b. Start one: eightball run"
      ),
      (
        .unusable(
          SystemError(
            .notPermitted, "use", "/a", explanation: "the socket is another user's (1001)")),
        "cannot use /a: the socket is another user's (1001). Name the socket of your own ball by "
          + "--control or EIGHTBALL_CONTROL"
      ),
      (
        .unusable(SystemError(.accessDenied, "connect to", ControlPath.ofService)),
        "cannot connect to /run/eightball/control.sock: Permission denied. Only root may watch the "
          + "ball of the service: use sudo"
      ),
      (
        .lineTooLong(65_536),
        "the ball sent a line of more than 65536 bytes; is there something else at its socket?"
      ),
      (.stuck(5_000), "the ball does not read its requests: 5000 bytes wait"),
      (
        .noBall(["/a"]),
        "no ball runs: nothing listens at /a. Start one: eightball run --control /a"
      ),
      // Without a remedy of its own it is the system's.
      (.unusable(denied), denied.description), (.broken(denied), denied.description),
    ])
  func words(_ error: ControlError, _ text: String) { expect(error.description, is: text) }
}
