import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// Objects print as Apple's framework prints them.
@Suite("Descriptions")
struct PrintingTests {
  /// The description without the address, which differs in each run.
  private func text(_ object: NSObject) -> String {
    object.description.replacing(/: 0x[0-9a-f]+/, with: ": 0x…")
  }

  @Test("the objects of a peripheral")
  func remote() throws {
    let scene = Scene()
    let bench = try scene.addBench()
    let log = Log()
    let (manager, peripherals) = scene.manager(log, knowing: 0xBE)
    let peripheral = peripherals[0]
    expect(
      text(peripheral),
      is: "<CBPeripheral: 0x…, identifier = \(peripheral.identifier), name = (null), mtu = 0, "
        + "state = disconnected>")
    manager.connect(peripheral)
    scene.settle()
    expect(
      text(peripheral),
      is: "<CBPeripheral: 0x…, identifier = \(peripheral.identifier), name = Bench, mtu = 517, "
        + "state = connected>")
    peripheral.discoverServices(nil)
    scene.settle()
    let service = try #require(peripheral.services?.first { $0.uuid == CBUUID(.bench) })
    expect(
      text(service), is: "<CBService: 0x…, isPrimary = YES, UUID = \(CBUUID(.bench).uuidString)>")
    peripheral.discoverCharacteristics(nil, for: service)
    scene.settle()
    let text = try #require(service.characteristics?.first)
    let bits = String(text.properties.rawValue, radix: 16, uppercase: true)
    expect(
      self.text(text),
      is: "<CBCharacteristic: 0x…, UUID = FF01, properties = 0x\(bits), value = (null), "
        + "notifying = NO>")
    peripheral.readValue(for: text)
    peripheral.setNotifyValue(true, for: text)
    peripheral.discoverDescriptors(for: text)
    scene.settle()
    // The bench's value is "text": 74 65 78 74.
    expect(
      self.text(text),
      is: "<CBCharacteristic: 0x…, UUID = FF01, properties = 0x\(bits), "
        + "value = {length = 4, bytes = 0x74657874}, notifying = YES>")
    expect(
      self.text(try #require(text.descriptors?.first)),
      is: "<CBDescriptor: 0x…, UUID = Client Characteristic Configuration, value = (null)>")
    withExtendedLifetime(bench) {}
  }

  @Test("the objects of this device")
  func local() throws {
    let it = Published()
    it.recorder.answerReads { _ in Data([0x2A]) }
    it.radio.connect()
    it.radio.exchange([0x12, 0x13, 0x00, 1, 0], gives: [0x13])
    it.radio.exchange([0x0A, 0x12, 0x00], gives: [0x0B, 0x2A])
    let central = try #require(it.recorder.centrals.first)
    let printed = "<CBCentral: 0x… identifier = \(central.identifier), MTU = 20>"
    expect(text(central), is: printed)
    expect(
      text(try #require(it.recorder.requests.first)),
      is: "<CBATTRequest: 0x…, central = \(central.identifier), characteristic = A001, "
        + "offset = 0, value = {length = 1, bytes = 0x2a}>")
    // Read 0x02, write without response 0x04, write 0x08, notify 0x10; readable 1, writeable 2.
    expect(
      text(it.text),
      is: "<CBMutableCharacteristic: 0x… UUID = A001, Value = (null), Properties = 0x1E, "
        + "Permissions = 0x3, Descriptors = (null), SubscribedCentrals = (\n    \(printed)\n)>")
    let battery = CBMutableService(type: CBUUID(string: "180F"), primary: false)
    battery.characteristics = []
    expect(
      text(battery),
      is: "<CBMutableService: 0x… Primary = NO, UUID = Battery, Included Services = (null), "
        + "Characteristics = (\n)>")
    let long = CBMutableCharacteristic(
      type: CBUUID(string: "A001"), properties: .read, value: Data(0..<25), permissions: .readable)
    expect(
      long.description.contains(
        "Value = {length = 25, bytes = 0x0001020304050607 ... 1112131415161718}"))
  }
}
