/// A Bluetooth LE host: it connects the controller to a GATT server and a GATT client.
///
/// It does no input or output. Its inputs are the controller's packets and the time; its outputs
/// are packets for the controller and the time of its next deadline:
///
///     host.start(at: now)
///     while true {
///       while host.nextPacket(into: &writer, at: now) { … send it to the controller … }
///       … wait for a packet from the controller, or until host.deadline …
///       host.receive(packet, at: now)     // or host.advance(to: now)
///     }
///
/// `links` is the number of simultaneous connections, at most `ConnectionSet.capacity`. `Server`,
/// `Client`, `Security` and `Channels` are its roles; `NoServer`, `NoClient`, `NoSecurity` and
/// `NoChannels` leave one out. A link uses both server and client, whichever side began it.
/// Malformed input from the air or from the controller never stops the host: it is answered or
/// ignored. A controller that fails is reset.
public struct Host<
  let links: Int, Server: ServerRole & ~Copyable, Client: ClientRole & ~Copyable,
  Security: SecurityRole & ~Copyable, Channels: ChannelRole & ~Copyable
>: ~Copyable {
  let configuration: HostConfiguration
  var controller = ControllerState()
  var commands = CommandFlow()

  var connections: InlineArray<links, Connection>
  /// The incoming frames of each connection. Data of an unknown link waits here too.
  var reassemblers: InlineArray<links, L2CAPReassembler<521>>
  var table = ConnectionTable<links>()
  var deadlines = ConnectionDeadlines<links>()

  /// The connections that may have something to send.
  var pending = ConnectionSet.none
  /// Those of them that may have a PDU of the Security Manager.
  var pendingSecurity = ConnectionSet.none
  /// The connections that cannot send until an input arrives, although the server's application has
  /// an update.
  var blocked = ConnectionSet.none
  /// The connection that may send the next ACL packet first: after a received packet its
  /// connection, then each in turn.
  var nextIndex = 0

  var serverRole: Server
  var clientRole: Client
  var securityRole: Security
  var channelRole: Channels

  /// The longest frame that a host reassembles: a four-byte header and the longest ATT PDU, 517
  /// bytes.
  static var longestFrame: Int { 521 }

  /// Creates a host that waits for `start`. More links than `ConnectionSet.capacity`, or channels
  /// with K-frame payloads longer than 517 bytes, stop the program.
  ///
  /// - Parameters:
  ///   - configuration: Its name, address and so on.
  ///   - server: The server role.
  ///   - client: The client role.
  ///   - security: The security role.
  ///   - channels: Its credit-based channels. Their MPS is at most 517; `ChannelMPS.twoPackets` is
  ///     best.
  public init(
    configuration: HostConfiguration, server: consuming Server, client: consuming Client,
    security: consuming Security, channels: consuming Channels
  ) {
    Self.checkCapacity()
    if Channels.isPresent {
      precondition(
        channels.longestPayload <= Self.longestFrame &- L2CAPFrame.headerLength,
        "A host reassembles frames with at most 517 bytes of payload.")
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

  /// Stops the program if `links` exceeds the capacity of a connection set.
  static func checkCapacity() {
    precondition(
      links <= ConnectionSet.capacity, "A host has at most as many links as a UInt has bits.")
  }

  /// The server role. After a change the host checks it again for something to send.
  public var server: Server {
    _read { yield serverRole }
    _modify {
      yield &serverRole
      blocked = .none
      if Security.isPresent { securityRole.noteActivity(of: .all) }
    }
  }

  /// The client role.
  public var client: Client {
    _read { yield clientRole }
    _modify { yield &clientRole }
  }

  /// The security role. After a change the host does what follows from it.
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

  /// The address that the device uses; all zeros until it is known.
  public var address: DeviceAddress { controller.address }

  /// The number of open links.
  public var connectionCount: Int { table.count }

  /// Resets the controller and sets it up. Call it when the controller is available.
  public mutating func start(at now: Instant) {
    closeAll(reason: .connectionTerminatedByLocalHost)
    reset()
    controller.restart()
    report(.starting)
  }

  /// Forgets every link because the controller has gone. Call `start` when it is back.
  public mutating func radioLost() {
    closeAll(reason: .hardwareFailure)
    reset()
    controller.reset()
    // The next controller may be a different one.
    if Server.isPresent { serverRole.advertiser.check = .untried }
    report(.fault(.lost))
  }

  /// Stops advertising, scanning and connecting, and ends every link. `isShutDown` is true when
  /// that is done.
  public mutating func shutDown() {
    controller.isShuttingDown = true
    if Client.isPresent { cancelConnection() }
    for index in 0..<Client.Scanner.synchronizationCount { clientRole.unsynchronize(at: index) }
    disconnectAll()
  }

  /// Whether `shutDown` has completed.
  public var isShutDown: Bool {
    guard controller.isShuttingDown else { return false }
    guard controller.phase == .ready else { return true }
    if Server.isPresent, serverRole.advertiser.isAdvertising { return false }
    if Client.isPresent, !clientRole.initiator.isOff { return false }
    if Server.Sets.isPeriodic, serverRole.sets.hasTrain { return false }
    if Client.Scanner.isPeriodic, !clientRole.scanner.isUnsynchronized { return false }
    return commands.outstanding == nil && table.count == 0
  }

  /// Ends every link. Advertising continues, or begins again.
  public mutating func disconnectAll() {
    for index in 0..<links { disconnect(at: index) }
    controller.mayHaveCommands = true
  }

  /// Ends the link at `index`. Does nothing if there is none.
  public mutating func disconnect(at index: Int) {
    guard isOpen(index) else { return }
    connections[index].disconnectReason = .remoteUserTerminatedConnection
    controller.mayHaveCommands = true
  }

  /// The longest ATT PDU that this device and the peer at `index` accept; `.minimum` if there is no
  /// link. A notified value is at most 3 bytes shorter.
  public func mtu(at index: Int) -> ATTMTU { isOpen(index) ? connections[index].mtu : .minimum }

  /// Requests other connection parameters for the link at `index`: from the controller if this
  /// device is the central, otherwise from the peer, which may refuse. Does nothing if there is no
  /// link.
  public mutating func requestParameters(_ parameters: ConnectionParameters, at index: Int) {
    guard isOpen(index) else { return }
    if Client.isPresent, connections[index].role == .central {
      connections[index].pendingParameters = parameters
      controller.mayHaveCommands = true
    } else {
      connections[index].requestParameters(parameters)
      pending.insert(index)
    }
  }

  /// When to call `advance(to:)` next; `nil` if nothing is scheduled.
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
  @inline(never) public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    switch HCIPacket(packet) {
    case .acl(let header, let data): receive(header, data, at: now)
    case .event(let code, let parameters): receive(code, parameters, at: now)
    case .command, nil: break
    }
  }

  /// Whether `nextPacket` may have a packet, or waits for room in the controller. This check is
  /// much cheaper than `nextPacket`, which a loop calls often.
  public var mayHavePacket: Bool {
    @inline(__always) get {
      controller.mayHaveCommands || !sendable.isEmpty
        || controller.inFlight >= controller.aclPacketCount
        || Security.isPresent && !securityRole.activeClients.isEmpty
    }
  }

  /// Writes the next packet for the controller, H4's type byte first; `false` if there is none now.
  ///
  /// `writer` needs room for 526 bytes: 5 of HCI header, 4 of L2CAP header and 517 of ATT. The host
  /// writes a packet only when the controller has room for it.
  public mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    // Commands requested before a scheduled reset wait until after it.
    if controller.mayHaveCommands, commands.isOpen, controller.restartTime == nil,
      nextCommand(into: &writer, at: now)
    {
      return true
    }
    guard controller.phase == .ready else { return false }
    if Channels.hasBearers {
      serveBearers()
      serveTurns()
    }
    guard Security.isPresent else { return nextACLPacket(into: &writer, at: now) }
    if nextACLPacket(into: &writer, at: now) { return true }
    if !securityRole.activeClients.isEmpty { saveClients() }
    return false
  }
}

extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Whether there is a link at `index`.
  func isOpen(_ index: Int) -> Bool { index >= 0 && index < links && table.open.contains(index) }

  /// Reports a new state of the radio to the roles. The client also gets each repeated fault.
  @inline(never) mutating func report(_ state: RadioState) {
    guard controller.reported != state else {
      if Client.isPresent, case .fault = state { clientRole.radioChanged(to: state) }
      return
    }
    controller.reported = state
    if Server.isPresent { serverRole.radioChanged(to: state) }
    if Client.isPresent { clientRole.radioChanged(to: state) }
  }

  /// The radio works: reports whether it advertises.
  mutating func reportWorking() {
    var isAdvertising = Server.isPresent && serverRole.advertiser.isAdvertising
    // A short pause in advertising is not reported.
    if Security.isPresent, Server.isPresent, isAdvertisingPaused { isAdvertising = true }
    report(isAdvertising ? .advertising : .silent)
  }

  /// Forgets the state of commands, advertising and connecting.
  mutating func reset() {
    commands.reset()
    if Server.isPresent { serverRole.advertiser.reset() }
    if Server.isPresent, Server.Sets.isPresent { serverRole.sets.reset() }
    if Client.isPresent { resetInitiator() }
    if Client.isPresent, Client.Scanner.isExtended {
      clientRole.scanner.removeAll()
      clientRole.scanner.subrateRequest = nil
    }
    if Client.Scanner.isPeriodic { clientRole.loseSynchronizations() }
  }

  /// Closes every link.
  mutating func closeAll(reason: HCIErrorCode) {
    for index in 0..<links {
      if isOpen(index) { forget(index, reason: reason) } else { forgetExpected(at: index) }
    }
    controller.inFlight = 0
    controller.sendingLinks = 0
  }

  /// Closes the link at `index`, and forgets everything about it.
  @inline(never) mutating func forget(_ index: Int, reason: HCIErrorCode) {
    if let handle = connections[index].handle {
      table.remove(handle, at: index)
      // A late answer must not apply to the next link with this handle.
      if controller.checking == handle { controller.checking = nil }
      if controller.closing == handle { controller.closing = nil }
      if Security.isPresent, controller.encrypting == handle { controller.encrypting = nil }
    }
    reassemblers[index].reset()
    deadlines.set(nil, at: index)
    pending.remove(index)
    blocked.remove(index)
    saveClient(at: index)
    if Channels.hasBearers {
      // The bearers end before their link.
      channelRole.closed(connections[index], reason: reason)
      serveBearers()
      _ = channelRole.withOwnBearer(index) { $0 = BearerTurn() }
    }
    if Server.isPresent { serverRole.closed(connections[index], reason: reason) }
    if Client.isPresent { clientRole.closed(connections[index], reason: reason) }
    if Security.isPresent { securityRole.closed(at: index) }
    if Channels.isPresent, !Channels.hasBearers {
      channelRole.closed(connections[index], reason: reason)
    }
    connections[index].close()
  }
}

