import BluetoothHost
import Dispatch
import Foundation
import LinuxRadio
import LinuxTestSupport
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// An air with a central, and peripherals whose values require an encrypted link.
final class SafeStage {
  let bench = AirBench(seed: 5)
  let central: Seat<DeviceRunner>
  let peripherals: [Seat<DeviceRunner>]
  /// The calls that wait for the devices' threads, by seat number: the central's is 0.
  private let jobs: [Locked<[@Sendable (LocalDevice) -> Void]>]

  /// The first value. Its handle is 0x0012, and reading it requires an encrypted link.
  static let secret: [UInt8] = [8, 8, 8]
  static let secretHandle = handle(0x0012)
  /// Subscribing to this value requires an encrypted link.
  static let notifiedRange = AttributeHandleRange(start: handle(0x0015), end: handle(0x0015))
  /// This value has no protection.
  static let openHandle = handle(0x0017)

  init(peripherals count: Int = 1, bonds: [RadioBonds]? = nil) throws {
    bench.deadlineLimit = 200_000
    let bonds = bonds ?? (0...count).map { _ in RadioBonds() }
    var seats: [Seat<DeviceRunner>] = []
    for number in 0...count {
      seats.append(
        Seat(
          DeviceRunner(bonds: bonds[number]), on: bench,
          bench.air.addController(address: Self.address(number))))
    }
    central = seats[0]
    peripherals = Array(seats.dropFirst())
    jobs = seats.map { _ in Locked([]) }
    for (number, seat) in seats.enumerated() {
      let jobs = jobs[number]
      seat.program.device.pairing.perform = { job in jobs.withLock { $0.append(job) } }
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
    let client = PeripheralHandle(queue: DispatchQueue(label: "client"))
    seat.program.device.peripheral.add(try ServiceDefinition(service), for: client)
    let services = [BluetoothUUID(0x5A00)]
    let name = Array("Safe".utf8)
    seat.program.device.host.advertise(
      Advertisement(services: services.span, name: name.span))
  }

  // MARK: Time

  /// Carries packets and answers, and lets time pass until `isDone`, for `milliseconds` at most.
  @discardableResult
  func run(for milliseconds: UInt32, until isDone: () -> Bool = { false }) -> Bool {
    do {
      return try bench.run(for: milliseconds) {
        doJobs()
        return isDone()
      }
    } catch {
      Issue.record(error)
      return false
    }
  }

  private func doJobs() {
    DevicePairing.queue.sync {}
    for (number, seat) in ([central] + peripherals).enumerated() {
      let waiting = jobs[number].withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      seat.program.device.run(waiting, at: bench.now)
    }
  }

  // MARK: The central

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
    _ operation: PeerOperation, on link: LinkID
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

  /// The security of a device's only link.
  func protection(_ seat: Seat<DeviceRunner>) -> LinkSecurity {
    seat.program.device.host.security.security(at: 0)
  }
}
