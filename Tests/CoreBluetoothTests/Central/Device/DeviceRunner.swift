import BluetoothHost
import LinuxRadio

@testable import CoreBluetooth

/// A device without managers: it carries packets, and keeps its central's events.
final class DeviceRunner: RadioProgram {
  let device: Device
  let peripheral: PeripheralEngine
  private(set) var events: [CentralEvent] = []
  private(set) var outcomes: [OperationID: Result<OperationOutput, OperationError>] = [:]
  /// The open links.
  private(set) var links: [LinkID] = []

  var central: DeviceCentral { device.central }

  /// A device with the controller's address, or with `C0:00:00:00:00:07`.
  init(
    address: OwnAddress = .automatic(
      orRandom: DeviceAddress(kind: .random, bytes: [7, 0, 0, 0, 0, 0xC0])),
    bonds: RadioBonds = RadioBonds()
  ) {
    device = Device(address: address, bonds: bonds)
    peripheral = PeripheralEngine(device)
  }

  func radioIsReady(at now: Instant) {
    central.now = now
    central.resetFailures()
    device.host.start(at: now)
    follow()
  }

  func radioIsLost(_ error: RadioError, at now: Instant) {
    central.now = now
    device.host.radioLost()
    follow()
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) {
    central.now = now
    device.host.receive(packet, at: now)
    follow()
  }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    central.now = now
    repeat {
      follow()
      if device.host.nextPacket(into: &writer, at: now) { return true }
    } while central.needsUpdate
    follow()
    return false
  }

  var deadline: Instant? { Instant.earlier(device.host.deadline, central.deadline) }

  func advance(to now: Instant) {
    central.now = now
    device.host.advance(to: now)
    central.advance()
    follow()
  }

  func turnEnded() {}

  func shutDown(at now: Instant) {
    central.now = now
    device.host.shutDown()
    follow()
  }

  var isFinished: Bool { device.host.isShutDown }

  private func follow() {
    if central.needsUpdate { central.update(&device.host) }
    peripheral.endTurn()
    while let event = central.nextEvent() { note(event) }
  }

  private func note(_ event: CentralEvent) {
    events.append(event)
    switch event {
    case .connected(let link, _): links.append(link)
    case .disconnected(let link, _): links.removeAll { $0 == link }
    case .completed(let operation, _, let result): outcomes[operation] = result
    default: break
    }
  }

  /// The number of events for which `isMeant` is true.
  func count(_ isMeant: (CentralEvent) -> Bool) -> Int { events.filter(isMeant).count }

  /// The events since the last call.
  func takeEvents() -> [CentralEvent] {
    follow()
    defer { events = [] }
    return events
  }
}
