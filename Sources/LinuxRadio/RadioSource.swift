import BluetoothHost
import Linux
import LinuxAir
import LinuxSystem

/// A radio, which is opened as often as needed: `PortRadio`, and what needs a heap or a thread: names
/// of hosts are looked up, and the virtual air is hosted if no program hosts it.
final class RadioSource {
  /// Finds the numeric addresses of a host. May block.
  typealias Lookup = TCPOpening<[String]>.Work

  let name: RadioAddress
  /// The virtual air, if the radio is on it.
  let air: SharedAir?
  /// Whether other radios of this program use the same `air` and `events`, which their owner closes.
  private let isShared: Bool

  private let loop: EventLoop
  private let lookup: Lookup
  private var call = TCPOpening<[String]>()
  /// The addresses of the host that are still to be tried.
  private var candidates: [String] = []
  private let events: RadioEvents
  private var queue: RadioQueue?
  /// The radio at the address that is being used; `nil` before the first one.
  private var radio: PortRadio?
  private var token: PollToken?
  /// Whether the radio is open.
  private(set) var isOpen = false

  /// - Parameters:
  ///   - airPath: The path of the virtual air's socket, for the radio `virtual`.
  ///   - lookup: Finds the numeric addresses of a host.
  init(
    _ name: RadioAddress, loop: EventLoop, airPath: String,
    lookup: @escaping Lookup = RadioSource.addresses
  ) {
    self.name = name
    self.loop = loop
    self.lookup = lookup
    air = name == .virtual ? SharedAir(path: airPath, loop: loop) : nil
    isShared = false
    events = RadioEvents()
  }

  /// One of many radios of this program.
  ///
  /// - Parameters:
  ///   - air: The air for the radio `virtual`. Its owner closes it.
  ///   - queue: The queue of all these radios. Its owner closes it.
  ///   - watcher: Is notified when the radio is ready.
  init(
    _ name: RadioAddress, loop: EventLoop, sharing air: SharedAir, in queue: RadioQueue,
    watcher: any RadioWatcher
  ) {
    self.name = name
    self.loop = loop
    self.queue = queue
    self.air = name == .virtual ? air : nil
    isShared = true
    events = RadioEvents(watcher: watcher)
    lookup = RadioSource.addresses
  }

  deinit { close() }

  private static let addresses: Lookup = { (host, port) throws(SystemError) in
    try HostAddresses(host: host, port: port, toListen: false).numeric
  }

  /// Opens the radio; `false` while the controller has not connected, or its host is being looked up
  /// or does not answer yet: the loop wakes when that changes.
  func open(at now: Instant) throws(SystemError) -> Bool {
    if isOpen { return true }
    let queue = try ownQueue()
    // Between two steps here, another program may begin or stop to host the air.
    for attempt in 1... {
      guard try prepare(queue, at: now) else { return false }
      takeEvents()
      switch radio?.open(queue.queue, at: now) {
      case .opened:
        isOpen = true
        candidates = []
        return true
      case .pending, nil: return false
      case .failed: break
      }
      guard let failure = radio?.failure else { return false }
      if !candidates.isEmpty {
        candidates.removeFirst()
        drop()
        if !candidates.isEmpty { continue }
      }
      guard let air, failure.isAbsence, attempt < 10 else { throw SystemError(failure, of: shown) }
      try air.host(afterAttempt: attempt)
    }
    return false
  }

  /// Makes the radio at the address to try; `false` while the host is being looked up.
  private func prepare(_ queue: RadioQueue, at now: Instant) throws(SystemError) -> Bool {
    if radio != nil { return true }
    guard name.needsLookup else {
      use(air.map { .unix(path: $0.path) } ?? name, queue)
      return true
    }
    if candidates.isEmpty {
      let found: [String]?
      switch name.way {
      case .tcpClient(let port), .tcpServer(let port):
        found = try call.result(of: name.place, port, loop: loop, at: now, lookup)
      default: found = nil
      }
      guard let found else { return false }
      candidates = found
    }
    guard let host = candidates.first else {
      throw SystemError(.addressNotAvailable, "find the host", shown.target)
    }
    use(RadioAddress(name.way, at: Array(host.utf8).span), queue)
    return true
  }

  private func use(_ address: RadioAddress, _ queue: RadioQueue) {
    let tokens = queue.add(events)
    token = tokens.radio
    radio = PortRadio(address, token: tokens.radio, listenerToken: tokens.listener)
  }

  private func drop() {
    if let token { queue?.remove(token) }
    token = nil
    radio = nil
  }

  private func ownQueue() throws(SystemError) -> RadioQueue {
    if let queue { return queue }
    let new = try RadioQueue(loop: loop)
    queue = new
    return new
  }

  /// When the lookup of a host, or an attempt to connect, times out; `nil` without one. Then the
  /// radio must be opened again.
  var deadline: Instant? { Instant.earlier(call.deadline, radio?.deadline) }

  /// Whether each read and each write is one packet, as with adapters.
  var isPacketwise: Bool { radio?.isPacketwise ?? false }

  /// Closes the connection. An adapter goes back to the kernel.
  func closeRadio() {
    isOpen = false
    if let queue { radio?.close(queue.queue) }
    // A host may have another address the next time.
    if name.needsLookup, case .tcpClient = name.way { drop() }
  }

  /// Stops listening, looking up a host and hosting an air.
  func close() {
    closeRadio()
    drop()
    call.abandon()
    candidates = []
    guard !isShared else { return }
    queue?.close()
    queue = nil
    air?.close()
  }

  // MARK: Bytes

  private func takeEvents() {
    let taken = events.take()
    if taken != 0 { radio?.handle(taken) }
  }

  func read(into space: inout MutableSpan<UInt8>) -> RadioRead {
    guard isOpen else { return .closed }
    takeEvents()
    return radio?.read(into: &space) ?? .closed
  }

  func write(_ bytes: Span<UInt8>) -> RadioWrite {
    guard isOpen, let queue else { return .taken(0) }
    return radio?.write(bytes, queue.queue) ?? .taken(0)
  }

  /// Why the last call failed.
  var failure: SystemError? { radio?.failure.map { SystemError($0, of: shown) } }

  /// The address in messages.
  private var shown: RadioAddress { air.map { .unix(path: $0.path) } ?? name }
}

extension RadioAddress {
  /// The controller in messages: the path, HOST:PORT, the device or hciN.
  fileprivate var target: String { String(writing: { writeTarget(to: &$0) }) }
}

extension SystemError {
  /// A failed call on the radio at `address`.
  package init(_ failure: PortFailure, of address: RadioAddress) {
    let operation = String(writing: { $0.write(text: failure.operation.words) })
    self.init(
      Errno(rawValue: failure.code.rawValue),
      // A space follows the words.
      String(operation.dropLast()), address.target,
      explanation: failure.explanation == .none
        ? nil : String(writing: { failure.writeReason(to: &$0) }))
  }
}
