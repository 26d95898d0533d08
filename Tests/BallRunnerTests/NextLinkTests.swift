import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

/// The connection handle of the next central, when it is another one.
private let other: UInt8 = 0x50

/// What a link may leave for the next one.
private enum LinkState: CaseIterable {
  case connected, subscribed, asked, answered, refused, shaken, cleared, halfPDU, answersDue,
    linesLeftOut, linesLost

  func enter(_ bench: RunnerBench) {
    bench.connect(at: 10)
    if self == .connected { return }
    if self != .asked { bench.subscribe(at: 20) }
    switch self {
    case .connected, .subscribed: break
    case .asked, .answered: ask("First?", bench)
    case .refused: ask("No.", bench)
    case .shaken, .cleared:
      ask("First?", bench)
      bench.press(self == .shaken ? .shake : .clear, at: 40)
    case .halfPDU:
      // The first 9 of 15 bytes of a question: L2CAP's header, the opcode, the handle, 2 characters.
      let whole = ScriptedController.question("Half it?", on: link)
      bench.receive([0x02, link, 0x20, 9, 0] + whole[5..<14], at: 30)
    case .answersDue:
      // The controller gives no buffer back.
      bench.machine.controller = nil
      for _ in 0..<9 { ask("Due?", bench) }
    case .linesLeftOut:
      for _ in 0..<600 { ask("No.", bench) }
    case .linesLost:
      bench.machine.outputRoom = 0
      for _ in 0..<200 { ask("Again?", bench) }
    }
  }

  private func ask(_ text: String, _ bench: RunnerBench) { bench.ask(text, at: 30) }
}

/// How a link ends before the next one begins.
private enum LinkEnd: CaseIterable {
  case disconnection, sameRead, replacement, clearHeld, hardwareError

  /// Ends the link. Returns the packets that come in one read with those of the next link.
  func happen(_ bench: RunnerBench) -> [UInt8] {
    let machine = bench.machine
    machine.controller = ScriptedController.replies
    if machine.outputRoom != nil {
      // The reader has room again before the link ends.
      machine.outputRoom = nil
      bench.turn(at: 45)
    }
    switch self {
    case .disconnection: bench.disconnect(at: 50)
    case .sameRead: return ScriptedController.disconnection(link)
    case .replacement: break
    case .clearHeld:
      machine.lines.drive(.clear, isClosed: true, at: 1_000)
      bench.run(from: 1_000, until: 5_000)
      machine.lines.drive(.clear, isClosed: false, at: 5_000)
      bench.run(from: 5_000, until: 5_100)
      expect(bench.runner.connectionCount, is: 0)
    case .hardwareError: bench.receive([0x04, 0x10, 1, 0x42], at: 50)
    }
    return []
  }
}

/// What is seen of a link.
private struct Visit: Equatable {
  /// The lines for programs, from its beginning to its end.
  var lines: [String] = []
  /// The ACL packets of the ball.
  var packets: [[UInt8]] = []
  /// What a program learns that joins while the link lasts.
  var state: [String] = []
  var figures: [UInt64] = []
}

