import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("CBPeripheralManager: services")
struct PeripheralServiceTests {
  private let it = Published()

  private func service(
    _ uuid: String, _ characteristics: [CBMutableCharacteristic]? = nil, primary: Bool = true
  ) -> CBMutableService {
    let service = CBMutableService(type: CBUUID(string: uuid), primary: primary)
    service.characteristics = characteristics
    return service
  }

  private func value(
    _ uuid: String = "B001", _ properties: CBCharacteristicProperties = .read,
    _ permissions: CBAttributePermissions = .readable, fixed: Data? = nil
  ) -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: CBUUID(string: uuid), properties: properties, value: fixed, permissions: permissions)
  }

  private func add(_ service: CBMutableService) -> [String] {
    it.manager.add(service)
    it.radio.settle()
    return it.recorder.take()
  }

  /// Entries of 6 bytes: first handle, last handle, UUID.
  private func services() -> [[UInt8]] {
    var entries: [[UInt8]] = []
    var start: [UInt8] = [0x01, 0x00]
    while let response = it.radio.exchange([0x10] + start + [0xFF, 0xFF, 0x00, 0x28]).first,
      response[0] == 0x11
    {
      for index in stride(from: 2, to: response.count, by: 6) {
        entries.append(Array(response[index..<index + 6]))
        start = little(UInt16(response[index + 2]) + UInt16(response[index + 3]) << 8 + 1)
      }
    }
    return entries
  }

  private let base: [[UInt8]] = [[0x01, 0, 0x07, 0, 0x00, 0x18], [0x08, 0, 0x0F, 0, 0x01, 0x18]]

  @Test("GAP and GATT always exist, and added services follow them")
  func added() {
    it.radio.connect()
    expect(services(), is: base + [[0x10, 0, 0x19, 0, 0x00, 0xA0]])
    // Types from 0x0010 on, with an MTU of 23: five at a time.
    it.radio.exchange(
      [0x04, 0x10, 0x00, 0x14, 0x00],
      gives: [
        0x05, 1, 0x10, 0, 0x00, 0x28, 0x11, 0, 0x03, 0x28, 0x12, 0, 0x01, 0xA0, 0x13, 0, 0x02,
        0x29, 0x14, 0, 0x03, 0x28,
      ])
    // Read 0x02 | write without response 0x04 | write 0x08 | notify 0x10
    it.radio.exchange([0x0A, 0x11, 0x00], gives: [0x0B, 0x1E, 0x12, 0x00, 0x01, 0xA0])
  }

  @Test(
    "Services are added and removed: Service Changed is sent, and the last handles are used again")
  func comeAndGo() {
    it.radio.connect()
    it.radio.exchange([0x12, 0x0B, 0x00, 2, 0], gives: [0x13])
    it.radio.forget()
    let other = service("B000", [value()])
    expect(add(other), is: ["added B000"])
    expect(it.radio.sent(), is: [serviceChanged(0x001A, 0x001C)])
    expect(it.radio.exchange([0x1E]), is: [])

    it.remove(it.service)
    expect(it.radio.sent().last, is: serviceChanged(0x0010, 0x0019))
    expect(it.radio.exchange([0x1E]), is: [])
    expect(services(), is: base + [[0x1A, 0, 0x1C, 0, 0x00, 0xB0]])
    it.radio.exchange([0x0A, 0x15, 0x00], gives: attError(0x0A, 0x15, 0x01))
    // The same objects make a new service after the last.
    expect(add(it.service), is: ["added A000"])
    expect(it.radio.exchange([0x1E]), is: [])
    expect(
      services(), is: base + [[0x1A, 0, 0x1C, 0, 0x00, 0xB0], [0x1D, 0, 0x26, 0, 0x00, 0xA0]])

    it.manager.removeAllServices()
    it.radio.settle()
    expect(it.radio.sent().last, is: serviceChanged(0x001A, 0x0026))
    expect(it.radio.exchange([0x1E]), is: [])
    expect(services(), is: base)
    expect(add(other), is: ["added B000"])
    expect(services().last, is: [0x10, 0, 0x12, 0, 0x00, 0xB0])
  }

  @Test("The Database Hash depends on the services, and is computed when it is read")
  func hash() {
    var knownHash: DatabaseHash? { it.radio.device.host.server.database.knownHash }
    it.radio.connect()
    let read: [UInt8] = [0x0A, 0x0F, 0x00]
    expect(knownHash, is: nil)
    let before = it.radio.exchange(read)
    expect(knownHash != nil)
    it.remove(it.service)
    expect(knownHash, is: nil)
    let without = it.radio.exchange(read)
    expect(before != without && without.first?.count == 17)
    expect(add(it.service), is: ["added A000"])
    expect(knownHash, is: nil)
    expect(it.radio.exchange(read), is: before)
  }

  @Test("A service includes services added before it, until they are removed")
  func included() {
    let inner = service("B000", [value()], primary: false)
    let outer = service("C000")
    outer.includedServices = [inner]
    expect(add(outer), is: ["added C000: CBError.invalidParameters"])
    expect(add(inner), is: ["added B000"])  // 0x001A to 0x001C
    expect(add(outer), is: ["added C000"])  // 0x001D and 0x001E
    it.radio.connect()
    expect(services().last, is: [0x1D, 0, 0x1E, 0, 0x00, 0xC0])
    it.radio.exchange(
      [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x02, 0x28],
      gives: [0x09, 8, 0x1E, 0x00, 0x1A, 0x00, 0x1C, 0x00, 0x00, 0xB0])
    it.remove(inner)
    it.radio.exchange(
      [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x02, 0x28], gives: attError(0x08, 0x01, 0x0A))
  }

  @Test("A removed service is released with its characteristics")
  func released() {
    weak var gone: CBMutableCharacteristic?
    do {
      let value = value()
      let service = service("B000", [value])
      gone = value
      expect(add(service), is: ["added B000"])
      it.remove(service)
    }
    expect(gone, is: nil)
  }

  @Test("A service keeps the handle of a removed include: the next service begins after it")
  func includeAtTheEnd() {
    let (inner, outer, next) = (service("B000"), service("C000"), service("D000"))
    outer.includedServices = [inner]
    expect(add(inner), is: ["added B000"])  // 0x001A
    expect(add(outer), is: ["added C000"])  // 0x001B and 0x001C
    it.manager.remove(inner)
    expect(add(next), is: ["added D000"])
    it.radio.connect()
    expect(
      services().suffix(2), is: [[0x1B, 0, 0x1C, 0, 0x00, 0xC0], [0x1D, 0, 0x1D, 0, 0x00, 0xD0]])
    it.remove(outer)
    expect(services().last, is: [0x1D, 0, 0x1D, 0, 0x00, 0xD0])
  }

  @Test("The handle of a removed include is not part of a gap")
  func includeInGap() {
    let (inner, outer, gone) = (service("B000"), service("C000"), service("D000", [value()]))
    outer.includedServices = [inner]
    let filler = service("E000", (0..<32_751).map { _ in value() })
    expect(add(inner), is: ["added B000"])  // 0x001A
    expect(add(outer), is: ["added C000"])  // 0x001B and 0x001C
    expect(add(gone), is: ["added D000"])  // 0x001D to 0x001F
    // 0x1F = 31 are taken. 1 + 2 × 32,751 = 65,503 more are 65,534.
    expect(add(filler), is: ["added E000"])
    it.manager.remove(inner)
    it.manager.remove(gone)
    // A service with four attributes, and three handles are free.
    let new = service("F000", [value("F001", .notify, [])])
    expect(add(new), is: ["added F000: CBError.outOfSpace"])
    new.characteristics = [value("F001")]
    expect(add(new), is: ["added F000"])
    it.radio.connect()
    expect(
      services().dropFirst(3).prefix(2),
      is: [[0x1B, 0, 0x1C, 0, 0x00, 0xC0], [0x1D, 0, 0x1F, 0, 0x00, 0xF0]])
  }

  @Test("A change after a service was added has no effect")
  func copied() {
    it.service.characteristics = []
    it.text.permissions = []
    it.recorder.onRead = { manager, request in manager.respond(to: request, withResult: .success) }
    it.radio.connect()
    it.radio.exchange([0x0A, 0x12, 0x00], gives: [0x0B])
  }

  @Test("What is changed before a service is added is what centrals see")
  func changedBefore() {
    let value = value()
    let service = service("B000", [value])
    value.properties = [.read, .write]
    value.value = nil
    value.permissions = .writeable
    value.descriptors = [CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Name")]
    expect(add(service), is: ["added B000"])
    it.radio.connect()
    // 0x001A service, 0x001B declaration, 0x001C value, 0x001D description.
    it.radio.exchange([0x0A, 0x1B, 0x00], gives: [0x0B, 0x0A, 0x1C, 0x00, 0x01, 0xB0])
    it.radio.exchange([0x0A, 0x1C, 0x00], gives: attError(0x0A, 0x1C, 0x02))
    it.radio.exchange([0x0A, 0x1D, 0x00], gives: [0x0B] + Array("Name".utf8))
    expect(value.properties == [.read, .write] && value.descriptors?.count == 1)
  }

  @Test("A malformed service is not added, and nothing else changes")
  func malformed() {
    expect(add(it.service), is: ["added A000: CBError.invalidParameters"])  // twice
    for uuid in ["1800", "1801"] {
      expect(add(service(uuid)), is: ["added \(uuid): CBError.uuidNotAllowed"])
    }
    func described(_ type: String, _ values: Any?...) -> [CBMutableCharacteristic] {
      let described = value()
      described.descriptors = values.map {
        CBMutableDescriptor(type: CBUUID(string: type), value: $0)
      }
      return [described]
    }
    let twice = value()
    let rows: [[CBMutableCharacteristic]] = [
      [it.text],  // in two services
      [value("B001", [.read, .broadcast])], [value("B001", [.read, .extendedProperties])],
      [value("B001", [.read, .write], fixed: Data([1]))],
      [value("B001", .read, .writeable, fixed: Data([1]))],
      [value(fixed: Data(repeating: 0, count: 513))], [twice, twice],
      described("2902", Data([0, 0])), described("2901", Data([0])), described("2904", "text"),
      described("2904", nil), described("2901", String(repeating: "n", count: 513)),
      described("2904", Data([4]), Data([4])),
    ]
    for (index, row) in rows.enumerated() {
      expect(
        add(service("B000", row)), is: ["added B000: CBError.invalidParameters"], "row \(index)")
    }
    it.radio.connect()
    expect(services(), is: base + [[0x10, 0, 0x19, 0, 0x00, 0xA0]])
  }

  @Test("At most 128 values can be subscribed to, including Service Changed")
  func slots() {
    // The published service uses two, Service Changed one.
    let many = (0..<125).map { _ in value("B001", .notify, []) }
    expect(add(service("B000", many)), is: ["added B000"])
    let more = service("C000", [value("C001", .notify, [])])
    expect(add(more), is: ["added C000: CBError.outOfSpace"])
    it.remove(it.service)
    expect(add(more), is: ["added C000"])
  }

  @Test("A released manager removes its services; centrals that wait for a value are refused")
  func managerGone() {
    var (manager, log) = it.another() as (CBPeripheralManager?, Log)
    it.add(to: manager)
    it.radio.connect()
    expect(it.radio.exchange([0x0A, 0x1C, 0x00]), is: [])
    manager = nil
    it.radio.settle()
    expect(it.radio.sent(), is: [attError(0x0A, 0x1C, 0x01)])
    expect(services(), is: base + [[0x10, 0, 0x19, 0, 0x00, 0xA0]])
    withExtendedLifetime(log) {}
  }

  @Test("A service of another manager, or one that was not added, is not removed")
  func notMine() {
    let (manager, _) = it.another()
    manager.remove(it.service)
    manager.removeAllServices()
    it.manager.remove(service("B000"))
    it.radio.settle()
    it.radio.connect()
    expect(services(), is: base + [[0x10, 0, 0x19, 0, 0x00, 0xA0]])
  }
}
