import BluetoothHost
import LinuxRadio
import VirtualRadio

/// Serves an air on listening sockets: each connection is one new controller, and carries a stream
/// of H4 packets, for `unix:` and `tcp-client:` radios.
///
/// It runs in the caller's loop. The program calls `advance(to:)` after each turn of the loop, by
/// `deadline`, and after it has used a controller of its own (`air.addController()`). That sets the time
/// and writes waiting packets to the clients. The program's controllers may then have packets: see
/// `VirtualController.hasPacket`.
///
/// A client that closes its socket is a controller that loses power: its peers' links end by
/// supervision timeout, unless `whenClientsLeave` says otherwise. (A host that shuts down in order
/// ends its links before it closes.) A client that reads slowly delays its packets and blocks their
/// senders' buffers, as over a real radio; one that sends commands without reading the answers is
/// dropped.
///
/// When the air is full, a new client's first command is refused with Connection Rejected due to
/// Limited Resources (0x0D; Core Specification, Vol 1, Part F, 2.13), and the client is
/// disconnected. No controller answers Reset in this way for another reason. If the process has
/// reached its limit on open files, the client gets that answer to Reset at once.
///
/// A packet from one client costs nothing for clients that do not receive it.
public final class AirServer {
  /// What happens to the clients.
  public enum Notice: Equatable, Sendable, CustomStringConvertible {
    /// A client has connected; its controller has this public address.
    case joined(DeviceAddress)
    /// The adapter hciN of this machine has this controller: see `addAdapter()`.
    case adapter(UInt16, DeviceAddress)
    /// A client has closed its socket.
    case left(DeviceAddress)
    /// A client was disconnected, for this reason.
    case dropped(DeviceAddress, why: String)
    /// A client was refused, because this many, the maximum, are connected. The next notice of this
    /// kind follows only after one has left and the air is full again.
    case full(Int)
    /// The simulated time has stood still for so many seconds, because this client is busy or stopped.
    case waiting(DeviceAddress, program: String?, seconds: UInt32)
    /// The simulated time has not begun for so many seconds, because radios are missing.
    case tooFewRadios(Int, of: Int, seconds: UInt32)
    /// No client can be accepted now, for this reason.
    case cannotAccept(why: String)

    /// The notice as a sentence without its full stop.
    public var description: String {
      switch self {
      case .joined(let address): "\(address.text) joined"
      case .adapter(let number, let address): "hci\(number) joined as \(address.text)"
      case .left(let address): "\(address.text) left"
      case .dropped(let address, let why): "\(address.text) dropped: \(why)"
      case .full(let count):
        "the virtual air is full (\(count) \(count == 1 ? "radio" : "radios")): refused a program"
      case .waiting(let address, let program, let seconds):
        "The clock has waited \(seconds) s for \(address.text)\(program.map { ", \($0)" } ?? ""): it is busy, or "
          + "stopped, as by a debugger"
      case .tooFewRadios(let count, let wanted, let seconds):
        "The clock has not begun for \(seconds) s: \(count) of \(wanted) radios \(count == 1 ? "is" : "are") on the air"
      case .cannotAccept(let why): "Cannot accept a new client: \(why)"
      }
    }
  }

  /// The air, which may also have controllers of the program.
  public let air: VirtualAir
  /// How a client's controller leaves when its socket is closed.
  public var whenClientsLeave = VirtualAir.Removal.vanishing
  /// The configuration of the clients' controllers. An `aclDataLength` above 2,048 has no use: a
  /// longer packet from a client is dropped.
  public var configuration: ControllerConfiguration
  /// Called for each notice.
  public var onNotice: ((Notice) -> Void)?

  private let loop: EventLoop
  /// The air's clock, if it is simulated.
  private var time: SimulatedTime?
  private var listeners: [AirListener] = []
  private(set) var clients: [AirClient] = []
  /// How many clients it accepts at once.
  package let maximumClients: Int
  /// Clients with packets that their sockets may take.
  private var waiting: [AirClient] = []
  /// An empty array with capacity, for reuse.
  private var spare: [AirClient] = []
  /// Clients that are being refused, the oldest first.
  private var refused: [AirClient] = []
  /// The air of the refused clients' controllers.
  private let emptyAir = VirtualAir()
  private var hasReportedFull = false
  /// Closed for a moment to refuse a client at the limit on open files.
  private var spareDescriptor: FileDescriptor?

  /// How many milliseconds of the air's time pass at once when there are events in them.
  private static let slice: UInt32 = 20

  /// How many clients a server accepts by default.
  public static let defaultMaximumClients = 64
  /// How many refused clients may wait without a command: a new one replaces the oldest.
  private static let maximumRefused = 16

