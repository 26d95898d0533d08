import BluetoothHost
import Expectations
import Foundation
import LinuxRadio

@testable import CoreBluetooth

/// The thread and the controller of managers.
struct RadioTests {
  private let path = AirPath()
  private let radio: CBRadio
  private let log = Log()
  private let queue = DispatchQueue(label: "managers")
  private let observations = Locked<[Observation]>([])

  init() { radio = path.radio() }

  private func observe(_ radio: CBRadio) -> (Inbox<CBManagerState>, Observation) {
    let states = Inbox<CBManagerState>()
    return (states, Observation(radio.watchState { states.put($0) }))
  }

  /// The states of a radio, until the end of the test.
  private func watch(_ radio: CBRadio) -> Inbox<CBManagerState> {
    let (states, observation) = observe(radio)
    observations.withLock { $0.append(observation) }
    return states
  }

  @Test func jobsRunInTheirOrderOnOneThreadOfTheRadio() throws {
    let inbox = Inbox<(Int, ObjectIdentifier)>()
    for number in 0..<1_000 {
      radio.perform { _ in inbox.put((number, ObjectIdentifier(Thread.current))) }
    }
    var threads: Set<ObjectIdentifier> = []
    for number in 0..<1_000 {
      let (next, thread) = try inbox.take()
      expect(next, is: number)
      threads.insert(thread)
    }
    expect(threads.count, is: 1)
    expect(!threads.contains(ObjectIdentifier(Thread.current)))
    radio.close()
  }

  @Test func itsStateIsReportedAtOnceAndAtEachChange() throws {
    let (states, observation) = observe(radio)
    expect(try states.take(), is: .unknown)
    expect(try states.take(), is: .poweredOn)
    // A later observer receives the current state.
    let (later, other) = observe(radio)
    expect(try later.take(), is: .poweredOn)
    other.cancel()

    radio.close()
    expect(try states.take(), is: .poweredOff)
    observation.cancel()
  }

  @Test func theReasonWhyItCannotBeOpenedIsReported() throws {
    let engine = RadioEngine(
      try RadioAddress("unix:/tmp/eightball-no-such-radio"), stopsWhenUnused: true)
    let radio = CBRadio(engine)
    let reasons = Inbox<RadioError>()
    engine.onError { reasons.put($0) }
    let (_, observation) = observe(radio)
    expect(try reasons.take().description.contains("eightball-no-such-radio"))
    observation.cancel()
    radio.close()
  }

  @Test func aClosedRadioStaysClosed() throws {
    try watch(radio).take { $0 == .poweredOn }
    radio.close()
    radio.close()
    expect(!path.exists, "the air is no longer hosted")
    expect(try watch(radio).take(), is: .poweredOff)
    expect(!radio.perform { _ in Issue.record("a closed radio works") })
    expect(radio.engine.waitForEnd())
  }

  @Test func itIsReleasedWithItsLastManagerAndServesTheNext() throws {
    for _ in 0..<3 {
      let (states, observation) = observe(radio)
      let (others, other) = observe(radio)
      try states.take { $0 == .poweredOn }
      try others.take { $0 == .poweredOn }
      observation.cancel()
      radio.perform { _ in others.put(.unsupported) }
      // One manager still uses it.
      expect(try others.take(), is: .unsupported)
      expect(path.exists)
      other.cancel()
      expect(radio.engine.waitForEnd())
      expect(!path.exists)
    }
  }

  /// Symptom: the adapter was kept from the kernel for as long as the radio lived.
  @Test func itIsReleasedAlsoWhenAJobComesWithTheRelease() throws {
    let (states, observation) = observe(radio)
    try states.take { $0 == .poweredOn }
    radio.perform { _ in
      observation.cancel()
      radio.perform { _ in }
    }
    expect(radio.engine.waitForEnd())
    expect(!path.exists)
  }

  @Test func jobsFromBeforeItsClosingRun() throws {
    let inbox = Inbox<Int>()
    radio.perform { _ in
      for number in 0..<100 { radio.perform { _ in inbox.put(number) } }
      radio.close()
      radio.perform { _ in inbox.put(-1) }
    }
    expect(radio.engine.waitForEnd())
    for number in 0..<100 { expect(try inbox.take(), is: number) }
    expect(inbox.isEmpty)
  }

  /// Symptom: a controller that waited for hundreds of jobs counted as dead.
  @Test func itsControllerIsServedBetweenJobs() throws {
    let inbox = Inbox<String>()
    let observation = radio.watchState { state in
      if state == .poweredOn { inbox.put("ready") }
    }
    radio.perform { _ in
      for _ in 0..<10_000 { radio.perform { _ in } }
      radio.perform { _ in inbox.put("done") }
    }
    expect(try inbox.take(), is: "ready")
    expect(try inbox.take(), is: "done")
    radio.close()
    _ = observation
  }

  @Test func itEndsWithItsRelease() throws {
    var radio: CBRadio? = path.radio()
    let engine = try #require(radio?.engine)
    let inbox = Inbox<Int>()
    radio?.perform { _ in inbox.put(1) }
    expect(try inbox.take(), is: 1)
    radio = nil
    expect(engine.waitForEnd())
    expect(!path.exists)
  }

