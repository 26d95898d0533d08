import Testing

@testable import BluetoothHost

@Suite("Host: asking for a shorter connection interval")
struct ParameterUpdateTests {
  /// 8 bytes: 24 × 1.25 = 30 ms, 40 × 1.25 = 50 ms, no latency, 400 × 10 = 4 s.
  private let request: [UInt8] = [0x12, 0x01, 8, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01]

  private func signalling(_ controller: ScriptedController<1>) -> [[UInt8]] {
    controller.frames.filter { $0.channel == 0x0005 }.map(\.payload)
  }

  private func connected(interval: UInt16) -> ScriptedController<1> {
    let controller = ScriptedController<1>()
    controller.connect(interval: interval)
    return controller
  }

  @Test("It is requested once, 5 s after the connection")
  func once() {
    let controller = connected(interval: 41)
    #expect(controller.deadline == controller.now.advanced(by: 5_000))
    controller.pass(milliseconds: 4_999)
    #expect(signalling(controller) == [])
    controller.pass(milliseconds: 1)
    #expect(signalling(controller) == [request])
    controller.pass(milliseconds: 60_000)
    #expect(signalling(controller) == [request])
  }

  @Test("It is not requested if the interval is short enough", arguments: [6, 24, 40])
  func shortEnough(interval: UInt16) {
    let controller = connected(interval: interval)
    controller.pass(milliseconds: 60_000)
    #expect(signalling(controller) == [])
  }

  @Test("It is not requested if the central has shortened the interval")
  func shortened() {
    let controller = connected(interval: 80)
    controller.receive([0x04, 0x3E, 10, 0x03, 0x00, 0x40, 0x00, 24, 0, 0, 0, 72, 0])
    controller.pass(milliseconds: 5_000)
    #expect(signalling(controller) == [])
  }

  @Test("A failed, truncated or unrelated update event changes nothing")
  func notShortened() {
    let controller = connected(interval: 80)
    controller.receive([0x04, 0x3E, 10, 0x03, 0x3B, 0x40, 0x00, 24, 0, 0, 0, 72, 0])
    controller.receive([0x04, 0x3E, 10, 0x03, 0x00, 0x41, 0x00, 24, 0, 0, 0, 72, 0])
    for length in 1..<10 {
      let whole: [UInt8] = [0x03, 0x00, 0x40, 0x00, 24, 0, 0, 0, 72, 0]
      controller.receive([0x04, 0x3E, UInt8(length)] + whole[..<length])
    }
    controller.pass(milliseconds: 5_000)
    #expect(signalling(controller) == [request])
  }

  @Test(
    "Every response of the central leaves the link unchanged",
    arguments: [
      [0x13, 0x01, 2, 0, 0x00, 0x00],  // accepted
      [0x13, 0x01, 2, 0, 0x01, 0x00],  // refused
      [0x01, 0x01, 2, 0, 0x00, 0x00],  // not understood
      [0x13, 0x01],
    ] as [[UInt8]])
  func answered(answer: [UInt8]) {
    let controller = connected(interval: 80)
    controller.pass(milliseconds: 5_000)
    #expect(controller.exchange(answer, channel: 0x0005) == [])
    controller.pass(milliseconds: 60_000)
    #expect(signalling(controller) == [request])
    #expect(controller.connectionCount == 1)
  }

  @Test("The 5 s begin again for the next link")
  func gone() {
    let controller = connected(interval: 80)
    controller.pass(milliseconds: 4_000)
    controller.disconnect()
    controller.connect(interval: 80)
    controller.pass(milliseconds: 4_999)
    #expect(signalling(controller) == [])
    controller.pass(milliseconds: 1)
    #expect(signalling(controller) == [request])
  }
}
