import BallTestSupport
import BluetoothHost
import EightBall
import Expectations
import VirtualRadio

@Suite("A central asks a question")
struct AskTests {
  let scene: Scene<4>

  init() throws { scene = try Scene<4>() }

  /// The first answers of a ball with the seed 8.
  private func answers(_ count: Int) -> [String] {
    var source = RandomSource(seed: 8)
    return (0..<count).map { _ in answerTexts[Int(Answer.random(from: &source).rawValue)] }
  }

  @Test("A central finds the ball at its public or random address, asks, and disconnects")
  func whole() throws {
    let random = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6])
    for (scene, address) in [
      (scene, scene.radio.address), (try Scene<4>(address: .random(random)), random),
    ] {
      expect(scene.host.address, is: address)
      let asker = scene.ask("Will it rain?")
      scene.run(within: 10_000) { asker.isFinished }
      scene.settle()
      expect(asker.events.contains(.connected(0, address, .central)))
      expect(asker.outcome, is: .answered(answers(1)[0]))
      expect(scene.events.contains(.asked(0, "Will it rain?")))
      expect(scene.events.contains { if case .answered(0, _) = $0 { true } else { false } })
      expect(scene.isInviting)
      expect(scene.host.connectionCount, is: 0)
    }
  }

  @Test(
    "With the least MTU a long question comes in parts, and a long answer is cut, and read whole")
  func longTexts() throws {
    let phone = try scene.connectedPhone()
    scene.subscribe(phone)
    let question = "Will it still be raining when the twentieth phone arrives?"
    var longest = 0
    for given in answers(60) {
      expect(scene.write(question, by: phone), is: .success(.written))
      let notified = try #require(phone.answers.last)
      expect(scene.readText(Handles.answer, by: phone), is: given)
      // 23 minus the opcode and the handle. A cut character is shown in another way.
      expect(Array(notified.utf8).prefix(17), is: Array(given.utf8).prefix(17))
      expect(notified.utf8.count <= 22)
      longest = max(longest, given.utf8.count)
    }
    expect(longest > 20)
    expect(scene.events.filter { $0 == .asked(0, question) }.count, is: 60)
  }

  @Test(
    "The longest question and response pass, and no packet exceeds the controller's buffers",
    arguments: Buffers.all, Buffers.all)
  func longest(ball: Buffers, phone: Buffers) throws {
    let scene = try Scene<4>(controller: ball.configuration)
    let central = try scene.connectedPhone(mtu: 517, controller: phone.configuration)
    scene.subscribe(central)
    let question = String(repeating: "why ", count: 127) + "me ?"
    for _ in 0..<4 { expect(scene.write(question, by: central), is: .success(.written)) }
    expect(central.answers.count, is: 4)
    expect(scene.events.filter { $0 == .asked(0, question) }.count, is: 4)
    // Declarations of 2-byte and of 16-byte UUIDs never share a response.
    let everything = AttributeHandleRange(
      start: AttributeHandle(rawValue: 1), end: AttributeHandle(rawValue: 0x20))
    guard
      case .success(.characteristics(let found)) = scene.perform(
        .discoverCharacteristics(everything), by: central)
    else {
      Issue.record("Nothing is found")
      return
    }
    expect(found.count, is: 13)
    scene.expectHealthy()
    // No packet exceeds the controller's buffers.
    let limit = 5 + Int(ball.configuration.aclDataLength)
    expect(scene.sent.allSatisfy { $0.first != 0x02 || $0.count <= limit })
  }
}

/// The buffers of a controller.
struct Buffers: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let configuration: ControllerConfiguration

  static let all = [
    Buffers(
      testDescription: "27 × 1",
      configuration: .init(
        aclDataLength: 27, aclPacketCount: 1, supportsDataLengthExtension: false)),
    Buffers(
      testDescription: "27 × 1, long packets over the air",
      configuration: .init(aclDataLength: 27, aclPacketCount: 1)),
    Buffers(
      testDescription: "192 × 1",
      configuration: .init(aclDataLength: 192, aclPacketCount: 1)),
    Buffers(testDescription: "251 × 8", configuration: .init()),
    Buffers(
      testDescription: "1021 × 4, shared with BR/EDR",
      configuration: .init(aclDataLength: 1_021, aclPacketCount: 4, sharesBuffers: true)),
  ]
}
