import BallTestSupport
import BluetoothHost
import Expectations

@testable import EightBall

@Suite("Ball: questions and answers")
struct BallTests {
  /// The next answers of a ball with this seed.
  private func answers(_ count: Int, seed: UInt64 = 8) -> [Answer] {
    var source = RandomSource(seed: seed)
    return (0..<count).map { _ in Answer.random(from: &source) }
  }

  @Test("A subscribed central's question is answered once")
  func asked() {
    let ball = TestBall(connected: [0], listening: [0])
    expect(ball.notify(), is: nil)
    expect(ball.ask("Will it rain?"), is: nil)
    expect(ball.question(), is: "Will it rain?")
    let answer = answers(1)[0]
    expect(ball.notify(), is: text(answer))
    expect(ball.notify(), is: nil)
    expect(
      ball.events(),
      is: [
        .connected(0, ball.address(0)), .subscribed(0, true), .asked(0, "Will it rain?"),
        .answered(0, answer),
      ])
  }

  @Test("An answer can be read repeatedly, and is empty before the first")
  func read() {
    let ball = TestBall(connected: [0])
    expect(ball.read(), is: .success(""))
    expect(ball.ask("Will it rain?"), is: nil)
    let answer = text(answers(1)[0])
    expect(ball.read(), is: .success(answer))
    expect(ball.read(), is: .success(answer))
    ball.listen(0)
    expect(ball.notify(), is: answer, "a read does not consume the answer")
    expect(ball.read(), is: .success(answer))
  }

  @Test("A question before the subscription is answered at the subscription")
  func subscribedLater() {
    let ball = TestBall(connected: [0])
    expect(ball.ask("Will it rain?"), is: nil)
    expect(ball.notify(), is: nil)
    ball.listen(0)
    expect(ball.notify(), is: text(answers(1)[0]))
    ball.listen(0, .none)
    ball.listen(0)
    expect(ball.notify(), is: nil)
  }

  @Test("A second question replaces the first")
  func replaced() {
    let ball = TestBall(connected: [0])
    expect(ball.ask("Will it rain?"), is: nil)
    expect(ball.ask("Will it snow?"), is: nil)
    ball.listen(0)
    expect(ball.question(), is: "Will it snow?")
    expect(ball.notify(), is: text(answers(2)[1]))
    expect(ball.notify(), is: nil)
  }

  @Test("A refused question changes nothing")
  func refused() {
    let ball = TestBall(connected: [0])
    expect(ball.ask("Will it rain?"), is: nil)
    _ = ball.events()
    expect(ball.ask("It will."), is: .unlikelyError)
    expect(ball.ask([0xFF, 0x3F], at: 0), is: .notUTF8)
    expect(ball.ask([UInt8](repeating: 0x3F, count: 513), at: 0), is: .invalidAttributeValueLength)
    expect(
      ball.events(), is: [.refused(0, .statement), .refused(0, .notUTF8), .refused(0, .tooLong)])
    expect(ball.question(), is: "Will it rain?")
    expect(ball.read(), is: .success(text(answers(1)[0])))
  }

  @Test("The question cannot be read, and the answer cannot be written")
  func permissions() {
    let ball = TestBall(connected: [0])
    expect(ball.read(attribute: .question), is: .failure(.readNotPermitted))
    expect(ball.ask("Yes?".utf8, at: 0, attribute: .answer), is: .writeNotPermitted)
    let other = ApplicationAttribute(rawValue: 7)
    expect(ball.read(attribute: other), is: .failure(.readNotPermitted))
    expect(ball.ask("Yes?".utf8, at: 0, attribute: other), is: .writeNotPermitted)
  }

