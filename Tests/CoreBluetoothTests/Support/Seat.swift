import BluetoothHost
import Dispatch
import LinuxRadio
import VirtualRadio

@testable import CoreBluetooth

/// A device whose thread is the test's: the calls of its managers wait until its packets are carried.
final class Seat: DeviceEngine, HostSide, @unchecked Sendable {
  /// Managers that record their events.
  lazy var central = CentralRecorder(device.central)
  /// How long a packet takes from the controller, in milliseconds.
  var delay: UInt32 = 0
  /// Its place on the air of a scene.
  private(set) weak var place: AirDevice<Seat>!
  private(set) var commands: [HCIOpcode] = []
  private var underWay: [(due: Instant, packet: [UInt8])] = []

  /// - Parameters:
  ///   - bonds: The store of its bonds.
  ///   - isRecorded: Whether `central` has managers from the beginning. Such a device asks nothing of
  ///     a new peer.
  ///   - state: What managers see of the radio before their engine reports its state.
  init(
    bonds: RadioBonds = RadioBonds(), isRecorded: Bool = false, state: CBManagerState = .unknown
  ) {
    // The controller's address, or C0:00:00:00:00:07.
    let address = DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])
    super.init(
      LocalDevice(
        address: .automatic(orRandom: address), bonds: bonds,
        firstRequests: isRecorded ? [] : CentralEngine.firstRequests))
    shared.withLock { $0.isServed = true }
    change(to: state)
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
    shared.withLock { $0.isClosed = true }
    device.shutDown(at: now)
  }

  /// The radio of a manager. Its end closes nothing.
  var radio: CBRadio { CBRadio(self) }

  override func close(waits: Bool) {}

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

  // MARK: Managers

  var hasWork: Bool { shared.withLock { !$0.jobs.isEmpty || !$0.arrivals.isEmpty } }

  /// Runs the calls that wait. `false` if there are none. Only the scene does that, when its queues
  /// are empty: else the order would differ from run to run.
  @discardableResult
  func runJobs(at now: Instant) -> Bool {
    let hasArrivals = adoptArrivals()
    let jobs = shared.withLock { shared in
      defer { shared.jobs = [] }
      return shared.jobs
    }
    device.run(jobs, at: now)
    return hasArrivals || !jobs.isEmpty
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
