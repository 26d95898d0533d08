/// A Bluetooth LE host: from the controller's packets to its server and its client, and back.
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
/// `links` is how many connections it has at once, at most `ConnectionSet.capacity`. `Server` is what
/// it offers, `NoServer` for nothing; `Client` is how it asks others, `NoClient` for never; `Security` is
/// how it protects links, `NoSecurity` for not at all; `Channels` are its credit-based channels,
/// `NoChannels` for none. A link serves and asks at once, whichever side began it. Nothing that arrives,
/// from the air or from the controller, stops the host: what is malformed is answered or ignored, and a
/// controller that fails is reset.
public struct Host<
  let links: Int, Server: ServerRole & ~Copyable, Client: ClientRole & ~Copyable,
  Security: SecurityRole & ~Copyable, Channels: ChannelRole & ~Copyable
>: ~Copyable {
  let configuration: HostConfiguration
  var controller = ControllerState()
  var commands = CommandFlow()

  var connections: InlineArray<links, Connection>
  /// The frames of each connection, as they come. Data of a link that is still unknown waits here too.
  var reassemblers: InlineArray<links, L2CAPReassembler<521>>
  var table = ConnectionTable<links>()
  var deadlines = ConnectionDeadlines<links>()

  /// The connections that may have something to send.
  var pending = ConnectionSet.none
  /// The connections that have nothing to send until something reaches them, though the server's
  /// application has.
  var blocked = ConnectionSet.none
  /// Which connection is asked first for an ACL packet: that which has just sent something, and after
  /// it each in turn, so that none is starved.
  var nextIndex = 0

  var serverRole: Server
  var clientRole: Client
  var securityRole: Security
  var channelRole: Channels

  /// The longest frame that a host puts together, with its four bytes of header: 517 bytes are the
  /// longest ATT PDU.
  static var longestFrame: Int { 521 }

  /// A host that waits for `start`. With more links than `ConnectionSet.capacity`, or channels whose frames
  /// are longer than 517 bytes, the program stops here.
  ///
  /// - Parameters:
  ///   - configuration: its name, address and so on.
  ///   - server: what it offers.
  ///   - client: how it asks others.
  ///   - security: how it protects links.
  ///   - channels: its credit-based channels. Their MPS is at most 517: `ChannelMPS.twoPackets` is best.
  public init(
    configuration: HostConfiguration, server: consuming Server, client: consuming Client,
    security: consuming Security, channels: consuming Channels
  ) {
    Self.checkCapacity()
    if Channels.isPresent {
      precondition(
        channels.longestPayload <= Self.longestFrame &- L2CAPFrame.headerLength,
        "A host puts frames of at most 517 bytes together.")
    }
    self.configuration = configuration
    serverRole = server
    clientRole = client
    securityRole = security
    channelRole = channels
    connections = InlineArray { index in Connection(index: index) }
    reassemblers = InlineArray { _ in L2CAPReassembler() }
    serverRole.configure(configuration)
    clientRole.configure(configuration)
  }

  /// Stops the program if there are more links than a set of connections holds.
  static func checkCapacity() {
    precondition(
      links <= ConnectionSet.capacity, "A host has at most as many links as a UInt has bits.")
  }

  /// What the host offers. After any change the host asks it for what is to be sent.
  public var server: Server {
    _read { yield serverRole }
    _modify {
      yield &serverRole
      blocked = .none
      if Security.isPresent {
        for index in 0..<links { securityRole.noteActivity(at: index) }
      }
    }
  }

  /// How the host asks others.
  public var client: Client {
    _read { yield clientRole }
    _modify { yield &clientRole }
  }

  /// How the host protects links. After any change the host sees to what follows from it.
  public var security: Security {
    _read { yield securityRole }
    _modify {
      yield &securityRole
      noteSecurityOfAll()
    }
  }

  /// Its credit-based channels.
  public var channels: Channels {
    _read { yield channelRole }
    _modify { yield &channelRole }
  }

  /// What the radio is doing.
  public var radio: RadioState { controller.reported }

  /// The address that the device goes by; all zeros until it is known.
  public var address: DeviceAddress { controller.address }

  /// How many links there are.
  public var connectionCount: Int { table.count }

  /// The controller is there: resets it and sets it up.
  public mutating func start(at now: Instant) {
    closeAll(reason: .connectionTerminatedByLocalHost)
    reset()
    controller.restart()
    report(.starting)
  }

  /// The controller has gone: forgets every link. `start` takes it up again.
  public mutating func radioLost() {
    closeAll(reason: .hardwareFailure)
    reset()
    controller.reset()
    // The next one may be another.
    if Server.isPresent { serverRole.advertiser.check = .untried }
    report(.fault(.lost))
  }

  /// Stops advertising, scanning and connecting, and ends every link. `isShutDown` is true when that
  /// is done.
  public mutating func shutDown() {
    controller.isShuttingDown = true
    if Client.isPresent { cancelConnection() }
    disconnectAll()
  }

  /// Whether everything that `shutDown` began has been done.
  public var isShutDown: Bool {
    guard controller.isShuttingDown else { return false }
    guard controller.phase == .ready else { return true }
    if Server.isPresent, serverRole.advertiser.isAdvertising { return false }
    if Client.isPresent, !clientRole.initiator.isOff { return false }
    return commands.outstanding == nil && table.count == 0
  }

  /// Ends every link. Advertising goes on, or begins again.
  public mutating func disconnectAll() {
    for index in 0..<links { disconnect(at: index) }
    controller.owesCommands = true
  }

  /// Ends the link at `index`. Nothing happens if there is none.
  public mutating func disconnect(at index: Int) {
    guard isOpen(index) else { return }
    connections[index].disconnectReason = .remoteUserTerminatedConnection
    controller.owesCommands = true
  }

  /// The longest ATT PDU that this device and the peer at `index` take; `.minimum` if there is no
  /// link. A notified value is at most 3 bytes shorter.
  public func mtu(at index: Int) -> ATTMTU {
    isOpen(index) ? connections[index].mtu : .minimum
  }

  /// Asks for other connection parameters of the link at `index`: the peer, which may refuse, or the
  /// controller where this device is the central. Nothing happens if there is no link.
  public mutating func requestParameters(_ parameters: ConnectionParameters, at index: Int) {
    guard isOpen(index) else { return }
    if Client.isPresent, connections[index].role == .central {
      connections[index].owedUpdate = parameters
      controller.owesCommands = true
    } else {
      connections[index].requestParameters(parameters)
      pending.insert(index)
    }
  }

  /// When `advance(to:)` has to be called next; `nil` if nothing is waited for.
  public var deadline: Instant? {
    var earliest = commands.deadline
    earliest = Instant.earlier(earliest, controller.restartTime)
    earliest = Instant.earlier(earliest, controller.checkTime)
    earliest = Instant.earlier(earliest, controller.unknownLinks.deadline)
    if Client.isPresent {
      earliest = Instant.earlier(earliest, clientRole.initiator.cancelDeadline)
    }
    if Security.isPresent { earliest = Instant.earlier(earliest, securityRole.deadline) }
    if Channels.isPresent { earliest = Instant.earlier(earliest, channelRole.deadline) }
    return Instant.earlier(earliest, deadlines.earliest)
  }

  /// Takes one whole packet from the controller, H4's type byte first. Anything else is ignored.
  @inline(never)
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

  /// Whether `nextPacket` may have a packet, or has to wait for room in the controller. A loop asks several
  /// times for each packet, and this is a fraction of the price.
  public var mayHavePacket: Bool {
    @inline(__always) get {
      controller.owesCommands || !sendable.isEmpty
        || controller.inFlight >= controller.aclPacketCount
    }
  }

  /// Writes the next packet for the controller, H4's type byte first; `false` if it has none now.
  ///
  /// `writer` needs room for 5 bytes of header, 4 of L2CAP and 517 of ATT: no packet is longer than
  /// 526 bytes. A packet is given only when the controller has room for it.
  public mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    // What its owner asks meanwhile waits until the controller is reset.
    if controller.owesCommands, commands.isOpen, controller.restartTime == nil,
      nextCommand(into: &writer, at: now)
    {
      return true
    }
    guard controller.phase == .ready else { return false }
    guard Security.isPresent else { return nextACLPacket(into: &writer, at: now) }
    if nextACLPacket(into: &writer, at: now) { return true }
    if !securityRole.activeClients.isEmpty { keepClients() }
    return false
  }
}

extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Whether there is a link at `index`.
  func isOpen(_ index: Int) -> Bool { index >= 0 && index < links && table.open.contains(index) }

  /// Reports a change of the radio's state to the roles: to the client each fault, also one like the
  /// last.
  @inline(never)
  mutating func report(_ state: RadioState) {
    guard controller.reported != state else {
      if Client.isPresent, case .fault = state { clientRole.radioChanged(to: state) }
      return
    }
    controller.reported = state
    if Server.isPresent { serverRole.radioChanged(to: state) }
    if Client.isPresent { clientRole.radioChanged(to: state) }
  }

  /// The radio works: reports what it does.
  mutating func reportWorking() {
    var isAdvertising = Server.isPresent && serverRole.advertiser.isAdvertising
    // A pause is nothing to report.
    if Security.isPresent, Server.isPresent, isAdvertisingPaused { isAdvertising = true }
    report(isAdvertising ? .advertising : .silent)
  }

  /// Forgets what the controller has done.
  mutating func reset() {
    commands.reset()
    if Server.isPresent { serverRole.advertiser.reset() }
    if Client.isPresent { resetInitiator() }
  }

  /// Forgets every link.
  mutating func closeAll(reason: HCIErrorCode) {
    for index in 0..<links {
      if isOpen(index) {
        forget(index, reason: reason)
      } else {
        forgetExpected(at: index)
      }
    }
    controller.inFlight = 0
    controller.sendingLinks = 0
  }

  /// The link at `index` has gone, and everything about it is forgotten.
  @inline(never)
  mutating func forget(_ index: Int, reason: HCIErrorCode) {
    if let handle = connections[index].handle {
      table.remove(handle, at: index)
      // An answer that is still to come is not about the next link of this handle.
      if controller.checking == handle { controller.checking = nil }
      if controller.closing == handle { controller.closing = nil }
      if Security.isPresent, controller.encrypting == handle { controller.encrypting = nil }
    }
    reassemblers[index].reset()
    deadlines.set(nil, at: index)
    pending.remove(index)
    blocked.remove(index)
    keepClient(at: index)
    if Server.isPresent { serverRole.closed(connections[index], reason: reason) }
    if Client.isPresent { clientRole.closed(connections[index], reason: reason) }
    if Security.isPresent { securityRole.closed(at: index) }
    if Channels.isPresent { channelRole.closed(connections[index], reason: reason) }
    connections[index].close()
  }
}
