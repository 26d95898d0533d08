import BallTestSupport
import BluetoothHost

@testable import BluetoothCentral

/// A ball of few words: just what a client needs, as bytes.
///
/// | handle | attribute |
/// | --- | --- |
/// | 0x0010 | the service's declaration, to 0x0015 |
/// | 0x0011, 0x0012 | Question |
/// | 0x0013, 0x0014, 0x0015 | Answer, with its configuration |
final class FakeBall {
  /// What it answers a question with; `nil` for silence.
  var answer: [UInt8]? = Array("It is certain.".utf8)
  /// The ATT error for a question that it does not take; 0 to take everything.
  var refusal: UInt8 = 0x0E
  /// The MTU that it offers; `nil` if it does not know the exchange.
  var mtu: UInt16? = 517
  /// What can be done with Question.
  var questionProperties: UInt8 = 0x08 | 0x04
  /// What can be done with Answer.
  var answerProperties: UInt8 = 0x02 | 0x10
  /// Whether it has the service, and whether Answer has its configuration.
  var hasService = true
  var hasConfiguration = true
  /// Whether the answer comes before the question is confirmed.
  var answersEarly = false

  /// The questions that it was asked.
  private(set) var questions: [String] = []
  /// What was written to the configuration, in order.
  private(set) var configurations: [UInt8] = []
  private var prepared: [UInt8] = []

  /// Takes a PDU; gives its response and what follows it.
  func receive(_ pdu: [UInt8]) -> [[UInt8]] {
    switch pdu[0] {
    case 0x02:
      return [mtu.map { [0x03] + ScriptedRadio.little($0) } ?? [0x01, 0x02, 0, 0, 0x06]]
    case 0x06:
      return [hasService && pdu[1] <= 0x10 ? [0x07, 0x10, 0, 0x15, 0] : notFound(pdu)]
    case 0x08:
      return [pdu[1] <= 0x11 ? [0x09, 21] + declarations : notFound(pdu)]
    case 0x04:
      return [hasConfiguration ? [0x05, 1, 0x15, 0, 0x02, 0x29] : notFound(pdu)]
    case 0x12 where pdu[1] == 0x15:
      configurations.append(pdu[3])
      return [[0x13]]
    case 0x12:
      return ask(Array(pdu[3...]), 0x12)
    case 0x52:
      return Array(ask(Array(pdu[3...]), 0x12).dropFirst())
    case 0x16:
      prepared += pdu[5...]
      return [[0x17] + pdu[1...]]
    case 0x18:
      defer { prepared = [] }
      return pdu[1] == 1 ? ask(prepared, 0x18) : [[0x19]]
    default:
      return [[0x01, pdu[0], 0, 0, 0x06]]
    }
  }

  private var declarations: [UInt8] {
    [0x11, 0, questionProperties, 0x12, 0]
      + [UInt8].written(upTo: 16) { BallService.question.write(to: &$0) }
      + [0x13, 0, answerProperties, 0x14, 0]
      + [UInt8].written(upTo: 16) { BallService.answer.write(to: &$0) }
  }

  private func notFound(_ pdu: [UInt8]) -> [UInt8] {
    [0x01, pdu[0], pdu[1], pdu[2], 0x0A]
  }

  private func ask(_ text: [UInt8], _ request: UInt8) -> [[UInt8]] {
    questions.append(String(decoding: text, as: UTF8.self))
    guard refusal == 0 || text.last == UInt8(ascii: "?") else {
      return [[0x01, request, 0x12, 0, refusal]]
    }
    let opcode: UInt8 = answerProperties & 0x10 != 0 ? 0x1B : 0x1D
    let told = answer.map { [[opcode, 0x14, 0] + $0] } ?? []
    return answersEarly ? told + [[request + 1]] : [[request + 1]] + told
  }

  /// What it advertises, and its scan response.
  static let advertisement: [UInt8] =
    [0x02, 0x01, 0x06, 0x11, 0x07]
    + [UInt8].written(upTo: 16) { BallService.service.write(to: &$0) }

  static func scanResponse(_ name: String) -> [UInt8] {
    [UInt8(1 + name.utf8.count), 0x09] + Array(name.utf8)
  }
}

/// A client, the radio that it is attached to, and the ball behind it.
final class Inquiry {
  let client: BallClient
  let radio: ScriptedRadio
  let ball = FakeBall()
  private(set) var events: [BallClientEvent] = []

  init(
    _ question: String = "Will it rain?", name: String? = nil,
    _ change: (inout BallInquiry) -> Void = { _ in }
  ) {
    var inquiry = BallInquiry(question: question)
    inquiry.name = name
    change(&inquiry)
    client = BallClient(inquiry, configuration: .test)
    radio = ScriptedRadio(client)
    let ball = ball
    radio.peer = { ball.receive($0) }
  }

  /// Starts, and lets the client hear a ball of this name, if any.
  func run(hearing name: String? = "Magic 8-Ball") {
    client.start(at: radio.now)
    radio.run()
    if let name { hear(name) }
    collect()
  }

  func hear(_ name: String, _ number: UInt8 = 2) {
    radio.give(
      ScriptedRadio.report(.connectable, .numbered(number), FakeBall.advertisement))
    radio.give(
      ScriptedRadio.report(.scanResponse, .numbered(number), FakeBall.scanResponse(name)))
    radio.run()
    collect()
  }

  func pass(_ milliseconds: UInt32) {
    radio.pass(milliseconds)
    collect()
  }

  func collect() {
    while let event = client.nextEvent() { events.append(event) }
  }

  /// How it went, once all is over.
  var finished: BallOutcome? {
    for case .finished(let outcome) in events { return outcome }
    return nil
  }
}

extension BallClient: HostSide {}
