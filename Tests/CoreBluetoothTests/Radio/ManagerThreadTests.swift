import Expectations
import Foundation

@testable import CoreBluetooth

/// Managers of both kinds on radios with a thread each, on one virtual air.
@Suite("Managers on the thread of a radio")
struct ManagerThreadTests {
  private let path = AirPath()
  private let service = CBUUID(string: "A000")

  /// A ball that answers with the reversed question, in its delegate's callbacks.
  private func ball(_ radio: CBRadio) throws -> Publisher {
    let question = CBMutableCharacteristic(
      type: CBUUID(string: "A001"), properties: .write, value: nil, permissions: .writeable)
    let answer = CBMutableCharacteristic(
      type: CBUUID(string: "A002"), properties: [.read, .notify], value: nil,
      permissions: .readable)
    let last = Locked(Data())
    let name = "A ball of some other kind"
    return try Publisher(radio, [question, answer], as: service, name: name) { log in
      let lines = log.lines
      log.onWrite = { manager, requests in
        let text = String(decoding: requests[0].value ?? Data(), as: UTF8.self)
        let reply = Data(String(text.reversed()).utf8)
        last.withLock { $0 = reply }
        manager.respond(to: requests[0], withResult: .success)
        if !manager.updateValue(reply, for: answer, onSubscribedCentrals: nil) {
          lines.put("not sent")
        }
      }
      log.answerReads { last.withLock(\.self).dropFirst($0.offset) }
    }
  }

  /// Asks `ball` a long question. The ball sees the disconnection at the visitor's release.
  private func ask(_ ball: Publisher, from radio: CBRadio) throws {
    let visitor = try Visitor(radio)
    try visitor.connect(to: service)
    let all = try visitor.characteristics(in: service)
    let question = String(repeating: "Will it rain? ", count: 20)  // 280 bytes
    visitor.peripheral?.setNotifyValue(true, for: all[1])
    visitor.peripheral?.writeValue(Data(question.utf8), for: all[0], type: .withResponse)
    let answer = "value A002 \(String(question.reversed()))"
    // The answer is notified after the response, and then read.
    try visitor.log.lines.expect("notifying A002 true", "wrote A001", answer)
    expect(try visitor.read(all[1]), is: answer)
    let lines = try (0..<3).map { _ in try ball.log.lines.take() }
    expect(lines[0].contains(" subscribed to A002, 1, "))
    expect(lines[1].contains(" writes A001[0] = 87 105 108 108 "))
    expect(lines[2].hasSuffix(" reads A002 from 0"))
  }

  @Test("of a peripheral answers in callbacks, and sees the central disconnect")
  func answers() throws {
    let own = path.radio()
    let ball = try ball(own)
    for _ in 0..<2 {
      try ask(ball, from: path.radio())
      expect(try ball.log.lines.take().hasSuffix(" unsubscribed from A002, 0"))
    }
    own.close()
    try ball.log.lines.expect("state poweredOff")
    expect(ball.manager.state, is: .poweredOff)
  }

  /// A device whose value is its name.
  private func publisher(_ radio: CBRadio, _ name: String, isAdvertised: Bool) throws -> Publisher {
    let value = CBMutableCharacteristic(
      type: CBUUID(string: "A001"), properties: .read, value: nil, permissions: .readable)
    return try Publisher(radio, [value], as: service, isAdvertised: isAdvertised) {
      $0.answerReads { _ in Data(name.utf8) }
    }
  }

  @Test("of each of two devices asks and answers, over one link")
  func bothRoles() throws {
    let radios = (0..<2).map { _ in path.radio() }
    let publishers = [
      try publisher(radios[0], "first", isAdvertised: true),
      try publisher(radios[1], "second", isAdvertised: false),
    ]
    let (first, second) = (try Visitor(radios[0]), try Visitor(radios[1]))
    // The second connects to the first and reads its value.
    try second.connect(to: service)
    let value = try second.characteristics(in: service)[0]
    expect(try second.read(value), is: "value A001 first")
    // The first reads back. The reader of its value has the same identifier.
    try first.connect(to: try #require(publishers[0].log.requests.first?.central.identifier))
    expect(try first.read(first.characteristics(in: service)[0]), is: "value A001 second")
    for radio in radios {
      let counts = Inbox<Int>()
      radio.perform { counts.put($0.host.connectionCount) }
      expect(try counts.take(), is: 1)
    }
    // The first leaves a link that it did not make. The second keeps it.
    try first.leave()
    expect(try second.read(value), is: "value A001 first")
    // The first uses the same link again, and loses it when the second leaves.
    try first.connect()
    expect(try first.read(first.characteristics(in: service)[0]), is: "value A001 second")
    try second.leave()
    expect(try first.log.lines.take("disconnected").hasSuffix("CBError.peripheralDisconnected"))
    for radio in radios { radio.close() }
  }
}
