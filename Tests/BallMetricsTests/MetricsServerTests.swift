import BallRunner
import BluetoothHost
import LinuxSystem
import Testing

@testable import BallMetrics

/// The clock of a server.
private final class TestClock {
  var now = Instant(rawValue: 1_000)
}

/// A server on a port that the kernel chooses, and its clients, in one thread.
private final class Bench {
  let loop: EventLoop
  let clock = TestClock()
  let server: MetricsServer
  /// The page for clients in each turn; `nil` to let them wait.
  var page: MetricsText? = MetricsText(BallFigures())

  init() throws {
    loop = try EventLoop()
    let clock = clock
    server = try MetricsServer(
      MetricsServer.listener(at: MetricsAddress(host: "127.0.0.1", port: 0)), loop: loop,
      clock: { clock.now })
  }

  func connect() throws -> FileDescriptor {
    try StreamSocket.connect(host: "127.0.0.1", port: server.port)
  }

  /// Runs the loop until there is nothing more to do.
  func settle() throws {
    // Loopback carries a packet at once, apart from the kernel's scheduling.
    for _ in 0..<1_000 {
      let wasBusy = try loop.wait(until: MonotonicClock.now.advanced(by: 5))
      server.advance(to: clock.now)
      if server.isAsked, let page { server.answer(page) }
      if !wasBusy { return }
    }
    Issue.record("It never comes to rest.")
  }

  func send(_ text: String, to client: borrowing FileDescriptor) throws {
    let bytes = Array(text.utf8)
    #expect(try client.write(bytes.span) == bytes.count)
    try settle()
  }

  /// Everything that the client received, and whether the connection has ended.
  func received(
    by client: borrowing FileDescriptor
  ) throws -> (text: String, isEnd: Bool) {
    var bytes: [UInt8] = []
    var storage = [UInt8](repeating: 0, count: 65_536)
    while true {
      var space = storage.mutableSpan
      switch try client.read(into: &space) {
      case .bytes(let count): bytes += storage.prefix(count)
      case .nothingYet: return (String(decoding: bytes, as: UTF8.self), false)
      case .end: return (String(decoding: bytes, as: UTF8.self), true)
      }
    }
  }

  /// The server's reply to a request.
  func reply(to request: String) throws -> (text: String, isEnd: Bool) {
    let client = try connect()
    try send(request, to: client)
    return try received(by: client)
  }
}

private let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

