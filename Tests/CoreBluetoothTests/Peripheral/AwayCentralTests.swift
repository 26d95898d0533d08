import BluetoothHost
import Dispatch
import Foundation
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// A central, and a device whose manager has published the services `A000` and `B000` of four
/// attributes each. Their values are notified on an encrypted link.
private final class AwayStage: ManagerThread, @unchecked Sendable {
  let bench = AirBench(seed: 5)
  let central: Seat<DeviceRunner>
  let peripheral: Seat<LocalDevice>
  let recorder = PeripheralRecorder()
  /// The bonds of the peripheral, then those of the central.
  let bonds: [RadioBonds]
  private let queue = DispatchQueue(label: "delegates")
  /// The calls that wait for the devices' threads, in the same order.
  private let jobs: [Locked<[@Sendable (LocalDevice) -> Void]>]
  private(set) var manager: CBPeripheralManager!
  /// The published services, by their names.
  private(set) var services: [Character: CBMutableService] = [:]

  static let serviceChanged = handle(0x000A)
  static let address = SafeStage.address(1)

  init(bonds: [RadioBonds] = [RadioBonds(), RadioBonds()]) {
    bench.deadlineLimit = 200_000
    self.bonds = bonds
    peripheral = Seat(
      LocalDevice(address: .automatic(orRandom: .zero), bonds: bonds[0]), on: bench,
      bench.air.addController(address: Self.address))
    central = Seat(
      DeviceRunner(bonds: bonds[1]), on: bench,
      bench.air.addController(address: SafeStage.address(0)))
    jobs = [Locked([]), Locked([])]
    for (number, device) in devices.enumerated() {
      let jobs = jobs[number]
      device.pairing.perform = { job in jobs.withLock { $0.append(job) } }
    }
    manager = CBPeripheralManager(delegate: recorder, queue: queue, thread: self)
    queue.sync {}
    add("A")
    add("B")
    manager.startAdvertising([:])
    run(for: 100)
    _ = recorder.take()
  }

  private var devices: [LocalDevice] { [device, central.program.device] }

  // MARK: The manager's thread, which is the test's

  var device: LocalDevice { peripheral.program }

