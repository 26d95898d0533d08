import CoreBluetooth
import Foundation
import LinuxTestSupport

@testable import EightBallKit

/// A ball that does as a test says, on a device of its own.
final class ScriptedBall: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  /// What it does with a question: what it is answered by, or `nil` for success.
  enum Manner: Sendable {
    /// Takes it, and answers.
    case answering(String)
    /// Takes it, and is silent until `answer` is called.
    case silent
    /// Refuses it.
    case refusing(CBATTError.Code)
    /// Takes it, and is gone.
    case leaving
    /// Never even confirms it, unless `confirm` is called.
    case deaf
  }

  let name: String
  /// Where it is.
  let air = TestAir()
  let radio: CBRadio
  private let queue = DispatchQueue(label: "scripted ball")
  private let manner: Manner
  private let hasCharacteristics: Bool
  private let hasService: Bool
  private var manager: CBPeripheralManager?
  private let answerCharacteristic = CBMutableCharacteristic(
    type: BallProfile.answer, properties: [.read, .notify], value: nil, permissions: .readable)
  private let service = CBMutableService(type: BallProfile.service, primary: true)
  private let heard = Guarded<[String]>([])
  /// The same as `log`, for who waits for it.
  let news: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  /// What whoever subscribes next is told.
  private var greeting: String?
  /// The question that has not been confirmed.
  private var unconfirmed: CBATTRequest?

  /// The questions and subscriptions that came, in their order.
  var log: [String] { heard.current }

  /// - Parameter hasService: Whether it has its service from the beginning, or from when `publish`
  ///   is called.
  init(_ manner: Manner, hasCharacteristics: Bool = true, hasService: Bool = true) throws {
    (news, continuation) = AsyncStream.makeStream()
    self.manner = manner
    self.hasCharacteristics = hasCharacteristics
    self.hasService = hasService
    name = "Ball \(UUID().uuidString.prefix(8))"
    radio = try CBRadio(air.radio)
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: queue, options: nil, radio: radio)
  }

  /// Notifies whoever listens.
  func answer(_ text: String) {
    queue.async { [self] in
      _ = manager?.updateValue(
        Data(text.utf8), for: answerCharacteristic, onSubscribedCentrals: nil)
    }
  }

  /// Confirms the question that has come.
  func confirm() {
    queue.async { [self] in
      if let unconfirmed { manager?.respond(to: unconfirmed, withResult: .success) }
      unconfirmed = nil
    }
  }

  private func note(_ line: String) {
    heard { $0.append(line) }
    continuation.yield(line)
  }

  /// Takes its service away.
  func withdraw() {
    queue.async { [self] in manager?.removeAllServices() }
  }

  /// Adds its service.
  func publish() {
    queue.async { [self] in manager?.add(service) }
  }

  /// Takes its service away and publishes it anew; whoever subscribes to that is told `answer`.
  func renew(answering answer: String) {
    queue.async { [self] in
      greeting = answer
      manager?.removeAllServices()
      manager?.add(service)
    }
  }

  func peripheralManagerDidUpdateState(_ manager: CBPeripheralManager) {
    guard manager.state == .poweredOn else { return }
    let question = CBMutableCharacteristic(
      type: BallProfile.question, properties: [.write], value: nil, permissions: .writeable)
    service.characteristics = hasCharacteristics ? [question, answerCharacteristic] : []
    if hasService { manager.add(service) }
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
    if let greeting { answer(greeting) }
    greeting = nil
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    note("unsubscribed")
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    guard let first = requests.first else { return }
    let bytes = requests.reduce(Data()) { $0 + ($1.value ?? Data()) }
    note(String(decoding: bytes, as: UTF8.self))
    switch manner {
    case .answering(let text):
      manager.respond(to: first, withResult: .success)
      answer(text)
    case .silent:
      manager.respond(to: first, withResult: .success)
    case .refusing(let code):
      manager.respond(to: first, withResult: code)
    case .leaving:
      radio.close()
    case .deaf:
      unconfirmed = first
    }
  }
}
