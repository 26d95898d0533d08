import BluetoothHost
import Foundation
import LinuxRadio
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// A device with managers, whose packets are carried by hand.
final class HandRadio: AirPeer, ManagerThread, @unchecked Sendable {
  var controller: VirtualController
  let device = LocalDevice(address: .automatic(orRandom: .zero))
  private let jobs = Locked<[@Sendable (LocalDevice) -> Void]>([])
  private let isClosed = Locked(false)
  private let state: CBManagerState

  /// - Parameter state: What managers see of the radio before their engine reports its state.
  init(_ controller: VirtualController, state: CBManagerState = .unknown) {
    self.controller = controller
    self.state = state
  }

  func perform(_ body: @escaping @Sendable (LocalDevice) -> Void) -> Bool {
    guard !isClosed.withLock(\.self) else { return false }
    jobs.withLock { $0.append(body) }
    return true
  }

  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    body(state)
    return self
  }

  /// Ends everything, and refuses further calls.
  func close(at now: Instant) {
    isClosed.withLock { $0 = true }
    device.shutDown(at: now)
  }

  // MARK: AirPeer

  var hasWork: Bool { jobs.withLock { !$0.isEmpty } }

  func receive(_ packet: Span<UInt8>, at now: Instant) { device.receive(packet, at: now) }

  /// Runs the calls that wait first.
  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    let taken = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    device.run(taken, at: now)
    return device.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { device.deadline }
  func advance(to now: Instant) { device.advance(to: now) }
}

/// An air with a central's radio and its peers: every packet is carried by hand, and time passes
/// only on request.
final class CentralStage {
  let air = VirtualAir(seed: 8)
  let radio: HandRadio
  /// The queue on which delegates are called.
  let queue = DispatchQueue(label: "delegates")
  /// The queues whose calls `settle` waits for.
  lazy var queues = [queue]
  /// The devices on the air: the central's, and its peers.
  private var devices: [any AirPeer]

  init(_ configuration: ControllerConfiguration = .init(), isStarted: Bool = true) {
    radio = HandRadio(
      air.addController(address: .numbered(0x01), configuration: configuration))
    devices = [radio]
    if isStarted { start() }
  }

  var now: Instant { air.now }

  func start() {
    radio.device.radioIsReady(at: now)
    settle()
  }

  /// The adapter is unplugged.
  func lose() {
    radio.controller.vanish()
    radio.device.radioIsLost(RadioError("unplugged"), at: now)
    settle()
  }

  /// The adapter is plugged in again.
  func find() {
    radio.controller = air.addController(address: .numbered(0x01))
    start()
  }

  /// The radio is closed. The next `settle` reports it to the managers.
  func close() { radio.close(at: now) }

  func manager(_ delegate: any CBCentralManagerDelegate) -> CBCentralManager {
    CBCentralManager(delegate: delegate, queue: queue, thread: radio)
  }

  /// A manager that is on, and the peripherals with these numbers.
  func manager(
    _ log: CentralLog, knowing numbers: UInt8...
  ) -> (manager: CBCentralManager, peripherals: [CBPeripheral]) {
    let manager = manager(log)
    settle()
    let peripherals = manager.retrievePeripherals(
      withIdentifiers: numbers.map { UUID(.numbered($0)) })
    for peripheral in peripherals { peripheral.delegate = log }
    _ = log.take()
    return (manager, peripherals)
  }

  func add(_ peer: some AirPeer) {
    devices.append(peer)
  }

  /// Carries every packet, and lets delegates run.
  func settle() {
    for _ in 0..<100_000 {
      var isBusy = false
      for device in devices where carry(device) { isBusy = true }
      // Delegates run before anything else happens, so each run is the same.
      for queue in queues { queue.sync {} }
      if !isBusy, !devices.contains(where: \.hasWork) { return }
    }
    Issue.record("packets go to and fro without end")
  }

  private func carry(_ device: any AirPeer) -> Bool {
    var isBusy = device.hasWork
    if let packet = Self.packet({ device.controller.nextPacket(into: &$0) }) {
      device.receive(packet.span, at: now)
      isBusy = true
    }
    if let packet = Self.packet({ device.nextPacket(into: &$0, at: now) }) {
      device.controller.send(packet.span)
      isBusy = true
    }
    return isBusy
  }

  static func packet(_ write: (inout ByteWriter) -> Bool) -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: 1_024)
    var count = 0
    do {
      var writer = ByteWriter(storage.mutableSpan)
      guard write(&writer) else { return nil }
      count = writer.count
    }
    return Array(storage[..<count])
  }

  /// Lets this many milliseconds pass, with everything that happens in them.
  func pass(_ milliseconds: UInt32) {
    let end = now.advanced(by: milliseconds)
    settle()
    while now < end {
      var next = end
      for deadline in [air.deadline] + devices.map(\.deadline) {
        if let deadline { next = min(next, max(deadline, now.advanced(by: 1))) }
      }
      air.advance(to: next)
      for device in devices { device.advance(to: next) }
      settle()
    }
  }
}
