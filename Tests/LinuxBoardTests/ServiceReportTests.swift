import BluetoothHost
import EightBall
import Glibc
import LinuxRadio
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import LinuxBoard

@Suite("What a service manager is told of a ball")
struct ServiceReportTests {
  @Test("is its state when that changes, and once that it is ready")
  func states() throws {
    let bench = try Bench()
    let report = try bench.report()
    #expect(report.deadline == nil)

    report.send(at: .at(0))
    #expect(bench.take() == ["STATUS=Starting the radio.\n"])
    report.note(.advertising, connectionCount: 0)
    report.send(at: .at(10))
    #expect(bench.take() == ["READY=1\nSTATUS=Advertising.\n"])
    report.note(.advertising, connectionCount: 0)
    report.send(at: .at(20))
    #expect(bench.take() == [])
    report.note(.silent, connectionCount: 4)
    report.send(at: .at(30))
    #expect(bench.take() == ["STATUS=Not advertising. Connected: 4.\n"])
    report.note(.fault(.lost), connectionCount: 0)
    report.send(at: .at(40))
    #expect(bench.take() == ["STATUS=The radio is lost; trying again.\n"])
    report.note(.advertising, connectionCount: 0)
    report.send(at: .at(50))
    #expect(bench.take() == ["STATUS=Advertising.\n"])
    #expect(report.deadline == nil)
  }

  @Test("is that it stops, and nothing after that")
  func stops() throws {
    let bench = try Bench()
    let report = try bench.report()
    report.note(.advertising, connectionCount: 1)
    report.send(at: .at(0))
    #expect(bench.take() == ["READY=1\nSTATUS=Advertising. Connected: 1.\n"])
    report.stop()
    report.send(at: .at(1))
    #expect(bench.take() == ["STOPPING=1\nSTATUS=Stopping.\n"])
    report.stop()
    report.note(.silent, connectionCount: 0)
    report.send(at: .at(2))
    #expect(bench.take() == [])
  }

  @Test("is a sign of life at half of what its watchdog waits for")
  func signsOfLife() throws {
    let bench = try Bench()
    let report = try bench.report(["WATCHDOG_USEC": "3000000"])
    #expect(report.deadline == .at(0))
    report.send(at: .at(100))
    #expect(bench.take() == ["WATCHDOG=1\nSTATUS=Starting the radio.\n"])
    // 3 s / 2 after the last one.
    #expect(report.deadline == .at(1_600))
    report.send(at: .at(1_599))
    #expect(bench.take() == [])
    report.send(at: .at(1_600))
    #expect(bench.take() == ["WATCHDOG=1\n"])
    // Whatever is told is a sign of life, too.
    report.note(.advertising, connectionCount: 0)
    report.send(at: .at(2_000))
    #expect(bench.take() == ["READY=1\nWATCHDOG=1\nSTATUS=Advertising.\n"])
    #expect(report.deadline == .at(3_500))
  }

  @Test("is told later, and as it is then, when it cannot be told now")
  func later() throws {
    let bench = try Bench(isListening: false)
    let report = try bench.report()
    report.note(.advertising, connectionCount: 0)
    report.send(at: .at(0))
    #expect(report.deadline == .at(1_000))
    try bench.listen()
    report.note(.advertising, connectionCount: 2)
    report.send(at: .at(999))
    #expect(bench.take() == [])
    report.send(at: .at(1_000))
    #expect(bench.take() == ["READY=1\nSTATUS=Advertising. Connected: 2.\n"])
    #expect(report.deadline == nil)
  }

  @Test("is the newest state once a second has passed, when centrals come and go too fast")
  func comingAndGoing() throws {
    let bench = try Bench()
    let report = try bench.report()
    var datagrams: [String] = []
    for number in 0..<1_000 {
      report.note(.advertising, connectionCount: (number + 1) % 2)
      report.send(at: .at(100))
      datagrams += bench.take()
    }
    // A burst of 500, as for lines.
    #expect(datagrams.count == 500)
    #expect(report.deadline == .at(1_100))
    report.note(.advertising, connectionCount: 3)
    report.send(at: .at(1_099))
    #expect(bench.take() == [])
    report.send(at: .at(1_100))
    #expect(bench.take() == ["STATUS=Advertising. Connected: 3.\n"])
    #expect(report.deadline == nil)
  }