  @Test("Each central has its own question and answer, which are deleted when it disconnects")
  func perCentral() {
    let ball = TestBall(connected: [0, 1, 2], listening: [1])
    expect(ball.ask("Am I 0?", at: 0), is: nil)
    expect(ball.ask("Am I 1?", at: 1), is: nil)
    let given = answers(2)
    expect(ball.read(0), is: .success(text(given[0])))
    expect(ball.read(1), is: .success(text(given[1])))
    expect(ball.read(2), is: .success(""))
    expect(ball.notify(0), is: nil)
    expect(ball.notify(1), is: text(given[1]))
    expect([ball.question(0), ball.question(1), ball.question(2)], is: ["Am I 0?", "Am I 1?", ""])
    ball.disconnect(1)
    ball.connect(1)
    expect(ball.question(1) == "" && ball.read(1) == .success(""))
    expect(ball.ask("Am I new?", at: 1), is: nil)
    expect(ball.notify(1), is: nil, "the subscription ends with the connection")
  }

  @Test("The same seed and questions give the same answers, another seed others")
  func repeatable() {
    func game(seed: UInt64) -> [String?] {
      let ball = TestBall(seed: seed, connected: [0], listening: [0])
      return (0..<50).map { _ in ball.ask("Again?") == nil ? ball.notify() : nil }
    }
    expect(game(seed: 1), is: game(seed: 1))
    expect(game(seed: 1) != game(seed: 2))
  }

  @Test("Answers can be slugs")
  func slugs() {
    let ball = TestBall(style: .slug, connected: [0], listening: [0])
    expect(ball.ask("Will it rain?"), is: nil)
    let slug = text(answers(1)[0], .slug)
    expect(slug.hasPrefix("SLUG-ANSWER-"))
    expect(ball.notify(), is: slug)
    expect(ball.read(), is: .success(slug))
  }

  @Test("The connections with an answer to notify are a set, whose last index is 63")
  func pendingCentrals() throws {
    var ball = BallApplication<64>(seed: 8)
    let question = Array("Will it rain?".utf8)
    var expected: UInt = 0
    for connectionIndex in [0, 1, 31, 32, 63] {
      try ball.write(question.span, to: .question, at: connectionIndex)
      let beforeListening = ball.pendingConnections.rawValue
      expect(
        beforeListening, is: expected, "the central at \(connectionIndex) is not subscribed yet")
      ball.configurationChanged(of: .answer, at: connectionIndex, to: .notification)
      expected |= 1 << UInt(connectionIndex)
      let pending = ball.pendingConnections.rawValue
      expect(pending, is: expected)
    }

    var storage = [UInt8](repeating: 0, count: 64)
    var writer = ByteWriter(storage.mutableSpan)
    ball.writeUpdate(of: .answer, at: 63, into: &writer)
    ball.configurationChanged(of: .answer, at: 1, to: .none)
    ball.centralDisconnected(at: 32, reason: .remoteUserTerminatedConnection)
    // Connections 0 and 31 are left: 1 + 2³¹.
    let left = ball.pendingConnections.rawValue
    expect(left, is: 0x8000_0001)
    let isPending = (0..<64).filter { ball.pendingUpdate(at: $0) != nil }
    expect(isPending, is: [0, 31])

    ball.shake()
    // 63 again; 1 has asked but unsubscribed, and 32 has disconnected.
    let shaken = ball.pendingConnections.rawValue
    expect(shaken, is: 0x8000_0000_8000_0001)
    ball.clear()
    let cleared = ball.pendingConnections.rawValue
    expect(cleared, is: 0)
  }

  @Test("A capacity above the bits of a set stops the program when the ball is made")
  func tooManyConnections() async {
    await #expect(processExitsWith: .failure) {
      _ = BallApplication<65>(seed: 8)
    }
  }

  @Test("An index that does not exist has no question and no central")
  func noConnection() {
    let ball = TestBall()
    for connectionIndex in [-1, 3] {
      expect(ball.question(connectionIndex), is: nil)
      expect(ball.ball.address(at: connectionIndex), is: nil)
    }
    expect(ball.ball.address(at: 0), is: nil)
    ball.connect(0)
    expect(ball.ball.address(at: 0), is: ball.address(0))
    ball.disconnect(0)
    expect(ball.ball.address(at: 0), is: nil)
  }
}

