import BluetoothHost

@testable import CoreBluetooth

/// Identifies a manager's request for a link. Never reused.
struct LinkID: RawRepresentable, Hashable {
  var rawValue: UInt32
}

/// Identifies an operation, from its call to its completion. Never reused.
struct OperationID: RawRepresentable, Hashable {
  var rawValue: UInt32
}

/// The events of managers.
enum CentralEvent: Equatable {
  case ready
  /// The controller has lost its state and is set up again.
  case restarted
  case controllerError(ControllerError)
  /// The radio was lost, or the controller failed for the third time.
  case radioFailed(ControllerError)
  case scanFailed(HCIErrorCode)
  case discovered(Discovery)
  case connected(LinkID, peer: DeviceAddress)
  /// The reason is `nil` if the manager has cancelled it.
  case connectionFailed(LinkID, LinkEnd?)
  case disconnected(LinkID, LinkEnd?)
  /// The end of a link counts as `disconnected`.
  case completed(OperationID, LinkID, Result<OperationOutput, OperationError>)
  case notified(LinkID, handle: AttributeHandle, value: [UInt8])
  case servicesChanged(LinkID, AttributeHandleRange)
}

/// Managers of a device that record their events: one that scans, and one for each link.
final class CentralRecorder {
  /// A manager that scans, and records what it hears.
  private final class Scanning: CentralHandle, @unchecked Sendable {
    let note: (CentralEvent) -> Void
    var faults = 0

    init(_ note: @escaping (CentralEvent) -> Void) {
      self.note = note
      super.init(queue: .main)
    }

    override func report(_ state: CBManagerState) {
      if state == .poweredOn { note(.ready) }
      // After a fault, the fault has been noted.
      if state == .resetting, faults == 0 { note(.restarted) }
      faults = 0
    }

    override func scanFailed(_ reason: HCIErrorCode) {
      scan = nil
      note(.scanFailed(reason))
    }

    override func heard(_ discovery: Discovery, at now: Instant, _ names: Locked<KnownNames>) {
      note(.discovered(discovery))
    }
  }

  private struct Link {
    let member: PeerLink.Member
    let peer: DeviceAddress
  }

  let engine: CentralEngine
  private(set) var events: [CentralEvent] = []
  private(set) var outcomes: [OperationID: Result<OperationOutput, OperationError>] = [:]
  private(set) var openLinks: [LinkID] = []
  private var manager: Scanning!
  private var known: [LinkID: Link] = [:]
  private var lastLink: UInt32 = 0
  private var lastOperation: UInt32 = 0

  init(_ engine: CentralEngine) {
    self.engine = engine
    let manager = Scanning { [unowned self] in note($0) }
    self.manager = manager
    engine.add(manager)
    let ordinary = engine.onControllerError
    engine.onControllerError = { [unowned self] fault, failures in
      manager.faults += 1
      let isBroken = fault == .lost || failures == CentralEngine.faultLimit
      note(isBroken ? .radioFailed(fault) : .controllerError(fault))
      ordinary(fault, failures)
    }
  }

  private func note(_ event: CentralEvent) {
    events.append(event)
    switch event {
    case .connected(let link, _): openLinks.append(link)
    case .disconnected(let link, _): openLinks.removeAll { $0 == link }
    case .completed(let operation, _, let result): outcomes[operation] = result
    default: break
    }
  }

  func takeEvents() -> [CentralEvent] {
    defer { events = [] }
    return events
  }

  var isReady: Bool { engine.isReady }
  var scanner: Scanner { engine.scanner }
  var deadline: Instant? { engine.deadline }
  /// The links that managers have or want.
  var links: [LinkID] {
    engine.links.flatMap { link in
      known.filter { known in link.members.contains { $0 === known.value.member } }.map(\.key)
    }
  }

  func link(_ id: LinkID) -> PeerLink? {
    engine.links.first { link in link.members.contains { $0 === known[id]?.member } }
  }

  // MARK: Calls

  func scan(_ parameters: ScanParameters = ScanParameters()) {
    let scan = ManagerScan(
      number: 1, services: [], solicited: [], allowsDuplicates: !parameters.filtersDuplicates)
    engine.scan(manager, scan)
  }

  func stopScan() { engine.stopScan(manager) }

  func connect(to peer: DeviceAddress) -> LinkID {
    lastLink += 1
    let id = LinkID(rawValue: lastLink)
    let note = { [weak self] (event: CentralEvent) -> Void in self?.note(event) }
    var isOpen = false
    let member = PeerLink.Member(CentralHandle(queue: .main)) { report in
      switch report {
      case .opened:
        isOpen = true
        note(.connected(id, peer: peer))
      case .ended(let reason, _):
        note(isOpen ? .disconnected(id, reason) : .connectionFailed(id, reason))
      case .received(let value, let handle): note(.notified(id, handle: handle, value: value))
      case .servicesChanged(let range): note(.servicesChanged(id, range))
      case .mtuChanged, .named: break
      }
    }
    known[id] = Link(member: member, peer: peer)
    engine.connect(member, to: peer)
    return id
  }

  func disconnect(_ id: LinkID) {
    if let link = known[id] { engine.cancel(link.member.handle, link.peer) }
  }

  /// Subscribes the manager of a link to a value, without asking the peer.
  func listen(to handle: AttributeHandle, on id: LinkID) {
    known[id]?.member.subscriptions.insert(handle)
  }

  /// An operation of the manager of a link.
  ///
  /// - Parameters:
  ///   - whenIdle: Whether it waits for an empty queue.
  ///   - whenOpen: Whether it fails if the link is not open yet.
  @discardableResult
  func perform(
    _ operation: PeerOperation, on id: LinkID, whenIdle: Bool = false, whenOpen: Bool = false
  ) -> OperationID {
    lastOperation += 1
    let operationID = OperationID(rawValue: lastOperation)
    let completion: PeerRequest.Completion = { [weak self] result in
      self?.note(
        .completed(operationID, id, result.mapError { $0 as? OperationError ?? .disconnected }))
    }
    if let link = link(id), link.hasOpened || !whenOpen {
      engine.append(
        PeerRequest(operation, of: known[id]?.member, whenIdle: whenIdle, completion), to: link)
    } else {
      completion(.failure(CBError(.notConnected)))
    }
    return operationID
  }

  @discardableResult
  func readRSSI(of id: LinkID) -> OperationID { perform(.readRSSI, on: id, whenOpen: true) }

  func openChannel(_ spsm: SPSM, _ pipe: ChannelPipe, on id: LinkID) -> OperationID {
    perform(.openChannel(spsm, pipe), on: id, whenOpen: true)
  }
}
