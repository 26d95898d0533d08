// A Magic 8-Ball with CBPeripheralManager, in about a hundred lines, for Apple's systems and Linux.
//   hundred-line-ball [NAME [ANSWER…]]
import CoreBluetooth
import Foundation

let serviceUUID = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
let questionUUID = CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
let answerUUID = CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445")
let notUTF8 = CBATTError.Code(rawValue: 0x80) ?? .unlikelyError

let arguments = CommandLine.arguments.dropFirst()
let answers =
  arguments.count > 1
  ? Array(arguments.dropFirst())
  : [
    "It is certain.", "It is decidedly so.", "Without a doubt.", "Yes – definitely.",
    "You may rely on it.", "As I see it, yes.", "Most likely.", "Outlook good.", "Yes.",
    "Signs point to yes.", "Reply hazy, try again.", "Ask again later.", "Better not tell you now.",
    "Cannot predict now.", "Concentrate and ask again.", "Don’t count on it.", "My reply is no.",
    "My sources say no.", "Outlook not so good.", "Very doubtful.",
  ]

final class Ball: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  let answer = CBMutableCharacteristic(
    type: answerUUID, properties: [.read, .notify], value: nil, permissions: .readable)
  let question = CBMutableCharacteristic(
    type: questionUUID, properties: [.write, .writeWithoutResponse], value: nil,
    permissions: .writeable)
  /// The last answer to each central, and whether it still has to be notified.
  var given: [UUID: (text: String, isPending: Bool)] = [:]
  var subscribers: [UUID: CBCentral] = [:]

  func peripheralManagerDidUpdateState(_ manager: CBPeripheralManager) {
    guard manager.state == .poweredOn else { return }
    given = [:]
    subscribers = [:]
    let service = CBMutableService(type: serviceUUID, primary: true)
    service.characteristics = [question, answer]
    manager.removeAllServices()
    manager.add(service)
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    if let error { return say("The service cannot be added: \(error.localizedDescription)") }
    let name = arguments.first ?? "Hundred-Line 8-Ball"
    manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [serviceUUID],
    ])
  }

  func peripheralManagerDidStartAdvertising(
    _ manager: CBPeripheralManager, error: (any Error)?
  ) {
    say(error.map { "It cannot advertise: \($0.localizedDescription)" } ?? "Advertising")
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]
  ) {
    guard let first = requests.first else { return }
    let bytes = requests.reduce(Data()) { $0 + ($1.value ?? Data()) }
    guard let text = String(data: bytes, encoding: .utf8) else {
      return manager.respond(to: first, withResult: notUTF8)
    }
    guard text.utf8.last == UInt8(ascii: "?") else {
      return manager.respond(to: first, withResult: .unlikelyError)
    }
    manager.respond(to: first, withResult: .success)
    given[first.central.identifier] = (answers.randomElement() ?? "Yes.", true)
    notify(manager)
  }

  func peripheralManager(_ manager: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    let text = Data((given[request.central.identifier]?.text ?? "").utf8)
    guard request.offset <= text.count else {
      return manager.respond(to: request, withResult: .invalidOffset)
    }
    request.value = text.dropFirst(request.offset)
    manager.respond(to: request, withResult: .success)
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, central: CBCentral,
    didSubscribeTo characteristic: CBCharacteristic
  ) {
    subscribers[central.identifier] = central
    notify(manager)
  }

  func peripheralManager(
    _ manager: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    // It may have disconnected. It is not notified when it reconnects, but can read the answer.
    subscribers[central.identifier] = nil
    given[central.identifier]?.isPending = false
  }

  func peripheralManagerIsReady(toUpdateSubscribers manager: CBPeripheralManager) {
    notify(manager)
  }

  /// Notifies every answer that waits for a subscription or for room.
  func notify(_ manager: CBPeripheralManager) {
    for (id, (text, isPending)) in given where isPending {
      guard let central = subscribers[id] else { continue }
      let isSent = manager.updateValue(
        Data(text.utf8), for: answer, onSubscribedCentrals: [central])
      if isSent { given[id] = (text, false) }
    }
  }
}

func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}

let ball = Ball()
let manager = CBPeripheralManager(delegate: ball, queue: .main)
dispatchMain()
