import BluetoothHost
import Foundation
import LinuxRadio
import Testing

@testable import CoreBluetooth

/// Something that threads put values into and a test takes out, in their order.
final class Inbox<Value: Sendable>: @unchecked Sendable {
  private let values = Locked([Value]())
  private let count = DispatchSemaphore(value: 0)

  func put(_ value: Value) {
    values.withLock { $0.append(value) }
    count.signal()
  }

  /// The next value. A minute is more than anything takes that does not hang.
  func take(sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
    try #require(
      count.wait(timeout: .now() + 60) == .success, "nothing came",
      sourceLocation: sourceLocation)
    return values.withLock { $0.removeFirst() }
  }

  var isEmpty: Bool { values.withLock(\.isEmpty) }

  /// Takes values up to the first that `isMeant`.
  func take(
    until isMeant: (Value) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    while try !isMeant(take(sourceLocation: sourceLocation)) {}
  }
}

/// The thread and the controller behind managers.
struct RadioTests {
  private func radio(at path: AirPath) -> CBRadio {
    CBRadio(RadioEngine(.virtual, airPath: path.text, stopsWhenUnused: true))
  }

  private func observe(_ radio: CBRadio) -> (Inbox<CBManagerState>, CBRadio.Observation) {
    let states = Inbox<CBManagerState>()
    return (states, radio.observeState { states.put($0) })
  }

  @Test func jobsRunInTheirOrderOnOneThreadOfTheRadio() throws {
    let path = AirPath()
    let radio = radio(at: path)
    let inbox = Inbox<(Int, ObjectIdentifier)>()
    for number in 0..<1_000 {
      radio.perform { _, _ in inbox.put((number, ObjectIdentifier(Thread.current))) }
    }
    var threads: Set<ObjectIdentifier> = []
    for number in 0..<1_000 {
      let (next, thread) = try inbox.take()
      #expect(next == number)
      threads.insert(thread)
    }
    #expect(threads.count == 1)
    #expect(!threads.contains(ObjectIdentifier(Thread.current)))
    radio.close()
  }

  @Test func itsStateIsToldAtOnceAndAtEachChange() throws {
    let path = AirPath()
    let radio = radio(at: path)
    let (states, observation) = observe(radio)
    #expect(try states.take() == .unknown)
    #expect(try states.take() == .poweredOn)
    // Who comes later is told where things stand.
    let (later, other) = observe(radio)
    #expect(try later.take() == .poweredOn)
    other.cancel()

    radio.close()
    #expect(try states.take() == .poweredOff)
    observation.cancel()
  }

  @Test func aClosedRadioStaysClosed() throws {
    let path = AirPath()
    let radio = radio(at: path)
    let (states, observation) = observe(radio)
    try states.take { $0 == .poweredOn }
    radio.close()
    radio.close()
    #expect(!path.exists, "the air is hosted no more")
    let (later, other) = observe(radio)
    #expect(try later.take() == .poweredOff)
    let isTaken = radio.perform { _, _ in Issue.record("a closed radio works") }
    #expect(!isTaken)
    #expect(radio.engine.waitForEnd(seconds: 60))
    _ = (observation, other)
  }

  @Test func itIsFreedWithItsLastManagerAndServesTheNext() throws {
    let path = AirPath()
    let radio = radio(at: path)
    for _ in 0..<3 {
      let (states, observation) = observe(radio)
      let (others, other) = observe(radio)
      try states.take { $0 == .poweredOn }
      try others.take { $0 == .poweredOn }
      observation.cancel()
      radio.perform { _, _ in others.put(.unsupported) }
      // There still is one that uses it.
      #expect(try others.take() == .unsupported)
      #expect(path.exists)
      other.cancel()
      #expect(radio.engine.waitForEnd(seconds: 60))
      #expect(!path.exists)
    }
  }

  /// Symptom: the adapter was kept from the kernel for as long as the radio lived.
  @Test func itIsFreedAlsoWhenAJobComesAsTheLastManagerGoes() throws {
    let path = AirPath()
    let radio = radio(at: path)
    let (states, observation) = observe(radio)
    try states.take { $0 == .poweredOn }
    radio.perform { _, _ in
      observation.cancel()
      radio.perform { _, _ in }
    }
    #expect(radio.engine.waitForEnd(seconds: 60))
    #expect(!path.exists)
  }