extension RunnerBench {
  /// A central connects after `packets`, subscribes, reads, states, asks and leaves.
  fileprivate func visit(_ handle: UInt8, after packets: [UInt8], at time: UInt64) -> Visit {
    var visit = Visit()
    let start = machine.packets.count
    let lineCount = machine.outputLines.count
    receive(packets + ScriptedController.connection(handle), at: time)
    // Read Request of Answer: it is empty.
    receive(ScriptedController.pdu([0x0A, 0x1F, 0x00], on: handle), at: time + 1_000)
    subscribe(on: handle, at: time + 1_010)
    press(.shake, at: time + 1_100)
    machine.control.join(7)
    turn(at: time + 1_300)
    visit.state = takeLines(of: 7).filter { !$0.contains(#""answer","text""#) }
    ask("It will.", on: handle, at: time + 1_400)
    visit.packets = machine.packets.dropFirst(start).filter { $0[0] == 0x02 && $0[1] == handle }
    let before = figures
    ask("Will it?", on: handle, at: time + 2_000)
    disconnect(handle, at: time + 3_000)
    let after = figures
    visit.figures = [
      Figure.questions, .answers, .answerMilliseconds, .answeredWithin1, .linesLimited,
    ].map { after[$0] - before[$0] }
    // The answer depends on how many there were.
    let beginning = #"{"event":"connected","central":"C0:00:00:00:00:\#(hexadecimal(handle))""#
    let lines = machine.outputLines.dropFirst(lineCount)
    visit.lines = lines.drop { !$0.hasPrefix(beginning) }.map {
      $0.hasPrefix(#"{"event":"answer""#) ? "answer" : $0
    }
    machine.control.leave(7)
    turn(at: time + 3_100)
    return visit
  }

  private func hexadecimal(_ byte: UInt8) -> String { String(byte, radix: 16, uppercase: true) }
}

/// What must not outlive a link in the runner: questions, answers, halves of packets, counts of lines
/// left out, the allowance of lines, questions of pairing.
@Suite("The ball's next link at an index")
struct NextLinkTests {
  private static func bench() -> RunnerBench {
    let bench = RunnerBench(isJSON: true, hasPanel: true)
    bench.run(from: 0, until: 5)
    return bench
  }

  /// The visits of the first link at each handle.
  private static let fresh: [UInt8: Visit] = [
    link: bench().visit(link, after: [], at: 60_000),
    other: bench().visit(other, after: [], at: 60_000),
  ]

  @Test(
    "It inherits nothing from the last link, with the same handle or another",
    arguments: LinkState.allCases, LinkEnd.allCases)
  fileprivate func nothing(state: LinkState, end: LinkEnd) throws {
    // A Connection Complete replaces only the link of its handle.
    for handle in end == .replacement ? [link] : [link, other] {
      let fresh = try #require(Self.fresh[handle])
      expect(fresh.lines.count, is: 7)
      expect(fresh.figures, is: [1, 1, 0, 1, 0])

      let bench = Self.bench()
      state.enter(bench)
      let rest = end.happen(bench)
      expect(bench.visit(handle, after: rest, at: 60_000), is: fresh)
      expect(bench.runner.connectionCount, is: 0)
    }
  }

  @Test("A link's count of lines names its own central, and comes before its end")
  func omission() throws {
    let bench = Self.bench()
    LinkState.linesLeftOut.enter(bench)
    bench.receive(
      ScriptedController.disconnection(link) + ScriptedController.connection(other), at: 40)
    let lines = bench.machine.outputLines
    // The connection, its subscription and 498 refusals are the burst of 500: 600 − 498 = 102.
    let count = try #require(lines.lastIndex { $0.contains("omitted") })
    expect(
      lines[count],
      is: #"{"event":"omitted","central":"C0:00:00:00:00:40","connection":0,"count":102}"#)
    expect(lines[count + 1].hasPrefix(#"{"event":"disconnected","central":"C0:00:00:00:00:40""#))
    // The allowance is the index's, so the next link has to wait for its line.
    expect(lines.count, is: count + 2)
    bench.run(from: 40, until: 2_000)
    expect(
      bench.machine.outputLines.last,
      is: #"{"event":"connected","central":"C0:00:00:00:00:50","connection":0}"#)
  }

  // MARK: Pairing

  /// How a link ends while its pairing asks the user.
  fileprivate enum PairingEnd: CaseIterable { case disconnection, sameRead }

  // Symptom: the line of the failed pairing named the next central at the index, or none.
  @Test("A lost link takes its pairing question with it", arguments: PairingEnd.allCases)
  fileprivate func question(end: PairingEnd) throws {
    let bench = PairingBench(.authenticated, hasUser: true, isJSON: true)
    bench.beginPairing()
    expect(bench.machine.question != nil)
    let complete = try #require(
      bench.machine.notes.last {
        $0.direction == .received && $0.packet.starts(with: [0x04, 0x3E])
          && [0x01, 0x0A].contains($0.packet[3])
      })
    let handle = complete.packet[5]
    let ended = ScriptedController.disconnection(handle)
    let begun = ScriptedController.connection(other)
    bench.machine.incoming += end == .sameRead ? [ended + begun] : [ended]
    bench.turn()
    expect(bench.machine.question, is: nil)
    if end == .disconnection {
      bench.machine.incoming.append(begun)
      bench.turn()
    }
    let lines = bench.machine.outputLines
    let failure = try #require(lines.first { $0.contains("the connection was lost") })
    expect(failure.contains(#""central":"F0:00:00:11:BA:02""#), "\(failure)")
    // The user's answer comes too late, and changes nothing.
    let count = lines.count
    bench.machine.confirmation = true
    bench.turn()
    expect(bench.machine.outputLines.count, is: count)
    expect(bench.bondCount, is: 0)
  }
}