// Changes that the server's program makes while the host runs.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// What the host advertises while it has a free connection; `nil` for nothing.
  public var advertisement: Advertisement? {
    Server.isPresent ? serverRole.advertiser.advertisement : nil
  }

  /// Sets what to advertise while a connection is free; `nil` for nothing. Open links stay.
  ///
  /// `RadioState.advertising` reports that advertising has begun. A change during advertising
  /// reports nothing.
  public mutating func advertise(_ advertisement: Advertisement?) {
    guard Server.isPresent, serverRole.advertiser.advertise(advertisement) else { return }
    let hasAdvertisement = serverRole.advertiser.hasAdvertisement
    serverRole.advertiser.isAdvertisingDataPending = hasAdvertisement
    serverRole.advertiser.isScanResponseDataPending = hasAdvertisement
    serverRole.advertiser.isAdvertisingRefused = false
    if Server.Sets.isPresent { serverRole.sets.advertisementChanged() }
    controller.mayHaveCommands = true
  }

  /// Whether advertising has to wait: every connection is in use until a link ends, or the controller
  /// refuses to advertise while it has links, and is asked again each minute.
  public var isAdvertisingHeldBack: Bool {
    guard Server.isPresent, hasAdvertisement else { return false }
    return !hasRoomToAdvertise || serverRole.advertiser.isAdvertisingRefused
  }

  /// Whether a central can connect. A connection stays reserved for a peer that this device is
  /// connecting to.
  var hasRoomToAdvertise: Bool {
    let kept = Client.isPresent && !clientRole.initiator.isIdle ? 1 : 0
    guard table.count + kept < links else { return false }
    guard Client.isPresent, let limit = configuration.peripheralLinks else { return true }
    var count = 0
    for index in 0..<links where isOpen(index) && connections[index].role == .peripheral {
      count += 1
    }
    return count < limit
  }

  /// Calls the application again for the request that it put off for the client at
  /// `connectionIndex`. Does nothing if there is none.
  public mutating func resume(at connectionIndex: Int) {
    guard Server.isPresent, isOpen(connectionIndex) else { return }
    if Channels.hasBearers {
      resumeBearers(at: connectionIndex)
    } else {
      serverRole.resume(&connections[connectionIndex])
    }
    pending.insert(connectionIndex)
    noteTimers(of: connectionIndex)
  }
}
