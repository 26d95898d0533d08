import CoreBluetooth
import Foundation
import LinuxTestSupport

@testable import EightBallKit

/// A ball that a test controls, on a separate device.
final class ScriptedBall: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  /// How it handles a question.
  enum Manner: Sendable {
    /// Accepts it, and answers.
    case answering(String)
    /// Accepts it, and is silent until `answer` is called.
    case silent
    /// Disconnects without a response.
    case leaving
  }

  let name: String
  let air = TestAir()
  let radio: CBRadio
  private let queue = DispatchQueue(label: "scripted ball")
  private let manner: Manner
  private var manager: CBPeripheralManager?
  private let answerCharacteristic = CBMutableCharacteristic(
    type: BallProfile.answer, properties: [.read, .notify], value: nil, permissions: .readable)
  private let heard = Locked<[String]>([])
  /// The same lines as `log`, as a sequence.
  let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  /// The received questions and subscriptions, in order.
  var log: [String] { heard.withLock(\.self) }

  init(_ manner: Manner) throws {
    (lines, continuation) = AsyncStream.makeStream()
    self.manner = manner
    name = "Ball \(UUID().uuidString.prefix(8))"
    radio = try CBRadio(air.radio)
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: nil, radio: radio)
  }

  func answer(_ text: String) {
    queue.async { [self] in
      _ = manager?.updateValue(
        Data(text.utf8), for: answerCharacteristic, onSubscribedCentrals: nil)
    }
  }

  private func note(_ line: String) {
    heard.withLock { $0.append(line) }
    continuation.yield(line)
  }

  func peripheralManagerDidUpdateState(_ manager: CBPeripheralManager) {
    guard manager.state == .poweredOn else { return }
    let question = CBMutableCharacteristic(
      type: BallProfile.question, properties: [.write], value: nil, permissions: .writeable)
    let service = CBMutableService(type: BallProfile.service, primary: true)
    service.characteristics = [question, answerCharacteristic]
    manager.add(service)
    manager.startAdvertising([
      CBAdvertisementDataServiceUUIDsKey: [BallProfile.service],
      CBAdvertisementDataLocalNameKey: name,
    ])
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    note("subscribed")
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    note("unsubscribed")
  }

  func peripheralManager(_ manager: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    let bytes = requests.reduce(Data()) { $0 + ($1.value ?? Data()) }
    note(String(decoding: bytes, as: UTF8.self))
    switch manner {
    case .answering(let text):
      manager.respond(to: first, withResult: .success)
      answer(text)
    case .silent: manager.respond(to: first, withResult: .success)
    case .leaving: radio.close()
    }
  }
}
