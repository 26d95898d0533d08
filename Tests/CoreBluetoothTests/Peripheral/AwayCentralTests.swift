import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// A central, and a device whose manager has published the services `A000` and `B000` of four
/// attributes each. Their values are notified on an encrypted link.
private final class AwayScene: Scene {
  private(set) var peripheral: Seat!
  let recorder = Log()
  /// The bonds of the peripheral, then those of the central.
  let bonds: [RadioBonds]
  private(set) var manager: CBPeripheralManager!
  /// The published services, by their names.
  private(set) var services: [Character: CBMutableService] = [:]
  var central: Seat { radio }

  static let serviceChanged = handle(0x000A)

  init(bonds: [RadioBonds] = [RadioBonds(), RadioBonds()]) {
    self.bonds = bonds
    super.init(radio: Seat(bonds: bonds[1], isRecorded: true), seed: 5)
    peripheral = add(Seat(bonds: bonds[0], state: .poweredOn), number: 0xBE)
    manager = CBPeripheralManager(delegate: recorder, queue: queue, radio: peripheral.radio)
    settle()
    add("A")
    add("B")
    manager.startAdvertising([:])
    run(for: 100)
    _ = recorder.take()
  }

  // MARK: Services

  /// Publishes a service: its declaration, a characteristic, its value and its configuration. Its
  /// UUID is `name` and `000`, and its value's `name` and `00` and `kind`.
  func add(_ name: Character, kind: Int = 1) {
    let service = CBMutableService(type: CBUUID(string: "\(name)000"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: "\(name)00\(kind)"), properties: .notifyEncryptionRequired, value: nil,
        permissions: [])
    ]
    services[name] = service
    manager.add(service)
    settle()
  }

  func remove(_ name: Character) {
    if let service = services.removeValue(forKey: name) { manager.remove(service) }
    settle()
  }

  /// Sends `value` to the centrals that subscribe to a service.
  func update(_ name: Character, _ value: UInt8) {
    guard let characteristic = services[name]?.characteristics?.first as? CBMutableCharacteristic
    else { return }
    expect(manager.updateValue(Data([value]), for: characteristic, onSubscribedCentrals: nil))
    run(for: 500)
  }

  // MARK: The central

  /// Connects, and lets a link to a bonded peer be encrypted.
  func connect() -> LinkID {
    let link = central.central.connect(to: .numbered(0xBE))
    for value in 0x01...0x80 as ClosedRange<UInt16> {
      central.central.listen(to: handle(value), on: link)
    }
    run(for: 5_000) { central.links.contains(link) }
    run(for: 1_000)
    return link
  }

  func subscribe(_ configuration: UInt16, _ value: ClientConfiguration, on link: LinkID) {
    expect(
      perform(.configure(range(configuration, configuration), value), on: link),
      is: .success(.configured(handle(configuration))))
  }

  /// The central bonds, subscribes to Service Changed and both values, and leaves.
  func visit() {
    let link = connect()
    // A comes first: the device encrypts for it.
    subscribe(0x0013, .notification, on: link)
    subscribe(0x0017, .notification, on: link)
    subscribe(0x000B, .indication, on: link)
    disconnect(link)
    _ = recorder.take()
    _ = central.takeEvents()
  }

  /// The values received since the last call.
  func takeNotified() -> [(handle: AttributeHandle, value: [UInt8])] {
    central.takeEvents().compactMap { event in
      if case .notified(_, let handle, let value) = event { (handle, value) } else { nil }
    }
  }

  /// The values to which the manager's delegate got a subscription since the last call.
  func takeSubscriptions() -> [String] {
    recorder.take().compactMap { line in
      guard line.contains("subscribed to") else { return nil }
      return line.split(separator: " ").first { $0.hasSuffix(",") }.map { String($0.dropLast()) }
    }
  }

  /// The record of the central in the peripheral's bond.
  var record: ClientRecord? { bonds[0].bond(at: 0)?.client }
}

/// What the device does while the central is away, the values to which the central subscribes when
/// it returns, and their configurations in the stored record, after that of Service Changed.
private struct Change: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let subscriptions: [String]
  let stored: [ClientConfiguration]
  let make: @Sendable (AwayScene) -> Void

  init(
    _ label: String, _ subscriptions: [String], _ stored: [ClientConfiguration],
    _ make: @escaping @Sendable (AwayScene) -> Void
  ) {
    testDescription = label
    self.subscriptions = subscriptions
    self.stored = stored
    self.make = make
  }
}

