// Extended advertising, scanning and connecting, and periodic advertising: Core Specification, Vol 4,
// Part E, 3.1.1 and 7.8.52 to 7.8.69.
//
// A host uses the commands of Bluetooth 5 for all of them, or for none: the controller refuses a
// mixture. It uses them if each of its roles can, and the controller too.
extension Host
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {
  /// Whether each role can use the commands of Bluetooth 5. If false, the code for them is left out.
  static var isExtended: Bool {
    @inline(__always) get {
      (Server.isPresent || Client.isPresent) && (!Server.isPresent || Server.Sets.isPresent)
        && (!Client.isPresent || Client.Scanner.isExtended)
    }
  }

  /// Whether this host and its controller use extended advertising, scanning and connecting. False
  /// until the controller is set up.
  public var isExtended: Bool {
    @inline(__always) get { Self.isExtended && controller.supportsExtendedAdvertising }
  }

  /// Whether the controller has the coded PHY. False until it is set up.
  public var supportsCodedPHY: Bool { controller.supportsCodedPHY }

  /// Sets what the advertising set `index` sends; `nil` for nothing. It sends from when the
  /// controller is set up, and beside `advertisement`, which has legacy PDUs.
  ///
  /// A controller without extended advertising sends none of it: see `isExtended`. One without a PHY
  /// of a set does not send that set. If it refuses a set, `RadioState` reports the fault.
  ///
  /// - Returns: False if there is no such set, or if `data` does not fit: `AdvertisingSets` has the
  ///   limits.
  public mutating func advertise(
    _ set: AdvertisingSet?, _ data: Span<UInt8>, in index: Int
  ) -> Bool {
    guard Server.isPresent, serverRole.sets.assign(set, data, to: index) else { return false }
    serverRole.advertiser.isAdvertisingRefused = false
    controller.mayHaveCommands = true
    return true
  }

  /// Whether this host and its controller can use periodic advertising. False until the controller is
  /// set up.
  public var supportsPeriodicAdvertising: Bool {
    isExtended && controller.supportsPeriodicAdvertising
  }

  /// Sets the periodic advertising train of the set `index`; `nil` for none. It begins with the set,
  /// which must be neither connectable nor scannable, and goes on with new data.
  ///
  /// A controller without periodic advertising sends none of it: see `supportsPeriodicAdvertising`. If
  /// the controller refuses a train, `RadioState` reports the fault.
  ///
  /// - Returns: False if there is no such set or it is of another kind, if the interval is shorter than
  ///   6 units, or if `data` does not fit: `PeriodicAdvertisingSets` has the limits.
  public mutating func advertise(
    _ train: PeriodicTrain?, _ data: Span<UInt8>, withSet index: Int
  ) -> Bool {
    guard Server.isPresent, serverRole.sets.assign(train, data, toSet: index) else { return false }
    serverRole.advertiser.isAdvertisingRefused = false
    controller.mayHaveCommands = true
    return true
  }

  /// Whether there is something to advertise that the controller can send. It need not advertise now: all
  /// connections may be in use.
  public var hasAdvertisement: Bool {
    @inline(__always) get {
      serverRole.advertiser.hasAdvertisement
        || Server.Sets.isPresent && isExtended && serverRole.sets.isUsable(with: controller.phys)
    }
  }

  /// The PHYs that this host requests for the link at `index`.
  func linkPHYs(at index: Int) -> PHYSet {
    guard Self.isExtended else { return .le2M }
    let isOwn = Client.isPresent && connections[index].role == .central
    return isOwn || !Server.isPresent ? clientRole.scanner.linkPHYs : serverRole.sets.linkPHYs
  }

  // MARK: Advertising

  private var advertisingPlan: AdvertisingPlan {
    let interval = configuration.advertisingInterval
    var legacy = AdvertisingSet(
      .connectable, interval: UInt32(interval.lowerBound)...UInt32(interval.upperBound))
    legacy.isLegacy = true
    return AdvertisingPlan(
      legacy: serverRole.advertiser.hasAdvertisement ? legacy : nil,
      isAllowed: !controller.isShuttingDown && !serverRole.advertiser.isAdvertisingRefused,
      isConnectable: hasRoomToAdvertise, address: controller.address,
      // As in `writeAdvertisingParameters`.
      filterPolicy: Security.isPresent && securityRole.filtersConnections ? 0x02 : 0x00,
      phys: controller.phys)
  }

  /// Writes the next command for advertising sets; `nil` if none is needed.
  mutating func writeSetCommand(into writer: inout ByteWriter) -> HCIOpcode? {
    if serverRole.advertiser.isAdvertisingUncertain {
      // Stop all first; then the state is known, and the wanted ones are started again.
      serverRole.advertiser.isAdvertisingUncertain = false
      if serverRole.sets.isAdvertising { return serverRole.sets.writeStop(into: &writer) }
    }
    var plan = advertisingPlan
    if Server.Sets.isPeriodic, controller.supportsPeriodicAdvertising,
      let opcode = serverRole.sets.writeTrainCommand(plan, into: &writer)
    {
      return opcode
    }
    while true {
      let advertisement = serverRole.advertiser.content
      if let opcode = serverRole.sets.writeCommand(plan, advertisement, into: &writer) {
        return opcode
      }
      // With nothing else to do, a check.
      guard serverRole.advertiser.isCheckPending else { return nil }
      serverRole.advertiser.isCheckPending = false
      plan.isCheck = true
    }
  }

  /// Takes an event: a set has stopped.
  mutating func receiveSetTerminated(_ reader: inout ByteReader) {
    // A controller that is being set up may still report what it did before its Reset.
    guard Server.isPresent, controller.phase == .ready,
      let event = LEAdvertisingSetTerminated(&reader)
    else { return }
    serverRole.sets.terminated(event.handle)
    serverRole.advertiser.isAdvertising = serverRole.sets.isAdvertising
    controller.mayHaveCommands = true
    reportWorking()
  }

  // MARK: Results

  /// Whether it is a command of this file. Their opcodes are consecutive: those for sets come first.
  /// A controller that does not answer one has to be reset.
  static func isExtended(_ opcode: HCIOpcode) -> Bool {
    let last: HCIOpcode =
      Client.Scanner.isPeriodic ? .lePeriodicAdvertisingTerminateSync : .leExtendedCreateConnection
    return opcode.rawValue >= HCIOpcode.leSetAdvertisingSetRandomAddress.rawValue
      && opcode.rawValue <= last.rawValue
  }

  /// Takes the result of a command of this file; `false` for another command.
  mutating func finishExtended(_ opcode: HCIOpcode, _ status: HCIErrorCode, at now: Instant) -> Bool
  {
    guard Self.isExtended(opcode) else { return false }
    if opcode.rawValue <= HCIOpcode.leSetPeriodicAdvertisingEnable.rawValue {
      if Server.isPresent { finishSet(opcode, status, at: now) }
    } else if Client.Scanner.isPeriodic,
      opcode.rawValue >= HCIOpcode.lePeriodicAdvertisingCreateSync.rawValue
    {
      clientRole.finishSynchronization(status)
    } else {
      if Client.isPresent { finishInitiator(opcode, status: status) }
    }
    return true
  }

  private mutating func finishSet(_ opcode: HCIOpcode, _ status: HCIErrorCode, at now: Instant) {
    switch serverRole.sets.finish(status) {
    case .done: break
    case .switched:
      serverRole.advertiser.isAdvertising = serverRole.sets.isAdvertising
      scheduleCheck(at: now)
      reportWorking()
    case .refused: refuseAdvertising(opcode, status, at: now)
    case .checked: advertisingWasChecked(status, at: now)
    }
  }

  // MARK: Scanning and connecting

  /// Writes the parameters of a scan on each PHY that has advertisements.
  func writeExtendedScan(_ scan: ScanParameters, into writer: inout ByteWriter) -> HCIOpcode {
    let part = LESetExtendedScanParameters.Scan(
      type: scan.isActive ? 1 : 0, interval: scan.interval, window: scan.window)
    return write(
      LESetExtendedScanParameters(
        ownAddressType: controller.address.kind.rawValue, filterPolicy: 0, le1M: part,
        leCoded: controller.supportsCodedPHY ? part : nil), into: &writer)
  }

  /// Writes the command that connects to `peer` on each PHY of the controller.
  func writeExtendedConnection(to peer: DeviceAddress, into writer: inout ByteWriter) -> HCIOpcode {
    write(
      LEExtendedCreateConnection(
        filterPolicy: 0, ownAddressType: controller.address.kind.rawValue, peer: peer,
        phys: controller.phys,
        attempt: LEExtendedCreateConnection.Attempt(
          scanInterval: 96, scanWindow: 96, parameters: configuration.connectionParameters)),
      into: &writer)
  }

  // MARK: Synchronizing

  /// Begins to follow a periodic advertising train, as soon as the controller receives its advertiser:
  /// it has to scan until `ClientApplication.synchronized`, so call `scan` too. Afterwards it need not.
  ///
  /// - Returns: The index of the synchronization. `nil` if the controller cannot: see
  ///   `supportsPeriodicAdvertising`; if the parameters are outside their ranges; if there is a
  ///   synchronization with this train; or if none is free: `PeriodicScanner` has their number.
  public mutating func synchronize(with parameters: SynchronizationParameters) -> Int? {
    guard Client.Scanner.isPeriodic, controller.phase == .ready, supportsPeriodicAdvertising,
      !controller.isShuttingDown
    else { return nil }
    var parameters = parameters
    if Security.isPresent { parameters.address = securityRole.linkAddress(of: parameters.address) }
    guard let index = clientRole.scanner.synchronize(with: parameters) else { return nil }
    controller.mayHaveCommands = true
    return index
  }

  /// Ends the synchronization at `index`, or the attempt. `ClientApplication.synchronizationEnded`
  /// follows. Does nothing if there is none.
  public mutating func unsynchronize(at index: Int) {
    guard Client.Scanner.isPeriodic else { return }
    clientRole.unsynchronize(at: index)
    controller.mayHaveCommands = true
  }

  /// Takes an event of a synchronization.
  mutating func receivePeriodic(_ subevent: LEMetaSubevent, _ reader: inout ByteReader) {
    guard controller.phase == .ready else { return }
    clientRole.receivePeriodic(subevent, &reader)
    controller.mayHaveCommands = true
  }
}