  @Test func anotherTakesOverTheAirWhenItsHostCloses() throws {
    let host = path.radio()
    try watch(host).take { $0 == .poweredOn }
    let next = path.radio()
    let states = watch(next)
    try states.take { $0 == .poweredOn }

    host.close()
    expect(try states.take(), is: .resetting)
    expect(try states.take(), is: .poweredOn)
    expect(path.exists)
    next.close()
  }

  @Test func aControllerThatComesLaterIsWaitedFor() throws {
    let radio = CBRadio(RadioEngine(.unix(path: path.text), stopsWhenUnused: true))
    let states = watch(radio)
    expect(try states.take(), is: .unknown)
    let host = path.radio()
    _ = watch(host)
    expect(try states.take(), is: .poweredOn)
    radio.close()
    host.close()
  }

  /// Symptom: the program that hosted the air logged that the radio was lost, at its exit.
  @Test func theEndOfAProgramClosesAllRadiosAtOnce() throws {
    let engines = (0..<3).map { _ in path.engine() }
    let (states, troubles) = (Inbox<CBManagerState>(), Inbox<RadioError>())
    var observations: [Int] = []
    // The first one hosts the air.
    for engine in engines {
      engine.onError { troubles.put($0) }
      observations.append(engine.observe { states.put($0) })
      try states.take { $0 == .poweredOn }
    }
    expect(path.exists)
    RadioEngine.close(engines)
    expect(troubles.isEmpty)
    expect(!path.exists)
    // A radio without its air may be `resetting` before that.
    for _ in engines { try states.take { $0 == .poweredOff } }
    for engine in engines { expect(engine.waitForEnd()) }
  }

  // MARK: Managers

  private func manager(_ radio: CBRadio) -> CBCentralManager {
    CBCentralManager(delegate: log, queue: queue, radio: radio)
  }

  @Test("managers released at the same moment leave nothing behind")
  func endsAtOnce() throws {
    let engine = path.engine()
    let radio = CBRadio(engine)
    let managers = Locked((0..<2).map { _ in manager(radio) })
    try log.lines.expect("state poweredOn", "state poweredOn")
    // The queue may still retain some objects.
    queue.sync {}
    radio.perform { _ in managers.withLock { $0 = [] } }
    expect(engine.waitForEnd())
    expect(engine.device.central.handles.isEmpty)
    expect(!path.exists)
  }

  // MARK: Names

  @Test func aRadioIsNamedAsOnTheCommandLine() throws {
    _ = try CBRadio("virtual")
    _ = try CBRadio("tcp-client:localhost:4000")
    let error = RadioTextError(text: "blue", expected: RadioAddress.forms)
    #expect(throws: error) { try CBRadio("blue") }
  }

  @Test(
    arguments: [
      ("blue", nil), ("virtual", "blue"), ("bluez:hci0", "random"), ("bluez:hci0", "public"),
    ] as [(String, String?)])
  func aWrongNameOrAddressInTheEnvironmentIsNoRadio(name: String, address: String?) throws {
    let radio = CBRadio(RadioEngine.default(named: name, address: address))
    expect(try watch(radio).take(), is: .unsupported)
    radio.perform { _ in Issue.record("there is no radio") }
    radio.close()
  }

  // Each run was given the next address of the air, F0:00:00:00:00:01 and so on.
  @Test func aDeviceKeepsItsAddress() throws {
    let address = DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])
    for _ in 0..<2 {
      let radio = CBRadio(
        RadioEngine(.virtual, address: .fixed(address), airPath: path.text, stopsWhenUnused: true))
      try watch(radio).take { $0 == .poweredOn }
      let addresses = Inbox<DeviceAddress>()
      radio.perform { addresses.put($0.host.address) }
      expect(try addresses.take(), is: address)
      radio.close()
    }
  }

  @Test func aWrongAddressIsRefused() throws {
    let wrong = "FF:FF:FF:FF:FF:FF"
    #expect(throws: AddressTextError(text: wrong, error: .uniform)) {
      try CBRadio("virtual", address: wrong)
    }
    _ = try CBRadio("virtual", address: "C0:00:00:00:00:01")
  }

  /// Symptom: the address was ignored without a word, and peers saw the adapter's.
  @Test(arguments: ["C0:00:00:00:00:01", "random", "public"])
  func besideBluetoothdNoAddressIsChosen(address: String) throws {
    #expect(throws: AddressConflict(radio: "bluez:hci0")) {
      try CBRadio("bluez:hci0", address: address)
    }
    _ = try CBRadio("bluez:hci0")
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
  func theStateFollowsTheRadio(
    isOpen: Bool, isReady: Bool, wasReady: Bool, refusal: RadioError.Kind?, state: CBManagerState
  ) {
    expect(
      RadioWatch.state(isOpen: isOpen, isReady: isReady, wasReady: wasReady, openError: refusal),
      is: state)
  }
}

/// An observation of a radio's state. Its release ends it.
private final class Observation: @unchecked Sendable {
  private var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }

  func cancel() { object = nil }
}
