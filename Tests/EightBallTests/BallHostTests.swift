import BluetoothHost
import EightBall
import Testing

/// A Write Request to Question.
private func ask(_ text: some Sequence<UInt8>) -> [UInt8] {
  [0x12, 0x1D, 0x00] + text
}

/// A Write Request to Answer's configuration: notifications.
private let listen: [UInt8] = [0x12, 0x20, 0x00, 0x01, 0x00]
private let readAnswer: [UInt8] = [0x0A, 0x1F, 0x00]

@Suite("Ball and host")
struct BallHostTests {
  private func connected(style: AnswerFormat = .text) -> BallOnController {
    let ball = BallOnController(style: style)
    ball.connect(1)
    return ball
  }

  /// The first answers of a ball with the seed 8.
  private func answers(_ count: Int) -> [String] {
    var source = RandomSource(seed: 8)
    return (0..<count).map { _ in text(Answer.random(from: &source)) }
  }

  private func notification(_ answer: String) -> [UInt8] {
    [0x1B, 0x1F, 0x00] + answer.utf8
  }

  @Test("The ball's database hash is that of its database")
  func hash() {
    let database = EightBallProfile.makeDatabase()
    #expect(database.hash == DatabaseHash(of: database.attributes))
  }

  @Test("A question is confirmed, then answered")
  func asked() {
    let ball = connected()
    _ = ball.exchange([0x02, 0x05, 0x02])
    #expect(ball.exchange(listen) == [[0x13]])
    #expect(ball.exchange(ask("Will it rain?".utf8)) == [[0x13], notification(answers(1)[0])])
    #expect(ball.exchange(readAnswer) == [[0x0B] + answers(1)[0].utf8])
  }

  @Test("A question before the subscription is answered at the subscription")
  func listensLater() {
    let ball = connected()
    _ = ball.exchange([0x02, 0x05, 0x02])
    #expect(ball.exchange(readAnswer) == [[0x0B]], "empty before the first")
    #expect(ball.exchange(ask("Will it rain?".utf8)) == [[0x13]])
    #expect(ball.exchange(listen) == [[0x13], notification(answers(1)[0])])
  }

  @Test("A question without a response is answered too; a statement is ignored")
  func command() {
    let ball = connected()
    _ = ball.exchange([0x02, 0x05, 0x02])
    #expect(ball.exchange(listen) == [[0x13]])
    #expect(ball.exchange([0x52, 0x1D, 0x00] + Array("It will.".utf8)) == [])
    #expect(
      ball.exchange([0x52, 0x1D, 0x00] + Array("Will it?".utf8)) == [notification(answers(1)[0])])
  }

  @Test(
    "A text that is not a question is refused at once",
    arguments: [
      (Array("It will.".utf8), 0x0E), ([], 0x0E), ([0xC3, 0x3F], 0x80),
    ] as [([UInt8], UInt8)])
  func refused(text: [UInt8], code: UInt8) {
    let ball = connected()
    #expect(ball.exchange(listen) == [[0x13]])
    #expect(ball.exchange(ask(text)) == [[0x01, 0x12, 0x1D, 0x00, code]])
  }

  @Test("A long question with the least MTU comes in parts of 18 bytes")
  func longQuestion() {
    let ball = connected()
    let question = Array("Will it still be raining when the twentieth phone arrives?".utf8)
    for start in stride(from: 0, to: question.count, by: 18) {
      let part = question[start..<min(start + 18, question.count)]
      let prepare = [0x16, 0x1D, 0x00, UInt8(start), 0x00] + part
      #expect(ball.exchange(prepare) == [[0x17] + prepare.dropFirst()])
    }
    #expect(ball.exchange([0x18, 0x01]) == [[0x19]])
    var kept: [UInt8] = []
    ball.host.server.application.withQuestion(at: 0) { kept = Array($0) }
    #expect(kept == question)
    // The notification is cut at 23 − 3 = 20 bytes; the rest can be read.
    let answer = Array(answers(1)[0].utf8)
    #expect(ball.exchange(listen) == [[0x13], [0x1B, 0x1F, 0x00] + answer.prefix(20)])
  }

  @Test("Two centrals each receive their own answer")
  func twoCentrals() {
    let ball = connected()
    ball.connect(2)
    for link: UInt8 in [1, 2] {
      _ = ball.exchange([0x02, 0x05, 0x02], on: link)
      #expect(ball.exchange(listen, on: link) == [[0x13]])
    }
    let given = answers(2)
    #expect(ball.exchange(ask("Am I 2?".utf8), on: 2) == [[0x13], notification(given[0])])
    #expect(ball.exchange(ask("Am I 1?".utf8), on: 1) == [[0x13], notification(given[1])])
    #expect(ball.sent.count == 8, "each answer goes to one central")
    #expect(ball.exchange(readAnswer, on: 2) == [[0x0B] + given[0].utf8])
  }

  @Test("A new answer after a shake goes at once to the subscribed centrals")
  func shake() {
    let ball = connected()
    _ = ball.exchange([0x02, 0x05, 0x02])
    #expect(ball.exchange(listen) == [[0x13]])
    #expect(ball.exchange(ask("Will it?".utf8)).count == 2)
    ball.host.server.application.shake()
    ball.run()
    #expect(ball.sent.last?.pdu == notification(answers(2)[1]))
  }
}