  /// A server that does not listen yet.
  ///
  /// - Parameters:
  ///   - air: The air that clients join.
  ///   - configuration: What the controller of a client can do.
  ///   - maximumClients: Further ones are refused until one leaves. Each client takes a file
  ///     descriptor: see `FileLimit`.
  ///   - simulatingTimeFrom: How many clients must have joined before the air's time passes. It then
  ///     jumps to the next event whenever all clients are idle, and the monotonic clock has no part in
  ///     it. `nil`: the air's time is the monotonic clock.
  ///   - loop: Watches its sockets.
  public init(
    air: VirtualAir, configuration: ControllerConfiguration = .init(),
    maximumClients: Int = defaultMaximumClients, simulatingTimeFrom radioCount: Int? = nil,
    loop: EventLoop
  ) {
    self.loop = loop
    self.air = air
    self.configuration = configuration
    self.maximumClients = maximumClients
    if let radioCount { time = SimulatedTime(of: self, from: radioCount) }
  }

  deinit {
    for client in clients + refused { client.close() }
    for listener in listeners { listener.close() }
  }

  /// How many clients are connected.
  public var clientCount: Int { clients.count }

  /// Accepts clients from `listener`, until `close()`.
  public func listen(on listener: consuming StreamListener) throws(SystemError) {
    if spareDescriptor == nil { spareDescriptor = try FileLimit.spareDescriptor() }
    listeners.append(try AirListener(listener, server: self, loop: loop))
  }

  /// Adds an adapter to this machine's kernel, with a new controller of the air: BlueZ and all programs that
  /// use it are on the air then. It lasts until `close()`, or the end of the program.
  ///
  /// - Throws: Why the kernel does not allow it, and what to do.
  public func addAdapter() throws {
    try addAdapter(on: try KernelDevice.open())
  }

  /// As `addAdapter()`, for an open file of the kernel's device.
  package func addAdapter(on device: consuming FileDescriptor) throws(SystemError) {
    try KernelDevice.createAdapter(on: device)
    try admit(device, isKernel: true)
  }

  /// When `advance(to:)` must be called next; `nil` to wait for packets.
  public var deadline: Instant? {
    if let time { return time.deadline }
    return air.deadline
  }

  /// Sets the time, by the monotonic clock, and writes the waiting packets to the clients.
  ///
  /// If the program is late, the air's events pass in slices, one a call: `deadline` is then in the past, and the
  /// program reads its clients before the next slice. On an overloaded machine the air runs late but no client waits
  /// for all of the past events.
  public func advance(to now: Instant) {
    if let time { return time.turn(at: now) }
    advanceAir(to: now)
    flush()
  }

  /// Disconnects every client and stops listening. The program's own controllers stay.
  public func close() {
    for client in clients { remove(client, .left(client.controller.address)) }
    for client in refused { dismiss(client) }
    for listener in listeners { listener.close() }
    listeners.removeAll()
  }

  // MARK: Clients

  /// Accepts every client that waits at `listener`.
  func accept(from listener: AirListener) {
    do throws(SystemError) {
      while let connection = try listener.listener.accept() {
        if clients.count < maximumClients {
          try admit(connection)
        } else {
          try refuse(connection)
        }
      }
    } catch {
      if !hasReportedFull { onNotice?(.cannotAccept(why: error.description)) }
      if error.code == .tooManyOpenFiles, spareDescriptor != nil {
        hasReportedFull = true
        return turnAway(from: listener)
      }
      // A client that cannot be accepted now must not wake the loop again and again.
      listener.pause()
    }
  }

  private func admit(
    _ connection: consuming FileDescriptor, isKernel: Bool = false
  ) throws(SystemError) {
    advanceAirWithoutBacklog()
    let controller = air.addController(configuration: configuration)
    let client = AirClient(
      connection, isKernel: isKernel, controller: controller, server: self, loop: loop)
    do throws(SystemError) {
      try client.open()
    } catch {
      air.remove(controller, .politely)
      throw error
    }
    clients.append(client)
    onNotice?(.joined(controller.address))
    time?.add(client)
  }

  /// Sets the air's time before it is used, if that is the monotonic clock: `now`, or the end of a slice that begins with
  /// the air's next event.
  private func advanceAir(to now: Instant) {
    guard time == nil else { return }
    guard let next = air.deadline, next < now else { return air.advance(to: now) }
    air.advance(to: min(now, next.advanced(by: Self.slice)))
  }

  /// The same for a client, unless the air is late: its events then pass in `advance(to:)`, so the clients of a turn do
  /// not wait for a slice each.
  private func advanceAirWithoutBacklog() {
    let now = MonotonicClock.now
    if let next = air.deadline, next < now { return }
    advanceAir(to: now)
  }

