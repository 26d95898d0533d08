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
public final class AirServer {
  /// What happens to the clients.
  public enum Notice: Equatable, Sendable, CustomStringConvertible {
    /// A client has connected; its controller has this public address.
    case joined(DeviceAddress)
    /// A client has closed its socket.
    case left(DeviceAddress)
    /// A client has been disconnected, and why.
    case dropped(DeviceAddress, why: String)
    /// No client can be taken at present, and why.
    case cannotAccept(why: String)

    /// What it is, in words.
    public var description: String {
      switch self {
      case .joined(let address): "\(address.text) joined"
      case .left(let address): "\(address.text) left"
      case .dropped(let address, let why): "\(address.text) dropped: \(why)"
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

  /// A server that listens nowhere yet.
  ///
  /// - Parameters:
  ///   - maximumClients: Further ones wait until one leaves.
  public init(
    air: VirtualAir, loop: EventLoop, configuration: ControllerConfiguration = .init(),
    maximumClients: Int = 64
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
    for listener in listeners { listener.close() }
    listeners.removeAll()
  }

  // MARK: Clients

  /// Takes everybody who waits at `listener`.
  func accept(from listener: AirListener) {
    do throws(SystemError) {
      while clients.count < maximumClients {
        guard let connection = try listener.listener.accept() else { return }
        air.advance(to: MonotonicClock.now)
        let controller = air.addController(configuration: configuration)
        let client = AirClient(connection, controller: controller, server: self)
        do throws(SystemError) {
          try client.open()
          clients.append(client)
          onNotice?(.joined(controller.address))
        } catch {
          air.remove(controller, .politely)
          throw error
        }
      }
    } catch {
      onNotice?(.cannotAccept(why: error.description))
    }
    // What cannot be taken now must not wake the loop again and again.
    listener.pause()
  }

  /// Reads what `client` has sent, and gives everybody what comes of it.
  func serve(_ client: AirClient, _ readiness: Readiness) {
    if readiness.isReadable {
      air.advance(to: MonotonicClock.now)
      if let departure = client.receive() { remove(client, departure) }
    }
    flush()
  }

  /// Writes to each client as much as its socket takes.
  private func flush() {
    var goesOn = true
    while goesOn {
      goesOn = false
      for client in clients {
        switch client.transmit() {
        case .nothing: break
        // A packet that one client takes frees another's buffer, which it must be told.
        case .some: goesOn = true
        case .failed(let departure): remove(client, departure)
        }
      }
    }
  }

  private func remove(_ client: AirClient, _ notice: Notice) {
    guard let index = clients.firstIndex(where: { $0 === client }) else { return }
    clients.remove(at: index)
    client.close()
    air.remove(client.controller, whenClientsLeave)
    onNotice?(notice)
    for listener in listeners { listener.resume() }
  }
}
