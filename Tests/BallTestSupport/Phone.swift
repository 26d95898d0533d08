import BluetoothHost
import VirtualRadio

/// The handles of the ball's database, which never change.
package enum Handles {
  package static let deviceName = AttributeHandle(rawValue: 0x0003)
  package static let databaseHash = AttributeHandle(rawValue: 0x000F)
  package static let question = AttributeHandle(rawValue: 0x001D)
  package static let answer = AttributeHandle(rawValue: 0x001F)
  package static let configuration = AttributeHandle(rawValue: 0x0020)
}

/// A central that a test controls step by step: one link at a time, and a queue of operations on it.
package class Phone: HostSide {
  package typealias Outcome = Result<OperationOutput, OperationError>

  private enum Phase: Equatable {
    case none
    /// It waits to connect.
    case waiting(DeviceAddress)
    /// The host is connecting it, or stops for this reason of the phone's own.
    case connecting(stopsFor: HCIErrorCode?)
    /// The link exists, at this index of the host's.
    case open(Int)
  }

  /// Its controller.
  package let radio: VirtualController
  private var host: Central<1, Collector>
  private var phase = Phase.none
  /// When the connection attempt ends.
  private var attemptEnd: Instant?
  /// The queue; the first has begun if the link is busy.
  private var operations: [(number: Int, request: ClientOperation, value: [UInt8])] = []
  private var isBusy = false
  private var lastOperation = 0
  private(set) var now = Instant(rawValue: 0)
  /// When `alarmRings` is called.
  var alarm: Instant?

  /// All its events.
  package private(set) var events: [Collector.Event] = []
  /// The notifications of Answer, as text.
  package private(set) var answers: [String] = []
  /// The outcome of each operation, by its number.
  package private(set) var outcomes: [Int: Outcome] = [:]
  /// How the last attempt to connect, and the last link, ended: `connectionTimeout` for an attempt
  /// that took too long.
  package private(set) var failure: HCIErrorCode?
  package private(set) var ending: HCIErrorCode?

  /// A central that has not started.
  package init(on radio: VirtualController, _ configuration: HostConfiguration = .central) {
    self.radio = radio
    host = Central(configuration: configuration, application: Collector())
  }

  /// Whether it has a link, or is connecting.
  package var hasLink: Bool { phase != .none }
  package var isConnected: Bool { connectionIndex != nil }
  private var connectionIndex: Int? { if case .open(let index) = phase { index } else { nil } }
  package var mtu: Int { connectionIndex.map { host.mtu(at: $0).byteCount } ?? 23 }

  // MARK: Requests

  /// Scans for advertisers. Earlier ones are reported again.
  package func scan() {
    host.client.application.advertisers = []
    host.scan(ScanParameters())
  }

  package func stopScan() { host.scan(nil) }

  /// Requests a link, for which it waits `timeout` ms at most.
  package func connect(to peer: DeviceAddress, timeout: UInt32 = 10_000, at now: Instant) {
    failure = nil
    ending = nil
    phase = .waiting(peer)
    attemptEnd = now.advanced(by: timeout)
    listen()
  }

  /// Ends the link or the attempt.
  package func disconnect() {
    if let connectionIndex {
      host.disconnect(at: connectionIndex)
    } else {
      stopConnecting(for: .connectionTerminatedByLocalHost)
    }
    listen()
  }

  /// Adds an operation to the queue of the link, which may still be connecting; returns its number.
  @discardableResult
  package func perform(_ request: ClientOperation, value: [UInt8] = []) -> Int {
    lastOperation += 1
    let number = lastOperation
    if hasLink { operations.append((number, request, value)) } else { fail(number) }
    listen()
    return number
  }

  @discardableResult
  package func write(_ value: [UInt8], to handle: AttributeHandle = Handles.question) -> Int {
    perform(.write(handle, byteCount: value.count), value: value)
  }

  // MARK: As a host

  /// Starts the controller.
  package func start(at now: Instant) {
    self.now = now
    host.start(at: now)
    listen()
  }

  package func receive(_ packet: Span<UInt8>, at now: Instant) {
    self.now = now
    host.receive(packet, at: now)
    listen()
  }

  package func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    self.now = now
    if host.nextPacket(into: &writer, at: now) {
      listen()
      return true
    }
    // An operation that ends without a packet makes room for the next one.
    let count = events.count
    listen()
    return events.count > count && nextPacket(into: &writer, at: now)
  }

  package var deadline: Instant? {
    Instant.earlier(host.deadline, Instant.earlier(attemptEnd, alarm))
  }

  package func advance(to now: Instant) {
    self.now = now
    host.advance(to: now)
    listen()
    if let attemptEnd, attemptEnd <= now { stopConnecting(for: .connectionTimeout) }
    if let alarm, alarm <= now {
      self.alarm = nil
      alarmRings()
    }
    listen()
  }

  // MARK: Reactions

  /// For a subclass: an event, and the time that it asked for.
  func heard(_ event: Collector.Event) {}
  func alarmRings() {}

  private func post(_ event: Collector.Event) {
    events.append(event)
    heard(event)
  }

  private func fail(_ number: Int) { outcomes[number] = .failure(.disconnected) }

  /// Handles the host's reports, and begins what can begin now.
  private func listen() {
    for event in host.client.application.takeEvents() { handle(event) }
    if case .waiting(let peer) = phase, host.radio == .silent, host.canConnect,
      host.connect(to: peer)
    {
      phase = .connecting(stopsFor: nil)
    }
    if let connectionIndex, !isBusy, let next = operations.first {
      host.client.application.values[connectionIndex] = next.value
      isBusy = host.perform(next.request, at: connectionIndex)
    }
  }

  /// Ends a connection attempt.
  private func stopConnecting(for reason: HCIErrorCode) {
    attemptEnd = nil
    if case .waiting = phase {
      failure = reason
      end(.connectionFailed(reason))
    } else if phase == .connecting(stopsFor: nil) {
      phase = .connecting(stopsFor: reason)
      host.cancelConnection()
    }
  }

  private func handle(_ event: Collector.Event) {
    switch (event, phase) {
    case (.connectionFailed(let reason), .connecting(let own)):
      failure = own ?? reason
      end(event)
    case (.connected(let index, _, _), .connecting):
      phase = .open(index)
      attemptEnd = nil
      post(event)
    case (.disconnected(_, let reason), .open):
      ending = reason
      end(event)
    case (.ended(let index, .exchangeMTU, .success), .open):
      complete(.ended(index, .exchangeMTU, .success(.mtu(host.mtu(at: index)))))
    case (.ended, .open): complete(event)
    case (.notified(_, let handle, let value), .open):
      if handle == Handles.answer { answers.append(String(decoding: value, as: UTF8.self)) }
      post(event)
    case (.discovered, _), (.scanFailed, _), (.radio, _): post(event)
    default: break
    }
  }

  /// The first operation of the queue has ended.
  private func complete(_ event: Collector.Event) {
    guard case .ended(_, _, let outcome) = event else { return }
    isBusy = false
    outcomes[operations.removeFirst().number] = outcome
    post(event)
  }

  /// The link or the attempt has ended, and its operations with it.
  private func end(_ event: Collector.Event) {
    phase = .none
    attemptEnd = nil
    isBusy = false
    for operation in operations { fail(operation.number) }
    operations = []
    post(event)
  }
}

extension HostConfiguration {
  /// A central with its controller's address, or with `C0:00:00:00:00:00` if that has none.
  package static let central = HostConfiguration(
    name: DeviceName(StaticText("Central")), service: nil,
    address: .automatic(orRandom: .staticRandom([0, 0, 0, 0, 0, 0])))
}