  /// Keeps a client until its first command, which is refused.
  private func refuse(_ connection: consuming FileDescriptor) throws(SystemError) {
    let controller = emptyAir.addController()
    controller.refusal = .rejectedDueToLimitedResources
    let client = AirClient(connection, controller: controller, server: self, loop: loop)
    try client.open()
    if refused.count == Self.maximumRefused { dismiss(refused[0]) }
    refused.append(client)
    guard !hasReportedFull else { return }
    hasReportedFull = true
    onNotice?(.full(clients.count))
  }

  /// Refuses the client that waits at `listener`, at the limit on open files: sends the answer
  /// before the command.
  private func turnAway(from listener: AirListener) {
    spareDescriptor = nil
    do throws(SystemError) {
      if let connection = try listener.listener.accept() {
        let refusal: [UInt8] = [
          HCIPacketType.event.rawValue, HCIEventCode.commandComplete.rawValue, 4, 1,
          UInt8(truncatingIfNeeded: HCIOpcode.reset.rawValue),
          UInt8(truncatingIfNeeded: HCIOpcode.reset.rawValue >> 8),
          HCIErrorCode.rejectedDueToLimitedResources.rawValue,
        ]
        _ = try connection.write(refusal.span)
      }
    } catch {
      // The client has gone, or the process has opened another file. The client waits or retries.
      listener.pause()
    }
    spareDescriptor = try? FileLimit.spareDescriptor()
  }

  /// Reads what `client` has sent, and writes the resulting packets to all clients.
  func serve(_ client: AirClient, _ readiness: Readiness) {
    if readiness.isReadable {
      advanceAirWithoutBacklog()
      if let departure = client.receive() { remove(client, departure) }
    }
    // Its socket may take the rest now.
    if readiness.isWritable { packetIsWaiting(for: client) }
    flush()
    if client.controller.counters.refusedCommands > 0 { dismiss(client) }
  }

  /// Adds `client` to those with packets that their sockets may take.
  func packetIsWaiting(for client: AirClient) {
    guard !client.isWaiting else { return }
    client.isWaiting = true
    waiting.append(client)
  }

  /// Writes to each client that has packets as much as its socket takes.
  private func flush() {
    // A packet that one client takes frees another's buffer, which causes a packet for that one.
    while !waiting.isEmpty {
      var round = spare
      spare = []
      swap(&round, &waiting)
      // In the order of their arrival, which is deterministic.
      if round.count > 1 { round.sort { $0.controller.number < $1.controller.number } }
      for client in round {
        client.isWaiting = false
        if let departure = client.transmit() { remove(client, departure) }
      }
      round.removeAll(keepingCapacity: true)
      spare = round
    }
  }

  /// Writes the packets of `client` as far as its socket takes them.
  func transmit(_ client: AirClient) {
    if let departure = client.transmit() { remove(client, departure) }
  }

  /// Removes a client whose controller leaves the air.
  func remove(_ client: AirClient, _ notice: Notice) {
    guard let index = clients.firstIndex(where: { $0 === client }) else { return dismiss(client) }
    time?.remove(client)
    clients.remove(at: index)
    client.close()
    air.remove(client.controller, whenClientsLeave)
    hasReportedFull = false
    onNotice?(notice)
    for listener in listeners { listener.resume() }
  }

  /// Removes a client that was refused.
  private func dismiss(_ client: AirClient) {
    guard let index = refused.firstIndex(where: { $0 === client }) else { return }
    refused.remove(at: index)
    client.close()
    emptyAir.remove(client.controller, .politely)
    for listener in listeners { listener.resume() }
  }
}

/// One listening socket of a server.
final class AirListener: EventHandler {
  let listener: StreamListener
  private weak var server: AirServer?
  private let loop: EventLoop
  private var registration: EventLoop.Registration?
  private var isPaused = false

  /// Accepts clients for `server`.
  init(
    _ listener: consuming StreamListener, server: AirServer, loop: EventLoop
  ) throws(SystemError) {
    self.listener = listener
    self.server = server
    self.loop = loop
    registration = try loop.add(
      number: self.listener.rawValue, for: .readable, handler: self)
  }

  /// Stops accepting clients: new ones wait.
  func pause() { setPaused(true) }

  /// Accepts clients again.
  func resume() { setPaused(false) }

  private func setPaused(_ isPaused: Bool) {
    guard isPaused != self.isPaused, let registration else { return }
    self.isPaused = isPaused
    // Fails only if the kernel has no memory.
    try? loop.change(registration, to: isPaused ? .none : .readable)
  }

  /// Leaves the loop.
  func close() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  func handle(_ readiness: Readiness, token: Int) {
    server?.accept(from: self)
  }
}
