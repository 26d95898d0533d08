import BluetoothHost
import EightBall
import Expectations
import Testing
import VirtualBoard

@testable import BallRunner

@Suite("The parts of a board")
struct BoardPartsTests {
  private let bus = VirtualI2CBus()
  private let sensor = VirtualLIS3DH()
  private let glass = VirtualSSD1306()

  private static func line(_ offset: Int) -> LineDescription {
    LineDescription(
      name: LineName(stringLiteral: "GPIO17"), offset: offset, activeLow: false, bias: .pullDown,
      debounceMilliseconds: 0)
  }

  private func makeParts(hasMotion: Bool = true) -> BoardParts<VirtualI2CBus> {
    var board = BoardDescription(named: "test")
    if hasMotion { board.motion = MotionDescription(BusPart(.lis3dh, bus: 1), line: Self.line(17)) }
    board.display = BusPart(.ssd1306, bus: 1)
    bus.attach(sensor, at: 0x18)
    bus.attach(glass, at: 0x3C)
    return BoardParts(board, name: DeviceName(StaticText("Ball")), at: Instant(rawValue: 0)) { _ in
      bus
    }
  }

  /// Calls as a runner does, until `end`: at each deadline. Returns how often the ball was shaken.
  @discardableResult
  private func run(
    _ parts: inout BoardParts<VirtualI2CBus>, _ state: BallState, from start: UInt64,
    until end: UInt64
  ) -> Int {
    var shakes = 0
    var now = start
    var state = state
    for _ in 0..<10_000 {
      if parts.takeShake(at: Instant(rawValue: now)) { shakes += 1 }
      parts.show(state, at: Instant(rawValue: now))
      state.isAnswerNew = false
      guard let deadline = parts.deadline, deadline.rawValue <= end else { return shakes }
      now = max(now, deadline.rawValue)
    }
    Issue.record("The parts are never at rest.")
    return shakes
  }

  private func text(of screen: BallScreen) -> String {
    let other = VirtualSSD1306()
    let otherBus = VirtualI2CBus()
    otherBus.attach(other, at: 0x3C)
    var driver = DisplayDriver(SSD1306())
    var bus = otherBus
    driver.show(screen, at: Instant(rawValue: 0))
    for _ in 0..<200 { driver.advance(to: Instant(rawValue: 0), on: &bus) }
    return other.text
  }

  private let answer = Answer(rawValue: 8)

  @Test(
    "The display shows the most urgent: a fault, pairing, a refusal for 3 s, an answer, the state")
  func screens() {
    var parts = makeParts()
    func shows(_ state: BallState, _ screen: BallScreen, at now: UInt64) {
      run(&parts, state, from: now, until: now + 100)
      expect(glass.text == text(of: screen), "at \(now)")
    }
    shows(BallState(status: .starting), .starting, at: 0)
    shows(BallState(status: .advertising), .advertising(DeviceName(StaticText("Ball"))), at: 1_000)
    shows(BallState(status: .connected), .connected, at: 2_000)
    guard let answer else { return }
    shows(
      BallState(status: .connected, answer: answer, isAnswerNew: true), .answer(answer), at: 3_000)
    shows(BallState(status: .connected, isRefusing: true, answer: answer), .refusal, at: 4_000)
    shows(BallState(status: .connected, answer: answer), .refusal, at: 6_800)
    shows(BallState(status: .connected, answer: answer), .answer(answer), at: 7_000)
    shows(BallState(status: .connected, isPairingOpen: true, answer: answer), .pairing, at: 8_000)
    shows(BallState(status: .fault, isPairingOpen: true, answer: answer), .fault, at: 9_000)
    shows(BallState(status: .connected, isRefusing: true), .refusal, at: 10_000)
    shows(
      BallState(status: .connected, answer: answer, isAnswerNew: true), .answer(answer), at: 10_500)
  }

  @Test("A shake in the hand counts once, lights a dark display, and ends in silence")
  func shake() {
    var parts = makeParts()
    let state = BallState(status: .advertising)
    run(&parts, state, from: 0, until: 400_000)
    expect(!glass.isOn)
    expect(parts.deadline, is: nil)
    let bytes = bus.byteCount
    expect(run(&parts, state, from: 400_001, until: 410_000), is: 0)
    expect(bus.byteCount, is: bytes)

    var shakes = 0
    for number in UInt64(0)..<40 {
      let now = 420_000 + number * 20
      sensor.acceleration = MotionSample(x: number / 5 % 2 == 0 ? 2_500 : -2_500, y: 0, z: 1_000)
      if sensor.isInterruptActive { parts.moved(at: Instant(rawValue: now)) }
      shakes += run(&parts, state, from: now, until: now)
    }
    sensor.acceleration = MotionSample(x: 0, y: 0, z: 1_000)
    shakes += run(&parts, state, from: 420_800, until: 430_000)
    expect(shakes, is: 1)
    expect(glass.isOn)
  }

  @Test("An answer that is shown already lights a dark display")
  func sameAnswer() {
    var parts = makeParts(hasMotion: false)
    run(
      &parts, BallState(status: .connected, answer: answer, isAnswerNew: true), from: 0,
      until: 400_000)
    expect(!glass.isOn)
    run(
      &parts, BallState(status: .connected, answer: answer, isAnswerNew: true), from: 400_001,
      until: 400_100)
    expect(glass.isOn)
  }

  @Test(
    "A loss is reported once, a return after it too, and a part that works from the start is not")
  func changes() {
    var parts = makeParts()
    func changes() -> [PartChange] {
      var changes: [PartChange] = []
      while let change = parts.takeChange() { changes.append(change) }
      return changes
    }
    run(&parts, BallState(status: .advertising), from: 0, until: 5_000)
    expect(changes(), is: [])
    bus.fault = .stuck
    // A change of the state finds that the sensor has gone.
    run(&parts, BallState(status: .connected), from: 6_000, until: 30_000)
    expect(
      changes(),
      is: [
        PartChange(part: .motion, event: .lost(.bus(.stuck))),
        PartChange(part: .display, event: .lost(.bus(.stuck))),
      ])
    bus.fault = nil
    run(&parts, BallState(status: .connected), from: 30_001, until: 50_000)
    expect(
      changes(),
      is: [PartChange(part: .motion, event: .found), PartChange(part: .display, event: .found)])
    expect(glass.text == text(of: .connected))
  }
}
