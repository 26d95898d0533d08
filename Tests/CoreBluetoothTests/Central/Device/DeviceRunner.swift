import BluetoothHost
import LinuxRadio

@testable import CoreBluetooth

/// A device whose managers keep what they are told. It asks nothing of a new peer.
final class DeviceRunner: RadioProgram {
  let device: LocalDevice
  let central: CentralRecorder
  private let record: Record

  private final class Record {
    var events: [CentralEvent] = []
    var outcomes: [OperationID: Result<OperationOutput, OperationError>] = [:]
    var links: [LinkID] = []

    func note(_ event: CentralEvent) {
      events.append(event)
      switch event {
      case .connected(let link, _): links.append(link)
      case .disconnected(let link, _): links.removeAll { $0 == link }
      case .completed(let operation, _, let result): outcomes[operation] = result
      default: break
      }
    }
  }

  /// A device with the controller's address, or with `C0:00:00:00:00:07`.
  init(
    address: OwnAddress = .automatic(
      orRandom: DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])),
    bonds: RadioBonds = RadioBonds()
  ) {
    device = LocalDevice(address: address, bonds: bonds, firstRequests: [])
    let record = Record()
    self.record = record
    central = CentralRecorder(device.central) { record.note($0) }
  }

  func radioIsReady(at now: Instant) { device.radioIsReady(at: now) }
  func radioIsLost(_ error: RadioError, at now: Instant) { device.radioIsLost(error, at: now) }
  func receive(_ packet: Span<UInt8>, at now: Instant) { device.receive(packet, at: now) }
  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    device.nextPacket(into: &writer, at: now)
  }
  var deadline: Instant? { device.deadline }
  func advance(to now: Instant) { device.advance(to: now) }
  func turnEnded() { device.turnEnded() }
  func shutDown(at now: Instant) { device.shutDown(at: now) }
  var isFinished: Bool { device.isFinished }

  // MARK: What the managers were told

  var events: [CentralEvent] { record.events }
  var outcomes: [OperationID: Result<OperationOutput, OperationError>] { record.outcomes }
  /// The open links.
  var links: [LinkID] { record.links }

  /// The number of events for which `isMeant` is true.
  func count(_ isMeant: (CentralEvent) -> Bool) -> Int { events.filter(isMeant).count }

  /// The events since the last call.
  func takeEvents() -> [CentralEvent] {
    device.run([], at: device.now)
    defer { record.events = [] }
    return events
  }
}
