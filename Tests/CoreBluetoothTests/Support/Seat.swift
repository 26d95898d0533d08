import BluetoothHost
import Dispatch
import LinuxRadio
import VirtualRadio

@testable import CoreBluetooth

/// A device whose thread is the test's: the calls of its managers wait until its packets are carried.
final class Seat: ManagerThread, HostSide, @unchecked Sendable {
  let device: LocalDevice
  /// Managers that record their events.
  lazy var central = CentralRecorder(device.central)
  /// How long a packet takes from the controller, in milliseconds.
  var delay: UInt32 = 0
  /// Its place on the air of a scene.
  private(set) weak var place: AirDevice<Seat>!
  private(set) var commands: [HCIOpcode] = []
  private var underWay: [(due: Instant, packet: [UInt8])] = []
  private var state: CBManagerState
  private let jobs = Locked([@Sendable (LocalDevice) -> Void]())
  private let watchers = Locked([@Sendable (CBManagerState) -> Void]())
  private let isClosed = Locked(false)

  /// - Parameters:
  ///   - bonds: The store of its bonds.
  ///   - isRecorded: Whether `central` has managers from the beginning. Such a device asks nothing of
  ///     a new peer.
  ///   - state: What managers see of the radio before their engine reports its state.
  init(
    bonds: RadioBonds = RadioBonds(), isRecorded: Bool = false, state: CBManagerState = .unknown
  ) {
    // The controller's address, or C0:00:00:00:00:07.
    device = LocalDevice(
      address: .automatic(orRandom: DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])),
      bonds: bonds, firstRequests: isRecorded ? [] : CentralEngine.firstRequests)
    self.state = state
    let jobs = jobs
    device.pairing.perform = { job in jobs.withLock { $0.append(job) } }
    if isRecorded { _ = central }
  }

  func sit(at place: AirDevice<Seat>) {
    self.place = place
    place.onPacket = { [unowned self] packet, _ in
      if case .command(let opcode, _)? = HCIPacket(packet) { commands.append(opcode) }
    }
  }

  var controller: VirtualController { place.controller }

  /// Everything on its way is lost, and so is the controller.
  func lose(at now: Instant) {
    place.unplug()
    underWay = []
    device.radioIsLost(RadioError("unplugged"), at: now)
  }

  /// The controller is back.
  func find(at now: Instant) {
    place.plugIn()
    device.radioIsReady(at: now)
  }

  /// Ends everything, and refuses further calls.
  func close(at now: Instant) {
    isClosed.withLock { $0 = true }
    device.shutDown(at: now)
  }

  /// Adds a service without a manager, and advertises it.
  func publish(_ characteristics: [CBMutableCharacteristic], as uuid: UInt16) throws {
    let service = CBMutableService(
      type: CBUUID(string: String(uuid, radix: 16, uppercase: true)), primary: true)
    service.characteristics = characteristics
    let client = PeripheralHandle(queue: DispatchQueue(label: "client"))
    device.peripheral.add(try ServiceDefinition(service), for: client)
    let (services, name) = ([BluetoothUUID(uuid)], Array("Device".utf8))
    device.host.advertise(Advertisement(services: services.span, name: name.span))
  }

  // MARK: ManagerThread

  func perform(_ body: @escaping @Sendable (LocalDevice) -> Void) -> Bool {
    guard !isClosed.withLock(\.self) else { return false }
    jobs.withLock { $0.append(body) }
    return true
  }

  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    watchers.withLock { $0.append(body) }
    body(state)
    return self
  }

  /// Changes what managers see of the radio.
  func change(to state: CBManagerState) {
    self.state = state
    for report in watchers.withLock(\.self) { report(state) }
  }

  var hasWork: Bool { jobs.withLock { !$0.isEmpty } }

  /// Runs the calls that wait. `false` if there are none. Only the scene does that, when its queues
  /// are empty: else the order would differ from run to run.
  @discardableResult
  func runJobs(at now: Instant) -> Bool {
    let taken = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    device.run(taken, at: now)
    return !taken.isEmpty
  }

  // MARK: HostSide

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    guard delay > 0 || !underWay.isEmpty else { return device.receive(packet, at: now) }
    underWay.append((now.advanced(by: delay), packet.indices.map { packet[$0] }))
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    while let first = underWay.first, first.due <= now {
      underWay.removeFirst()
      device.receive(first.packet.span, at: now)
      if device.nextPacket(into: &writer, at: now) { return true }
    }
    return device.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { Instant.earlier(device.deadline, underWay.first?.due) }
  func advance(to now: Instant) { device.advance(to: now) }

  // MARK: The events of the managers of `central`

  var events: [CentralEvent] { central.events }
  var outcomes: [OperationID: Result<OperationOutput, OperationError>] { central.outcomes }
  var links: [LinkID] { central.openLinks }

  func takeEvents() -> [CentralEvent] {
    device.run([], at: device.now)
    return central.takeEvents()
  }
}

extension LocalDevice {
  func setPairing(_ pairing: CBPairing) {
    self.pairing.settings.withLock { $0 = pairing }
    updatePolicy()
  }
}
