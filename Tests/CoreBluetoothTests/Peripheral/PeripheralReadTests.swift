import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("CBPeripheralManager: what centrals read")
struct PeripheralReadTests {
  private let it = Published()

  @Test("The delegate is called, and its response is the value from the offset on")
  func read() {
    it.recorder.answerReads { Data([1, 2, 3, 4, 5].dropFirst($0.offset)) }
    it.radio.connect()
    it.radio.exchange([0x0A, 0x12, 0x00], gives: [0x0B, 1, 2, 3, 4, 5])
    it.radio.exchange([0x0C, 0x12, 0x00, 3, 0], gives: [0x0D, 4, 5])
    it.radio.exchange([0x0C, 0x12, 0x00, 5, 0], gives: [0x0D])
    expect(
      it.recorder.take(),
      is: ["40 reads A001 from 0", "40 reads A001 from 3", "40 reads A001 from 5"])
  }

  @Test("A request has the characteristic and the central; without a value the response is empty")
  func request() throws {
    it.radio.connect()
    expect(it.radio.exchange([0x0A, 0x12, 0x00]), is: [])
    let request = try #require(it.recorder.requests.first)
    expect(request.characteristic === it.text && request.characteristic.service === it.service)
    expect(it.fixed.descriptors?.first?.characteristic === it.fixed)
    expect(request.value, is: nil)
    let peer = DeviceAddress(kind: .random, bytes: [0x40, 0, 0, 0, 0, 0xC0])
    expect(request.central.identifier, is: UUID(peer))
    it.respond(to: request)
    expect(it.radio.sent(), is: [[0x0B]])
  }

  @Test(
    "A result that is an error is sent; one without an error code is Unlikely Error",
    arguments: [(0x07, 0x07), (0x0E, 0x0E), (0x80, 0x80), (-1, 0x0E), (256, 0x0E), (70_000, 0x0E)])
  func refusal(number: Int, code: UInt8) throws {
    let result = try #require(CBATTError.Code(rawValue: number))
    it.recorder.onRead = { manager, request in manager.respond(to: request, withResult: result) }
    it.radio.connect()
    it.radio.exchange([0x0A, 0x12, 0x00], gives: attError(0x0A, 0x12, code))
    it.radio.exchange([0x0C, 0x12, 0x00, 9, 0], gives: attError(0x0C, 0x12, code))
  }