private let changes: [Change] = [
  Change("A is removed", ["B001"], [.notification]) { $0.remove("A") },
  Change("B is removed", ["A001"], [.notification]) { $0.remove("B") },
  Change("both are removed", [], []) {
    $0.remove("A")
    $0.remove("B")
  },
  Change("C is added", ["A001", "B001"], [.notification, .notification, .none]) { $0.add("C") },
  Change("C is added, with the slot of A", ["B001"], [.notification, .none]) {
    $0.remove("A")
    $0.add("C")
  },
  Change("B has another value at the same handle", ["A001"], [.notification, .none]) {
    $0.remove("B")
    $0.add("B", kind: 2)
  },
  Change("A moves behind B", ["B001"], [.notification, .none]) {
    $0.remove("A")
    $0.add("A")
  },
  Change("four services are added, and two removed", ["B001"], [.notification, .none, .none]) {
    for name in "CDEF" { $0.add(name) }
    for name in "ACE" { $0.remove(name) }
    $0.remove("F")
    $0.add("F")
  },
  Change("C comes and goes many times, then A is removed", ["B001"], [.notification]) {
    for _ in 0..<40 {
      $0.add("C")
      $0.remove("C")
    }
    $0.remove("A")
  },
]

/// Core Specification, Vol 3, Part G, 2.5.2 and 3.3.3.3.
@Suite("Services that change while a bonded central is away")
struct AwayCentralTests {
  // Symptom: the central had only its subscription to Service Changed.
  @Test(
    "Subscriptions outside the change are restored, also by a device that was started again",
    arguments: changes, [false, true])
  fileprivate func restored(change: Change, isRestarted: Bool) {
    var scene = AwayScene()
    scene.visit()
    // No client has read the hash of the new device's database before the change.
    if isRestarted { scene = AwayScene(bonds: scene.bonds) }
    change.make(scene)
    expect(scene.takeSubscriptions(), is: [])
    _ = scene.connect()
    expect(scene.takeSubscriptions(), is: change.subscriptions)
    let notified = scene.takeNotified()
    expect(notified.map(\.handle), is: [AwayScene.serviceChanged])
    expect(notified.map(\.value), is: [[1, 0, 0xFF, 0xFF]])
    for (number, name) in "ABC".enumerated() { scene.update(name, UInt8(number)) }
    let received = change.subscriptions.map { $0.hasPrefix("A") ? [0] : [1] as [UInt8] }
    expect(scene.takeNotified().map(\.value), is: received)
    expect(scene.record?.databaseHash, is: scene.peripheral.device.host.server.database.hash)
    expect(scene.record?.isChangeAware, is: true)
    let stored = [.indication] + change.stored
    expect(stored.indices.map { scene.record?.subscriptions[$0] }, is: stored)
    expect(scene.record?.subscriptions[stored.count], is: ClientConfiguration.none)
  }

  @Test("A second change while the central is away again keeps the rest again")
  func twice() {
    let scene = AwayScene()
    scene.visit()
    scene.add("C")
    let link = scene.connect()
    expect(scene.takeSubscriptions(), is: ["A001", "B001"])
    scene.disconnect(link)
    _ = scene.recorder.take()
    scene.remove("A")
    _ = scene.connect()
    expect(scene.takeSubscriptions(), is: ["B001"])
  }

  @Test("The same services, published again, restore all, and nothing has changed")
  func publishedAgain() {
    let scene = AwayScene()
    scene.visit()
    // An app does this whenever its radio is back.
    scene.remove("A")
    scene.remove("B")
    scene.add("A")
    scene.add("B")
    _ = scene.connect()
    expect(scene.takeSubscriptions(), is: ["A001", "B001"])
    expect(scene.takeNotified().isEmpty)
  }

  @Test("After more databases than the device remembers, Service Changed is left")
  func forgotten() {
    let scene = AwayScene()
    scene.visit()
    for number in 0..<17 { scene.add("C", kind: number % 10) }
    _ = scene.connect()
    expect(scene.takeSubscriptions(), is: [])
    expect(scene.takeNotified().map(\.handle), is: [AwayScene.serviceChanged])
  }
}