  func perform(_ body: @escaping @Sendable (LocalDevice) -> Void) -> Bool {
    device.run([body], at: bench.now)
    return true
  }

  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    body(.poweredOn)
    return self
  }

  func run(for milliseconds: UInt32, until isDone: () -> Bool = { false }) {
    #expect(throws: Never.self) {
      try bench.run(for: milliseconds) {
        DevicePairing.queue.sync {}
        for (device, jobs) in zip(devices, jobs) {
          let waiting = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
          }
          device.run(waiting, at: bench.now)
        }
        return isDone()
      }
    }
    queue.sync {}
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
    queue.sync {}
  }

  func remove(_ name: Character) {
    if let service = services.removeValue(forKey: name) { manager.remove(service) }
    queue.sync {}
  }

  /// Sends `value` to the centrals that subscribe to a service.
  func update(_ name: Character, _ value: UInt8) {
    guard let characteristic = services[name]?.characteristics?.first as? CBMutableCharacteristic
    else { return }
    #expect(manager.updateValue(Data([value]), for: characteristic, onSubscribedCentrals: nil))
    run(for: 500)
  }

  // MARK: The central

  /// Connects, and lets a link to a bonded peer be encrypted.
  func connect() -> LinkID {
    let link = central.program.central.connect(to: Self.address)
    for value in 0x01...0x80 as ClosedRange<UInt16> {
      central.program.central.listen(to: handle(value), on: link)
    }
    run(for: 5_000) { central.program.links.contains(link) }
    run(for: 1_000)
    return link
  }

  func disconnect(_ link: LinkID) {
    central.program.central.disconnect(link)
    run(for: 1_000)
  }

  func subscribe(_ configuration: UInt16, _ value: ClientConfiguration, on link: LinkID) {
    let range = AttributeHandleRange(start: handle(configuration), end: handle(configuration))
    let id = central.program.central.perform(.configure(range, value), on: link)
    run(for: 60_000) { central.program.outcomes[id] != nil }
    #expect(central.program.outcomes[id] == .success(.configured(range.start)))
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
    _ = central.program.takeEvents()
  }

  /// The values received since the last call.
  func takeNotified() -> [(handle: AttributeHandle, value: [UInt8])] {
    central.program.takeEvents().compactMap { event in
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
  let make: @Sendable (AwayStage) -> Void

  init(
    _ label: String, _ subscriptions: [String], _ stored: [ClientConfiguration],
    _ make: @escaping @Sendable (AwayStage) -> Void
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
  Change(
    "four services are added, and two removed", ["B001"], [.notification, .none, .none]
  ) {
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
  @Test("Subscriptions outside the change are restored", arguments: changes)
  fileprivate func restored(change: Change) {
    let stage = AwayStage()
    stage.visit()
    change.make(stage)
    #expect(stage.takeSubscriptions() == [])
    _ = stage.connect()
    expectRestored(change, on: stage)
  }

  @Test("They are restored if the device had been started again before the change")
  func restarted() {
    for change in changes {
      let first = AwayStage()
      first.visit()
      // No client has read the hash of the new device's database before the change.
      let stage = AwayStage(bonds: first.bonds)
      change.make(stage)
      _ = stage.connect()
      expectRestored(change, on: stage)
    }
  }

  private func expectRestored(
    _ change: Change, on stage: AwayStage, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let label = Comment(rawValue: change.testDescription)
    #expect(
      stage.takeSubscriptions() == change.subscriptions, label, sourceLocation: sourceLocation)
    let notified = stage.takeNotified()
    #expect(
      notified.map(\.handle) == [AwayStage.serviceChanged], label, sourceLocation: sourceLocation)
    #expect(
      notified.map(\.value) == [[1, 0, 0xFF, 0xFF]], label, sourceLocation: sourceLocation)
    for (number, name) in "ABC".enumerated() { stage.update(name, UInt8(number)) }
    let received = change.subscriptions.map { $0.hasPrefix("A") ? [0] : [1] as [UInt8] }
    #expect(
      stage.takeNotified().map(\.value) == received, label, sourceLocation: sourceLocation)
    let hash = stage.device.host.server.database.hash
    #expect(stage.record?.databaseHash == hash, label, sourceLocation: sourceLocation)
    #expect(stage.record?.isChangeAware == true, label, sourceLocation: sourceLocation)
    let stored = [.indication] + change.stored
    #expect(
      stored.indices.map { stage.record?.subscriptions[$0] } == stored, label,
      sourceLocation: sourceLocation)
    #expect(stage.record?.subscriptions[stored.count] == ClientConfiguration.none, label)
  }

  @Test("A second change while the central is away again keeps the rest again")
  func twice() {
    let stage = AwayStage()
    stage.visit()
    stage.add("C")
    let link = stage.connect()
    #expect(stage.takeSubscriptions() == ["A001", "B001"])
    stage.disconnect(link)
    _ = stage.recorder.take()
    stage.remove("A")
    _ = stage.connect()
    #expect(stage.takeSubscriptions() == ["B001"])
  }

  @Test("The same services, published again, restore all, and nothing has changed")
  func publishedAgain() {
    let stage = AwayStage()
    stage.visit()
    // An app does this whenever its radio is back.
    stage.remove("A")
    stage.remove("B")
    stage.add("A")
    stage.add("B")
    _ = stage.connect()
    #expect(stage.takeSubscriptions() == ["A001", "B001"])
    #expect(stage.takeNotified().isEmpty)
  }

  @Test("After more databases than the device remembers, Service Changed is left")
  func forgotten() {
    let stage = AwayStage()
    stage.visit()
    for number in 0..<17 { stage.add("C", kind: number % 10) }
    _ = stage.connect()
    #expect(stage.takeSubscriptions() == [])
    #expect(stage.takeNotified().map(\.handle) == [AwayStage.serviceChanged])
  }
}
