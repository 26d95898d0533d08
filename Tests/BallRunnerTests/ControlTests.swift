import BluetoothHost
import EightBall
import Expectations

@testable import BallRunner

private let central = #""central":"C0:00:00:00:00:40""#
private let ball =
  #"{"event":"ball","version":"1.2.3","name":"Test Ball","radio":"test0","board":"test-board","connections":4,"#

@Suite("Programs that listen to a ball and press its buttons")
struct ControlTests {
  private let bench = RunnerBench(hasPanel: true)

  // MARK: The state

  @Test("A listener receives the start of the ball")
  func beginning() {
    let bench = RunnerBench()
    bench.machine.control.join(1)
    bench.turn(at: 0)
    expect(
      bench.takeLines(),
      is: [
        ball + #""presses":false}"#,
        #"{"event":"radio","state":"starting"}"#,
        #"{"event":"current"}"#,
        #"{"event":"advertising","name":"Test Ball","address":"F0:00:00:00:00:0A"}"#,
      ])
  }

  @Test("The state has each central, the shown answer, and the lights")
  func state() throws {
    bench.listen()
    bench.ask("Will it rain?", at: 100)
    let words = try #require(bench.machine.outputLines.last).dropFirst("Answer: ".count)
    bench.machine.control.join(1)
    bench.turn(at: 110)
    expect(
      bench.takeLines(),
      is: [
        ball + #""presses":true}"#,
        #"{"event":"advertising","name":"Test Ball","address":"F0:00:00:00:00:0A"}"#,
        #"{"event":"connected",\#(central),"connection":0}"#,
        #"{"event":"subscribed",\#(central),"connection":0,"on":true}"#,
        #"{"event":"answer","text":"\#(words)"}"#,
        #"{"event":"lights","status":true,"answer":true}"#,
        #"{"event":"current"}"#,
      ])
  }

