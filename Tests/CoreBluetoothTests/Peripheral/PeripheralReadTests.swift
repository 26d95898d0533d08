import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("CBPeripheralManager: what centrals read")
struct PeripheralReadTests {
  private let it = Published()

  @Test("The delegate is called, and its response is the value from the offset on")
  func read() {
    it.recorder.onRead = { manager, request in
      request.value = Data([1, 2, 3, 4, 5].dropFirst(request.offset))
      manager.respond(to: request, withResult: .success)
    }
    it.stage.connect()
    it.stage.expect([0x0A, 0x12, 0x00], gives: [0x0B, 1, 2, 3, 4, 5])
    it.stage.expect([0x0C, 0x12, 0x00, 3, 0], gives: [0x0D, 4, 5])
    it.stage.expect([0x0C, 0x12, 0x00, 5, 0], gives: [0x0D])
    #expect(
      it.recorder.take() == [
        "40 reads A001 from 0", "40 reads A001 from 3", "40 reads A001 from 5",
      ])
  }

  @Test("A request has the characteristic and the central; without a value the response is empty")
  func request() throws {
    it.stage.connect()
    #expect(it.stage.exchange([0x0A, 0x12, 0x00]) == [])
    let request = try #require(it.recorder.requests.first)
    #expect(request.characteristic === it.text && request.characteristic.service === it.service)
    #expect(request.value == nil)
    let peer = DeviceAddress(kind: .random, bytes: [0x40, 0, 0, 0, 0, 0xC0])
    #expect(request.central.identifier == UUID(peer))
    it.manager.respond(to: request, withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent() == [[0x0B]])
  }

  @Test(
    "A result that is an error is sent, also an application's error",
    arguments: [0x07, 0x0E, 0x80])
  func refusal(code: Int) throws {
    let result = try #require(CBATTError.Code(rawValue: code))
    it.recorder.onRead = { manager, request in manager.respond(to: request, withResult: result) }
    it.stage.connect()
    it.stage.expect([0x0A, 0x12, 0x00], gives: attError(0x0A, 0x12, UInt8(code)))
    it.stage.expect([0x0C, 0x12, 0x00, 9, 0], gives: attError(0x0C, 0x12, UInt8(code)))
  }

  @Test("A result without an error code is sent as Unlikely Error", arguments: [-1, 256, 70_000])
  func noCode(number: Int) throws {
    let result = try #require(CBATTError.Code(rawValue: number))
    it.recorder.onRead = { manager, request in manager.respond(to: request, withResult: result) }
    it.stage.connect()
    it.stage.expect([0x0A, 0x12, 0x00], gives: attError(0x0A, 0x12, 0x0E))
  }

  @Test("Constant values and descriptors are read without the delegate")
  func fixed() {
    it.stage.connect()
    it.stage.expect([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
    it.stage.expect([0x0C, 0x15, 0x00, 2, 0], gives: [0x0D, 3])
    it.stage.expect([0x0C, 0x15, 0x00, 4, 0], gives: attError(0x0C, 0x15, 0x07))
    it.stage.expect([0x0A, 0x16, 0x00], gives: [0x0B] + Array("Fixed".utf8))
    it.stage.expect([0x12, 0x15, 0x00, 9], gives: attError(0x12, 0x15, 0x03))
    #expect(it.recorder.take() == [])
  }

  @Test("A value that may not be read is refused without the delegate")
  func permissions() {
    it.stage.connect()
    it.stage.expect([0x0A, 0x18, 0x00], gives: attError(0x0A, 0x18, 0x02))
    it.stage.expect([0x0C, 0x12, 0x00, 0x01, 0x02], gives: attError(0x0C, 0x12, 0x07))
    #expect(it.recorder.take() == [])
  }

  @Test("Several values in one request are requested one after the other, with one response")
  func multiple() {
    let other = CBMutableCharacteristic(
      type: CBUUID(string: "B001"), properties: .read, value: nil, permissions: .readable)
    let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
    service.characteristics = [other]
    it.manager.add(service)
    it.stage.settle()
    _ = it.recorder.take()
    var count: UInt8 = 0
    it.recorder.onRead = { manager, request in
      count += 1
      request.value = Data([count])
      manager.respond(to: request, withResult: .success)
    }
    it.stage.connect()
    // 0x001A service, 0x001B declaration, 0x001C value.
    it.stage.expect([0x0E, 0x12, 0x00, 0x15, 0x00, 0x1C, 0x00], gives: [0x0F, 1, 1, 2, 3, 2])
    #expect(it.recorder.take() == ["40 reads A001 from 0", "40 reads B001 from 0"])
    // Nothing is cached: the next request calls the delegate again.
    it.stage.expect([0x0A, 0x12, 0x00], gives: [0x0B, 3])
  }

  @Test("A delegate may respond later; other centrals are served meanwhile")
  func later() throws {
    it.stage.connect()
    it.stage.connect(0x41)
    #expect(it.stage.exchange([0x0A, 0x12, 0x00]) == [])
    it.recorder.onRead = { manager, request in
      request.value = Data([9])
      manager.respond(to: request, withResult: .success)
    }
    it.stage.expect([0x0A, 0x12, 0x00], gives: [0x0B, 9], on: 0x41)
    it.stage.expect([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3], on: 0x41)
    #expect(it.stage.sent() == [])
    let request = try #require(it.recorder.requests.first)
    request.value = Data([7])
    it.manager.respond(to: request, withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent() == [[0x0B, 7]])
  }

  @Test("A request has one response; a second one, and one to an unknown request, have no effect")
  func misuse() throws {
    it.stage.connect()
    #expect(it.stage.exchange([0x0A, 0x12, 0x00]) == [])
    let request = try #require(it.recorder.requests.first)
    let unknown = CBATTRequest(
      central: request.central, characteristic: it.text, offset: 0, value: nil)
    it.manager.respond(to: unknown, withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent() == [])
    it.manager.respond(to: request, withResult: .success)
    it.manager.respond(to: request, withResult: .unlikelyError)
    it.stage.settle()
    #expect(it.stage.sent() == [[0x0B]])
    #expect(it.stage.exchange([0x0A, 0x12, 0x00]) == [])
    it.manager.respond(to: request, withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent() == [[0x0B]])
  }

  @Test("A response to a disconnected central is dropped, and not sent to the next one")
  func gone() throws {
    it.stage.connect()
    #expect(it.stage.exchange([0x0A, 0x12, 0x00]) == [])
    it.stage.disconnect()
    it.stage.connect()
    #expect(it.stage.exchange([0x0A, 0x12, 0x00]) == [])
    let request = try #require(it.recorder.requests.first)
    it.manager.respond(to: request, withResult: .unlikelyError)
    it.stage.settle()
    #expect(it.stage.sent() == [])
    it.manager.respond(to: it.recorder.requests[1], withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent() == [[0x0B]])
  }

  @Test("A read of a removed value is refused, and the late response is dropped")
  func serviceGone() throws {
    it.stage.connect()
    #expect(it.stage.exchange([0x0A, 0x12, 0x00]) == [])
    it.manager.remove(it.service)
    it.stage.settle()
    #expect(it.stage.sent() == [attError(0x0A, 0x12, 0x01)])
    it.manager.respond(to: try #require(it.recorder.requests.first), withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent().count == 1)
    it.stage.expect([0x0A, 0x03, 0x00], gives: [0x0B] + it.deviceName)
  }

  @Test("Without a delegate, requests are refused, so no central waits in vain")
  func noDelegate() {
    it.manager.delegate = nil
    it.stage.connect()
    it.stage.expect([0x0A, 0x12, 0x00], gives: attError(0x0A, 0x12, 0x06))
    it.stage.expect([0x12, 0x12, 0x00, 1], gives: attError(0x12, 0x12, 0x06))
  }

  @Test("Values that require encryption are refused on an unencrypted link; subscriptions, too")
  func encryption() {
    let secret = CBMutableCharacteristic(
      type: CBUUID(string: "C001"), properties: [.read, .write, .notifyEncryptionRequired],
      value: nil, permissions: [.readEncryptionRequired, .writeEncryptionRequired])
    let service = CBMutableService(type: CBUUID(string: "C000"), primary: true)
    service.characteristics = [secret]
    it.manager.add(service)
    it.stage.settle()
    _ = it.recorder.take()
    it.stage.connect()
    // Without a key: Insufficient Authentication (Core Specification, Vol 3, Part C, 10.3.1).
    // 0x001A service, 0x001B declaration, 0x001C value, 0x001D configuration. Read 0x02, write
    // 0x08, notify 0x10.
    it.stage.expect([0x0A, 0x1B, 0x00], gives: [0x0B, 0x1A, 0x1C, 0x00, 0x01, 0xC0])
    it.stage.expect([0x0A, 0x1C, 0x00], gives: attError(0x0A, 0x1C, 0x05))
    it.stage.expect([0x12, 0x1C, 0x00, 1], gives: attError(0x12, 0x1C, 0x05))
    it.stage.expect([0x16, 0x1C, 0x00, 0, 0, 1], gives: attError(0x16, 0x1C, 0x05))
    it.stage.expect([0x12, 0x1D, 0x00, 1, 0], gives: attError(0x12, 0x1D, 0x05))
    it.stage.expect([0x16, 0x1D, 0x00, 0, 0, 1], gives: attError(0x16, 0x1D, 0x05))
    it.stage.expect([0x0A, 0x1D, 0x00], gives: [0x0B, 0, 0])
    #expect(it.recorder.take() == [])
  }
}