@Suite("The server of metrics")
struct MetricsServerTests {
  @Test("GET returns the page and closes the connection")
  func get() throws {
    let bench = try Bench()
    let reply = try bench.reply(to: request)
    let page = MetricsText(BallFigures()).text
    #expect(
      reply.text == """
        HTTP/1.1 200 OK\r
        Content-Type: text/plain; version=0.0.4; charset=utf-8\r
        Content-Length: \(page.utf8.count)\r
        Connection: close\r
        \r
        \(page)
        """)
    #expect(reply.isEnd)
  }

  @Test("HEAD returns the same without the page")
  func head() throws {
    let bench = try Bench()
    let got = try bench.reply(to: request).text
    let reply = try bench.reply(to: "HEAD" + request.dropFirst(3))
    #expect(got.hasPrefix(reply.text))
    let refused = try bench.reply(to: "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").text
    #expect(refused.hasPrefix("HTTP/1.1 404 ") && refused.hasSuffix("\r\n\r\n"))
    #expect(reply.text.hasSuffix("\r\n\r\n"))
    #expect(reply.isEnd)
  }

  @Test("In the ball's turn, all waiting clients get the present page")
  func asked() throws {
    let bench = try Bench()
    bench.page = nil
    let first = try bench.connect()
    let second = try bench.connect()
    try bench.send(request, to: first)
    try bench.send(request, to: second)
    #expect(bench.server.isAsked)
    #expect(try bench.received(by: first) == ("", false))
    var figures = BallFigures()
    figures[.questions] = 8
    bench.server.answer(MetricsText(figures))
    #expect(!bench.server.isAsked)
    #expect(try bench.received(by: first).text.contains("eightball_questions_total 8\n"))
    #expect(try bench.received(by: second).text.contains("eightball_questions_total 8\n"))
  }

  @Test("Without a page, clients get 503 and the reason")
  func refused() throws {
    let bench = try Bench()
    bench.page = nil
    let client = try bench.connect()
    try bench.send(request, to: client)
    bench.server.refuse("No ball answers.")
    let reply = try bench.received(by: client)
    #expect(reply.text.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
    #expect(reply.text.hasSuffix("\r\n\r\nNo ball answers.\n"))
  }

  @Test("405 names the allowed methods; 400, 404 and 431 name the error")
  func failures() throws {
    let bench = try Bench()
    let post = try bench.reply(
      to: "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
    #expect(post.text.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\n"))
    #expect(post.text.hasSuffix("\r\n\r\n405 Method Not Allowed\n"))
    #expect(
      try bench.reply(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n").text.hasPrefix("HTTP/1.1 404 "))
    #expect(try bench.reply(to: "nonsense\r\n\r\n").text.hasPrefix("HTTP/1.1 400 "))
    let long = "GET /metrics HTTP/1.1\r\nX: " + String(repeating: "a", count: 8_000)
    let reply = try bench.reply(to: long)
    // The whole reply arrives although the client has sent more than the server reads.
    #expect(reply.text.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"))
    #expect(reply.isEnd)
  }

  @Test("A request may come in two pieces, cut anywhere")
  func pieces() throws {
    let bench = try Bench()
    for cut in 1..<request.utf8.count {
      let client = try bench.connect()
      try bench.send(String(request.prefix(cut)), to: client)
      #expect(!bench.server.isAsked)
      try bench.send(String(request.dropFirst(cut)), to: client)
      #expect(try bench.received(by: client).text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test("A request whose client leaves is dropped, wherever it is cut")
  func hangUps() throws {
    let bench = try Bench()
    for cut in 0..<request.utf8.count {
      do {
        let client = try bench.connect()
        try bench.send(String(request.prefix(cut)), to: client)
      }
      try bench.settle()
      #expect(!bench.server.isAsked)
      // No client is left, so there is no deadline.
      #expect(bench.server.deadline == nil)
    }
  }

  @Test("An incomplete request gets 408 after 5 s; a silent client is dropped")
  func slowRequest() throws {
    let bench = try Bench()
    let slow = try bench.connect()
    let silent = try bench.connect()
    try bench.send("GET", to: slow)
    #expect(bench.server.deadline == Instant(rawValue: 6_000))
    bench.clock.now = Instant(rawValue: 5_999)
    try bench.settle()
    #expect(try bench.received(by: slow) == ("", false))
    bench.clock.now = Instant(rawValue: 6_000)
    try bench.settle()
    let reply = try bench.received(by: slow)
    #expect(reply.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    #expect(reply.isEnd)
    #expect(try bench.received(by: silent) == ("", true))
    // After the reply, a client has 1 s to close.
    #expect(bench.server.deadline == Instant(rawValue: 7_000))
    bench.clock.now = Instant(rawValue: 7_000)
    try bench.settle()
    #expect(bench.server.deadline == nil)
  }

  @Test(
    "A client that does not take the reply is dropped after 5 s, and the loop never waits for it")
  func slowReader() throws {
    let bench = try Bench()
    bench.page = nil
    let client = try bench.connect()
    try bench.send(request, to: client)
    // More than the sockets hold: 4 MB to send, and 128 kB to receive, which grow only for a client
    // that reads (tcp(7)).
    bench.server.refuse(String(repeating: "a", count: 12_000_000))
    #expect(bench.server.deadline == Instant(rawValue: 6_000))
    bench.clock.now = Instant(rawValue: 6_000)
    try bench.settle()
    #expect(bench.server.deadline == nil)
  }

  @Test("A ninth client replaces the oldest")
  func crowd() throws {
    let bench = try Bench()
    let first = try bench.connect()
    try bench.settle()
    let second = try bench.connect()
    try bench.settle()
    var others: [FileDescriptorBox] = []
    for _ in 2..<MetricsServer.maximumConnections {
      others.append(FileDescriptorBox(try bench.connect()))
      try bench.settle()
    }
    let ninth = try bench.connect()
    try bench.send(request, to: ninth)
    #expect(try bench.received(by: ninth).text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(try bench.received(by: first) == ("", true))
    #expect(try bench.received(by: second) == ("", false))
    // A client that leaves makes room; the next one replaces the oldest that is left.
    others.removeLast()
    try bench.settle()
    let tenth = try bench.connect()
    try bench.settle()
    #expect(try bench.received(by: second) == ("", false))
    let eleventh = try bench.connect()
    let twelfth = try bench.connect()
    try bench.settle()
    #expect(try bench.received(by: second) == ("", true))
    #expect(try bench.received(by: tenth) == ("", false))
    #expect(try bench.received(by: eleventh) == ("", false))
    #expect(try bench.received(by: twelfth) == ("", false))
    withExtendedLifetime(others) {}
  }

  @Test("A taken port is an error that says what to do")
  func taken() throws {
    let bench = try Bench()
    let address = MetricsAddress(host: "127.0.0.1", port: bench.server.port)
    let error = #expect(throws: SystemError.self) {
      _ = try MetricsServer(address, loop: bench.loop)
    }
    #expect(
      error?.description
        == "cannot listen on 127.0.0.1:\(bench.server.port): another program listens "
        + "there. Give another port, or 0 for one that is free")
  }

  @Test("After the end no client is served")
  func closed() throws {
    let bench = try Bench()
    let client = try bench.connect()
    try bench.settle()
    bench.server.close()
    #expect(try bench.received(by: client) == ("", true))
    #expect(bench.server.deadline == nil)
  }

  @Test(
    "A metrics address is a port, or a host and a port",
    arguments: [
      ("9888", "127.0.0.1:9888"), ("0", "127.0.0.1:0"), ("localhost:80", "localhost:80"),
      ("_:9888", "_:9888"), ("[::1]:9888", "[::1]:9888"), ("65535", "127.0.0.1:65535"),
      ("", nil), ("65536", nil), ("-1", nil), ("+1", nil), ("a", nil), (":9888", nil), ("a:", nil),
      ("::1:9888", nil), ("[]:1", nil), ("1:2:3", nil), ("a:b", nil),
    ] as [(String, String?)])
  func address(text: String, meaning: String?) {
    #expect(MetricsAddress(text)?.description == meaning)
  }

  @Test("A browser of this machine can open the page's address")
  func url() {
    #expect(
      MetricsAddress(host: "_", port: 0).url(atPort: 41_000) == "http://localhost:41000/metrics")
    #expect(MetricsAddress(host: "::1", port: 9).url(atPort: 9) == "http://[::1]:9/metrics")
  }
}

/// Keeps a connection open.
private final class FileDescriptorBox {
  let descriptor: FileDescriptor
  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}