  @Test("Constant values and descriptors are read without the delegate")
  func fixed() {
    it.radio.connect()
    it.radio.exchange([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
    it.radio.exchange([0x0C, 0x15, 0x00, 2, 0], gives: [0x0D, 3])
    it.radio.exchange([0x0C, 0x15, 0x00, 4, 0], gives: attError(0x0C, 0x15, 0x07))
    it.radio.exchange([0x0A, 0x16, 0x00], gives: [0x0B] + Array("Fixed".utf8))
    it.radio.exchange([0x12, 0x15, 0x00, 9], gives: attError(0x12, 0x15, 0x03))
    expect(it.recorder.take(), is: [])
  }

  @Test("Several values in one request are requested one after the other, with one response")
  func multiple() {
    it.add()
    var count: UInt8 = 0
    it.recorder.answerReads { _ in
      count += 1
      return Data([count])
    }
    it.radio.connect()
    // 0x001A service, 0x001B declaration, 0x001C value.
    it.radio.exchange([0x0E, 0x12, 0x00, 0x15, 0x00, 0x1C, 0x00], gives: [0x0F, 1, 1, 2, 3, 2])
    expect(it.recorder.take(), is: ["40 reads A001 from 0", "40 reads B001 from 0"])
    // Nothing is cached: the next request calls the delegate again.
    it.radio.exchange([0x0A, 0x12, 0x00], gives: [0x0B, 3])
  }

  @Test("A delegate may respond later; other centrals are served meanwhile")
  func later() throws {
    it.radio.connect(0x40, 0x41)
    expect(it.radio.exchange([0x0A, 0x12, 0x00]), is: [])
    it.recorder.answerReads { _ in Data([9]) }
    it.radio.exchange([0x0A, 0x12, 0x00], gives: [0x0B, 9], on: 0x41)
    it.radio.exchange([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3], on: 0x41)
    expect(it.radio.sent(), is: [])
    let request = try #require(it.recorder.requests.first)
    request.value = Data([7])
    it.respond(to: request)
    expect(it.radio.sent(), is: [[0x0B, 7]])
  }

  @Test("A request has one response; a second one, and one to an unknown request, have no effect")
  func misuse() throws {
    it.radio.connect()
    expect(it.radio.exchange([0x0A, 0x12, 0x00]), is: [])
    let request = try #require(it.recorder.requests.first)
    let unknown = CBATTRequest(
      central: request.central, characteristic: it.text, offset: 0, value: nil)
    it.respond(to: unknown)
    expect(it.radio.sent(), is: [])
    it.manager.respond(to: request, withResult: .success)
    it.respond(to: request, .unlikelyError)
    expect(it.radio.sent(), is: [[0x0B]])
    expect(it.radio.exchange([0x0A, 0x12, 0x00]), is: [])
    it.respond(to: request)
    expect(it.radio.sent(), is: [[0x0B]])
  }

  @Test("A read of a removed value is refused, and the late response is dropped")
  func serviceGone() throws {
    it.radio.connect()
    expect(it.radio.exchange([0x0A, 0x12, 0x00]), is: [])
    it.remove(it.service)
    expect(it.radio.sent(), is: [attError(0x0A, 0x12, 0x01)])
    it.respond(to: try #require(it.recorder.requests.first))
    expect(it.radio.sent().count, is: 1)
    it.radio.exchange([0x0A, 0x03, 0x00], gives: [0x0B] + it.deviceName)
  }

  private final class Silent: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
  }

  @Test("Without the delegate or its methods each request is refused, so no central waits in vain")
  func noMethods() {
    for delegate in [Silent(), nil] {
      it.manager.delegate = delegate
      it.radio.connect()
      it.radio.exchange([0x0A, 0x12, 0x00], gives: attError(0x0A, 0x12, 0x06))
      it.radio.exchange([0x12, 0x12, 0x00, 5], gives: attError(0x12, 0x12, 0x06))
      // A command has no answer, and a constant value needs no delegate.
      expect(it.radio.exchange([0x52, 0x12, 0x00, 5]), is: [])
      it.radio.exchange([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
      it.radio.exchange([0x12, 0x13, 0x00, 1, 0], gives: [0x13])
      it.radio.disconnect()
      withExtendedLifetime(delegate) {}
    }
  }

  @Test("A subscription that requires encryption is refused on an unencrypted link")
  func encryption() {
    it.add(
      "C", [.read, .write, .notifyEncryptionRequired],
      [.readEncryptionRequired, .writeEncryptionRequired])
    it.radio.connect()
    // Without a key: Insufficient Authentication (Core Specification, Vol 3, Part C, 10.3.1).
    // 0x001A service, 0x001B declaration, 0x001C value, 0x001D configuration. Read 0x02, write
    // 0x08, notify 0x10.
    it.radio.exchange([0x0A, 0x1B, 0x00], gives: [0x0B, 0x1A, 0x1C, 0x00, 0x01, 0xC0])
    it.radio.exchange([0x12, 0x1D, 0x00, 1, 0], gives: attError(0x12, 0x1D, 0x05))
    it.radio.exchange([0x16, 0x1D, 0x00, 0, 0, 1], gives: attError(0x16, 0x1D, 0x05))
    it.radio.exchange([0x0A, 0x1D, 0x00], gives: [0x0B, 0, 0])
    expect(it.recorder.take(), is: [])
  }

  // MARK: Permissions, limits and misuse

  @Test("the attributes that every device has, by handle")
  func base() {
    it.radio.connect()
    // Vol 3, Part C, 12.2 and 12.4: unknown appearance, and addresses are resolved. Part G, 7.1 and
    // 7.2: Service Changed has a configuration and is not read; no feature.
    it.radio.exchange([0x0A, 0x05, 0x00], gives: [0x0B, 0x00, 0x00])
    it.radio.exchange(
      [0x08, 0x01, 0x00, 0xFF, 0xFF, 0xA6, 0x2A], gives: [0x09, 3, 0x07, 0x00, 0x01])
    it.radio.exchange([0x0A, 0x0A, 0x00], gives: attError(0x0A, 0x0A, 0x02))
    it.radio.exchange([0x0A, 0x0B, 0x00], gives: [0x0B, 0x00, 0x00])
    it.radio.exchange([0x0A, 0x0D, 0x00], gives: [0x0B, 0x00])
    expect(it.recorder.take(), is: [])
  }

  @Test("services can have every handle up to 0xFFFF")
  func allHandles() {
    var database = DynamicDatabase()
    // The device's own services have 15.
    let count = 0xFFFF - 15
    expect(
      database.add(count: count) { _ in Array(repeating: .vacant, count: count) },
      is: range(0x0010, 0xFFFF))
    expect(database.add(count: 1) { _ in [.vacant] }, is: nil)
    // No value of an application is there.
    for number in [0, 0x0010, 0xFFFF] as [UInt16] {
      expect(database.location(of: ApplicationAttribute(rawValue: number)).handle, is: .none)
    }
    expect(DynamicDatabase().location(of: ApplicationAttribute(rawValue: 16)).handle, is: .none)
  }

  @Test("a property needs its permission, and each refusal has its code")
  func permissions() {
    let rows:
      [(String, CBCharacteristicProperties, CBAttributePermissions, Data?, UInt8?, UInt8?)] =
        [
          ("all", [.read, .write], [.readable, .writeable], nil, nil, nil),
          ("no permission", [.read, .write], [], nil, 0x02, 0x03),
          ("only read", [.read, .write], .readable, nil, nil, 0x03),
          ("only written", [.read, .write], .writeable, nil, 0x02, nil),
          ("constant", .read, .readable, Data([5]), nil, 0x03),
          ("constant without permission", .read, [], Data([5]), 0x02, 0x03),
          (
            "only over an encrypted link", [.read, .write],
            [.readEncryptionRequired, .writeEncryptionRequired],
            nil, 0x05, 0x05
          ),
        ]
    it.recorder.answerReads { _ in Data([5]) }
    it.recorder.answerWrites()
    it.radio.connect()
    for (label, properties, permissions, value, readError, writeError) in rows {
      let service = it.add("B", properties, permissions, value: value)
      // 0x001A service, 0x001B declaration, 0x001C value.
      let read = it.radio.exchange([0x0A, 0x1C, 0x00])
      expect(read, is: [readError.map { attError(0x0A, 0x1C, $0) } ?? [0x0B, 5]], "\(label)")
      let write = it.radio.exchange([0x12, 0x1C, 0x00, 7])
      expect(write, is: [writeError.map { attError(0x12, 0x1C, $0) } ?? [0x13]], "\(label)")
      // A prepared write is checked at once.
      let part = it.radio.exchange([0x16, 0x1C, 0x00, 0, 0, 7])
      expect(
        part, is: [writeError.map { attError(0x16, 0x1C, $0) } ?? [0x17, 0x1C, 0x00, 0, 0, 7]],
        "\(label)")
      _ = it.radio.exchange([0x18, 0x00])
      let calls = (readError == nil && value == nil ? 1 : 0) + (writeError == nil ? 1 : 0)
      expect(it.recorder.take().count, is: calls, "\(label)")
      it.remove(service)
    }
  }

  @Test("a value is read from offsets up to 512", arguments: [511, 512, 513])
  func offsets(offset: UInt16) {
    it.recorder.answerReads { $0.offset == 512 ? Data() : Data([5]) }
    it.radio.connect()
    let response = it.radio.exchange([0x0C, 0x12, 0x00] + little(offset))
    let expected =
      [511: [0x0D, 5], 512: [0x0D], 513: attError(0x0C, 0x12, 0x07)] as [UInt16: [UInt8]]
    expect(response, is: expected[offset].map { [$0] })
    expect(it.recorder.take(), is: offset > 512 ? [] : ["40 reads A001 from \(offset)"])
  }

  @Test("calls without power change nothing that lasts")
  func poweredOff() throws {
    it.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Name"])
    it.manager.publishL2CAPChannel(withEncryption: false)
    it.radio.connect()
    it.radio.exchange([0x12, 0x13, 0x00, 1, 0], gives: [0x13])
    let central = try #require(it.recorder.centrals.first)
    expect(it.radio.exchange([0x0A, 0x12, 0x00]), is: [])
    let request = try #require(it.recorder.requests.first)
    it.radio.change(to: .poweredOff)
    _ = it.recorder.take()
    it.radio.forget()
    let other = CBMutableService(type: CBUUID(string: "B000"), primary: true)
    let calls: [(String, () -> Void)] = [
      ("stopAdvertising", { it.manager.stopAdvertising() }),
      ("startAdvertising", { it.manager.startAdvertising([:]) }),
      ("add", { it.manager.add(other) }), ("remove", { it.manager.remove(it.service) }),
      ("removeAllServices", { it.manager.removeAllServices() }),
      ("publish", { it.manager.publishL2CAPChannel(withEncryption: false) }),
      ("unpublish", { it.manager.unpublishL2CAPChannel(128) }),
      ("latency", { it.manager.setDesiredConnectionLatency(.low, for: central) }),
      ("respond", { it.manager.respond(to: request, withResult: .success) }),
      (
        "update",
        {
          expect(!it.manager.updateValue(Data([1]), for: it.text, onSubscribedCentrals: nil))
        }
      ),
    ]
    for (label, call) in calls {
      call()
      expect(it.take(), is: [], "\(label)")
      expect(it.radio.calls.isEmpty, "\(label)")
      expect(it.radio.sent().isEmpty && it.radio.signals(0x40).isEmpty, "\(label)")
      expect(it.manager.isAdvertising, "\(label)")
    }
    it.radio.change(to: .poweredOn)
    expect(it.recorder.take(), is: ["state poweredOn"], "they have no later effect either")
    // The request still has no response, and the service is still there.
    request.value = Data([7])
    it.respond(to: request)
    expect(it.radio.sent(), is: [[0x0B, 7]])
    it.radio.exchange([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
  }
}
