import BluetoothHost

/// The central role of a device: its links and the order of their attempts, their operations, and
/// the advertisers that it has received.
///
/// It is the application of the host's client. Its calls record what is wanted, at any time, also
/// before the controller is ready. `update` then asks the host, and events report the results. The
/// host's calls record what happened and return at once.
///
/// Not for use from several threads.
final class DeviceCentral {
  /// How long an attempt or a scan has the radio while another one waits, in milliseconds.
  static let turn: UInt32 = 2_000
  /// How long an attempt waits after the controller could not connect, in milliseconds.
  static let retryPause: UInt32 = 250
  /// The controller counts as broken after this many faults without hearing a peer in between.
  static let faultLimit = 3

  /// A connection of the host.
  struct Connection {
    let peer: DeviceAddress
    let role: LEConnectionComplete.Role
    /// The link that uses it; `nil` if this device has not asked for it.
    var link: CentralLink?
    /// The value that the host's current operation writes.
    var value: [UInt8] = []
    /// Whether the MTU has been exchanged. A client does that once in a connection: Core
    /// Specification, Vol 3, Part F, 3.4.2.1.
    var hasExchangedMTU = false
  }

  /// The time of the current call.
  var now = Instant(rawValue: 0)
  private(set) var radio = RadioState.starting
  /// How often the controller has failed since a peer was last heard.
  private(set) var failures = 0
  var scanner = Scanner()
  /// Every link, in the order of their turns to connect.
  var links: [CentralLink] = []
  /// By the index of the connection.
  var connections: [Connection?]
  /// The connections that were made after their cancellation.
  var unwanted: [Int] = []
  /// Whether the host may have to be asked for something.
  var needsUpdate = false

  /// Links and attempts that ended with `hardwareFailure`, the reason that the host gives for a
  /// fault. If a fault follows, it is reported before them.
  private var lost: [CentralLink] = []
  private var events: [CentralEvent] = []
  private var lastLink: UInt32 = 0
  private var lastOperation: UInt32 = 0

  /// The central of a host with this many connections.
  init(connections: Int) {
    self.connections = Array(repeating: nil, count: connections)
  }

  /// Whether the controller works.
  var isReady: Bool { radio == .silent || radio == .advertising }

  // MARK: Requests

  /// Starts a new scan, which reports every advertiser again.
  func scan(_ parameters: ScanParameters = ScanParameters()) {
    scanner.begin(parameters)
    needsUpdate = true
  }

  func stopScan() {
    scanner.end()
    needsUpdate = true
  }

  /// Asks for a link to `peer`. Attempts continue until `connected`, `disconnect(_:)`, a failure of
  /// the radio, or an HCI error that would recur. They take turns with other attempts and with a
  /// scan.
  func connect(to peer: DeviceAddress) -> LinkID {
    lastLink &+= 1
    let link = CentralLink(id: LinkID(rawValue: lastLink), peer: peer)
    links.append(link)
    needsUpdate = true
    return link.id
  }

  /// Ends a link or its attempt. Incomplete operations end with an error.
  func disconnect(_ id: LinkID) {
    guard let link = link(id) else { return }
    needsUpdate = true
    switch link.phase {
    case .waiting:
      fail(link, .cancelled)
    case .connecting, .yielding:
      link.phase = .cancelling
    case .open:
      guard let index = link.index, connections[index]?.role == .central else {
        // The peer made this link, so this side leaves it open.
        return end(link, .controller(.connectionTerminatedByLocalHost))
      }
      link.phase = .closing(isAsked: false)
      endOperations(of: link)
    case .cancelling, .closing:
      return
    }
  }

