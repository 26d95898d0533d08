/// A Bluetooth LE peripheral's whole host: from the controller's packets to the application and
/// back.
///
/// It does no input or output. Packets from the controller, and the time, go in; packets for the
/// controller, and the next moment of interest, come out:
///
///     host.start(at: now)
///     while true {
///       while host.nextPacket(into: &writer, at: now) { … send it to the controller … }
///       … wait for a packet from the controller, or until host.deadline …
///       host.receive(packet, at: now)     // or host.advance(to: now)
///     }
///
/// `places` is how many centrals it serves at once. Nothing that arrives, from the air or from the
/// controller, stops it: what is malformed is answered or ignored, and a controller that fails is
/// reset.
public struct Host<
  let places: Int, Database: AttributeDatabase & ~Copyable,
  Application: GATTApplication & ~Copyable
>: ~Copyable {
  /// What the peripheral is for.
  public var application: Application

  /// What it advertises while a place is free; `nil` if nothing.
  public internal(set) var advertisement: Advertisement?

  let configuration: HostConfiguration
  var server: ATTServer<Database>
  var connections: InlineArray<places, Connection>
  var controller = ControllerState()
  var commands = CommandFlow()
  /// Which place is asked first for an ACL packet: that which has just sent something, and after
  /// it each in turn, so that none is starved.
  var nextPlace = 0

  /// A host that waits for `start`.
  ///
  /// - Parameters:
  ///   - configuration: its name, address and so on.
  ///   - database: its GATT database.
  ///   - application: what the database's application attributes mean.
  public init(
    configuration: HostConfiguration, database: consuming Database,
    application: consuming Application
  ) {
    self.application = application
    self.configuration = configuration
    advertisement = configuration.service.map {
      Advertisement(service: $0, name: configuration.name)
    }
    server = ATTServer(
      database: database, deviceName: configuration.name, mtu: configuration.mtu)
    connections = InlineArray { _ in Connection() }
  }

  /// The attribute handle of one of the application's values; `.none` if the database has no such
  /// line.
  public func handle(of attribute: ApplicationAttribute) -> AttributeHandle {
    server.database.place(of: attribute).handle
  }

  /// What the radio is doing.
  public var radio: RadioState { controller.reported }

  /// The address that the device goes by; all zeros until the controller has told it.
  public var address: DeviceAddress { controller.address }

  /// The number of links there are.
  public internal(set) var connectionCount = 0

  /// The controller is there: resets it and sets it up.
  public mutating func start(at now: Instant) {
    closeAll(reason: .connectionTerminatedByLocalHost)
    commands.reset()
    controller.restart()
    report(.starting)
  }

  /// The controller has gone: forgets every link. `start` takes it up again.
  public mutating func radioLost() {
    closeAll(reason: .hardwareFailure)
    commands.reset()
    controller.reset()
    // The next one may be another.
    controller.advertisingCheck = .untried
    report(.fault(.lost))
  }

  /// Stops advertising and ends every link; `isShutDown` tells when that is done.
  public mutating func shutDown() {
    controller.isShuttingDown = true
    disconnectAll()
  }

  /// Whether everything that `shutDown` began has been done.
  public var isShutDown: Bool {
    controller.isShuttingDown
      && (controller.phase != .ready
        || (!controller.isAdvertising && commands.outstanding == nil && connectionCount == 0))
  }

  /// Ends every link. Advertising goes on, or begins again.
  public mutating func disconnectAll() {
    for place in 0..<places where connections[place].handle != nil {
      connections[place].disconnectReason = .remoteUserTerminatedConnection
    }
    controller.owesCommands = true
  }

  /// When `advance(to:)` wants to be called next; `nil` if nothing is being waited for.
  public var deadline: Instant? {
    var earliest = commands.deadline
    earliest = Instant.earlier(earliest, controller.restartTime)
    earliest = Instant.earlier(earliest, controller.checkTime)
    earliest = Instant.earlier(earliest, controller.unknownLinks.deadline)
    for place in 0..<places {
      earliest = Instant.earlier(earliest, connections[place].parameterRequestTime)
      earliest = Instant.earlier(earliest, connections[place].confirmationDeadline)
      earliest = Instant.earlier(earliest, connections[place].stallDeadline)
      earliest = Instant.earlier(earliest, connections[place].closeDeadline)
    }
    return earliest
  }

  /// Takes one whole packet from the controller, H4's type byte first. Anything else is ignored.
  public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    switch HCIPacket(packet) {
    case .acl(let header, let data):
      receive(header, data, at: now)
    case .event(let code, let parameters):
      receive(code, parameters, at: now)
    case .command, nil:
      break
    }
  }

  /// Writes the next packet for the controller, H4's type byte first; `false` if it has none now.
  ///
  /// `writer` needs room for 5 bytes of header, 4 of L2CAP and 517 of ATT: no packet is longer than
  /// 526 bytes. A packet is given only when the controller has room for it.
  public mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    if controller.owesCommands, commands.isOpen, nextCommand(into: &writer, at: now) {
      return true
    }
    guard controller.phase == .ready else { return false }
    return nextACLPacket(into: &writer, at: now)
  }
}

extension Host where Database: ~Copyable, Application: ~Copyable {
  private mutating func receive(_ header: ACLHeader, _ data: Span<UInt8>, at now: Instant) {
    guard let place = place(of: header.handle) else {
      receiveEarly(header, data, at: now)
      return
    }
    nextPlace = place
    connections[place].receive(
      data, startsFrame: header.boundary != .continuing, at: place, server: &server,
      application: &application)
  }

  @inline(__always)
  private mutating func nextACLPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    let free = controller.aclPacketCount &- controller.inFlight
    guard free > 0 else {
      waitForBuffers(at: now)
      return false
    }
    var place = nextPlace
    for _ in 0..<places {
      let following = place + 1 < places ? place + 1 : 0
      let isFirst = connections[place].inFlight == 0
      if isFirst || free > reservedBuffers {
        let isWritten = connections[place].nextPacket(
          into: &writer, length: controller.aclPacketLength, at: place, now: now, server: &server,
          application: &application)
        if isWritten {
          controller.inFlight &+= 1
          if isFirst { controller.sendingLinks &+= 1 }
          nextPlace = connectionCount > 1 ? following : place
          return true
        }
      } else {
        waitForShare(place, at: now)
      }
      place = following
    }
    return false
  }

  /// The place that has the link `handle`.
  func place(of handle: ConnectionHandle) -> Int? {
    for place in 0..<places where connections[place].handle == handle { return place }
    return nil
  }

  /// Tells the application of a change of the radio's state.
  mutating func report(_ state: RadioState) {
    guard controller.reported != state else { return }
    controller.reported = state
    application.radioChanged(to: state)
  }

  /// Forgets every link, and tells the application so.
  mutating func closeAll(reason: HCIErrorCode) {
    for place in 0..<places {
      let wasOpen = connections[place].handle != nil
      connections[place].close()
      if wasOpen { application.centralDisconnected(at: place, reason: reason) }
    }
    connectionCount = 0
    controller.inFlight = 0
    controller.sendingLinks = 0
  }
}