  @Test("A lost radio is part of the state")
  func lostRadio() {
    let bench = RunnerBench()
    bench.turn(at: 0)
    bench.machine.emptyRead = .closed
    bench.turn(at: 10)
    bench.machine.control.join(1)
    bench.turn(at: 11)
    expect(bench.takeLines()[1], is: #"{"event":"radio","state":"lost"}"#)
  }

  // MARK: Changes

  @Test("Each listener receives each event once, whatever the ball prints", arguments: [0, 1, 2])
  func events(format: Int) {
    let bench = RunnerBench(isJSON: format == 1, isQuiet: format == 2)
    bench.listen()
    bench.join(1, 2, at: 50)
    bench.ask("Is \"it\"?", at: 100)
    bench.disconnect(at: 300)
    for listener in 1...2 {
      let lines = bench.takeLines(of: listener)
      expect(lines.count, is: 3)
      expect(lines.first, is: #"{"event":"question",\#(central),"text":"Is \"it\"?"}"#)
      expect(lines.dropFirst().first?.hasPrefix(#"{"event":"answer",\#(central),"#), is: true)
      expect(
        lines.last,
        is:
          #"{"event":"disconnected",\#(central),"connection":0,"reason":"by the other side","code":19}"#
      )
    }
    expect(bench.machine.outputLines.contains { $0.contains("Question: ") }, is: format == 0)
    expect(bench.machine.outputLines.contains { $0.contains("question") }, is: format == 1)
  }

  @Test("Changes of the lights are sent")
  func lights() {
    bench.machine.control.join(1)
    bench.run(from: 0, until: 2_000)
    let lights = bench.takeLines().filter { $0.contains(#""lights""#) }
    expect(lights.first, is: #"{"event":"lights","status":false,"answer":false}"#)
    // An advertising ball blinks slowly.
    expect(lights.dropFirst().first, is: #"{"event":"lights","status":true,"answer":false}"#)
    expect(zip(lights, lights.dropFirst()).allSatisfy { $0 != $1 })
    expect(lights.count >= 3)
  }

  @Test("A light that the board lacks is left out")
  func missingLight() {
    bench.machine.control.lights = [.answer]
    bench.machine.control.join(1)
    bench.turn(at: 0)
    expect(bench.takeLines().contains(#"{"event":"lights","answer":false}"#))
  }

  @Test("After the last listener has left, no events are kept for the next")
  func leaving() {
    bench.machine.control.join(1)
    bench.turn(at: 0)
    bench.machine.control.leave(1)
    bench.listen()
    bench.ask("Will it rain?", at: 100)
    bench.machine.control.join(2)
    bench.turn(at: 110)
    let lines = bench.takeLines(of: 2)
    expect(lines.last, is: #"{"event":"current"}"#)
    expect(!lines.contains { $0.contains("question") })
  }

  // MARK: Buttons

  @Test("A listener presses and releases a button, and the ball acts")
  func press() {
    bench.join(1, at: 0)
    bench.request("down clear", at: 10)
    bench.request("up clear", at: 100)
    expect(bench.machine.control.presses, is: ["clear true", "clear false"])
    let lines = bench.takeLines()
    expect(lines.contains(#"{"event":"done","request":"down clear"}"#))
    expect(lines.contains(#"{"event":"button","action":"clear"}"#))
    expect(lines.contains(#"{"event":"done","request":"up clear"}"#))
  }

  @Test("The buttons of a listener are released when it leaves")
  func leavingWhileHolding() {
    bench.join(1, 2, at: 0)
    bench.machine.control.ask("down clear", as: 1)
    bench.machine.control.ask("down shake", as: 2)
    bench.turn(at: 10)
    bench.machine.control.leave(1)
    bench.turn(at: 20)
    expect(bench.machine.control.presses, is: ["clear true", "shake true", "clear false"])
  }

  struct Refusal: CustomTestStringConvertible {
    var request: String
    var detail: String
    var prepare: @Sendable (TestMachine) -> Void = { _ in }
    var testDescription: String { detail }
  }

  @Test(
    "A request that cannot be carried out is refused with the reason",
    arguments: [
      Refusal(request: "shake", detail: "The requests are"),
      Refusal(request: "", detail: "The requests are"),
      Refusal(request: "down bell", detail: "The buttons are shake and clear."),
      Refusal(request: "up shake", detail: "This connection does not hold the button shake."),
      Refusal(
        request: "down shake", detail: "The ball has no buttons.",
        prepare: { $0.lines.isThere = false }),
      Refusal(
        request: "down shake", detail: "Start the ball with --allow-remote-buttons.",
        prepare: { $0.control.allowsRemoteButtons = false }),
      Refusal(
        request: "down clear", detail: "The board has no button clear.",
        prepare: { $0.control.pressResult = .noButton }),
      Refusal(
        request: "down clear", detail: "The button clear is held down.",
        prepare: { $0.control.pressResult = .isDown }),
      Refusal(
        request: "down clear", detail: "The lines of the board cannot be used now.",
        prepare: { $0.control.pressResult = .noLines }),
    ])
  func refusals(_ refusal: Refusal) throws {
    let bench = RunnerBench(hasPanel: true, prepare: refusal.prepare)
    bench.join(1, at: 0)
    bench.request(refusal.request, at: 10)
    let line = try #require(bench.takeLines().last { $0.contains(#""error""#) })
    expect(line.hasPrefix(#"{"event":"error","request":"\#(refusal.request)","detail":""#))
    expect(line.contains(refusal.detail))
  }

  @Test("A listener cannot press or release a button that another one holds")
  func contention() {
    bench.join(1, 2, at: 0)
    bench.machine.control.ask("down shake", as: 1)
    bench.machine.control.ask("down shake", as: 2)
    bench.machine.control.ask("up shake", as: 2)
    bench.turn(at: 10)
    expect(bench.machine.control.presses, is: ["shake true"])
    expect(
      bench.takeLines(of: 2).filter { $0.contains(#""error""#) },
      is: [
        #"{"event":"error","request":"down shake","detail":"The button shake is held down."}"#,
        #"{"event":"error","request":"up shake","detail":"This connection does not hold the button shake."}"#,
      ])
  }

  @Test("A request of any bytes is quoted as JSON")
  func escaping() {
    bench.join(1, at: 0)
    bench.request("\"\u{1}\\" + String(repeating: "\u{2}", count: 120), at: 10)
    let line = bench.takeLines().last { $0.contains(#""error""#) } ?? ""
    expect(line.hasPrefix(#"{"event":"error","request":"\"\u0001\\\u0002"#))
    expect(line.hasSuffix(#"shake and clear."}"#))
  }

  @Test("Packets go to the listeners that request them")
  func packets() {
    bench.join(1, 2, at: 0)
    bench.machine.control.ask("packets", as: 1)
    bench.machine.control.ask("packets", as: 2)
    bench.machine.control.ask("packets off", as: 2)
    bench.turn(at: 10)
    expect(bench.machine.control.packets, is: [1: true, 2: false])
  }
}
