import BluetoothHost
import Foundation

/// The central of one radio, and the managers that share it.
///
/// It is used on the radio's thread alone, but for `connected`. It does no input or output: the
/// `DeviceProgram` hands over the central's events, and the calls of a delegate go to its queue.
final class CentralEngine: @unchecked Sendable {
  /// What is known of the peripherals that are connected: for any thread.
  struct Connected {
    var name: String?
    var services: Set<BluetoothUUID> = []
  }

  let central: DeviceCentral
  let channels: DeviceChannels
  /// The peripherals that are connected.
  let connected = Locked<[DeviceAddress: Connected]>([:])
  var clients: [CentralClient] = []
  var links: [PeripheralLink] = []
  /// Links that nobody wants any more, and who is to be told when they have ended.
  var endings: [LinkID: PeripheralLink.Member] = [:]
  private(set) var state = CBManagerState.unknown

  init(_ central: DeviceCentral, _ channels: DeviceChannels) {
    self.central = central
    self.channels = channels
  }

  // MARK: Managers

  /// A manager wants to know of the radio from now on.
  func add(_ client: CentralClient) {
    clients.append(client)
    if state != .unknown { client.tell(state) }
  }

  /// A manager is no more.
  func remove(_ client: CentralClient, at now: Instant) {
    clients.removeAll { $0 === client }
    client.scan = nil
    updateScan()
    for link in links { leave(link, client, at: now) }
  }

  /// The radio can be used for something else than before. All that there was is gone with it.
  func stateChanged(_ state: CBManagerState, at now: Instant) {
    guard state != self.state else { return }
    self.state = state
    for client in clients { client.tell(state) }
    guard state != .poweredOn else { return }
    for client in clients { client.scan = nil }
    updateScan()
    for link in links { lost(link, CBError(.connectionFailed), at: now) }
  }

  // MARK: The radio

  /// When `advance(to:)` must be called; `nil` if only an event can bring anything.
  var deadline: Instant? {
    (links.compactMap(\.beginning) + clients.compactMap { $0.scan?.deadline }).min()
  }

  /// The radio is let go of: all that there was ends. Whoever comes later finds a new one.
  func shutDown(at now: Instant) {
    stateChanged(.poweredOff, at: now)
    state = .unknown
  }

  /// Does what was put off until now.
  func advance(to now: Instant) {
    for link in links {
      guard let beginning = link.beginning, beginning <= now else { continue }
      begin(link)
    }
    for client in clients { tellHeld(client, at: now) }
  }

  /// Takes what has happened to the central.
  func handle(_ event: CentralEvent, at now: Instant) {
    switch event {
    case .ready:
      stateChanged(.poweredOn, at: now)
    case .restarted, .radioFault, .radioFailed:
      // Until it has been set up once, the state is not known yet.
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
