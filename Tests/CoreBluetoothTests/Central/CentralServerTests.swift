import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// The operations on a connected peripheral that has an attribute of each kind.
@Suite("A manager's peripheral")
struct CentralServerTests {
  private let scene = Scene()
  private let log = Log()
  private let manager: CBCentralManager
  private let bench: Scene.Bench
  private let peripheral: CBPeripheral
  private var engine: CentralEngine { scene.radio.device.central }

  init() throws {
    bench = try scene.addBench()
    (manager, peripheral) = scene.manager(log, connectedTo: 0xBE)
  }

  /// Discovers the characteristics of the bench's service.
  private func characteristics() throws -> [CBCharacteristic] {
    defer { _ = log.take() }
    return try scene.characteristics(of: peripheral)
  }

  @Test("discovers services by UUID, in several steps, and keeps its objects")
  func services() throws {
    let (bench, other, absent) = (CBUUID(.bench), CBUUID(string: "FF10"), CBUUID(string: "180D"))
    peripheral.discoverServices([other, absent, other])
    expect(scene.take(log), is: ["services [\"FF10\"]"])
    let first = try #require(peripheral.services?.first)
    peripheral.discoverServices([bench])
    expect(scene.take(log), is: ["services [\"\(bench)\", \"FF10\"]"])
    expect(peripheral.services?.last === first)
    peripheral.discoverServices([])
    expect(scene.take(log), is: ["services [\"\(bench)\", \"FF10\"]"])
    expect(peripheral.services?.last === first)
    expect(first.peripheral === peripheral)
    expect(first.isPrimary)
    expect(first.characteristics, is: nil)
  }

  @Test("discovers included services, characteristics and descriptors")
  func details() throws {
    let uuid = CBUUID(.bench)
    peripheral.discoverServices([uuid])
    scene.settle()
    let service = try #require(peripheral.services?.first)
    peripheral.discoverIncludedServices(nil, for: service)
    peripheral.discoverCharacteristics([CBUUID(string: "FF02")], for: service)
    scene.settle()
    let some = try #require(service.characteristics?.first)
    peripheral.discoverCharacteristics([CBUUID(string: "FF03")], for: service)
    peripheral.discoverCharacteristics(nil, for: service)
    expect(
      scene.take(log),
      is: [
        "services [\"\(uuid)\"]", "included [\"180F secondary\"]", "characteristics [\"FF02\"]",
        "characteristics [\"FF02\", \"FF03\"]",
        "characteristics [\"FF01\", \"FF02\", \"FF03\", \"FF04\", \"FF06\"]",
      ])
    expect(service.characteristics?[1] === some)
    expect(some.service === service)
    expect(!some.isBroadcasted)
    expect(
      service.characteristics?.map(\.properties),
      is: [
        [.read, .write, .writeWithoutResponse, .notify, .indicate], .indicate, .write, .notify,
        .read,
      ])
    let text = try #require(service.characteristics?.first)
    let last = try #require(service.characteristics?.last)
    peripheral.discoverDescriptors(for: text)
    peripheral.discoverDescriptors(for: last)
    expect(
      scene.take(log),
      is: ["descriptors [\"2902\", \"2901\", \"2904\", \"2900\"]", "descriptors []"])
    let descriptors = try #require(text.descriptors)
    peripheral.discoverDescriptors(for: text)
    scene.settle()
    expect(text.descriptors?.count, is: 4)
    expect(zip(descriptors, text.descriptors ?? []).allSatisfy { $0 === $1 })
    _ = log.take()
    for descriptor in descriptors { peripheral.readValue(for: descriptor) }
    expect(
      scene.take(log),
      is: [
        "descriptor 2902 0", "descriptor 2901 Text", "descriptor 2904 7 bytes", "descriptor 2900 1",
      ])
    // The characteristics of a service that is only included can be discovered, too.
    let included = try #require(service.includedServices?.first)
    peripheral.discoverCharacteristics(nil, for: included)
    expect(scene.take(log), is: ["characteristics [\"2A19\"]"])
    expect(peripheral.services?.contains(included), is: false)
  }

  @Test("reads and writes values of any length up to 512 bytes")
  func values() throws {
    let text = try characteristics()[0]
    peripheral.readValue(for: text)
    expect(scene.take(log), is: ["value FF01 text"])
    for count in [0, 1, 514 - 2, 513] {
      peripheral.writeValue(Data(repeating: 0x61, count: count), for: text, type: .withResponse)
    }
    peripheral.readValue(for: text)
    expect(
      scene.take(log),
      is: [
        "wrote FF01", "wrote FF01", "wrote FF01", "wrote FF01: CBATTError 0xd",
        "value FF01 \(String(repeating: "a", count: 512))",
      ])
    expect(bench.host.server.application.written.map(\.count), is: [0, 1, 512])
  }

