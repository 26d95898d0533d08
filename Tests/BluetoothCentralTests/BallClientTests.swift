import BluetoothHost
import Testing

@testable import BluetoothCentral

@Suite("Asking a ball")
struct BallClientTests {
  @Test("finds, connects, subscribes, asks, unsubscribes, and leaves")
  func answered() {
    let inquiry = Inquiry()
    inquiry.run()
    var discovery = Discovery(address: .numbered(2))
    discovery.name = "Magic 8-Ball"
    discovery.isNameComplete = true
    discovery.serviceUUIDs = [BallService.service]
    discovery.rssi = -50
    discovery.isConnectable = true
    #expect(
      inquiry.events == [
        .searching, .found(discovery), .connected(.numbered(2)), .asked,
        .decided(.answered("It is certain.")), .finished(.answered("It is certain.")),
      ])
    #expect(inquiry.ball.questions == ["Will it rain?"])
    #expect(inquiry.ball.configurations == [1, 0])
    #expect(inquiry.radio.commands.last == .disconnect)
    #expect(inquiry.client.deadline == nil)
  }

  @Test("asks a long question of a ball with a small MTU", arguments: [nil, 23, 40] as [UInt16?])
  func longQuestion(mtu: UInt16?) {
    let question = String(repeating: "Will it rain or ", count: 20) + "snow?"
    let inquiry = Inquiry(question)
    inquiry.ball.mtu = mtu
    inquiry.run()
    #expect(inquiry.ball.questions == [question])
    #expect(inquiry.finished == .answered("It is certain."))
  }

  @Test("a question of 513 bytes is too long")
  func tooLong() {
    let inquiry = Inquiry(String(repeating: "?", count: 513))
    inquiry.run()
    #expect(inquiry.finished == .tooLong(limit: 512))
  }

  @Test("a statement is refused, also in parts")
  func refused() {
    for statement in ["It rains.", "It rains, and it will not stop today."] {
      let inquiry = Inquiry(statement)
      inquiry.ball.mtu = 23
      inquiry.run()
      #expect(inquiry.finished == .refused)
      #expect(inquiry.ball.configurations == [1, 0])
    }
  }

  @Test("another refusal is passed on")
  func otherError() {
    let inquiry = Inquiry("It rains.")
    inquiry.ball.refusal = 0x80
    inquiry.run()
    #expect(inquiry.finished == .error(ATTErrorCode(rawValue: 0x80)))
  }

  @Test("a ball that takes questions only without response is asked so")
  func writeWithoutResponse() {
    let inquiry = Inquiry()
    inquiry.ball.questionProperties = 0x04
    inquiry.run()
    #expect(inquiry.finished == .answered("It is certain."))
  }

  @Test("a ball that can only indicate is understood")
  func indication() {
    let inquiry = Inquiry()
    inquiry.ball.answerProperties = 0x20
    inquiry.run()
    #expect(inquiry.ball.configurations == [2, 0])
    #expect(inquiry.finished == .answered("It is certain."))
  }

  @Test("an answer that comes before the confirmation is kept")
  func early() {
    let inquiry = Inquiry()
    inquiry.ball.answersEarly = true
    inquiry.run()
    #expect(inquiry.finished == .answered("It is certain."))
  }

  @Test("an answer of several bytes a letter is text, and any other is not an answer")
  func text() {
    let inquiry = Inquiry()
    inquiry.ball.answer = nil
    inquiry.run()
    inquiry.radio.givePDU([0x1B, 0x14, 0])
    inquiry.radio.givePDU([0x1B, 0x14, 0, 0xFF, 0xFE])
    inquiry.radio.givePDU([0x1B, 0x12, 0] + Array("Elsewhere".utf8))
    inquiry.collect()
    #expect(inquiry.outcome == nil)
    inquiry.radio.givePDU([0x1B, 0x14, 0] + Array("Yes – definitely.".utf8))
    inquiry.collect()
    #expect(inquiry.finished == .answered("Yes – definitely."))
  }

  @Test("a ball that stays silent has its time, and is left")
  func timedOut() {
    let inquiry = Inquiry()
    inquiry.ball.answer = nil
    inquiry.run()
    inquiry.pass(1_999)
    #expect(inquiry.outcome == nil)
    inquiry.pass(1)
    #expect(inquiry.finished == .timedOut)
    #expect(inquiry.radio.commands.last == .disconnect)
  }

  @Test("no ball, no answer", arguments: [nil, "Magic 8-Ball"])
  func noBall(name: String?) {
    let inquiry = Inquiry(name: "Other")
    inquiry.run(hearing: name)
    inquiry.pass(4_999)
    #expect(inquiry.outcome == nil)
    inquiry.pass(1)
    #expect(inquiry.finished == .noBallFound)
    #expect(inquiry.radio.commands.last == .leSetScanEnable)
  }

  @Test("asks the ball of the right name")
  func named() {
    let inquiry = Inquiry(name: "Right")
    inquiry.run(hearing: "Wrong")
    #expect(inquiry.events == [.searching])
    inquiry.hear("Right", 3)
    #expect(inquiry.finished == .answered("It is certain."))
    #expect(inquiry.events.contains(.connected(.numbered(3))))
  }

  @Test("waits a little for a name, then does without")
  func nameless() {
    let inquiry = Inquiry()
    inquiry.run(hearing: nil)
    inquiry.radio.give(
      ScriptedRadio.report(.connectable, .numbered(2), FakeBall.advertisement))
    inquiry.pass(499)
    #expect(inquiry.events == [.searching])
    inquiry.pass(1)
    #expect(inquiry.finished == .answered("It is certain."))
  }

  @Test("what is not a ball, or takes no connection, is passed over")
  func others() {
    let inquiry = Inquiry()
    inquiry.run(hearing: nil)
    let name = FakeBall.scanResponse("Magic 8-Ball")
    inquiry.radio.give(ScriptedRadio.report(.connectable, .numbered(2), name))
    inquiry.radio.give(
      ScriptedRadio.report(.nonconnectable, .numbered(3), FakeBall.advertisement))
    inquiry.pass(5_000)
    #expect(inquiry.finished == .noBallFound)
  }

  @Test("tries a ball again that could not be reached, as long as there is time")
  func unreachable() {
    let inquiry = Inquiry()
    inquiry.radio.script = { opcode, _ in
      opcode == .leCreateConnection
        ? [ScriptedRadio.status(opcode), ScriptedRadio.connectionFailed(0x3E)] : nil
    }
    inquiry.run()
    inquiry.hear("Magic 8-Ball")
    #expect(inquiry.outcome == nil)
    inquiry.pass(5_000)
    #expect(
      inquiry.finished == .unreachable(.controller(.connectionFailedToBeEstablished)))
    #expect(inquiry.radio.commands.count { $0 == .leCreateConnection } == 2)
  }

  @Test("a ball that goes away is reported so")
  func disconnected() {
    let inquiry = Inquiry()
    inquiry.ball.answer = nil
    inquiry.run()
    inquiry.radio.give(ScriptedRadio.disconnected(inquiry.radio.lastHandle, 0x08))
    inquiry.collect()
    #expect(inquiry.finished == .disconnected(.controller(.connectionTimeout)))
  }

  @Test("a radio that fails is reported so")
  func radioTrouble() {
    let inquiry = Inquiry()
    inquiry.ball.answer = nil
    inquiry.run()
    inquiry.radio.give(ScriptedRadio.event(HardwareError(hardwareCode: 1)))
    inquiry.collect()
    #expect(inquiry.finished == .radioTrouble(.hardwareError(1)))

    let silent = Inquiry()
    silent.radio.script = { _, _ in [] }
    silent.run(hearing: nil)
    silent.pass(6_000)
    #expect(silent.finished == .radioTrouble(.unanswered(.reset)))

    let lost = Inquiry()
    lost.run(hearing: nil)
    lost.client.radioLost(at: lost.radio.now)
    lost.collect()
    #expect(lost.finished == .radioTrouble(.lost))
  }

  @Test("a ball that lacks something is reported so")
  func faults() {
    for (fault, change) in [
      (.noService, { $0.hasService = false }),
      (.noQuestion, { $0.questionProperties = 0x02 }),
      (.noAnswer, { $0.answerProperties = 0x02 }),
      (.noAnswer, { $0.hasConfiguration = false }),
    ] as [(BallFault, (FakeBall) -> Void)] {
      let inquiry = Inquiry()
      change(inquiry.ball)
      inquiry.run()
      #expect(inquiry.finished == .misbehaved(fault))
    }
  }

  @Test("can be stopped at any time")
  func stopped() {
    let idle = Inquiry()
    idle.run(hearing: nil)
    idle.client.stop(at: idle.radio.now)
    idle.collect()
    #expect(idle.finished == .cancelled)

    let waiting = Inquiry()
    waiting.ball.answer = nil
    waiting.run()
    waiting.client.stop(at: waiting.radio.now)
    waiting.radio.run()
    waiting.collect()
    #expect(waiting.finished == .cancelled)
    #expect(waiting.radio.commands.last == .disconnect)
  }

  @Test("ends, whichever of the ball's PDUs is cut short, and wherever")
  func truncated() {
    for victim in 0..<10 {
      for length in 0..<60 {
        let inquiry = Inquiry("Will it rain on the day after tomorrow?")
        inquiry.ball.mtu = 30
        var index = 0
        inquiry.radio.peer = { [ball = inquiry.ball] pdu in
          ball.receive(pdu).map {
            defer { index += 1 }
            return index == victim ? Array($0.prefix(length)) : $0
          }
        }
        inquiry.run()
        inquiry.pass(60_000)
        #expect(inquiry.finished != nil)
        #expect(inquiry.client.deadline == nil)
      }
    }
  }

  @Test("ends, whichever of the controller's packets is lost, or comes twice")
  func lostPackets() {
    for copies in [0, 2] {
      for victim in 0..<60 {
        let inquiry = Inquiry()
        var index = 0
        let ball = inquiry.ball
        inquiry.radio.peer = { ball.receive($0) }
        inquiry.radio.fault = { packet in
          defer { index += 1 }
          return [[UInt8]](repeating: packet, count: index == victim ? copies : 1)
        }
        inquiry.run()
        inquiry.pass(60_000)
        #expect(inquiry.finished != nil)
      }
    }
  }
}
