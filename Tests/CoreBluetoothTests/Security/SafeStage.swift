import BluetoothHost
import Dispatch
import Foundation
import LinuxRadio
import LinuxTestSupport
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// An air with a central and with peripherals whose values take an encrypted link.
final class SafeStage {
  let air = VirtualAir(seed: 5)
  let central: Seat<DeviceRunner>
  let peripherals: [Seat<DeviceRunner>]
  /// What waits for the devices' threads, by the number of the seat: the central's is 0.
  private let jobs: [Locked<[@Sendable (Instant) -> Void]>]

  /// What the first value holds. Its handle is 0x0012, and reading it takes an encrypted link.
  static let secret: [UInt8] = [8, 8, 8]
  static let secretHandle = handle(0x0012)
  /// Subscribing to this one takes an encrypted link.
  static let news = AttributeHandleRange(start: handle(0x0015), end: handle(0x0015))
  /// This one is for everybody.
  static let openHandle = handle(0x0017)

  init(peripherals count: Int = 1, bonds: [RadioBonds]? = nil) throws {
    let bonds = bonds ?? (0...count).map { _ in RadioBonds() }
    let now = air.now
    var seats: [Seat<DeviceRunner>] = []
    for number in 0...count {
      seats.append(
        Seat(
          air.addController(address: Self.address(number)),
          DeviceRunner(bonds: bonds[number]), at: now))
    }
    central = seats[0]
    peripherals = Array(seats.dropFirst())
    jobs = seats.map { _ in Locked([]) }
    for (number, seat) in seats.enumerated() {
      let jobs = jobs[number]
      let device = Unshared(seat.program.device)
      device.value.pairing.perform = { job in
        jobs.withLock { $0.append { now in job(device.value, now) } }
      }
      if number > 0 { try publish(seat) }
    }
    run(for: 100)
  }

  static func address(_ number: Int) -> DeviceAddress {
    DeviceAddress(
      kind: .public, bytes: [UInt8(truncatingIfNeeded: number), 0x5A, 0xFE, 0, 0, 0xF0])
  }

  var peripheral: Seat<DeviceRunner> { peripherals[0] }

  private func publish(_ seat: Seat<DeviceRunner>) throws {
    let service = CBMutableService(type: CBUUID(string: "5A00"), primary: true)
    service.characteristics = [
      CBMutableCharacteristic(
        type: CBUUID(string: "5A01"), properties: .read, value: Data(Self.secret),
        permissions: .readEncryptionRequired),
      CBMutableCharacteristic(
        type: CBUUID(string: "5A02"), properties: .notifyEncryptionRequired, value: nil,
        permissions: []),
      CBMutableCharacteristic(
        type: CBUUID(string: "5A03"), properties: .read, value: Data([1]),
        permissions: .readable),
    ]
    let client = PeripheralClient(queue: DispatchQueue(label: "client"))
    seat.program.peripheral.add(try ServiceDefinition(service), for: client)
    let services = [BluetoothUUID(0x5A00)]
    let name = Array("Safe".utf8)
    seat.program.device.host.advertise(
      Advertisement(services: services.span, name: name.span))
  }

  // MARK: Time

  /// Carries everything, has answers reach their devices, and lets time pass until `isDone`, for
  /// `milliseconds` at most.
  @discardableResult
  func run(for milliseconds: UInt32, until isDone: () -> Bool = { false }) -> Bool {
    let limit = air.now.advanced(by: milliseconds)
    let seats = [central] + peripherals
    while !isDone() {
      DevicePairing.queue.sync {}
      for (number, seat) in seats.enumerated() {
        seat.program.device.central.now = air.now
        let waiting = jobs[number].withLock { jobs in
          defer { jobs = [] }
          return jobs
        }
        for job in waiting { job(air.now) }
      }
      var isCarried = false
      for seat in seats where seat.carryOne(at: air.now) { isCarried = true }
      if isCarried { continue }
      let next = seats.reduce(air.deadline) { Instant.earlier($0, $1.deadline) }
      let target = min(limit, max(next ?? limit, air.now))
      air.advance(to: target)
      for seat in seats { seat.advance(to: target) }
      if target == limit, (next ?? limit) >= limit { return isDone() }
    }
    return true
  }

  // MARK: What the central does

  /// Connects to a peripheral.
  func connect(
    to number: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) -> LinkID {
    let link = central.program.central.connect(to: Self.address(number))
    run(for: 5_000) { central.program.links.contains(link) }
    #expect(central.program.links.contains(link), sourceLocation: sourceLocation)
    return link
  }

  func disconnect(_ link: LinkID) {
    central.program.central.disconnect(link)
    run(for: 1_000)
  }

  /// Carries out one operation; `nil` if it does not end.
  func perform(
    _ operation: CentralOperation, on link: LinkID
  ) -> Result<OperationOutput, OperationError>? {
    let id = central.program.central.perform(operation, on: link)
    run(for: 60_000) { central.program.outcomes[id] != nil }
    return central.program.outcomes[id]
  }

  /// Reads the secret.
  func read(on link: LinkID) -> Result<OperationOutput, OperationError>? {
    perform(.read(Self.secretHandle), on: link)
  }

  /// A link on which the secret has been read.
  func connectAndPair(
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> LinkID {
    let link = connect(sourceLocation: sourceLocation)
    #expect(
      read(on: link) == .success(.value(Self.secret)), sourceLocation: sourceLocation)
    return link
  }

  /// What protects the only link of a device.
  func protection(_ seat: Seat<DeviceRunner>) -> LinkSecurity {
    seat.program.device.host.security.security(at: 0)
  }
}

/// Something that one thread alone uses.
private struct Unshared<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
