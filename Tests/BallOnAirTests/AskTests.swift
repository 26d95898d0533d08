import BluetoothHost
import EightBall
import Testing

@Suite("A central asks a question")
struct AskTests {
  let stage: Stage<4>

  init() throws {
    stage = try Stage<4>()
  }

  @Test("A central finds the ball, asks, and disconnects")
  func whole() {
    let asker = stage.ask("Will it rain?")
    stage.run(within: 10_000) { asker.isFinished }
    stage.settle()
    guard case .answered(let text) = asker.outcome else {
      Issue.record("\(String(describing: asker.outcome))")
      return
    }
    #expect(texts.contains(text))
    let connectionIndex = stage.events.firstIndex(of: .asked(0, "Will it rain?"))
    #expect(connectionIndex != nil)
    #expect(stage.events.contains { if case .answered(0, _) = $0 { true } else { false } })
    #expect(stage.isInviting)
    #expect(stage.host.connectionCount == 0)
  }

  @Test("With a subscription the write's response precedes the answer")
  func subscribeFirst() throws {
    let phone = try stage.connectedPhone(mtu: 185)
    stage.subscribe(phone)
    phone.forget()
    #expect(stage.write("Shall I?", by: phone) == .success(.written))
    #expect(phone.answers.count == 1)
    #expect(texts.contains(phone.answers.first ?? ""))
    guard case .completed = phone.events.first, case .notified = phone.events.last else {
      Issue.record("\(phone.events)")
      return
    }
    #expect(phone.events.count == 2)
    // A read gives the same answer.
    #expect(stage.readText(Handles.answer, by: phone) == phone.answers.first)
  }

  @Test("A question before the subscription is answered at the subscription, once")
  func askFirst() throws {
    let phone = try stage.connectedPhone(mtu: 185)
    #expect(stage.write("Shall I?", by: phone) == .success(.written))
    stage.run(for: 5_000)
    #expect(phone.answers == [])
    phone.forget()
    stage.subscribe(phone)
    #expect(phone.answers.count == 1)
    guard case .completed = phone.events.first else {
      Issue.record("The subscription's response must come first: \(phone.events)")
      return
    }
    stage.subscribe(phone, .none)
    stage.subscribe(phone)
    stage.run(for: 5_000)
    #expect(phone.answers.count == 1)
  }

  @Test("An answer longer than the MTU is cut in the notification, and read whole")
  func longAnswer() throws {
    let phone = try stage.connectedPhone()
    stage.subscribe(phone)
    var longest = ""
    for _ in 0..<60 {
      #expect(stage.write("Again?", by: phone) == .success(.written))
      let notified = try #require(phone.answers.last)
      let read = try #require(stage.readText(Handles.answer, by: phone))
      #expect(texts.contains(read))
      // 23 minus the opcode and the handle.
      #expect(Array(notified.utf8).prefix(17) == Array(read.utf8).prefix(17))
      #expect(notified.utf8.count <= 22)
      if read.utf8.count > longest.utf8.count { longest = read }
    }
    #expect(longest.utf8.count > 20)
  }

  @Test(
    "A text that is not a question is refused, and the next question is answered",
    arguments: [
      (Array("It rains.".utf8), ATTErrorCode.unlikelyError), ([], .unlikelyError),
      (Array("Does it rain? ".utf8), .unlikelyError),
      (Array("雨？".utf8), .unlikelyError),  // A full-width question mark is another character.
      ([0xC3, 0x28, 0x3F], .notUTF8), ([0xFF, 0x3F], .notUTF8),
    ])
  func refusals(_ value: [UInt8], _ code: ATTErrorCode) throws {
    let phone = try stage.connectedPhone(mtu: 185)
    stage.subscribe(phone)
    #expect(
      stage.perform(.write(Handles.question, value), by: phone)
        == refused(.writeRequest, Handles.question, code))
    #expect(phone.answers == [])
    #expect(stage.write("Does it rain?", by: phone) == .success(.written))
    #expect(phone.answers.count == 1)
  }

  /// An MTU of 517 holds the opcode, the handle and 514 bytes of value. The client would not send
  /// them, so the test makes the request.
  @Test("513 bytes are refused, in one request and in many parts")
  func tooLong() throws {
    let phone = try stage.connectedPhone(mtu: 517)
    let raw = RawLink(phone)
    let long = [UInt8](repeating: 0x61, count: 512) + [0x3F]
    stage.settle()
    #expect(
      raw.ask([0x12, 0x1D, 0x00] + long, on: stage)
        == [0x01, 0x12, 0x1D, 0x00, ATTErrorCode.invalidAttributeValueLength.rawValue])
    // 100 at a time: 0x16, handle, offset, part.
    for start in stride(from: 0, to: 513, by: 100) {
      let part = Array(long[start..<min(513, start + 100)])
      let offset = [UInt8(start & 0xFF), UInt8(start >> 8)]
      #expect(
        raw.ask([0x16, 0x1D, 0x00] + offset + part, on: stage)
          == [0x17, 0x1D, 0x00] + offset + part)
    }
    #expect(
      raw.ask([0x18, 0x01], on: stage)
        == [0x01, 0x18, 0x1D, 0x00, ATTErrorCode.invalidAttributeValueLength.rawValue])
    #expect(raw.ask([0x12, 0x1D, 0x00, 0x3F], on: stage) == [0x13])
  }

  @Test("A shake gives subscribed centrals another answer; after clearing it gives none")
  func shakeAndClear() throws {
    let phone = try stage.connectedPhone(mtu: 185)
    let other = try stage.connectedPhone(mtu: 185)
    stage.subscribe(phone)
    stage.subscribe(other)
    _ = stage.write("Shall I?", by: phone)
    stage.host.server.application.shake()
    stage.settle()
    #expect(phone.answers.count == 2)
    #expect(other.answers == [])
    stage.host.server.application.clear()
    stage.host.server.application.shake()
    stage.settle()
    #expect(phone.answers.count == 2)
    #expect(stage.readText(Handles.answer, by: phone) == "")
  }
}