  @Test("reports the peripheral's errors, and keeps the last value")
  func errors() throws {
    let all = try characteristics()
    peripheral.readValue(for: all[0])
    scene.settle()
    bench.host.server.application.refusal = ATTErrorCode(rawValue: 0x80)
    peripheral.readValue(for: all[0])
    peripheral.writeValue(Data([1]), for: all[0], type: .withResponse)
    peripheral.readValue(for: all[2])
    peripheral.writeValue(Data([1]), for: all[4], type: .withResponse)
    expect(
      scene.take(log),
      is: [
        "value FF01 text", "value FF01 text: CBATTError 0x80", "wrote FF01: CBATTError 0x80",
        "value FF03 -: CBATTError 0x2", "wrote FF06: CBATTError 0x3",
      ])
  }

  @Test("writes to descriptors, but not to client characteristic configurations")
  func descriptors() throws {
    let text = try characteristics()[0]
    peripheral.discoverDescriptors(for: text)
    _ = scene.take(log)
    let descriptors = try #require(text.descriptors)
    peripheral.writeValue(Data([1, 0]), for: descriptors[0])
    peripheral.writeValue(Data([1, 0]), for: descriptors[1])
    expect(scene.take(log), is: ["wrote descriptor 2901: CBATTError 0x3"])
    expect(bench.host.server.application.configurations, is: [])
  }

  @Test("subscribes with notifications if possible, otherwise with indications")
  func subscriptions() throws {
    let all = try characteristics()
    for characteristic in all.prefix(4) { peripheral.setNotifyValue(true, for: characteristic) }
    expect(
      scene.take(log),
      is: [
        "notifying FF01 true", "notifying FF02 true", "notifying FF03 false: CBATTError 0x6",
        "notifying FF04 false: CBATTError 0xa",
      ])
    expect(bench.host.server.application.configurations, is: [.notification, .indication])
    for (attribute, text) in [(ApplicationAttribute.text, "one"), (.level, "two")] {
      bench.host.server.application.update = (attribute, Array(text.utf8))
      scene.settle()
    }
    expect(log.take(), is: ["value FF01 one", "value FF02 two"])
    peripheral.setNotifyValue(false, for: all[0])
    peripheral.setNotifyValue(true, for: all[1])
    expect(scene.take(log), is: ["notifying FF01 false", "notifying FF02 true"])
    expect(
      bench.host.server.application.configurations,
      is: [.notification, .indication, .none, .indication])
  }

  @Test("a subscription right after the end of another receives its values")
  func subscribedAgain() throws {
    let text = try characteristics()[0]
    peripheral.setNotifyValue(true, for: text)
    _ = scene.take(log)
    peripheral.setNotifyValue(false, for: text)
    peripheral.setNotifyValue(true, for: text)
    expect(scene.take(log), is: ["notifying FF01 false", "notifying FF01 true"])
    bench.host.server.application.update = (.text, Array("more".utf8))
    expect(scene.take(log), is: ["value FF01 more"])
    // And the reverse: the last call counts.
    peripheral.setNotifyValue(true, for: text)
    peripheral.setNotifyValue(false, for: text)
    expect(scene.take(log), is: ["notifying FF01 true", "notifying FF01 false"])
    bench.host.server.application.update = (.text, Array("old".utf8))
    expect(scene.take(log), is: [])
  }

