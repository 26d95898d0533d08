import BluetoothHost

/// A central: it scans, connects, and is a GATT client on each of its links.
///
/// It does no input or output. Packets from the controller go in by `receive(_:at:)`, packets for
/// it come out of `nextPacket(into:at:)`, the time comes with each call, and what happened comes
/// out of `nextEvent()`. After any call, take packets until there are none, then events until
/// there are none, and call `advance(to:)` by `deadline`.
///
/// Whatever the caller wants may be asked for at any time, before the controller is ready too, and
/// every wish is answered by an event. Not for use from several threads.
public final class Central {
  /// How it behaves.
  public let configuration: CentralConfiguration
  /// The address that peers know it by; zero before it is first ready.
  public internal(set) var address = DeviceAddress.zero
  /// Whether the controller takes commands other than those that start it.
  public var isReady: Bool { state == .ready }

  var state = State.stopped
  /// How often the controller has failed since a peer was last heard.
  var failures = 0
  var gate = CommandGate()
  var budget = ACLBudget()
  var scanner = Scanner()
  /// Every link, the one whose turn it is to send first.
  var links: [Link] = []
  /// Commands of no consequence to the central itself: what peers ask for, and links that nobody
  /// wants.
  var errands: [Command] = []

  private var events: [CentralEvent] = []
  private var lastLink: UInt32 = 0
  private var lastOperation: UInt32 = 0

  enum State: Equatable {
    case stopped
    case starting(StartUpStep)
    case ready
  }

  /// A central that has not started.
  public init(configuration: CentralConfiguration) {
    self.configuration = configuration
  }

  /// Starts the controller, or starts it again. Links that there were end first.
  public func start(at now: Instant) {
    failures = 0
    restart()
  }

  /// The way to the controller is gone: links and attempts end, and nothing more is sent until
  /// `start(at:)`. A scan goes on then.
  public func radioLost() {
    post(.radioFailed(.lost))
    halt()
  }

  /// Looks for advertisers, and forgets those that were heard before: each is told of again.
  public func scan(_ options: ScanOptions = ScanOptions()) {
    scanner.begin(options)
  }

  /// The scan that was asked for last; `nil` if none is wanted.
  public var scanOptions: ScanOptions? { scanner.wanted }

  /// Looks no longer.
  public func stopScan() {
    scanner.wanted = nil
  }

  /// Asks for a link to `peer`; `connected` or `connectionFailed` tells how that ended. Attempts
  /// are made one after another; the time that one has, in milliseconds, begins now.
  public func connect(to peer: DeviceAddress, timeout: UInt32? = nil, at now: Instant) -> LinkID {
    let link = addLink(to: peer, isPersistent: false)
    link.deadline = now.advanced(by: timeout ?? configuration.connectionTimeout)
    return link.id
  }

  /// Asks for a link to `peer`, whenever that can be had: attempts go on until `connected`,
  /// `disconnect(_:at:)`, or a failure of the radio. They share the radio with other attempts and
  /// with a scan by taking turns.
  public func connectWhenever(to peer: DeviceAddress) -> LinkID {
    addLink(to: peer, isPersistent: true).id
  }

  private func addLink(to peer: DeviceAddress, isPersistent: Bool) -> Link {
    lastLink &+= 1
    let link = Link(id: LinkID(rawValue: lastLink), peer: peer, isPersistent: isPersistent)
    links.append(link)
    return link
  }

  /// Ends a link, or an attempt at one. Operations that have not been completed end with an
  /// error.
  public func disconnect(_ id: LinkID, at now: Instant) {
    guard let link = link(id) else { return }
    switch link.phase {
    case .waiting:
      fail(link, .cancelled)
    case .connecting:
      link.phase = .cancelling(.cancelled, isAsked: false)
      link.deadline = now.advanced(by: configuration.closingTimeout)
    case .yielding(let isAsked):
      link.phase = .cancelling(.cancelled, isAsked: isAsked)
    case .open:
      close(link, at: now)
    case .cancelling, .closing:
      return
    }
  }

  /// Puts an operation at the end of the line of a link, which need not be connected yet.
  /// `completed` tells how it ended, always. One that can wait is carried out when the line is
  /// empty.
  @discardableResult
  public func perform(
    _ operation: Operation, on id: LinkID, whenIdle: Bool = false
  ) -> OperationID {
    let operationID = newOperation()
    if let link = link(id), link.isPending || link.isOpen {
      link.client.enqueue(operation, operationID, whenIdle: whenIdle)
    } else {
      post(.completed(operationID, id, .failure(.disconnected)))
    }
    return operationID
  }

  /// Asks the controller how strongly a peer is heard, without waiting in the link's line.
  /// `completed` tells, always.
  @discardableResult
  public func readRSSI(of id: LinkID) -> OperationID {
    let operationID = newOperation()
    if let link = link(id), link.isOpen, let handle = link.handle {
      link.rssiReadings.append(operationID)
      errands.append(.readRSSI(handle, operationID))
    } else {
      post(.completed(operationID, id, .failure(.disconnected)))
    }
    return operationID
  }

  private func newOperation() -> OperationID {
    lastOperation &+= 1
    return OperationID(rawValue: lastOperation)
  }

  /// How long a PDU may be on a link; 23 before an exchange.
  public func mtu(of id: LinkID) -> ATTMTU {
    link(id)?.client.mtu ?? .minimum
  }

  /// What has happened, oldest first; `nil` when all has been told.
  public func nextEvent() -> CentralEvent? {
    events.isEmpty ? nil : events.removeFirst()
  }

  func post(_ event: CentralEvent) {
    events.append(event)
  }

  func link(_ id: LinkID) -> Link? {
    links.first { $0.id == id }
  }

  func link(_ handle: ConnectionHandle) -> Link? {
    links.first { $0.handle == handle }
  }
}
