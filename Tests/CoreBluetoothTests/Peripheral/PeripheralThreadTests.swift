import Foundation
import Testing

@testable import CoreBluetooth

/// Managers of both kinds on radios with a thread each, on one virtual air.
@Suite("A peripheral manager on a radio's thread")
struct PeripheralThreadTests {
  static let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
  static let question = CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
  static let answer = CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445")

  /// A ball that answers with the reversed question. It acts only in its delegate's callbacks.
  private final class Ball: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let lines = Inbox<String>()
    private let answer = CBMutableCharacteristic(
      type: PeripheralThreadTests.answer, properties: [.read, .notify], value: nil,
      permissions: .readable)
    private let last = Locked(Data())

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
      lines.put("state \(peripheral.state)")
      guard peripheral.state == .poweredOn else { return }
      let service = CBMutableService(type: PeripheralThreadTests.service, primary: true)
      service.characteristics = [
        CBMutableCharacteristic(
          type: PeripheralThreadTests.question, properties: .write, value: nil,
          permissions: .writeable),
        answer,
      ]
      peripheral.add(service)
    }

    func peripheralManager(
      _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
    ) {
      lines.put("added \(error.map { "\($0)" } ?? "")")
      peripheral.startAdvertising([
        CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        CBAdvertisementDataLocalNameKey: "A ball of some other kind",
      ])
    }

    func peripheralManagerDidStartAdvertising(
      _ peripheral: CBPeripheralManager, error: (any Error)?
    ) {
      lines.put("advertising \(error.map { "\($0)" } ?? "")")
    }

    func peripheralManager(
      _ peripheral: CBPeripheralManager, central: CBCentral,
      didSubscribeTo characteristic: CBCharacteristic
    ) {
      lines.put("subscribed")
    }

    func peripheralManager(
      _ peripheral: CBPeripheralManager, central: CBCentral,
      didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
      lines.put("unsubscribed")
    }

    func peripheralManager(
      _ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
    ) {
      let text = requests.first?.value.flatMap { String(data: $0, encoding: .utf8) } ?? "?"
      lines.put("asked \(text.count) characters")
      let reply = Data(String(text.reversed()).utf8)
      last.withLock { $0 = reply }
      peripheral.respond(to: requests[0], withResult: .success)
      if !peripheral.updateValue(reply, for: answer, onSubscribedCentrals: nil) {
        lines.put("not sent")
      }
    }

    func peripheralManager(
      _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
    ) {
      lines.put("read from \(request.offset)")
      let value = last.withLock(\.self)
      guard request.offset <= value.count else {
        return peripheral.respond(to: request, withResult: .invalidOffset)
      }
      request.value = value.dropFirst(request.offset)
      peripheral.respond(to: request, withResult: .success)
    }
  }

  /// Asks `ball` a question that has to be written in parts, and read in parts.
  private func ask(_ ball: Ball, from radio: CBRadio) throws {
    let question = String(repeating: "Will it rain? ", count: 20)  // 280 bytes
    let asker = Asker(question, of: Self.service)
    var manager: CBCentralManager? = CBCentralManager(
      delegate: asker, queue: DispatchQueue(label: "asker"), radio: radio)
    let answer = String(question.reversed())
    // The answer is notified after the response, and then read.
    try asker.lines.expect(
      "state poweredOn", "discovered A ball of some other kind", "connected", "written ", answer,
      answer)
    try ball.lines.expect("subscribed", "asked 280 characters", "read from 0")
    #expect(manager?.state == .poweredOn)
    manager = nil
    try ball.lines.expect("unsubscribed")
  }

  @Test("answers from callbacks only, and sees the central disconnect")
  func answers() throws {
    let path = AirPath()
    let ball = Ball()
    let own = path.radio()
    let manager = CBPeripheralManager(
      delegate: ball, queue: DispatchQueue(label: "ball"), radio: own)
    try ball.lines.expect("state poweredOn", "added ", "advertising ")
    try ask(ball, from: path.radio())
    try ask(ball, from: path.radio())
    own.close()
    try ball.lines.expect("state poweredOff")
    #expect(manager.state == .poweredOff)
  }

  @Test("shares its radio with a central: one device asks another, answers, and sees it disconnect")
  func bothRoles() throws {
    let path = AirPath()
    let (ball, other) = (Ball(), Ball())
    let (own, others) = (path.radio(), path.radio())
    // The first device hosts the air, which continues without the second.
    let managers = try [(ball, own), (other, others)].map { ball, radio in
      let manager = CBPeripheralManager(
        delegate: ball, queue: DispatchQueue(label: "ball"), radio: radio)
      try ball.lines.expect("state poweredOn", "added ", "advertising ")
      return manager
    }
    // Each device receives only the other, not itself.
    try ask(other, from: own)
    try ask(ball, from: others)
    #expect(managers.map(\.isAdvertising) == [true, true])

    let asker = Asker("Why?", of: Self.service)
    let central = CBCentralManager(
      delegate: asker, queue: DispatchQueue(label: "asker"), radio: own)
    try asker.lines.expect(
      "state poweredOn", "discovered A ball of some other kind", "connected", "written ", "?yhW",
      "?yhW")
    others.close()
    try asker.lines.expect("disconnected peripheralDisconnected")
    #expect(central.state == .poweredOn)
  }
}
