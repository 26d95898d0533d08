import BluetoothHost
import CoreBluetooth
import EightBall
import Expectations
import Foundation

@testable import EightBallKit

@Suite("The SDK's answers and questions")
struct WordTests {
  @Test("are the ball's answers, in the same order, and are found by text and by slug")
  func answers() {
    expect(BallAnswer.all.count, is: Int(Answer.count))
    for (index, answer) in BallAnswer.all.enumerated() {
      let own = Answer(rawValue: UInt8(index))
      expect(answer.text, is: own?.wording(.text))
      expect(answer.slug, is: own?.wording(.slug))
      expect(BallAnswer(answer.text), is: answer)
      expect(BallAnswer(answer.slug), is: answer)
    }
    expect(BallAnswer("Perhaps."), is: nil)
    expect(BallAnswer("SLUG-ANSWER-20"), is: nil)
    expect(BallAnswer(index: 20), is: nil)
    expect(BallAnswer(index: -1), is: nil)
  }

  @Test("are all drawn at random")
  func random() {
    var generator = Counter()
    expect(Set((0..<2_000).map { _ in BallAnswer.random(using: &generator) }).count, is: 20)
  }

  @Test("include twenty valid questions")
  func questions() {
    expect(Set(BallQuestion.all).count, is: 20)
    expect(BallQuestion.all.allSatisfy(BallQuestion.isQuestion))
    expect(BallQuestion.all.contains(BallQuestion.random()))
    expect(!BallQuestion.isQuestion("It will rain."))
    expect(!BallQuestion.isQuestion(""))
  }

  @Test("have the UUIDs of the ball's attributes")
  func profile() {
    expect(BallProfile.serviceUUIDString, is: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
    expect(BallProfile.questionUUIDString, is: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
    expect(BallProfile.answerUUIDString, is: "349A0D7B-6215-4E2C-A095-AF078D737445")
  }
}

@Suite("The SDK's descriptions")
struct PrintTests {
  @Test("of errors are plain English")
  func errors() {
    let error = BallError.sendFailed(RejectionReason.timedOut)
    expect("\(error)", is: "The device did not answer in time.")
    expect("\(RejectionReason.deviceOffline)", is: "The device is offline.")
    expect("\(RejectionReason.peripheralError(nil))", is: "The device refused.")
    expect("\(RejectionReason.unknown(nil))", is: "The device refused for an unknown reason.")
    expect("\(BallError.unknown(nil))", is: "Something unexpected happened.")
    expect(
      "\(BallError.coreBluetooth(CBATTError(.insufficientResources)))",
      is: "Bluetooth failed: Resources are insufficient.")
  }

  @Test("of events are plain English")
  func events() {
    let error = BallError.coreBluetooth(nil)
    expect("\(BallCentral.Event.stateUpdated(isPoweredOn: true))", is: "Bluetooth can be used.")
    expect("\(BallCentral.Event.failed(error, nil))", is: "Bluetooth failed.")
    expect(
      "\(BallPeripheral.Event.stateUpdated(isPoweredOn: false))", is: "Bluetooth cannot be used.")
    expect("\(BallPeripheral.Event.failed(error, nil))", is: "Bluetooth failed.")
  }

  @Test("of devices have the name, the kind and the RSSI")
  func devices() {
    let ball = NearbyDevice(
      id: UUID(), name: "8-Ball", rssi: -50, isConnectable: true, services: [], isBall: true)
    expect("\(NearbyDevices.Event.heard(ball))", is: "Heard “8-Ball”, a ball, at -50 dBm.")
  }
}

@Suite("The SDK's errors")
struct ErrorTests {
  @Test("have fixed slugs")
  func slugs() {
    expect(BallError.coreBluetooth(nil).slug, is: "ITCB-SDK-ERROR-BLUETOOTH")
    expect(BallError.sendFailed(nil).slug, is: "ITCB-SDK-ERROR-SEND-FAILURE")
    expect(BallError.unknown(nil).slug, is: "ITCB-SDK-ERROR-UNKNOWN")
    expect(RejectionReason.deviceOffline.slug, is: "ITCB-SDK-REJECT-OFFLINE")
    expect(RejectionReason.deviceBusy.slug, is: "ITCB-SDK-REJECT-BUSY")
    expect(RejectionReason.timedOut.slug, is: "ITCB-SDK-REJECT-TIMED-OUT")
    expect(RejectionReason.questionPlease.slug, is: "ITCB-SDK-REJECT-NO-QUESTION-MARK")
    expect(RejectionReason.peripheralError(nil).slug, is: "ITCB-SDK-REJECT-PERIPHERAL-ERROR")
    expect(RejectionReason.unknown(nil).slug, is: "ITCB-SDK-REJECT-UNKNOWN")
  }

  @Test("have the text of the underlying reason at any depth")
  func words() {
    let error = BallError.sendFailed(BallError.coreBluetooth(RejectionReason.questionPlease))
    expect(error.rejection, is: .questionPlease)
    expect(error.localizedDescription, is: "Please phrase it as a question.")
    expect(BallError.coreBluetooth(nil).localizedDescription, is: "Bluetooth failed.")
    expect(
      BallError.sendFailed(CBATTError(.insufficientResources)).localizedDescription,
      is: "It could not be sent: Resources are insufficient.")
  }

  @Test("are equal if their underlying errors are")
  func equality() {
    let offline = BallError.sendFailed(RejectionReason.deviceOffline)
    expect(offline, is: .sendFailed(RejectionReason.deviceOffline))
    expect(offline != .sendFailed(RejectionReason.deviceBusy))
    expect(BallError.coreBluetooth(nil) != .sendFailed(nil))
    expect(
      RejectionReason.peripheralError(CBATTError(.invalidHandle))
        != .peripheralError(CBATTError(.invalidOffset)))
  }
}

/// A generator with fixed steps that reaches every answer.
private struct Counter: RandomNumberGenerator {
  private var state: UInt64 = 0

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return state
  }
}

extension Answer {
  fileprivate func wording(_ style: AnswerFormat) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    var writer = ByteWriter(bytes.mutableSpan)
    write(style, to: &writer)
    let count = writer.count
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
