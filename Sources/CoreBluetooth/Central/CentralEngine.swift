import BluetoothHost
import Foundation

/// The central of one radio, and the managers that share it: the application of the host's client.
/// The managers' calls and the host's calls record what is wanted and what has happened, at any
/// time. `update` then asks the host, and results go straight to their completions. Delegates are
/// called on their queues. Only the radio's thread uses it, apart from `names` and `connected`.
final class CentralEngine: @unchecked Sendable {
  /// How long an attempt has the radio while another one or a scan waits, in milliseconds. bluetoothd also finds the
  /// attributes of a peer before it reports a link, so an attempt beside it takes longer.
  var attemptLimit = CentralEngine.turn

  /// The controller counts as broken after this many faults without hearing a peer in between.
  static let faultLimit = 3
  /// What is asked of the peer of each new link, and whether only when nothing else waits.
  static let firstRequests: [(operation: PeerOperation, whenIdle: Bool)] = [
    (.exchangeMTU, false), (.watchServices, true), (.readFirst(.deviceName), true),
  ]

  /// A connection of the host.
  struct Connection {
    let peer: DeviceAddress
    let role: LEConnectionComplete.Role
    /// The link that uses it; `nil` if no manager has asked for it.
    var link: PeerLink?
    /// The value that the host's current operation writes.
    var value: [UInt8] = []
    /// Whether the MTU has been exchanged. A client does that once in a connection: Core
    /// Specification, Vol 3, Part F, 3.4.2.1.
    var hasExchangedMTU = false
  }

  let channels: DeviceChannels
  let names = Locked(KnownNames())
  /// The services that were discovered on each connected peripheral.
  let connected = Locked<[DeviceAddress: Set<BluetoothUUID>]>([:])
  private let firstRequests: [(operation: PeerOperation, whenIdle: Bool)]
  /// Receives each fault of the controller, and how many there were since a peer was last heard.
  var onControllerError: (_ error: ControllerError, _ failures: Int) -> Void = { _, _ in }

  /// The time of the current call.
  var now = Instant(rawValue: 0)
  /// The managers.
  private(set) var handles: [CentralHandle] = []
  /// The state that the managers know.
  private(set) var state = CBManagerState.unknown
  /// Whether the controller works.
  private(set) var isReady = false
  /// How often the controller has failed since a peer was last heard.
  private var failures = 0
  var scanner = Scanner()
  /// Every link, in the order of their turns to connect.
  var links: [PeerLink] = []
  /// By the index of the connection.
  var connections: [Connection?]
  /// The connections that were made after their cancellation.
  var unwanted: [Int] = []
  /// Whether the host may have to be asked for something.
  var needsUpdate = false

  /// The central of a host with this many connections.
  init(
    connections: Int, channels: DeviceChannels,
    firstRequests: [(operation: PeerOperation, whenIdle: Bool)] = CentralEngine.firstRequests
  ) {
    self.connections = Array(repeating: nil, count: connections)
    self.channels = channels
    self.firstRequests = firstRequests
  }

  // MARK: Managers

  /// Adds a manager, and reports the state to it.
  func add(_ handle: CentralHandle) {
    handles.append(handle)
    if state != .unknown { handle.report(state) }
  }

  func remove(_ handle: CentralHandle) {
    handles.removeAll { $0 === handle }
    stopScan(handle)
    for link in links { leave(link, handle) }
  }

  // MARK: The radio

  /// The radio's state has changed, or the controller has failed once more.
  func radioChanged(to radio: RadioState) {
    needsUpdate = true
    let wasReady = isReady
    isReady = radio == .silent || radio == .advertising
    if isReady { return wasReady ? () : changeState(to: .poweredOn) }
    if case .fault(let error) = radio {
      if error != .lost { failures += 1 }
      onControllerError(error, failures)
    }
    // Until the controller has been set up once, the state is unknown.
    if state == .poweredOn { changeState(to: .resetting) }
    for link in links where link.isLost { end(link, .radioLost) }
  }

  /// Unless the state is `poweredOn`, scans and links end.
  private func changeState(to state: CBManagerState) {
    guard state != self.state else { return }
    self.state = state
    for handle in handles { handle.report(state) }
    guard state != .poweredOn else { return }
    for handle in handles { handle.scan = nil }
    updateScan()
    for link in links where !link.isAbandoned { lose(link, .radioLost) }
  }

  /// A peer was received, or the radio is ready again: past faults do not count.
  func resetFailures() { failures = 0 }

  /// The radio is released: scans and links end. A manager that is added later finds a new radio.
  func shutDown() {
    changeState(to: .poweredOff)
    state = .unknown
  }

  // MARK: Time

  /// When `advance()` has to be called; `nil` if nothing is timed.
  var deadline: Instant? {
    (links.compactMap(turnEnd) + handles.compactMap { $0.scan?.deadline }).min()
  }

  /// Does what is due.
  func advance() {
    for link in links { if let end = turnEnd(of: link), end <= now { endTurn(of: link) } }
    for handle in handles { handle.reportHeld(at: now, names) }
  }

  // MARK: The host

  /// Asks the host for what is wanted. Call it after any other call, while `needsUpdate`.
  func update(_ host: inout LocalDevice.Host) {
    needsUpdate = false
    // No fault followed, so `hardwareFailure` was the controller's own reason.
    for link in links where link.isLost {
      link.isLost = false
      if link.isPending {
        refused(link, .hardwareFailure)
      } else {
        end(link, .disconnected(.hardwareFailure))
      }
    }
    if isReady { identify(&host) }
    if scanner.isStale {
      scanner.isStale = false
      host.scan(scanner.wanted)
    }
    for index in unwanted where connections[index] != nil { host.disconnect(at: index) }
    unwanted = []
    for link in links { update(link, &host) }
    beginAttempt(&host)
  }

  private func update(_ link: PeerLink, _ host: inout LocalDevice.Host) {
    if link.phase == .waiting || link.phase == .connecting, let index = connectionOfPeer(of: link) {
      // The peer has connected to this device.
      if link.phase == .waiting { open(link, at: index) } else { link.phase = .yielding }
    }
    switch link.phase {
    case .delayed, .waiting, .connecting, .closing(isAsked: true), .ended: return
    case .cancelling: host.cancelConnection()
    case .yielding: host.cancelConnection(keepsLink: true)
    case .closing(isAsked: false):
      link.phase = .closing(isAsked: true)
      if let index = link.connectionIndex { host.disconnect(at: index) }
    case .open: if let index = link.connectionIndex { carryOutRequests(of: link, at: index, &host) }
    }
  }

  /// The connection that the peer of `link` has made, if no manager uses it.
  private func connectionOfPeer(of link: PeerLink) -> Int? {
    connections.firstIndex { connection in
      guard let connection, connection.role == .peripheral, connection.link == nil else {
        return false
      }
      // Controllers report the kind of a resolved address differently.
      return connection.peer.bytes.span.hasSameBytes(as: link.peer.bytes.span)
    }
  }

  /// The connection at `index` is used for `link`.
  func open(_ link: PeerLink, at index: Int) {
    link.connectionIndex = index
    link.phase = .open
    link.attempt = nil
    connections[index]?.link = link
    connected.withLock { $0[link.peer] = [] }
    for (operation, whenIdle) in firstRequests {
      link.requests.append(PeerRequest(operation, whenIdle: whenIdle))
    }
    for member in link.members { member.report(.opened(link.mtu)) }
  }
}