  /// Appends an operation to the queue of a link, which need not be connected yet. `completed`
  /// always follows. With `whenIdle`, it is carried out when the queue is empty.
  @discardableResult
  func perform(
    _ operation: CentralOperation, on id: LinkID, whenIdle: Bool = false
  ) -> OperationID {
    let operationID = newOperation()
    needsUpdate = true
    if let link = link(id), link.isPending || link.isOpen {
      link.enqueue(operation, operationID, whenIdle: whenIdle)
    } else {
      post(.completed(operationID, id, .failure(.disconnected)))
    }
    return operationID
  }

  /// Reads the RSSI of a link, outside of its queue. `completed` always follows.
  @discardableResult
  func readRSSI(of id: LinkID) -> OperationID {
    let operationID = newOperation()
    needsUpdate = true
    if let link = link(id), link.isOpen {
      link.rssiReadings.append(operationID)
    } else {
      post(.completed(operationID, id, .failure(.disconnected)))
    }
    return operationID
  }

  /// An identifier for a new operation.
  func newOperation() -> OperationID {
    lastOperation &+= 1
    return OperationID(rawValue: lastOperation)
  }

  // MARK: Events

  /// The next event, the oldest first; `nil` if there is none.
  func nextEvent() -> CentralEvent? {
    events.isEmpty ? nil : events.removeFirst()
  }

  func post(_ event: CentralEvent) {
    events.append(event)
  }

  func link(_ id: LinkID) -> CentralLink? {
    links.first { $0.id == id }
  }

  /// A peer was received, or the radio is ready again: past faults do not count.
  func resetFailures() { failures = 0 }

  /// The radio's state has changed, or the controller has failed once more.
  func radioChanged(to state: RadioState) {
    let wasReady = isReady
    radio = state
    needsUpdate = true
    switch state {
    case .silent, .advertising:
      if !wasReady { post(.ready) }
    case .starting:
      if wasReady { post(.restarted) }
      endLost()
    case .fault(let fault):
      if fault != .lost { failures += 1 }
      let isBroken = fault == .lost || failures == Self.faultLimit
      post(isBroken ? .radioFailed(fault) : .radioFault(fault))
      endLost()
      guard isBroken else { return }
      for link in links where link.phase == .waiting { fail(link, .radioLost) }
    }
  }

  /// A link or an attempt has ended with `hardwareFailure`.
  func lose(_ link: CentralLink) { lost.append(link) }

  private func endLost() {
    for link in lost {
      if link.isPending { fail(link, .radioLost) } else { end(link, .radioLost) }
    }
    lost = []
  }

  /// No fault followed, so `hardwareFailure` was the controller's own reason. Ends those links and
  /// attempts with it.
  func endLinksWithoutFault() {
    for link in lost {
      if link.isPending {
        refused(link, .hardwareFailure)
      } else {
        end(link, .controller(.hardwareFailure))
      }
    }
    lost = []
  }

  // MARK: Links

  /// The connection at `index` is used for `link`.
  func open(_ link: CentralLink, at index: Int) {
    link.index = index
    link.phase = .open
    link.attempt = nil
    connections[index]?.link = link
    post(.connected(link.id, peer: link.peer))
  }

  func end(_ link: CentralLink, _ reason: DisconnectionReason) {
    remove(link)
    endOperations(of: link)
    post(.disconnected(link.id, reason))
  }

  /// A link cannot be made, or was cancelled.
  func fail(_ link: CentralLink, _ failure: ConnectionFailure) {
    remove(link)
    endOperations(of: link)
    post(.connectionFailed(link.id, failure))
  }

  func complete(
    _ operation: OperationID, _ link: CentralLink,
    _ result: Result<OperationOutput, OperationError>
  ) {
    if case .success(.watching(let handle)) = result { link.serviceChanged = handle }
    post(.completed(operation, link.id, result))
  }

  private func remove(_ link: CentralLink) {
    links.removeAll { $0 === link }
    if let index = link.index { connections[index]?.link = nil }
    needsUpdate = true
  }

  private func endOperations(of link: CentralLink) {
    for operation in link.takeOperations() { complete(operation, link, .failure(.disconnected)) }
  }
}
