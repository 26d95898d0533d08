import BluetoothHost
import LinuxSystem

/// Puts an air behind listening sockets: each connection is one new controller, and carries a
/// stream of H4 packets, as `unix:` and `tcp-client:` radios speak it.
///
/// It runs in the caller's event loop and on its thread. After each turn of the loop, by
/// `deadline`, and after it has used a controller of its own (`air.addController()`), the program
/// calls `advance(to:)`, which lets time pass and writes to the clients what waits for them. A
/// controller of the program's own may have packets after each of these: see
/// `VirtualController.hasPacket`.
///
/// A client that closes its socket is a controller whose power is lost: its peers end their links
/// when their supervision time-outs have passed, unless `whenClientsLeave` says otherwise. (A
/// host that leaves in good order ends its links itself before it closes.) A client that reads
/// slowly holds up what is sent to it, and the buffers of who sends it, as over a real radio; one
/// that sends commands without reading the answers is dropped.
///
/// A client that comes when there are as many as there may be has its first command refused, with
/// the error Connection Rejected due to Limited Resources (0x0D; Core Specification, Vol 1, Part F,
/// 2.13), and is disconnected: no controller answers Reset so for another reason. One for which the
/// process may open no more files gets that answer to Reset at once.
///
/// Work grows with what is used: a packet from one client is no work for those that get nothing of
/// it.
public final class AirServer {
  /// What happens to the clients.
  public enum Notice: Equatable, Sendable, CustomStringConvertible {
    /// A client has connected; its controller has this public address.
    case joined(DeviceAddress)
    /// A client has closed its socket.
    case left(DeviceAddress)
    /// A client has been disconnected, and why.
    case dropped(DeviceAddress, why: String)
    /// A client has been refused, because so many are connected: the most that there may be. The
    /// next notice of this kind comes once one has left and the air is full again.
    case full(Int)
    /// No client can be taken at present, and why.
    case cannotAccept(why: String)

    /// What it is, in words.
    public var description: String {
      switch self {
      case .joined(let address): "\(address.text) joined"
      case .left(let address): "\(address.text) left"
      case .dropped(let address, let why): "\(address.text) dropped: \(why)"
      case .full(let count):
        "the virtual air is full (\(count) \(count == 1 ? "radio" : "radios")): a program was refused"
      case .cannotAccept(let why): "no new client can be taken: \(why)"
      }
    }
  }

  /// The air, which may have controllers of the program's own too.
  public let air: VirtualAir
  /// How a client's controller leaves when its socket is closed.
  public var whenClientsLeave = VirtualAir.Removal.vanishing
  /// The kind of controller that clients get. An `aclDataLength` above 2,048 is of no use: a longer
  /// packet from a client is dropped.
  public var configuration: ControllerConfiguration
  /// Called, if set, for each notice.
  public var onNotice: ((Notice) -> Void)?

  let loop: EventLoop
  private var listeners: [AirListener] = []
  private(set) var clients: [AirClient] = []
  private let maximumClients: Int
  /// Clients with packets that their sockets may take.
  private var waiting: [AirClient] = []
  /// An empty array with room, to be used again.
  private var spare: [AirClient] = []
  /// Clients that are being refused, the oldest first.
  private var refused: [AirClient] = []
  /// The controllers of refused clients are here, apart from all others.
  private let emptyAir = VirtualAir()
  private var hasSaidFull = false
  /// Closed for a moment to refuse a client when no more files may be opened.
  private var spareDescriptor: FileDescriptor?

  /// How many clients a server takes unless given another number.
  public static let usualMaximumClients = 64
  /// Refused clients that have not sent a command yet, at most: the oldest goes for a new one.
  private static let maximumRefused = 16

  /// A server that listens nowhere yet.
  ///
  /// - Parameters:
  ///   - maximumClients: Further ones are refused until one leaves. Each client takes a file
  ///     descriptor: see `FileLimit`.
  public init(
    air: VirtualAir, loop: EventLoop, configuration: ControllerConfiguration = .init(),
    maximumClients: Int = usualMaximumClients
  ) {
    self.air = air
    self.loop = loop
    self.configuration = configuration
    self.maximumClients = maximumClients
  }