  @Test("is its end and its signs of life without delay, when centrals come and go too fast")
  func endOfComingAndGoing() throws {
    let bench = try Bench()
    let report = try bench.report(["WATCHDOG_USEC": "1200000"])
    for number in 0..<600 {
      report.note(.advertising, connectionCount: (number + 1) % 2)
      report.send(at: .at(100))
      _ = bench.take()
    }
    // 0.6 s after the last datagram that was sent.
    #expect(report.deadline == .at(700))
    report.send(at: .at(700))
    #expect(bench.take() == ["WATCHDOG=1\nSTATUS=Advertising.\n"])
    report.note(.advertising, connectionCount: 1)
    report.stop()
    report.send(at: .at(701))
    #expect(bench.take() == ["STOPPING=1\nWATCHDOG=1\nSTATUS=Stopping.\n"])
  }

  @Test("comes from a ball's own loop: ready when it advertises, stopping when it is told to")
  func ball() throws {
    let bench = try Bench()
    let loop = try EventLoop()
    let directory = try TemporaryDirectory()
    var radio = try Radio(.virtual, loop: loop, airPath: directory.path + "/air")
    var ball = BallProgram(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Test Ball")), service: .ballService, address: .public),
      seed: 8, style: .text, observer: Nobody())
    ball.service = try bench.report(["WATCHDOG_USEC": "600000000"])

    var told = ""
    func turn() throws {
      let now = MonotonicClock.now
      let mayHaveMore = radio.serve(&ball, at: now)
      told += bench.take().joined()
      let deadline = Instant.earlier(ball.deadline, radio.deadline)
      if !ball.isFinished, !told.contains("READY") || mayHaveMore {
        try loop.wait(until: mayHaveMore ? now : deadline)
      }
    }
    for _ in 0..<5_000 where !told.contains("READY") { try turn() }
    #expect(told.hasPrefix("WATCHDOG=1\nSTATUS=Starting the radio.\n"))
    #expect(told.hasSuffix("READY=1\nWATCHDOG=1\nSTATUS=Advertising.\n"))

    told = ""
    ball.shutDown(at: MonotonicClock.now)
    try turn()
    #expect(told == "STOPPING=1\nWATCHDOG=1\nSTATUS=Stopping.\n")
    radio.close()
  }
}

/// A service manager's socket, and reports to it.
private final class Bench {
  private let directory: TemporaryDirectory
  private var mailbox: FileDescriptor?
  private var name: String { directory.path + "/notify" }

  init(isListening: Bool = true) throws {
    directory = try TemporaryDirectory()
    if isListening { try listen() }
  }

  func listen() throws {
    let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let number = socket(AF_UNIX, type, 0)
    try #require(number >= 0)
    mailbox = FileDescriptor(owning: number, name: name)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
      unsafe path.copyBytes(from: name.utf8)
    }
    let result = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
  }

  func report(_ variables: [String: String] = [:]) throws -> ServiceReport {
    let name = name
    let manager = try ServiceManager.find { $0 == "NOTIFY_SOCKET" ? name : variables[$0] }
    guard let manager else { throw SystemError(.noSuchFile, "find", "the service manager") }
    return ServiceReport(to: manager)
  }

  /// The datagrams that have come.
  func take() -> [String] {
    var datagrams: [String] = []
    var storage = [UInt8](repeating: 0, count: 512)
    while true {
      var space = storage.mutableSpan
      guard case .bytes(let count)? = try? mailbox?.read(into: &space) else { return datagrams }
      datagrams.append(String(decoding: storage.prefix(count), as: UTF8.self))
    }
  }
}

private struct Nobody: BallObserver {
  mutating func radioWasLost(_ error: RadioError) {}
  mutating func ball(
    _ own: DeviceAddress, did event: BallEvent, with central: DeviceAddress?,
    question: Span<UInt8>
  ) {}
  mutating func ball(didOmit count: Int, at place: Int, of central: DeviceAddress?) {}
}

extension Instant {
  fileprivate static func at(_ milliseconds: UInt64) -> Instant {
    Instant(rawValue: milliseconds)
  }
}
