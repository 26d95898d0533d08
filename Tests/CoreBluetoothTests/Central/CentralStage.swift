import BluetoothHost
import Foundation
import LinuxRadio
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// A radio whose packets are carried by hand, for managers.
final class HandRadio: CentralThread, @unchecked Sendable {
  let controller: VirtualController
  var program: DeviceProgram
  private let jobs = Locked<[@Sendable (Instant) -> Void]>([])
  private let isClosed = Locked(false)

  init(_ controller: VirtualController) {
    self.controller = controller
    program = DeviceProgram(address: .automatic(orRandom: .zero))
  }

  var centralEngine: CentralEngine { program.central }

  func performCentral(_ body: @escaping @Sendable (Instant) -> Void) -> Bool {
    guard !isClosed.withLock(\.self) else { return false }
    jobs.withLock { $0.append(body) }
    return true
  }

  func watch(for client: CentralClient) -> AnyObject? { nil }

  /// Does nothing more that is asked, and ends what there is.
  func close(at now: Instant) {
    isClosed.withLock { $0 = true }
    program.shutDown(at: now)
    program.turnEnded()
  }

  /// Does what was asked; `false` if nothing was.
  func work(at now: Instant) -> Bool {
    let taken = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in taken { job(now) }
    return !taken.isEmpty
  }
}

/// An air with a central's radio and with neighbours: every packet is carried by hand, and time
/// passes only on request.
final class CentralStage {
  let air = VirtualAir(seed: 8)
  let radio: HandRadio
  /// Where delegates are told.
  let queue = DispatchQueue(label: "delegates")
  private(set) var neighbours: [any Neighbour] = []
  private var isPresent = true

  init(_ configuration: ControllerConfiguration = .init(), isStarted: Bool = true) {
    radio = HandRadio(
      air.addController(address: .numbered(0x01), configuration: configuration))
    if isStarted { start() }
  }

  var now: Instant { air.now }

  func start() {
    radio.program.radioIsReady(at: now)
    settle()
  }

  /// The adapter is unplugged.
  func lose() {
    isPresent = false
    radio.controller.vanish()
    radio.program.radioIsLost(RadioError("unplugged"), at: now)
    radio.program.turnEnded()
    settle()
  }

  /// The radio is closed, of which the managers are told by the next `settle`.
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

  func add(_ neighbour: some Neighbour) {
    neighbours.append(neighbour)
  }

  /// Carries everything that there is, and lets everybody who is told of something act on it.
  func settle() {
    for _ in 0..<100_000 {
      var isBusy = radio.work(at: now)
      if isPresent, carry(radio.controller, &radio.program, now) { isBusy = true }
      for neighbour in neighbours where carry(neighbour) { isBusy = true }
      radio.program.turnEnded()
      // What is told is told before anything else happens, so that each run is like the others.
      queue.sync {}
      if !isBusy, !radio.hasWork, !neighbours.contains(where: \.hasWork) { return }
    }
    Issue.record("packets go to and fro without end")
  }

  private func carry(_ neighbour: any Neighbour) -> Bool {
    var isBusy = false
    if let packet = Self.packet({ neighbour.radio.nextPacket(into: &$0) }) {
      neighbour.receive(packet.span, at: now)
      isBusy = true
    }
    if let packet = Self.packet({ neighbour.nextPacket(into: &$0, at: now) }) {
      neighbour.radio.send(packet.span)
      isBusy = true
    }
    return isBusy
  }

  private func carry(
    _ controller: VirtualController, _ program: inout DeviceProgram, _ now: Instant
  ) -> Bool {
    var isBusy = false
    if let packet = Self.packet({ controller.nextPacket(into: &$0) }) {
      program.receive(packet.span, at: now)
      isBusy = true
    }
    if let packet = Self.packet({ program.nextPacket(into: &$0, at: now) }) {
      controller.send(packet.span)
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

  /// Lets so many milliseconds pass, with everything that happens in them.
  func pass(_ milliseconds: UInt32) {
    let end = now.advanced(by: milliseconds)
    settle()
    while now < end {
      var next = end
      for deadline in [air.deadline, radio.program.deadline] + neighbours.map(\.deadline) {
        if let deadline { next = min(next, max(deadline, now.advanced(by: 1))) }
      }
      air.advance(to: next)
      radio.program.advance(to: next)
      for neighbour in neighbours { neighbour.advance(to: next) }
      settle()
    }
  }
}

extension HandRadio {
  var hasWork: Bool { jobs.withLock { !$0.isEmpty } }
}
