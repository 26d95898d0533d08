import BluetoothHost
import EightBall
import Testing

@testable import BallRunner

@Suite("The reports to a service manager")
struct ServiceReportTests {
  @Test("Each change of the state is reported, and readiness once")
  func states() throws {
    let bench = Bench()
    var report = ServiceReport(watchdogTimeout: nil)
    #expect(report.deadline == nil)

    report.send(to: &bench.port, at: .at(0))
    #expect(bench.take() == ["STATUS=Starting the radio.\n"])
    report.note(.advertising, connectionCount: 0)
    report.send(to: &bench.port, at: .at(10))
    #expect(bench.take() == ["READY=1\nSTATUS=Advertising.\n"])
    report.note(.advertising, connectionCount: 0)
    report.send(to: &bench.port, at: .at(20))
    #expect(bench.take() == [])
    report.note(.silent, connectionCount: 4)
    report.send(to: &bench.port, at: .at(30))
    #expect(bench.take() == ["STATUS=Not advertising. Connected: 4.\n"])
    report.note(.fault(.lost), connectionCount: 0)
    report.send(to: &bench.port, at: .at(40))
    #expect(bench.take() == ["STATUS=The radio is lost; trying again.\n"])
    report.note(.advertising, connectionCount: 0)
    report.send(to: &bench.port, at: .at(50))
    #expect(bench.take() == ["STATUS=Advertising.\n"])
    #expect(report.deadline == nil)
  }

  @Test("Stopping is reported, and nothing after it")
  func stops() throws {
    let bench = Bench()
    var report = ServiceReport(watchdogTimeout: nil)
    report.note(.advertising, connectionCount: 1)
    report.send(to: &bench.port, at: .at(0))
    #expect(bench.take() == ["READY=1\nSTATUS=Advertising. Connected: 1.\n"])
    report.stop()
    report.send(to: &bench.port, at: .at(1))
    #expect(bench.take() == ["STOPPING=1\nSTATUS=Stopping.\n"])
    report.stop()
    report.note(.silent, connectionCount: 0)
    report.send(to: &bench.port, at: .at(2))
    #expect(bench.take() == [])
  }

  @Test("A keep-alive report comes at half of the watchdog timeout")
  func signsOfLife() throws {
    let bench = Bench()
    var report = ServiceReport(watchdogTimeout: 3000)
    #expect(report.deadline == .at(0))
    report.send(to: &bench.port, at: .at(100))
    #expect(bench.take() == ["WATCHDOG=1\nSTATUS=Starting the radio.\n"])
    // 3 s / 2 after the last one.
    #expect(report.deadline == .at(1_600))
    report.send(to: &bench.port, at: .at(1_599))
    #expect(bench.take() == [])
    report.send(to: &bench.port, at: .at(1_600))
    #expect(bench.take() == ["WATCHDOG=1\n"])
    // Each other report is a keep-alive report, too.
    report.note(.advertising, connectionCount: 0)
    report.send(to: &bench.port, at: .at(2_000))
    #expect(bench.take() == ["READY=1\nWATCHDOG=1\nSTATUS=Advertising.\n"])
    #expect(report.deadline == .at(3_500))
  }

  @Test("A report that was not taken is sent later, with the state of that time")
  func later() throws {
    let bench = Bench(isListening: false)
    var report = ServiceReport(watchdogTimeout: nil)
    report.note(.advertising, connectionCount: 0)
    report.send(to: &bench.port, at: .at(0))
    #expect(report.deadline == .at(1_000))
    bench.machine.takesReports = true
    report.note(.advertising, connectionCount: 2)
    report.send(to: &bench.port, at: .at(999))
    #expect(bench.take() == [])
    report.send(to: &bench.port, at: .at(1_000))
    #expect(bench.take() == ["READY=1\nSTATUS=Advertising. Connected: 2.\n"])
    #expect(report.deadline == nil)
  }

  @Test("When centrals come and go too fast, the newest state is reported after a second")
  func comingAndGoing() throws {
    let bench = Bench()
    var report = ServiceReport(watchdogTimeout: nil)
    var datagrams: [String] = []
    for number in 0..<1_000 {
      report.note(.advertising, connectionCount: (number + 1) % 2)
      report.send(to: &bench.port, at: .at(100))
      datagrams += bench.take()
    }
    // A burst of 500, as for lines.
    #expect(datagrams.count == 500)
    #expect(report.deadline == .at(1_100))
    report.note(.advertising, connectionCount: 3)
    report.send(to: &bench.port, at: .at(1_099))
    #expect(bench.take() == [])
    report.send(to: &bench.port, at: .at(1_100))
    #expect(bench.take() == ["STATUS=Advertising. Connected: 3.\n"])
    #expect(report.deadline == nil)
  }

  @Test("When centrals come and go too fast, the end and keep-alive reports are not delayed")
  func endOfComingAndGoing() throws {
    let bench = Bench()
    var report = ServiceReport(watchdogTimeout: 1200)
    for number in 0..<600 {
      report.note(.advertising, connectionCount: (number + 1) % 2)
      report.send(to: &bench.port, at: .at(100))
      _ = bench.take()
    }
    // 0.6 s after the last datagram that was sent.
    #expect(report.deadline == .at(700))
    report.send(to: &bench.port, at: .at(700))
    #expect(bench.take() == ["WATCHDOG=1\nSTATUS=Advertising.\n"])
    report.note(.advertising, connectionCount: 1)
    report.stop()
    report.send(to: &bench.port, at: .at(701))
    #expect(bench.take() == ["STOPPING=1\nWATCHDOG=1\nSTATUS=Stopping.\n"])
  }

  @Test("A ball's loop reports ready when it advertises, and stopping when it is asked to end")
  func ball() {
    let bench = RunnerBench {
      $0.hasServiceManager = true
      $0.watchdogTimeout = 600_000
    }
    bench.turn(at: 0)
    let reports = bench.machine.reports.joined()
    #expect(reports.hasPrefix("WATCHDOG=1\nSTATUS=Starting the radio.\n"))
    #expect(reports.hasSuffix("READY=1\nWATCHDOG=1\nSTATUS=Advertising.\n"))
    let count = bench.machine.reports.count
    bench.machine.endRequests = 1
    bench.turn(at: 10)
    #expect(
      bench.machine.reports.dropFirst(count) == ["STOPPING=1\nWATCHDOG=1\nSTATUS=Stopping.\n"])
  }
}

/// A service manager and its port.
private final class Bench {
  let machine = TestMachine()
  var port: TestPort
  private var taken = 0

  init(isListening: Bool = true) {
    machine.takesReports = isListening
    port = TestPort(machine: machine)
  }

  /// Takes the received datagrams.
  func take() -> [String] {
    defer { taken = machine.reports.count }
    return Array(machine.reports.dropFirst(taken))
  }
}

extension Instant {
  fileprivate static func at(_ milliseconds: UInt64) -> Instant {
    Instant(rawValue: milliseconds)
  }
}