@Suite("Ball: shaking, clearing, events and lights")
struct BallHandlingTests {
  @Test("A shake gives a new answer to each subscribed central that has asked")
  func shake() {
    let ball = TestBall(connected: [0, 1, 2], listening: [0, 1])
    expect(ball.ask("Am I 0?", at: 0), is: nil)
    expect(ball.ask("Am I 2?", at: 2), is: nil)
    expect(ball.notify(0) != nil)
    let before = ball.read(2)
    expect(ball.ball.shake(), is: 1)
    var source = RandomSource(seed: 8)
    let answers = (0..<3).map { _ in Answer.random(from: &source) }
    expect(ball.notify(0), is: text(answers[2]))
    expect(ball.notify(1), is: nil, "it has not asked")
    expect(ball.notify(2), is: nil, "it is not subscribed")
    expect(ball.read(2), is: before)
    _ = ball.events()
    ball.ball.shake()
    expect(ball.events(), is: [])
  }

  @Test("Clearing deletes questions and answers, including pending ones, but no subscription")
  func clear() {
    let ball = TestBall(connected: [0], listening: [0])
    expect(ball.ask("Will it rain?"), is: nil)
    ball.ball.clear()
    expect(ball.notify(), is: nil)
    expect(ball.question() == "" && ball.read() == .success(""))
    expect(ball.ball.shake(), is: 0)
    expect(ball.notify(), is: nil)
    expect(ball.ask("And now?"), is: nil)
    expect(ball.notify() != nil)
  }

  @Test("A changed subscription is reported; other attributes are not")
  func subscriptions() {
    let ball = TestBall(connected: [0])
    _ = ball.events()
    ball.listen(0)
    ball.listen(0)
    ball.listen(0, .none)
    ball.listen(0, .indication)
    ball.ball.configurationChanged(of: .question, at: 0, to: .notification)
    expect(ball.events(), is: [.subscribed(0, true), .subscribed(0, false)])
  }

  @Test("A disconnection has its central and its reason")
  func disconnected() {
    let ball = TestBall(connected: [2])
    _ = ball.events()
    ball.disconnect(2)
    expect(ball.events(), is: [.disconnected(2, ball.address(2), .remoteUserTerminatedConnection)])
  }

  @Test("The last 32 events are kept, and the number of lost ones comes first", arguments: 0...70)
  func overflow(count: Int) {
    let ball = TestBall(connected: [0])
    _ = ball.events()
    for index in 0..<count { ball.listen(0, index % 2 == 0 ? .notification : .none) }
    var expected = (0..<count).map { ObservedEvent.subscribed(0, $0 % 2 == 0) }.suffix(32)
    if count > 32 { expected.insert(.missed(count - 32), at: expected.startIndex) }
    expect(ball.events(), is: Array(expected))
    expect(ball.events(), is: [])
    ball.listen(1)
    expect(ball.events(), is: [.subscribed(1, true)], "new events follow")
  }

  @Test(
    "The status light shows the radio and the connections",
    arguments: [
      (.starting, false, .starting), (.starting, true, .starting),
      (.advertising, false, .advertising), (.advertising, true, .connected),
      (.silent, false, .off), (.silent, true, .connected),
      (.fault(.lost), false, .fault), (.fault(.lost), true, .fault),
      (.fault(.hardwareError(1)), false, .fault),
    ] as [(RadioState, Bool, BallLights.Status)])
  func statusLight(radio: RadioState, isConnected: Bool, status: BallLights.Status) {
    let ball = TestBall()
    ball.ball.radioChanged(to: radio)
    if isConnected { ball.connect(2) }
    expect(ball.lights, is: BallLights(status: status, isAnswering: false))
  }

  @Test("The status light is starting at first")
  func startingLight() {
    expect(TestBall().lights, is: BallLights(status: .starting, isAnswering: false))
  }

  @Test("The answer light is on while an answer to a subscribed central is on its way")
  func answerLight() {
    let ball = TestBall()
    ball.ball.radioChanged(to: .silent)
    ball.connect(1)
    expect(ball.ask("Will it rain?", at: 1), is: nil)
    expect(!ball.lights.isAnswering)
    ball.listen(1)
    expect(ball.lights, is: BallLights(status: .connected, isAnswering: true))
    expect(ball.notify(1) != nil)
    expect(!ball.lights.isAnswering)
  }
}
