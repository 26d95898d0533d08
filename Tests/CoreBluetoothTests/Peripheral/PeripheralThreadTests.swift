import Expectations
import Foundation

@testable import CoreBluetooth

/// Managers of both kinds on radios with a thread each, on one virtual air.
@Suite("A peripheral manager on a radio's thread")
struct PeripheralThreadTests {
  private let path = AirPath()
  private let service = CBUUID(string: "A000")
  private let name = "A ball of some other kind"

  /// A ball that answers with the reversed question, in its delegate's callbacks.
  private func ball(_ radio: CBRadio) throws -> Publisher {
    let question = CBMutableCharacteristic(
      type: CBUUID(string: "A001"), properties: .write, value: nil, permissions: .writeable)
    let answer = CBMutableCharacteristic(
      type: CBUUID(string: "A002"), properties: [.read, .notify], value: nil,
      permissions: .readable)
    let last = Locked(Data())
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
  private func ask(_ ball: Publisher, from radio: CBRadio) throws -> Visitor {
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
    return visitor
  }

  @Test("answers in callbacks, and sees the central disconnect")
  func answers() throws {
    let own = path.radio()
    let ball = try ball(own)
    for _ in 0..<2 {
      _ = try ask(ball, from: path.radio())
      expect(try ball.log.lines.take().hasSuffix(" unsubscribed from A002, 0"))
    }
    own.close()
    try ball.log.lines.expect("state poweredOff")
    expect(ball.manager.state, is: .poweredOff)
  }

  @Test("shares its radio with a central: one device asks another, answers, and sees it disconnect")
  func bothRoles() throws {
    // The first device hosts the air, which continues without the second.
    let radios = [path.radio(), path.radio()]
    let balls = try radios.map { try ball($0) }
    // Each device receives only the other, not itself.
    _ = try ask(balls[0], from: radios[1])
    // While that link lasts, it would serve the other direction too, and end with its visitor.
    expect(try balls[0].log.lines.take().hasSuffix(" unsubscribed from A002, 0"))
    let visitor = try ask(balls[1], from: radios[0])
    expect(balls.map(\.manager.isAdvertising), is: [true, true])
    radios[1].close()
    try visitor.log.lines.expect(
      "disconnected \(name) disconnected: CBError.peripheralDisconnected")
    expect(visitor.manager.state, is: .poweredOn)
  }
}