  @Test("a subscription that failed receives no values")
  func failedSubscription() throws {
    let text = try characteristics()[0]
    let link = try #require(engine.links.first)
    bench.controller.faults.losePacket(type: .acl)
    peripheral.setNotifyValue(true, for: text)
    scene.settle()
    engine.complete(try #require(link.active), on: link, .failure(.timedOut))
    engine.notified(handle(0x000B), [0x41].span, at: try #require(link.connectionIndex))
    scene.queue.sync {}
    expect(log.take(), is: ["notifying FF01 false: CBError.connectionTimeout"])
  }

  @Test("a value that comes while a subscription that never was is ended is not reported")
  func neverSubscribed() throws {
    let text = try characteristics()[0]
    bench.controller.faults.losePacket(type: .acl)
    peripheral.setNotifyValue(false, for: text)
    scene.settle()
    let index = try #require(engine.links.first?.connectionIndex)
    engine.notified(handle(0x000B), [1].span, at: index)
    expect(scene.take(log), is: [])
    expect(text.value, is: nil)
  }

  @Test("the end of a subscription that another manager still has is reported in order")
  func sharedSubscription() throws {
    let text = try characteristics()[0]
    let otherLog = Log()
    let (other, same) = scene.manager(otherLog, connectedTo: 0xBE)
    // 512 bytes at most, whatever the MTU.
    expect(same.maximumWriteValueLength(for: .withoutResponse), is: 512)
    expect(same.maximumWriteValueLength(for: .withResponse), is: 512)
    same.setNotifyValue(true, for: try scene.characteristics(of: same)[0])
    _ = scene.take(otherLog)
    peripheral.readValue(for: text)
    peripheral.setNotifyValue(true, for: text)
    peripheral.setNotifyValue(false, for: text)
    expect(scene.take(log), is: ["value FF01 text", "notifying FF01 true", "notifying FF01 false"])
    expect(!text.isNotifying)
    bench.host.server.application.update = (.text, Array("more".utf8))
    expect(scene.take(log), is: [])
    expect(otherLog.take(), is: ["value FF01 more"])
    withExtendedLifetime(other) {}
  }

  @Test("reports when values can be written without response, and sends each of them")
  func withoutResponse() throws {
    let all = try characteristics()
    expect(peripheral.canSendWriteWithoutResponse)
    for number in 0..<40 {
      peripheral.writeValue(Data([UInt8(number)]), for: all[0], type: .withoutResponse)
      expect(peripheral.canSendWriteWithoutResponse, is: number < 15)
    }
    peripheral.writeValue(Data(count: 512), for: all[0], type: .withoutResponse)
    // Too long, or to a characteristic without that property: neither is sent.
    peripheral.writeValue(Data(count: 513), for: all[0], type: .withoutResponse)
    peripheral.writeValue(Data([1]), for: all[2], type: .withoutResponse)
    expect(scene.take(log), is: ["ready to send"])
    expect(
      bench.host.server.application.written,
      is: (0..<40).map { [$0] } + [[UInt8](repeating: 0, count: 512)])
    expect(peripheral.canSendWriteWithoutResponse)
  }

  @Test("1,024 writes without response wait, further ones are dropped, and all are sent")
  func writes() throws {
    let text = try characteristics()[0]
    let values = (0..<1_030).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for value in values { peripheral.writeValue(Data(value), for: text, type: .withoutResponse) }
    scene.settle()
    expect(bench.host.server.application.written, is: Array(values.prefix(1_024)))
    expect(log.take(), is: ["ready to send"])
    expect(peripheral.canSendWriteWithoutResponse)
  }

  @Test("reports changed services, which have to be discovered again")
  func modified() throws {
    let all = try characteristics()
    peripheral.discoverServices(nil)
    peripheral.setNotifyValue(true, for: all[0])
    _ = scene.take(log)
    bench.host.server.databaseChanged(in: range(0x0008, 0x001B))
    expect(scene.take(log), is: ["modified [\"\(CBUUID(.bench))\"]"])
    expect(peripheral.services?.map(\.uuid.uuidString), is: ["FF10"])
    // The attributes of a changed service can no longer be used.
    peripheral.readValue(for: all[0])
    expect(scene.take(log), is: [])
    let again = try characteristics()
    expect(again[0] !== all[0])
    peripheral.readValue(for: again[0])
    expect(scene.take(log), is: ["value FF01 text"])
  }

  /// Symptom: characteristics without a service, until the link ended.
  @Test("a discovery fails if the services change meanwhile, and the next one finds everything")
  func overtaken() throws {
    let all = try characteristics()
    let service = try #require(all[0].service)
    // The change comes behind this one's response, which is on its way for a while.
    scene.radio.delay = 1
    peripheral.readValue(for: all[0])
    peripheral.discoverCharacteristics([CBUUID(string: "FF02")], for: service)
    peripheral.discoverIncludedServices(nil, for: service)
    peripheral.discoverDescriptors(for: all[0])
    bench.host.server.databaseChanged(in: range(0x0008, 0x001B))
    expect(
      scene.take(log, after: 1_000),
      is: [
        "value FF01 text", "modified [\"\(CBUUID(.bench))\"]",
        "characteristics [\"FF01\", \"FF02\", \"FF03\", \"FF04\", \"FF06\"]: CBATTError 0x1",
        "included []: CBATTError 0x1", "descriptors []: CBATTError 0x1",
      ])
    scene.radio.delay = 0
    expect(service.characteristics, is: all)
    expect(service.includedServices == nil && all[0].descriptors == nil)
    let again = try characteristics()
    let other = try #require(peripheral.services?.first { $0.uuid == service.uuid })
    expect(other !== service)
    expect(again.allSatisfy { $0.service === other })
    expect(again.allSatisfy { !all.contains($0) })
    peripheral.discoverIncludedServices(nil, for: other)
    peripheral.discoverDescriptors(for: again[0])
    scene.settle()
    expect(again[0].descriptors?.allSatisfy { $0.characteristic === again[0] }, is: true)
    expect(
      log.take(),
      is: ["included [\"180F secondary\"]", "descriptors [\"2902\", \"2901\", \"2904\", \"2900\"]"])
  }

  @Test("completes every operation with an error if the link ends")
  func linkEnds() throws {
    let all = try characteristics()
    bench.controller.faults.losePacket(type: .acl)
    peripheral.readValue(for: all[0])
    peripheral.discoverServices(nil)
    expect(scene.take(log), is: [])
    bench.host.disconnectAll()
    expect(
      scene.take(log),
      is: [
        "value FF01 -: CBError.peripheralDisconnected",
        "services [\"\(CBUUID(.bench))\"]: CBError.peripheralDisconnected",
        "disconnected Bench disconnected: CBError.peripheralDisconnected",
      ])
    // The attributes are no longer valid.
    peripheral.readValue(for: all[0])
    peripheral.readRSSI()
    expect(scene.take(log), is: [])
    expect(!peripheral.canSendWriteWithoutResponse)
    expect(peripheral.maximumWriteValueLength(for: .withoutResponse), is: 20)
  }

  @Test("completes every operation with an error if it is cancelled")
  func cancelled() throws {
    let all = try characteristics()
    bench.controller.faults.losePacket(type: .acl)
    peripheral.writeValue(Data([1]), for: all[0], type: .withResponse)
    peripheral.readRSSI()
    manager.cancelPeripheralConnection(peripheral)
    expect(
      scene.take(log),
      is: [
        "wrote FF01: CBError.operationCancelled", "rssi 127: CBError.operationCancelled",
        "disconnected Bench disconnected",
      ])
  }

  @Test("completes operations with an error after its radio was closed")
  func radioClosed() throws {
    let all = try characteristics()
    let other = try #require(
      manager.retrievePeripherals(withIdentifiers: [UUID(.numbered(0xBF))]).first)
    // The manager receives the end only after all calls.
    scene.queue.suspend()
    scene.close()
    peripheral.readValue(for: all[0])
    peripheral.writeValue(Data([1]), for: all[0], type: .withResponse)
    peripheral.setNotifyValue(true, for: all[0])
    peripheral.discoverServices(nil)
    peripheral.readRSSI()
    manager.connect(other)
    // It has its link, whose end is reported once.
    manager.connect(peripheral)
    scene.queue.resume()
    expect(
      scene.take(log),
      is: [
        "state poweredOff", "disconnected Bench disconnected: CBError.connectionFailed",
        "value FF01 -: CBError.notConnected", "wrote FF01: CBError.notConnected",
        "notifying FF01 false: CBError.notConnected", "services []: CBError.notConnected",
        "rssi 127: CBError.notConnected", "failed - disconnected: CBError.connectionFailed",
      ])
    expect(other.state, is: .disconnected)
  }

  @Test("an RSSI that the controller does not know is an error")
  func unknownRSSI() {
    scene.radio.controller.faults.refuse(.readRSSI, with: .commandDisallowed)
    peripheral.readRSSI()
    expect(scene.take(log), is: ["rssi 127: CBError.unknown"])
    expect(peripheral.rssi, is: nil)
  }

  @Test("a descriptor that is too short for its number is reported as bytes")
  func shortDescriptor() throws {
    let text = try characteristics()[0]
    peripheral.discoverDescriptors(for: text)
    _ = scene.take(log)
    let properties = try #require(text.descriptors?.last)
    bench.controller.faults.losePacket(type: .acl)
    peripheral.readValue(for: properties)
    scene.settle()
    let link = try #require(engine.links.first)
    engine.complete(try #require(link.active), on: link, .success(.value([1])))
    scene.queue.sync {}
    expect(properties.value as? Data, is: Data([1]))
  }

  @Test("a peripheral that does not respond is disconnected after 30 s")
  func silent() throws {
    let all = try characteristics()
    bench.controller.faults.losePacket(type: .acl)
    peripheral.readValue(for: all[0])
    scene.settle()
    // The passing of time alone reports what is due.
    scene.radio.device.advance(to: scene.now.advanced(by: 30_000))
    scene.queue.sync {}
    expect(log.take().first, is: "value FF01 -: CBError.connectionTimeout")
    expect(
      scene.take(log, after: 31_000),
      is: ["disconnected Bench disconnected: CBError.connectionTimeout"])
  }
}
