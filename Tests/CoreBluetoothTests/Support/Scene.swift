import BluetoothHost
import EightBall
import Expectations
import Foundation
import VirtualRadio

@testable import CoreBluetooth

/// Devices on one air. Every packet is carried by hand, and time passes only on request, so that each
/// run is the same as the one before.
class Scene {
  let bench: AirBench
  /// The first device, `F0:00:00:00:00:01`.
  let radio: Seat
  let queue = DispatchQueue(label: "delegates")
  /// The queues whose calls the scene waits for.
  lazy var queues = [queue]
  /// Whether packets or deadlines had no end.
  private(set) var isStuck = false
  private var seats: [Seat] = []

  /// - Parameters:
  ///   - radio: The first device.
  ///   - seed: The seed of the air.
  ///   - isStarted: Whether the first device has started.
  ///   - prepare: Called with its controller before that.
  init(
    _ configuration: ControllerConfiguration = .init(), radio: Seat = Seat(), seed: UInt64 = 8,
    isStarted: Bool = true, prepare: (VirtualController) -> Void = { _ in }
  ) {
    bench = AirBench(seed: seed)
    // Keys are computed in many steps.
    bench.deadlineLimit = 200_000
    self.radio = radio
    let controller = air.addController(address: .numbered(0x01), configuration: configuration)
    prepare(controller)
    sit(radio, on: controller)
    if isStarted { start() }
  }

  var air: VirtualAir { bench.air }
  var now: Instant { bench.now }

  func start() {
    radio.device.radioIsReady(at: now)
    settle()
  }

  /// The adapter is unplugged.
  func lose() {
    radio.lose(at: now)
    settle()
  }

  /// The adapter is plugged in again.
  func find() {
    radio.find(at: now)
    settle()
  }

  /// The radio is closed. The next `settle` reports it to the managers.
  func close() { radio.close(at: now) }

  // MARK: Time

  /// Carries every packet, runs every call, and lets delegates run before anything else happens.
  func settle() {
    for _ in 0..<bench.stepLimit {
      let isCarried = bench.carryOne()
      if !work(), !isCarried { return }
    }
    isStuck = true
    Issue.record("packets go to and fro without end")
  }

  /// Lets delegates and waiting calls run. `false` if no call waited.
  private func work() -> Bool {
    for queue in queues { queue.sync {} }
    return seats.reduce(false) { $1.runJobs(at: now) || $0 }
  }

  /// Lets time pass, with everything that happens in it, until `isDone`: `milliseconds` at most.
  @discardableResult
  func run(for milliseconds: UInt32, until isDone: () -> Bool = { false }) -> Bool {
    do {
      let isEnded = try bench.run(for: milliseconds) {
        _ = work()
        return isDone()
      }
      if !isEnded { settle() }
      return isEnded
    } catch {
      isStuck = true
      Issue.record("\(error) The device sent \(radio.commands.suffix(8))")
      return false
    }
  }

  func pass(_ milliseconds: UInt32) { run(for: milliseconds) }

  /// A delegate's calls since the last time, after everything that happens now, or in this
  /// many milliseconds.
  func take(_ log: some LineLog, after milliseconds: UInt32 = 0) -> [String] {
    if milliseconds == 0 { settle() } else { pass(milliseconds) }
    return log.take()
  }

  // MARK: Managers

  /// A manager of the first device, or of another one.
  func manager(
    _ delegate: any CBCentralManagerDelegate, of seat: Seat? = nil
  ) -> CBCentralManager {
    CBCentralManager(delegate: delegate, queue: queue, radio: (seat ?? radio).radio)
  }

  /// A manager that is on, and the peripherals with these numbers.
  func manager(
    _ log: some CBCentralManagerDelegate & CBPeripheralDelegate & LineLog, of seat: Seat? = nil,
    knowing numbers: UInt8...
  ) -> (manager: CBCentralManager, peripherals: [CBPeripheral]) {
    let manager = manager(log, of: seat)
    settle()
    let peripherals = manager.retrievePeripherals(
      withIdentifiers: numbers.map { UUID(.numbered($0)) })
    for peripheral in peripherals { peripheral.delegate = log }
    _ = log.take()
    return (manager, peripherals)
  }