@Suite("The ball's profile")
struct BallProfileTests {
  @Test("Handles never change, because centrals cache them")
  func handles() {
    let ball = BallOnController()
    let question = ball.host.server.handle(of: .question).rawValue
    let answer = ball.host.server.handle(of: .answer).rawValue
    #expect(question == 0x001D && answer == 0x001F)
    ball.connect(1)
    // Its service, 0x001B to 0x0020, by its UUID.
    let uuid: [UInt8] = [
      0x1E, 0x8D, 0x69, 0xB5, 0xC4, 0x4F, 0x55, 0x89, 0x90, 0x40, 0xBE, 0x27, 0x0A, 0x14, 0x38,
      0x8E,
    ]
    #expect(
      ball.exchange([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + uuid)
        == [[0x07, 0x1B, 0x00, 0x20, 0x00]])
  }

  @Test("The database's capacity is the number of its attributes")
  func room() {
    let database = EightBallProfile.makeDatabase()
    let attributes = database.attributes
    let isFull = !attributes[attributes.count - 1].isVacant
    #expect(isFull, "BallProfile.Database has too large a capacity")
  }

  @Test("The other services have 16-bit UUIDs")
  func services() {
    let ball = BallOnController()
    ball.connect(1)
    #expect(
      ball.exchange([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]) == [
        [0x11, 6, 0x01, 0x00, 0x07, 0x00, 0x00, 0x18, 0x08, 0x00, 0x11, 0x00, 0x01, 0x18]
          + [0x12, 0x00, 0x1A, 0x00, 0x0A, 0x18]
      ])
  }

  @Test(
    "The attributes have their values",
    arguments: [
      (0x03, Array("8-Ball".utf8)),
      (0x05, [0x00, 0x00]),
      // 24 and 40 × 1.25 ms, no latency, 400 × 10 ms
      (0x07, [24, 0, 40, 0, 0, 0, 0x90, 0x01]),
      (0x11, [0x00]),
      (0x14, Array("The 8-Ball Project".utf8)),
      (0x16, Array("Magic 8-Ball".utf8)),
      // Source 0x01, vendor 0xFFFF, product 0x0008, version 0x0020: 0.2.0
      (0x1A, [0x01, 0xFF, 0xFF, 0x08, 0x00, 0x20, 0x00]),
    ] as [(UInt8, [UInt8])])
  func values(handle: UInt8, value: [UInt8]) {
    let ball = BallOnController()
    ball.connect(1)
    #expect(ball.exchange([0x0A, handle, 0x00]) == [[0x0B] + value])
  }

  @Test("Question can be written in both ways; Answer can be read and notified")
  func characteristics() {
    let ball = BallOnController()
    ball.connect(1)
    // Write 0x08 | write without response 0x04; read 0x02 | notify 0x10.
    #expect(ball.exchange([0x0A, 0x1C, 0x00]).first?.prefix(4) == [0x0B, 0x0C, 0x1D, 0x00])
    #expect(ball.exchange([0x0A, 0x1E, 0x00]).first?.prefix(4) == [0x0B, 0x12, 0x1F, 0x00])
    #expect(ball.exchange([0x0A, 0x1D, 0x00]) == [[0x01, 0x0A, 0x1D, 0x00, 0x02]])
    #expect(ball.exchange([0x12, 0x1F, 0x00, 0x3F]) == [[0x01, 0x12, 0x1F, 0x00, 0x03]])
  }
}
