import BluetoothHost
import Foundation

/// The central of one radio, and the managers that share it.
///
/// Only the radio's thread uses it, apart from `names` and `connected`. It does no input or output: the
/// `DeviceProgram` hands over the central's events, and delegates are called on their queues.
final class CentralEngine: @unchecked Sendable {
  let central: DeviceCentral
  let channels: DeviceChannels
  let names = Locked(KnownNames())
  /// The services that were discovered on each connected peripheral.
  let connected = Locked<[DeviceAddress: Set<BluetoothUUID>]>([:])
  var clients: [CentralClient] = []
  var links: [PeripheralLink] = []
  /// The links that are being ended, and the member that each end is reported to.
  var endings: [LinkID: PeripheralLink.Member] = [:]
  private(set) var state = CBManagerState.unknown

  init(_ central: DeviceCentral, _ channels: DeviceChannels) {
    self.central = central
    self.channels = channels
  }

  // MARK: Managers

  /// Adds a manager, and reports the state to it.
  func add(_ client: CentralClient) {
    clients.append(client)
    if state != .unknown { client.report(state) }
  }

  func remove(_ client: CentralClient, at now: Instant) {
    clients.removeAll { $0 === client }
    client.scan = nil
    updateScan()
    for link in links { leave(link, client, at: now) }
  }

  /// The radio's state has changed. Unless it is `poweredOn`, scans and links end.
  func stateChanged(_ state: CBManagerState, at now: Instant) {
    guard state != self.state else { return }
    self.state = state
    for client in clients { client.report(state) }
    guard state != .poweredOn else { return }
    for client in clients { client.scan = nil }
    updateScan()
    for link in links { lost(link, CBError(.connectionFailed), at: now) }
  }

  // MARK: The radio

  /// When `advance(to:)` must be called; `nil` if nothing is timed.
  var deadline: Instant? {
    (links.compactMap(\.beginning) + clients.compactMap { $0.scan?.deadline }).min()
  }

  /// The radio is released: scans and links end. A manager that is added later finds a new radio.
  func shutDown(at now: Instant) {
    stateChanged(.poweredOff, at: now)
    state = .unknown
  }

  /// Does what is due.
  func advance(to now: Instant) {
    for link in links {
      guard let beginning = link.beginning, beginning <= now else { continue }
      begin(link)
    }
    for client in clients { reportHeld(to: client, at: now) }
  }

  /// Handles an event of the central.
  func handle(_ event: CentralEvent, at now: Instant) {
    switch event {
    case .ready:
      stateChanged(.poweredOn, at: now)
    case .restarted, .radioFault, .radioFailed:
      // Until the controller has been set up once, the state is unknown.
      if state == .poweredOn { stateChanged(.resetting, at: now) }
    case .scanFailed(let code):
      Log.logger.error("The controller refuses to scan: HCI error \(code.rawValue)")
      scanFailed()
    case .discovered(let discovery):
      heard(discovery, at: now)
    case .connected(let id, _):
      opened(id)
    case .connectionFailed(let id, let failure):
      ended(id, CBError(failure), at: now)
    case .disconnected(let id, let reason):
      ended(id, CBError(reason), at: now)
    case .completed(let operation, let id, let result):
      completed(operation, id, result)
    case .notified(let id, let handle, let value):
      notified(id, handle, value)
    case .servicesChanged(let id, let range):
      servicesChanged(id, range)
    }
  }
}
