// Extended advertising, scanning and connecting: Core Specification, Vol 4, Part E, 3.1.1 and 7.8.52
// to 7.8.66.
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

  /// Whether there is something to advertise.
  var hasAdvertisement: Bool {
    @inline(__always) get {
      serverRole.advertiser.advertisement != nil
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
    AdvertisingPlan(
      advertisement: serverRole.advertiser.advertisement,
      interval: configuration.advertisingInterval,
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
    let plan = advertisingPlan
    if let opcode = serverRole.sets.writeCommand(plan, into: &writer) { return opcode }
    guard serverRole.advertiser.isCheckPending else { return nil }
    serverRole.advertiser.isCheckPending = false
    return serverRole.sets.writeCheck(plan, into: &writer)
  }

  /// Takes an event: a set has stopped.
  mutating func receiveSetTerminated(_ reader: inout ByteReader) {
    guard Server.isPresent, let event = LEAdvertisingSetTerminated(&reader) else { return }
    serverRole.sets.terminated(event.handle)
    serverRole.advertiser.isAdvertising = serverRole.sets.isAdvertising
    controller.mayHaveCommands = true
    reportWorking()
  }

  // MARK: Results

  /// Takes the result of a command of this file; `false` for another command.
  mutating func finishExtended(_ opcode: HCIOpcode, _ status: HCIErrorCode, at now: Instant) -> Bool
  {
    guard opcode.isExtended else { return false }
    if opcode.rawValue <= HCIOpcode.leSetExtendedAdvertisingEnable.rawValue {
      if Server.isPresent { finishSet(opcode, status, at: now) }
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
    case .checked(let status): advertisingWasChecked(status, at: now)
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
}

extension HCIOpcode {
  /// Whether it is a command of this file. Their opcodes are consecutive: those for sets come first.
  /// A controller that does not answer one has to be reset.
  var isExtended: Bool {
    rawValue >= HCIOpcode.leSetAdvertisingSetRandomAddress.rawValue
      && rawValue <= HCIOpcode.leExtendedCreateConnection.rawValue
  }
}
