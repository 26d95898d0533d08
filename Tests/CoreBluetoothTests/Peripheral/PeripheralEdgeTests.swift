import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("CBPeripheralManager: permissions, limits and misuse")
struct PeripheralEdgeTests {
  private let it = Published()

  @Test("the attributes that every device has, by handle")
  func base() {
    it.stage.connect()
    // Vol 3, Part C, 12.2 and 12.4: unknown appearance, and addresses are resolved. Part G, 7.1 and
    // 7.2: Service Changed has a configuration and is not read; no feature.
    it.stage.expect([0x0A, 0x05, 0x00], gives: [0x0B, 0x00, 0x00])
    it.stage.expect([0x0A, 0x07, 0x00], gives: [0x0B, 0x01])
    it.stage.expect([0x0A, 0x0A, 0x00], gives: attError(0x0A, 0x0A, 0x02))
    it.stage.expect([0x0A, 0x0B, 0x00], gives: [0x0B, 0x00, 0x00])
    it.stage.expect([0x0A, 0x0D, 0x00], gives: [0x0B, 0x00])
    #expect(it.recorder.take() == [])
  }

  @Test("services can have every handle up to 0xFFFF")
  func allHandles() {
    var database = DynamicDatabase()
    // The device's own services have 15.
    let count = 0xFFFF - 15
    #expect(
      database.add(count: count) { _ in Array(repeating: .vacant, count: count) }
        == range(0x0010, 0xFFFF))
    #expect(database.add(count: 1) { _ in [.vacant] } == nil)
    // No value of an application is there.
    for number in [0, 0x0010, 0xFFFF] as [UInt16] {
      #expect(database.location(of: ApplicationAttribute(rawValue: number)).handle == .none)
    }
    #expect(DynamicDatabase().location(of: ApplicationAttribute(rawValue: 16)).handle == .none)
  }

  @Test("the removal of a service returns the handles at which others included it")
  func removedIncludes() {
    var database = DynamicDatabase()
    let included = database.add(count: 1) { _ in [.primaryService(BluetoothUUID(0xFF01))] }
    #expect(included == range(0x0010, 0x0010))
    _ = database.add(count: 2) { _ in
      [.primaryService(BluetoothUUID(0xFF02)), .include(serviceAt: handle(0x0010))]
    }
    #expect(database.remove(range(0x0010, 0x0010)) == [handle(0x0012)])
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
    it.recorder.onRead = { manager, request in
      request.value = Data([5])
      manager.respond(to: request, withResult: .success)
    }
    it.recorder.onWrite = { manager, requests in
      manager.respond(to: requests[0], withResult: .success)
    }
    it.stage.connect()
    for (label, properties, permissions, value, readError, writeError) in rows {
      let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
      service.characteristics = [
        CBMutableCharacteristic(
          type: CBUUID(string: "B001"), properties: properties, value: value,
          permissions: permissions)
      ]
      it.manager.add(service)
      it.stage.settle()
      _ = it.recorder.take()
      // 0x001A service, 0x001B declaration, 0x001C value.
      let read = it.stage.exchange([0x0A, 0x1C, 0x00])
      #expect(read == [readError.map { attError(0x0A, 0x1C, $0) } ?? [0x0B, 5]], "\(label)")
      let write = it.stage.exchange([0x12, 0x1C, 0x00, 7])
      #expect(write == [writeError.map { attError(0x12, 0x1C, $0) } ?? [0x13]], "\(label)")
      // A prepared write is checked at once.
      let part = it.stage.exchange([0x16, 0x1C, 0x00, 0, 0, 7])
      #expect(
        part == [writeError.map { attError(0x16, 0x1C, $0) } ?? [0x17, 0x1C, 0x00, 0, 0, 7]],
        "\(label)")
      _ = it.stage.exchange([0x18, 0x00])
      let calls = (readError == nil && value == nil ? 1 : 0) + (writeError == nil ? 1 : 0)
      #expect(it.recorder.take().count == calls, "\(label)")
      it.manager.remove(service)
      it.stage.settle()
    }
  }

  @Test("a value is read from offsets up to 512", arguments: [511, 512, 513])
  func offsets(offset: UInt16) {
    it.recorder.onRead = { manager, request in
      request.value = request.offset == 512 ? Data() : Data([5])
      manager.respond(to: request, withResult: .success)
    }
    it.stage.connect()
    let response = it.stage.exchange([0x0C, 0x12, 0x00] + little(offset))
    let expected =
      [511: [0x0D, 5], 512: [0x0D], 513: attError(0x0C, 0x12, 0x07)] as [UInt16: [UInt8]]
    #expect(response == expected[offset].map { [$0] })
    #expect(
      it.recorder.take() == (offset > 512 ? [] : ["40 reads A001 from \(offset)"]))
  }

  @Test("calls without power change nothing that lasts")
  func poweredOff() throws {
    it.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Name"])
    it.manager.publishL2CAPChannel(withEncryption: false)
    it.stage.connect()
    it.stage.expect([0x12, 0x13, 0x00, 1, 0], gives: [0x13])
    let central = try #require(it.recorder.centrals.first)
    #expect(it.stage.exchange([0x0A, 0x12, 0x00]) == [])
    let request = try #require(it.recorder.requests.first)
    it.stage.change(to: .poweredOff)
    _ = it.recorder.take()
    it.stage.forget()
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
          #expect(
            !it.manager.updateValue(Data([1]), for: it.text, onSubscribedCentrals: nil))
        }
      ),
    ]
    for (label, call) in calls {
      call()
      it.stage.settle()
      #expect(it.recorder.take() == [], "\(label)")
      #expect(it.stage.commands.isEmpty, "\(label)")
      #expect(it.stage.sent().isEmpty && it.stage.signals(0x40).isEmpty, "\(label)")
      #expect(it.manager.isAdvertising, "\(label)")
    }
    it.stage.change(to: .poweredOn)
    // The request still has no response, and the service is still there.
    request.value = Data([7])
    it.manager.respond(to: request, withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent() == [[0x0B, 7]])
    it.stage.expect([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
  }
}
