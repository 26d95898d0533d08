import BluetoothHost

/// A central for tests: the host, with a queue of connection attempts, and a queue of operations
/// for each link. Its events come out of `nextEvent()`.
///
/// It does no input or output, as `Host` does none, and is called in the same way.
package final class TestCentral {
  /// Its configuration.
  package let configuration: HostConfiguration

  private var host: Central<4, Collector>
  private var links: [Link] = []
  private var events: [CentralEvent] = []
  private var lastLink = 0
  private var lastOperation = 0

  private struct Link {
    enum Phase: Equatable {
      /// It waits to connect.
      case waiting
      /// The host is connecting it, or stops for this reason.
      case connecting(stopsFor: ConnectionFailure?)
      /// The link exists, at this index of the host's.
      case open(Int)
    }

    let id: LinkID
    let peer: DeviceAddress
    var phase = Phase.waiting
    /// When the connection attempt ends.
    var deadline: Instant?
    /// The queue; the first has begun if the link is busy.
    var operations: [(id: OperationID, operation: Operation)] = []
    var isBusy = false
  }

  /// A central that has not started.
  package init(_ configuration: HostConfiguration = .central) {
    self.configuration = configuration
    host = Central(configuration: configuration, application: Collector())
  }

  // MARK: Requests

  /// Scans for advertisers. Earlier ones are reported again.
  package func scan(_ parameters: ScanParameters = ScanParameters()) {
    host.client.application.advertisers = []
    host.scan(parameters)
  }

  /// Stops scanning.
  package func stopScan() { host.scan(nil) }

  /// Requests a link. Attempts are made one after another while the radio works; each one's time,
  /// in milliseconds, begins now. `connected` or `connectionFailed` follows.
  package func connect(
    to peer: DeviceAddress, timeout: UInt32? = nil, at now: Instant
  ) -> LinkID {
    lastLink += 1
    let id = LinkID(rawValue: lastLink)
    links.append(Link(id: id, peer: peer, deadline: now.advanced(by: timeout ?? 10_000)))
    listen()
    return id
  }

  /// Ends a link or an attempt. `disconnected` or `connectionFailed` follows.
  package func disconnect(_ id: LinkID) {
    guard let index = links.firstIndex(where: { $0.id == id }) else { return }
    if case .open(let connectionIndex) = links[index].phase {
      host.disconnect(at: connectionIndex)
    } else {
      stopConnecting(at: index, for: .cancelled)
    }
    listen()
  }

  /// Adds an operation to the queue of a link, which may still be connecting. `completed` follows.
  @discardableResult
  package func perform(_ operation: Operation, on id: LinkID) -> OperationID {
    lastOperation += 1
    let operationID = OperationID(rawValue: lastOperation)
    if let index = links.firstIndex(where: { $0.id == id }) {
      links[index].operations.append((operationID, operation))
      listen()
    } else {
      events.append(.completed(operationID, id, .failure(.disconnected)))
    }
    return operationID
  }

  /// The MTU of a link; 23 before an exchange.
  package func mtu(of id: LinkID) -> ATTMTU {
    guard case .open(let connectionIndex) = links.first(where: { $0.id == id })?.phase else {
      return .minimum
    }
    return host.mtu(at: connectionIndex)
  }

  // MARK: As a host

  /// Starts the controller.
  package func start(at now: Instant) {
    host.start(at: now)
    listen()
  }

  /// The controller is gone.
  package func radioLost() {
    host.radioLost()
    listen()
  }

  /// Takes one whole packet from the controller.
  package func receive(_ packet: Span<UInt8>, at now: Instant) {
    host.receive(packet, at: now)
    listen()
  }

  /// Writes the next packet for the controller; `false` if there is none now.
  package func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    if host.nextPacket(into: &writer, at: now) {
      listen()
      return true
    }
    // An operation that ends without a packet makes room for the next one.
    let count = events.count
    listen()
    return events.count > count && nextPacket(into: &writer, at: now)
  }

  /// When `advance(to:)` has to be called; `nil` if nothing is due.
  package var deadline: Instant? {
    links.compactMap(\.deadline).reduce(host.deadline) { min($0 ?? $1, $1) }
  }

  /// Ends what has waited for too long.
  package func advance(to now: Instant) {
    host.advance(to: now)
    listen()
    // Backwards, because each that fails is removed.
    for index in links.indices.reversed() {
      guard let deadline = links[index].deadline, deadline <= now else { continue }
      stopConnecting(at: index, for: .timedOut)
    }
    listen()
  }

  /// Takes the oldest event; `nil` without one.
  package func nextEvent() -> CentralEvent? { events.isEmpty ? nil : events.removeFirst() }

  // MARK: Reactions

  /// Handles the host's reports, and begins what can begin now.
  private func listen() {
    let reported = host.client.application.events
    host.client.application.events = []
    for event in reported { handle(event) }
    connectNext()
    for index in links.indices where !links[index].isBusy {
      guard case .open(let connectionIndex) = links[index].phase,
        let next = links[index].operations.first?.operation
      else { continue }
      host.client.application.values[connectionIndex] = next.value
      links[index].isBusy = host.perform(next.request, at: connectionIndex)
    }
  }

  private func connectNext() {
    guard host.radio == .silent, host.canConnect,
      let index = links.firstIndex(where: { $0.phase == .waiting }),
      host.connect(to: links[index].peer)
    else { return }
    links[index].phase = .connecting(stopsFor: nil)
  }

  /// Ends a connection attempt.
  private func stopConnecting(at index: Int, for reason: ConnectionFailure) {
    links[index].deadline = nil
    if links[index].phase == .waiting {
      remove(at: index, .connectionFailed(links[index].id, reason))
    } else if links[index].phase == .connecting(stopsFor: nil) {
      links[index].phase = .connecting(stopsFor: reason)
      host.cancelConnection()
    }
  }

  private func handle(_ event: Collector.Event) {
    switch event {
    case .radio(.silent): events.append(.ready(address: host.address))
    case .radio(.fault(let fault)): events.append(.radioFault(fault))
    case .radio: return
    case .discovered(let discovery): events.append(.discovered(discovery))
    case .scanFailed(let reason): events.append(.scanFailed(reason))
    case .connectionFailed(let reason):
      guard let (index, failure) = attempt else { return }
      remove(at: index, .connectionFailed(links[index].id, failure ?? .controller(reason)))
    case .connected(let connectionIndex, let peer):
      guard let (index, _) = attempt else { return }
      links[index].phase = .open(connectionIndex)
      links[index].deadline = nil
      events.append(.connected(links[index].id, peer: peer))
    case .disconnected(let connectionIndex, let reason):
      guard let index = index(at: connectionIndex) else { return }
      remove(at: index, .disconnected(links[index].id, reason))
    case .ended(let connectionIndex, let output, let error):
      guard let index = index(at: connectionIndex) else { return }
      links[index].isBusy = false
      let operation = links[index].operations.removeFirst()
      events.append(
        .completed(
          operation.id, links[index].id,
          result(output, error, of: operation.operation, connectionIndex)))
    case .notified(let connectionIndex, let handle, let value):
      guard let index = index(at: connectionIndex) else { return }
      events.append(.notified(links[index].id, handle: handle, value: value))
    }
  }

  private func result(
    _ output: OperationOutput, _ error: OperationError?, of operation: Operation,
    _ connectionIndex: Int
  ) -> Result<OperationOutput, OperationError> {
    if let error { return .failure(error) }
    return .success(operation == .exchangeMTU ? .mtu(host.mtu(at: connectionIndex)) : output)
  }

  /// The link that the host connects, and why it stops.
  private var attempt: (index: Int, failure: ConnectionFailure?)? {
    for index in links.indices {
      if case .connecting(let failure) = links[index].phase { return (index, failure) }
    }
    return nil
  }

  private func index(at connectionIndex: Int) -> Int? {
    links.firstIndex { $0.phase == .open(connectionIndex) }
  }

  /// Removes a link: its operations end, and then `event` is reported.
  private func remove(at index: Int, _ event: CentralEvent) {
    let link = links.remove(at: index)
    for operation in link.operations {
      events.append(.completed(operation.id, link.id, .failure(.disconnected)))
    }
    events.append(event)
  }
}

extension HostConfiguration {
  /// A central with its controller's address, or with `C0:00:00:00:00:00` if that has none.
  package static let central = HostConfiguration(
    name: DeviceName(StaticText("Central")), service: nil,
    address: .automatic(orRandom: .staticRandom([0, 0, 0, 0, 0, 0])))
}