  /// A manager that has a link to the peripheral with this number.
  func manager(
    _ log: Log, of seat: Seat? = nil, connectedTo number: UInt8
  ) -> (manager: CBCentralManager, peripheral: CBPeripheral) {
    let (manager, peripherals) = self.manager(log, of: seat, knowing: number)
    manager.connect(peripherals[0])
    _ = take(log, after: 1_000)
    expect(peripherals[0].state, is: .connected)
    return (manager, peripherals[0])
  }

  /// Discovers a service of a connected peripheral, and its characteristics.
  func characteristics(
    of peripheral: CBPeripheral, in uuid: CBUUID = CBUUID(.bench)
  ) throws -> [CBCharacteristic] {
    peripheral.discoverServices([uuid])
    settle()
    let service = try #require(peripheral.services?.first { $0.uuid == uuid })
    peripheral.discoverCharacteristics(nil, for: service)
    settle()
    return try #require(service.characteristics)
  }

  // MARK: Links of the first device, whose managers are recorded

  /// Carries out one operation; `nil` if it does not end.
  func perform(
    _ operation: PeerOperation, on link: LinkID
  ) -> Result<OperationOutput, OperationError>? {
    let id = radio.central.perform(operation, on: link)
    run(for: 60_000) { radio.outcomes[id] != nil }
    return radio.outcomes[id]
  }

  func disconnect(_ link: LinkID) {
    radio.central.disconnect(link)
    run(for: 1_000)
  }

  // MARK: Peers

  private func sit(_ seat: Seat, on controller: VirtualController) {
    seats.append(seat)
    seat.sit(at: bench.add(seat, on: controller))
  }

  /// Another device of this module, which has started.
  func add(_ seat: Seat, number: UInt8) -> Seat {
    sit(seat, on: air.addController(address: .numbered(number)))
    seat.device.radioIsReady(at: now)
    settle()
    return seat
  }

  typealias Ball = AirDevice<BallHost<4>>

  /// A ball, on the air and advertising.
  @discardableResult
  func addBall(_ name: String = "Magic 8-Ball", number: UInt8 = 0xBA) throws -> Ball {
    let deviceName = DeviceName(Array(name.utf8).span)
    let ball = bench.add(
      BallHost<4>(
        configuration: HostConfiguration(
          name: try #require(deviceName), service: .ballService, address: .public),
        database: EightBallProfile.makeDatabase(),
        application: BallApplication<4>(seed: 8, style: .text)),
      on: air.addController(address: .numbered(number)))
    ball.host.start(at: now)
    settle()
    return ball
  }

  typealias Bench = AirDevice<Peripheral<4, GATTDatabase<30>, BenchApplication>>

  /// A peripheral with one of everything.
  @discardableResult
  func addBench(number: UInt8 = 0xBE) throws -> Bench {
    let deviceName = DeviceName(Array("Bench".utf8).span)
    let peer = bench.add(
      Peripheral<4, GATTDatabase<30>, BenchApplication>(
        configuration: HostConfiguration(
          name: try #require(deviceName), service: .bench, address: .public),
        database: benchDatabase, application: BenchApplication()),
      on: air.addController(address: .numbered(number)))
    peer.host.start(at: now)
    settle()
    return peer
  }

  /// An advertiser that does nothing else.
  @discardableResult
  func advertise(
    _ data: [UInt8], scanResponse: [UInt8] = [], type: UInt8, number: UInt8 = 0xAD
  ) throws -> VirtualController {
    let controller = air.addController(address: .numbered(number))
    let data = AdvertisingData(data.span)
    let response = AdvertisingData(scanResponse.span)
    func send(_ command: some HCICommand) {
      controller.send([UInt8].written(upTo: 64) { command.writePacket(to: &$0) }.span)
    }
    send(LESetAdvertisingParameters(minimumInterval: 160, maximumInterval: 160, type: type))
    send(LESetAdvertisingData(try #require(data)))
    send(LESetScanResponseData(try #require(response)))
    send(LESetAdvertisingEnable(true))
    return controller
  }
}

extension DeviceAddress {
  /// `F0:00:00:00:00:NN`, public.
  static func numbered(_ number: UInt8) -> DeviceAddress {
    DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0xF0])
  }
}
