import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

@Suite("The reports to a service manager")
struct ServiceReportTests {
  private let machine = TestMachine()

  /// Sends at a time what is due, and returns the datagrams.
  private func send(_ report: inout ServiceReport, at time: UInt64) -> [String] {
    var port = machine
    let count = machine.reports.count
    report.send(to: &port, at: Instant(rawValue: time))
    return Array(machine.reports.dropFirst(count))
  }

  /// What happens to a report.
  enum Step: Sendable {
    /// The state is noted: the radio's, and the number of connections.
    case note(RadioState, Int)
    /// The port waits for its radio.
    case wait
    case stop
    /// At this time this is sent, or nothing, and the report is due next at `deadline`.
    case send(UInt64, String?, deadline: UInt64? = nil)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var watchdogTimeout: UInt32?
    var steps: [Step]
  }

  @Test(
    "What is sent, and when",
    arguments: [
      Row(
        testDescription: "each change of the state, and readiness once",
        steps: [
          .send(0, "STATUS=Starting the radio.\n"),
          .note(.advertising, 0), .send(10, "READY=1\nSTATUS=Advertising.\n"),
          .note(.advertising, 0), .send(20, nil),
          .note(.silent, 4), .send(30, "STATUS=Not advertising. Connected: 4.\n"),
          .note(.fault(.lost), 0), .send(40, "STATUS=The radio is lost; trying again.\n"),
          .note(.advertising, 0), .send(50, "STATUS=Advertising.\n"),
        ]),
      Row(
        testDescription: "stopping, and nothing after it",
        steps: [
          .note(.advertising, 1), .send(0, "READY=1\nSTATUS=Advertising. Connected: 1.\n"),
          .stop, .send(1, "STOPPING=1\nSTATUS=Stopping.\n"),
          .stop, .note(.silent, 0), .send(2, nil),
        ]),
      Row(
        testDescription:
          "readiness while it waits for its radio, as the start of the system must not wait",
        steps: [
          .wait, .send(0, "READY=1\nSTATUS=Waiting for test0.\n"),
          .wait, .send(10, nil),
          .note(.advertising, 0), .send(30, "STATUS=Advertising.\n"),
        ]),
      Row(
        testDescription: "the end of a wait",
        steps: [
          .wait, .send(0, "READY=1\nSTATUS=Waiting for test0.\n"),
          .stop, .send(10, "STOPPING=1\nSTATUS=Stopping.\n"),
        ]),
      Row(
        testDescription: "a keep-alive report at half of the watchdog timeout",
        watchdogTimeout: 3_000,
        steps: [
          // 3 s / 2 after the last one.
          .send(100, "WATCHDOG=1\nSTATUS=Starting the radio.\n", deadline: 1_600),
          .send(1_599, nil, deadline: 1_600),
          .send(1_600, "WATCHDOG=1\n", deadline: 3_100),
          // Each other report is a keep-alive report, too.
          .note(.advertising, 0),
          .send(2_000, "READY=1\nWATCHDOG=1\nSTATUS=Advertising.\n", deadline: 3_500),
        ]),
    ])
  func steps(_ row: Row) {
    var report = ServiceReport(watchdogTimeout: row.watchdogTimeout)
    expect(report.deadline, is: row.watchdogTimeout.map { _ in Instant(rawValue: 0) })
    for step in row.steps {
      switch step {
      case .note(let radio, let count): report.note(radio, connectionCount: count)
      case .wait: report.note(.starting, connectionCount: 0, isWaiting: true)
      case .stop: report.stop()
      case .send(let time, let datagram, let deadline):
        expect(send(&report, at: time), is: datagram.map { [$0] } ?? [], "at \(time)")
        expect(report.deadline?.rawValue, is: deadline, "at \(time)")
      }
    }
  }

  @Test("A report that was not taken is sent later, with the state of that time")
  func later() {
    machine.takesReports = false
    var report = ServiceReport(watchdogTimeout: nil)
    report.note(.advertising, connectionCount: 0)
    expect(send(&report, at: 0), is: [])
    expect(report.deadline?.rawValue, is: 1_000)
    machine.takesReports = true
    report.note(.advertising, connectionCount: 2)
    expect(send(&report, at: 999), is: [])
    expect(send(&report, at: 1_000), is: ["READY=1\nSTATUS=Advertising. Connected: 2.\n"])
    expect(report.deadline, is: nil)
  }

  /// The datagrams when one central comes and goes in one moment.
  private func visits(_ count: Int, _ report: inout ServiceReport) -> Int {
    var datagrams = 0
    for number in 0..<count {
      report.note(.advertising, connectionCount: (number + 1) % 2)
      datagrams += send(&report, at: 100).count
    }
    return datagrams
  }

  @Test("When centrals come and go too fast, the newest state is reported after a second")
  func comingAndGoing() {
    var report = ServiceReport(watchdogTimeout: nil)
    // A burst of 500, as for lines.
    expect(visits(1_000, &report), is: 500)
    expect(report.deadline?.rawValue, is: 1_100)
    report.note(.advertising, connectionCount: 3)
    expect(send(&report, at: 1_099), is: [])
    expect(send(&report, at: 1_100), is: ["STATUS=Advertising. Connected: 3.\n"])
    expect(report.deadline, is: nil)
  }

  @Test("When centrals come and go too fast, the end and keep-alive reports are not delayed")
  func endOfComingAndGoing() {
    var report = ServiceReport(watchdogTimeout: 1_200)
    _ = visits(600, &report)
    // 0.6 s after the last datagram that was sent.
    expect(report.deadline?.rawValue, is: 700)
    expect(send(&report, at: 700), is: ["WATCHDOG=1\nSTATUS=Advertising.\n"])
    report.note(.advertising, connectionCount: 1)
    report.stop()
    expect(send(&report, at: 701), is: ["STOPPING=1\nWATCHDOG=1\nSTATUS=Stopping.\n"])
  }

  @Test("A ball's loop reports ready when it advertises, and stopping when it is asked to end")
  func ball() {
    let bench = RunnerBench {
      $0.hasServiceManager = true
      $0.watchdogTimeout = 600_000
    }
    bench.turn(at: 0)
    let reports = bench.machine.reports.joined()
    expect(reports.hasPrefix("WATCHDOG=1\nSTATUS=Starting the radio.\n"))
    expect(reports.hasSuffix("READY=1\nWATCHDOG=1\nSTATUS=Advertising.\n"))
    let count = bench.machine.reports.count
    bench.machine.endRequests = 1
    bench.turn(at: 10)
    expect(
      bench.machine.reports.dropFirst(count), is: ["STOPPING=1\nWATCHDOG=1\nSTATUS=Stopping.\n"])
  }
}