  /// How many clients are connected.
  public var clientCount: Int { clients.count }

  /// Takes clients from `listener`, until `close()`.
  public func listen(on listener: consuming StreamListener) throws(SystemError) {
    if spareDescriptor == nil { spareDescriptor = try FileLimit.spareDescriptor() }
    let door = AirListener(listener, server: self)
    try door.open()
    listeners.append(door)
  }

  /// When `advance(to:)` must be called next; `nil` if only packets can bring anything.
  public var deadline: Instant? { air.deadline }

  /// Lets time pass, by the monotonic clock, and gives the clients what waits for them.
  public func advance(to now: Instant) {
    air.advance(to: now)
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

  /// Takes every client that waits at `listener`.
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
      if !hasSaidFull { onNotice?(.cannotAccept(why: error.description)) }
      if error.code == .tooManyOpenFiles, spareDescriptor != nil {
        hasSaidFull = true
        return turnAway(from: listener)
      }
      // What cannot be taken now must not wake the loop again and again.
      listener.pause()
    }
  }

  private func admit(_ connection: consuming FileDescriptor) throws(SystemError) {
    air.advance(to: MonotonicClock.now)
    let controller = air.addController(configuration: configuration)
    let client = AirClient(connection, controller: controller, server: self)
    do throws(SystemError) {
      try client.open()
    } catch {
      air.remove(controller, .politely)
      throw error
    }
    clients.append(client)
    onNotice?(.joined(controller.address))
  }

  /// Keeps a client until its first command, which is refused.
  private func refuse(_ connection: consuming FileDescriptor) throws(SystemError) {
    let controller = emptyAir.addController()
    controller.refusal = .rejectedDueToLimitedResources
    let client = AirClient(connection, controller: controller, server: self)
    try client.open()
    if refused.count == Self.maximumRefused { dismiss(refused[0]) }
    refused.append(client)
    guard !hasSaidFull else { return }
    hasSaidFull = true
    onNotice?(.full(clients.count))
  }

  /// Refuses the client that waits at `listener`, and for which no file may be opened: it gets the
  /// answer before it asks.
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
      // It has gone, or somebody else has opened a file: it comes again, or waits.
      listener.pause()
    }
    spareDescriptor = try? FileLimit.spareDescriptor()
  }

  /// Reads what `client` has sent, and gives everybody what comes of it.
  func serve(_ client: AirClient, _ readiness: Readiness) {
    if readiness.isReadable {
      air.advance(to: MonotonicClock.now)
      if let departure = client.receive() { remove(client, departure) }
    }
    // What its socket did not take before, it may take now.
    if readiness.isWritable { packetIsWaiting(for: client) }
    flush()
    if client.controller.counters.refusedCommands > 0 { dismiss(client) }
  }

  /// `client` has a packet, or can take one that it had.
  func packetIsWaiting(for client: AirClient) {
    guard !client.isWaiting else { return }
    client.isWaiting = true
    waiting.append(client)
  }

  /// Writes to each client that has packets as much as its socket takes.
  private func flush() {
    // A packet that one client takes frees another's buffer, which is a packet for that one.
    while !waiting.isEmpty {
      var round = spare
      spare = []
      swap(&round, &waiting)
      // In the order in which they came: the same every time.
      if round.count > 1 { round.sort { $0.controller.number < $1.controller.number } }
      for client in round {
        client.isWaiting = false
        if let departure = client.transmit() { remove(client, departure) }
      }
      round.removeAll(keepingCapacity: true)
      spare = round
    }
  }

  private func remove(_ client: AirClient, _ notice: Notice) {
    guard let index = clients.firstIndex(where: { $0 === client }) else { return dismiss(client) }
    clients.remove(at: index)
    client.close()
    air.remove(client.controller, whenClientsLeave)
    hasSaidFull = false
    onNotice?(notice)
    for listener in listeners { listener.resume() }
  }

  /// Lets go of a client that was refused.
  private func dismiss(_ client: AirClient) {
    guard let index = refused.firstIndex(where: { $0 === client }) else { return }
    refused.remove(at: index)
    client.close()
    emptyAir.remove(client.controller, .politely)
    for listener in listeners { listener.resume() }
  }
}
