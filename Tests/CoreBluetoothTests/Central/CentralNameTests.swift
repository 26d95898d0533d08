import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("Names of peripherals")
struct CentralNameTests {
  private let scene = Scene()
  private let log = Log()
  private let identifier = UUID(.numbered(0xBA))

  /// Symptom: no name, although the program had seen it before.
  @Test("a retrieved peripheral has the name that it advertised, with any manager of the radio")
  func advertised() throws {
    try scene.addBall()
    do {
      let log = Log()
      let manager = scene.manager(log)
      scene.settle()
      manager.scanForPeripherals(withServices: nil)
      scene.pass(1_000)
      expect(log.peripherals.map(\.name), is: ["Magic 8-Ball"])
    }
    let manager = scene.manager(log)
    scene.settle()
    expect(
      manager.retrievePeripherals(withIdentifiers: [identifier]).first?.name, is: "Magic 8-Ball")
  }

  @Test("a peripheral that the program has already gets the name that it advertises")
  func heardLater() throws {
    let (manager, peripherals) = scene.manager(log, knowing: 0xBA)
    expect(peripherals[0].name, is: nil)
    try scene.addBall()
    manager.scanForPeripherals(withServices: nil)
    scene.pass(1_000)
    expect(log.peripherals.first === peripherals[0])
    expect(peripherals[0].name, is: "Magic 8-Ball")
  }

  @Test("a retrieved peripheral has the name that was read over a link, and keeps it")
  func read() throws {
    try scene.addBall()
    var (manager, peripherals) = scene.manager(log, knowing: 0xBA)
    manager.connect(peripherals[0])
    scene.settle()
    manager.cancelPeripheralConnection(peripherals[0])
    scene.settle()
    peripherals = []
    scene.radio.device.central.names.withLock {
      $0.note(KnownName(text: "Ball in adverts", isRead: false), of: .numbered(0xBA))
    }
    let again = try #require(manager.retrievePeripherals(withIdentifiers: [identifier]).first)
    expect(again.name, is: "Magic 8-Ball")
    again.change { $0.heard(KnownName(text: "Ball in adverts", isRead: false)) }
    expect(again.name, is: "Magic 8-Ball")
  }

  @Test("an identifier is the same in every run, and ends with the address")
  func identifiers() {
    let address = DeviceAddress(kind: .random, bytes: [7, 6, 5, 4, 3, 0xC2])
    expect(UUID(address).uuidString, is: "424C4500-0000-8000-8001-C20304050607")
    expect(DeviceAddress(UUID(address)), is: address)
    // Addresses have the kinds 0 and 1.
    let other = UUID(uuidString: "424C4500-0000-8000-8002-C20304050607")
    expect(other.flatMap { DeviceAddress($0) }, is: nil)
  }

  @Test("1,024 names are remembered, and a new one replaces the oldest")
  func capacity() {
    var names = KnownNames()
    let addresses = (0..<1_025).map { number in
      DeviceAddress(kind: .public, bytes: [UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0])
    }
    for address in addresses.prefix(1_024) {
      names.note(KnownName(text: "first", isRead: false), of: address)
    }
    names.note(KnownName(text: "second", isRead: false), of: addresses[0])
    expect(names[addresses[0]]?.text, is: "second")
    names.note(KnownName(text: "new", isRead: false), of: addresses[1_024])
    expect(names[addresses[0]] == nil)
    expect(names[addresses[1]]?.text == "first" && names[addresses[1_024]]?.text == "new")
  }
}