  @Test func whatWasAskedForBeforeItIsClosedIsDone() throws {
    let path = AirPath()
    let radio = radio(at: path)
    let inbox = Inbox<Int>()
    radio.perform { _, _ in
      for number in 0..<100 { radio.perform { _, _ in inbox.put(number) } }
      radio.close()
      radio.perform { _, _ in inbox.put(-1) }
    }
    #expect(radio.engine.waitForEnd(seconds: 60))
    for number in 0..<100 { #expect(try inbox.take() == number) }
    #expect(inbox.isEmpty)
  }

  /// Symptom: a controller that waited for hundreds of jobs was taken for dead.
  @Test func itsControllerIsServedBetweenJobs() throws {
    let path = AirPath()
    let radio = radio(at: path)
    let inbox = Inbox<String>()
    let observation = radio.observeState { state in
      if state == .poweredOn { inbox.put("ready") }
    }
    radio.perform { _, _ in
      for _ in 0..<10_000 { radio.perform { _, _ in } }
      radio.perform { _, _ in inbox.put("done") }
    }
    #expect(try inbox.take() == "ready")
    #expect(try inbox.take() == "done")
    radio.close()
    _ = observation
  }

  @Test func itEndsWhenNobodyHasIt() throws {
    let path = AirPath()
    var radio: CBRadio? = radio(at: path)
    let engine = try #require(radio?.engine)
    let inbox = Inbox<Int>()
    radio?.perform { _, _ in inbox.put(1) }
    #expect(try inbox.take() == 1)
    radio = nil
    #expect(engine.waitForEnd(seconds: 60))
    #expect(!path.exists)
  }

  @Test func itMayBeClosedFromItsOwnThread() throws {
    let path = AirPath()
    let radio = radio(at: path)
    let inbox = Inbox<Int>()
    radio.perform { _, _ in
      radio.close()
      inbox.put(1)
    }
    #expect(try inbox.take() == 1)
    #expect(radio.engine.waitForEnd(seconds: 60))
  }

  @Test func eachRadioIsADeviceOfItsOwnOnTheAir() throws {
    let path = AirPath()
    let radios = [radio(at: path), radio(at: path), radio(at: path)]
    let addresses = Inbox<DeviceAddress>()
    let observations = radios.map { radio in
      radio.observeState { state in
        guard state == .poweredOn else { return }
        radio.perform { program, _ in addresses.put(program.device.host.address) }
      }
    }
    let found = try radios.map { _ in try addresses.take() }
    #expect(Set(found.map { "\($0.bytes[0])" }).count == 3)
    for radio in radios { radio.close() }
    _ = observations
  }

  @Test func anotherTakesOverTheAirWhenItsHostCloses() throws {
    let path = AirPath()
    let host = radio(at: path)
    let (hostStates, hostObservation) = observe(host)
    try hostStates.take { $0 == .poweredOn }
    let guest = radio(at: path)
    let (states, observation) = observe(guest)
    try states.take { $0 == .poweredOn }

    host.close()
    #expect(try states.take() == .resetting)
    #expect(try states.take() == .poweredOn)
    #expect(path.exists)
    guest.close()
    _ = (hostObservation, observation)
  }

  @Test func aBallIsFoundAndConnectedTo() throws {
    let path = AirPath()
    let ball = try AirBall("Thread Ball", at: path)
    let radio = radio(at: path)
    let lines = Inbox<String>()
    let visitor = Visitor(lines)
    let manager = CBCentralManager(
      delegate: visitor, queue: DispatchQueue(label: "visitor"), radio: radio)
    #expect(try lines.take() == "connected to Thread Ball")
    #expect(try lines.take() == "read Thread Ball")
    // The link is ended in good order.
    radio.close()
    #expect(try lines.take() == "disconnected")
    ball.leave()
    _ = manager
  }

  @Test func aControllerThatComesLaterIsWaitedFor() throws {
    let path = AirPath()
    let radio = CBRadio(RadioEngine(.unix(path: path.text), stopsWhenUnused: true))
    let (states, observation) = observe(radio)
    #expect(try states.take() == .unknown)
    let ball = try AirBall("Host", at: path)
    #expect(try states.take() == .poweredOn)
    radio.close()
    ball.leave()
    _ = observation
  }

  // MARK: Names

  @Test func aRadioIsNamedAsOnTheCommandLine() throws {
    _ = try CBRadio("virtual")
    _ = try CBRadio("tcp-client:localhost:4000")
    let error = RadioNameError(text: "blue", expected: RadioName.forms)
    #expect(throws: error) { try CBRadio("blue") }
  }

  @Test func aWrongNameInTheEnvironmentIsNoRadio() throws {
    let radio = CBRadio(.default(named: "blue"))
    let (states, observation) = observe(radio)
    #expect(try states.take() == .unsupported)
    radio.perform { _, _ in Issue.record("there is no radio") }
    radio.close()
    _ = observation
  }

  // Each run was given the next address of the air, F0:00:00:00:00:01 and so on.
  @Test func aDeviceKeepsItsAddress() throws {
    let path = AirPath()
    let address = DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])
    for _ in 0..<2 {
      let radio = CBRadio(
        RadioEngine(
          .virtual, address: .fixed(address), airPath: path.text, stopsWhenUnused: true))
      let (states, observation) = observe(radio)
      try states.take { $0 == .poweredOn }
      let addresses = Inbox<DeviceAddress>()
      radio.perform { program, _ in addresses.put(program.device.host.address) }
      #expect(try addresses.take() == address)
      radio.close()
      _ = observation
    }
  }

  @Test func aDeviceHasTheAddressThatWasChosen() {
    let address = DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])
    let engine = RadioEngine(.virtual, address: .fixed(address), stopsWhenUnused: true)
    guard case .random(let own) = engine.program.device.address else {
      Issue.record("the device may go by another address")
      return
    }
    #expect(own == address)
  }

  @Test func aWrongAddressIsRefused() throws {
    let wrong = "FF:FF:FF:FF:FF:FF"
    #expect(throws: AddressChoiceError(text: wrong, isUniform: true)) {
      try CBRadio("virtual", address: wrong)
    }
    _ = try CBRadio("virtual", address: "C0:00:00:00:00:01")
  }

  @Test func aWrongAddressInTheEnvironmentIsNoRadio() throws {
    let radio = CBRadio(.default(named: "virtual", address: "blue"))
    let (states, observation) = observe(radio)
    #expect(try states.take() == .unsupported)
    radio.close()
    _ = observation
  }

  // MARK: States

  @Test(
    arguments: [
      (false, false, false, nil, CBManagerState.unknown),
      (true, false, false, nil, .unknown),
      (true, true, true, nil, .poweredOn),
      (true, false, true, nil, .resetting),
      (false, false, true, nil, .resetting),
      (false, false, true, .other, .resetting),
      (false, false, false, .other, .unknown),
      (false, false, true, .absent, .unsupported),
      (false, false, false, .absent, .unsupported),
      (false, false, false, .notAllowed, .unauthorized),
      (false, false, true, .switchedOff, .poweredOff),
    ] as [(Bool, Bool, Bool, RadioError.Kind?, CBManagerState)])
  func theStateSaysWhatTheRadioIs(
    isOpen: Bool, isReady: Bool, wasReady: Bool, refusal: RadioError.Kind?, state: CBManagerState
  ) {
    #expect(
      RadioWatch.state(isOpen: isOpen, isReady: isReady, wasReady: wasReady, refusal: refusal)
        == state)
  }
}

/// Connects to the first peripheral that it hears, and reads its name from GAP's service.
private final class Visitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
  @unchecked Sendable
{
  private let lines: Inbox<String>
  private var peripheral: CBPeripheral?

  init(_ lines: Inbox<String>) { self.lines = lines }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral,
    advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    lines.put("connected to \(peripheral.name ?? "?")")
    peripheral.discoverServices(nil)
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
    for characteristic in service.characteristics ?? []
    where characteristic.uuid == CBUUID(string: "2A00") {
      peripheral.readValue(for: characteristic)
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {
    lines.put("read \(String(decoding: characteristic.value ?? Data(), as: UTF8.self))")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    lines.put("disconnected")
  }
}
