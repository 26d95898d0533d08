import Foundation
import Testing

@testable import CoreBluetooth

/// Managers of both kinds on radios with their own threads, on one virtual air.
@Suite("A peripheral manager on a radio's thread")
struct PeripheralThreadTests {
  static let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
  static let question = CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77")
  static let answer = CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445")

  /// A ball that says the question backwards, in its delegate's callbacks alone.
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
        lines.put("not told")
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

  /// Asks one question, reads the answer too, and goes.
  private final class Guest: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
    @unchecked Sendable
  {
    let lines = Inbox<String>()
    private let text: String
    private let peripheral = Locked<CBPeripheral?>(nil)

    init(_ text: String) {
      self.text = text
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      guard central.state == .poweredOn else { return }
      central.scanForPeripherals(withServices: [PeripheralThreadTests.service])
    }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
      advertisementData: [String: Any], rssi RSSI: NSNumber
    ) {
      lines.put("discovered \(peripheral.name ?? "-")")
      central.stopScan()
      self.peripheral.withLock { $0 = peripheral }
      peripheral.delegate = self
      central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
      peripheral.discoverServices([PeripheralThreadTests.service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
      for service in peripheral.services ?? [] {
        peripheral.discoverCharacteristics(nil, for: service)
      }
    }

    func peripheral(
      _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService,
      error: (any Error)?
    ) {
      guard let all = service.characteristics, all.count == 2 else { return }
      peripheral.setNotifyValue(true, for: all[1])
      peripheral.writeValue(Data(text.utf8), for: all[0], type: .withResponse)
    }

    func peripheral(
      _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic,
      error: (any Error)?
    ) {
      lines.put("written \(error.map { "\($0)" } ?? "")")
      guard let answer = characteristic.service?.characteristics?[1] else { return }
      peripheral.readValue(for: answer)
    }

    func peripheral(
      _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
      error: (any Error)?
    ) {
      let value = characteristic.value ?? Data()
      lines.put(String(data: value, encoding: .utf8) ?? "?")
    }
  }

  /// Takes lines that have to be these.
  private func expect(
    _ lines: [String], from inbox: Inbox<String>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for line in lines {
      let next = try inbox.take(sourceLocation: sourceLocation)
      #expect(next == line, sourceLocation: sourceLocation)
    }
  }

  private func radio(_ path: AirPath) -> CBRadio {
    CBRadio(RadioEngine(.virtual, airPath: path.text, stopsWhenUnused: true))
  }

  /// Asks `ball` a question that has to be written in parts, and read in parts.
  private func ask(_ ball: Ball, from radio: CBRadio) throws {
    let question = String(repeating: "Will it rain? ", count: 20)  // 280 bytes
    let guest = Guest(question)
    var manager: CBCentralManager? = CBCentralManager(
      delegate: guest, queue: DispatchQueue(label: "guest"), radio: radio)
    let answer = String(question.reversed())
    // The answer is notified behind the response, and then read.
    try expect(
      ["discovered A ball of some other kind", "written ", answer, answer], from: guest.lines)
    try expect(["subscribed", "asked 280 characters", "read from 0"], from: ball.lines)
    #expect(manager?.state == .poweredOn)
    manager = nil
    try expect(["unsubscribed"], from: ball.lines)
  }

  @Test("answers from callbacks alone, and hears when who asked goes")
  func answers() throws {
    let path = AirPath()
    let ball = Ball()
    let own = radio(path)
    let manager = CBPeripheralManager(
      delegate: ball, queue: DispatchQueue(label: "ball"), radio: own)
    try expect(["state poweredOn", "added ", "advertising "], from: ball.lines)
    try ask(ball, from: radio(path))
    try ask(ball, from: radio(path))
    own.close()
    try expect(["state poweredOff"], from: ball.lines)
    #expect(manager.state == .poweredOff)
  }

  @Test("shares its radio with a central: one device asks another, and is asked meanwhile")
  func bothRoles() throws {
    let path = AirPath()
    let (ball, other) = (Ball(), Ball())
    let (own, others) = (radio(path), radio(path))
    let managers = [(ball, own), (other, others)].map { ball, radio in
      CBPeripheralManager(delegate: ball, queue: DispatchQueue(label: "ball"), radio: radio)
    }
    for inbox in [ball.lines, other.lines] {
      try expect(["state poweredOn", "added ", "advertising "], from: inbox)
    }
    // Each device hears the other alone, not itself.
    try ask(other, from: own)
    try ask(ball, from: others)
    #expect(managers.map(\.isAdvertising) == [true, true])
  }
}
