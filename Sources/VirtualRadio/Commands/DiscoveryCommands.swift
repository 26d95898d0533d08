import BluetoothHost

extension VirtualController {
  func performAdvertising(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .leSetRandomAddress:
      guard state.advertising == nil, state.scan == nil, state.initiation == nil else {
        return .commandDisallowed
      }
      guard let request = LESetRandomAddress(&reader) else { return .invalidCommandParameters }
      state.randomAddress = request.address
    case .leSetAdvertisingParameters:
      guard state.advertising == nil else { return .commandDisallowed }
      guard let request = LESetAdvertisingParameters(&reader), request.isValid,
        ownAddress(request.ownAddressType) != nil
      else { return .invalidCommandParameters }
      state.advertisingParameters = request
    case .leSetAdvertisingData:
      guard let request = LESetAdvertisingData(&reader) else { return .invalidCommandParameters }
      state.advertisingData = request.data
    case .leSetScanResponseData:
      guard let request = LESetScanResponseData(&reader) else { return .invalidCommandParameters }
      state.scanResponseData = request.data
    default:
      guard let enable = reader.readUInt8(), enable <= 1 else { return .invalidCommandParameters }
      guard enable == 1 else {
        advertise(nil)
        succeed(opcode)
        return nil
      }
      return startAdvertising(opcode)
    }
    succeed(opcode)
    return nil
  }

  private func startAdvertising(_ opcode: HCIOpcode) -> HCIErrorCode? {
    guard let air else { return .hardwareFailure }
    let parameters = state.advertisingParameters
    guard let own = ownAddress(parameters.ownAddressType) else { return .invalidCommandParameters }
    if own.isPrivate { prepareAddresses() }
    guard let address = address(own, towards: parameters.peer) else {
      return .invalidCommandParameters
    }
    var advertising = Advertising(
      kind: parameters.kind, own: own, address: address, peer: parameters.peer, target: nil,
      interval: parameters.intervalInMilliseconds, next: air.now,
      connectsAcceptListOnly: parameters.filterPolicy & 0b10 != 0,
      answersAcceptListOnly: parameters.filterPolicy & 0b01 != 0)
    if advertising.isConnectable, links.count >= configuration.maximumLinks {
      return .connectionLimitExceeded
    }
    direct(&advertising)
    if parameters.isHighDuty {
      // Core Specification, Vol 6, Part B, 4.4.2.4.3: events at most 3.75 ms apart, for at most
      // 1.28 s. Here they are 4 ms apart, since the air's time is in milliseconds.
      advertising.interval = 4
      advertising.end = air.now.advanced(by: 1_280)
    }
    advertising.next = air.now.advanced(by: advertising.interval)
    advertise(advertising)
    succeed(opcode)
    air.deliverAdvertisement(of: self)
    return nil
  }
}

extension LESetAdvertisingParameters {
  /// Whether it is high duty cycle directed advertising, which times out.
  fileprivate var isHighDuty: Bool { type == 0x01 }

  /// Type 0x04 is also directed, at the requested interval.
  fileprivate var kind: LEAdvertisingReport.Kind {
    type == 0x04 ? .directed : LEAdvertisingReport.Kind(rawValue: type)
  }

  /// The minimum interval, converted from units of 0.625 ms and rounded up.
  fileprivate var intervalInMilliseconds: UInt32 { (UInt32(minimumInterval) * 5 + 7) / 8 }

  /// Core Specification, Vol 4, Part E, 7.8.5.
  fileprivate var isValid: Bool {
    let hasInterval =
      isHighDuty
      || (0x0020...0x4000).contains(minimumInterval) && (0x0020...0x4000).contains(maximumInterval)
        && minimumInterval <= maximumInterval
    return type <= 0x04 && hasInterval && channelMap & 0b111 != 0 && filterPolicy <= 0x03
  }
}

extension VirtualController {
  func performScanning(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    if opcode == .leSetScanParameters {
      guard state.scan == nil else { return .commandDisallowed }
      guard let request = LESetScanParameters(&reader), request.type <= 1,
        (0x0004...0x4000).contains(request.interval), (0x0004...0x4000).contains(request.window),
        request.window <= request.interval, ownAddress(request.ownAddressType) != nil,
        request.filterPolicy <= 1
      else { return .invalidCommandParameters }
      state.scanParameters = request
      succeed(opcode)
      return nil
    }
    guard let request = LESetScanEnable(&reader), request.enable <= 1, request.filterDuplicates <= 1
    else { return .invalidCommandParameters }
    guard request.enable == 1 else {
      scan(nil)
      succeed(opcode)
      return nil
    }
    let parameters = state.scanParameters
    // Core Specification, Vol 4, Part E, 7.8.11: the own address type 0x03 also requires a random
    // address.
    guard let own = ownAddress(parameters.ownAddressType), own.identity != nil else {
      return .invalidCommandParameters
    }
    if own.isPrivate { prepareAddresses() }
    scan(
      ScanSettings(
        parameters: ScanSettings.Parameters(
          isActive: parameters.type == 1, own: own, acceptListOnly: parameters.filterPolicy == 1,
          filtersDuplicates: request.filterDuplicates == 1)))
    succeed(opcode)
    air?.deliverAdvertisements(to: self)
    return nil
  }

  /// The largest number of unread reports: a slow host misses advertisements, as with a real
  /// controller.
  private static let reportLimit = 64
  /// The largest number of reports remembered, to filter duplicates: two for each of 2,048
  /// advertisers.
  private static let memoryLimit = 4_096

  /// Whether another advertisement of `advertiser` would cause a report. A report that was dropped
  /// because the host reads too slowly is not a duplicate.
  func wouldReport(_ advertiser: VirtualController, _ advertising: Advertising) -> Bool {
    guard let parameters = state.scan?.parameters, let sender = sender(of: advertising, parameters)
    else { return false }
    guard parameters.filtersDuplicates else { return true }
    return !hasReported(sender.reportedAddress, advertising.kind)
      || isAnswered(by: advertiser, advertising, sender, parameters)
        && !hasReported(sender.reportedAddress, .scanResponse)
  }

  /// Reports an advertisement of `advertiser` to the host, at `rssi` dBm.
  func report(_ advertiser: VirtualController, _ advertising: Advertising, rssi: Int8) {
    // Reads only `parameters`: a copy of `reported` would prevent it from growing in place.
    guard let parameters = state.scan?.parameters, let sender = sender(of: advertising, parameters)
    else { return }
    sender.note()
    let data = advertising.kind == .directed ? AdvertisingData() : advertiser.state.advertisingData
    report(
      LEAdvertisingReport(
        kind: advertising.kind, address: sender.reportedAddress, data: data, rssi: rssi))
    guard isAnswered(by: advertiser, advertising, sender, parameters) else { return }
    report(
      LEAdvertisingReport(
        kind: .scanResponse, address: sender.reportedAddress,
        data: advertiser.state.scanResponseData, rssi: rssi))
  }

  /// The advertiser; `nil` if its advertisements must not be reported.
  private func sender(of advertising: Advertising, _ parameters: ScanSettings.Parameters) -> Sender?
  {
    guard let sender = state.resolvingList.sender(at: advertising.address) else { return nil }
    if parameters.acceptListOnly, !state.acceptList.contains(sender.identity) { return nil }
    guard let target = advertising.target else { return sender }
    return isAddressed(by: sender, target, parameters.own) ? sender : nil
  }

  /// Whether the scanner requests a scan response and gets one.
  private func isAnswered(
    by advertiser: VirtualController, _ advertising: Advertising, _ sender: Sender,
    _ parameters: ScanSettings.Parameters
  ) -> Bool {
    guard parameters.isActive, advertising.kind == .connectable || advertising.kind == .scannable
    else { return false }
    guard let address = address(parameters.own, towards: sender.identity),
      let scanner = advertiser.state.resolvingList.sender(at: address)
    else { return false }
    return !advertising.answersAcceptListOnly
      || advertiser.state.acceptList.contains(scanner.identity)
  }

  private func hasReported(_ address: DeviceAddress, _ kind: LEAdvertisingReport.Kind) -> Bool {
    state.scan?.reported.contains(ScanSettings.Reported(address, kind)) == true
  }

  private func report(_ report: LEAdvertisingReport) {
    let filtersDuplicates = state.scan?.parameters.filtersDuplicates == true
    if filtersDuplicates, hasReported(report.address, report.kind) { return }
    guard outgoing.reportCount < Self.reportLimit else {
      counters.droppedReports += 1
      return
    }
    if filtersDuplicates { remember(ScanSettings.Reported(report.address, report.kind)) }
    emitLEEvent(.advertisingReport, isReport: true) { writer in
      writer.write(UInt8(1))
      writer.write(report.kind.rawValue)
      report.address.write(to: &writer)
      writer.write(UInt8(truncatingIfNeeded: report.data.count))
      writer.write(report.data.span)
      writer.write(report.rssi)
    }
  }

  private func remember(_ reported: ScanSettings.Reported) {
    // When the memory is full, it is cleared, as in a real controller.
    let isFull = state.scan?.reported.count == Self.memoryLimit
    if isFull { state.scan?.reported.removeAll(keepingCapacity: true) }
    state.scan?.reported.insert(reported)
    guard let air else { return }
    air.audienceChanged()
    // Advertisers that were reported before are reported again.
    if isFull { for advertiser in air.advertisers.all { air.reschedule(advertiser) } }
  }
}

extension VirtualController {
  func performInitiation(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    if opcode == .leCreateConnectionCancel {
      guard state.initiation != nil else { return .commandDisallowed }
      initiate(nil)
      succeed(opcode)
      emitConnectionFailure(.unknownConnectionIdentifier, role: .central)
      return nil
    }
    guard state.initiation == nil else { return .commandDisallowed }
    guard let request = LECreateConnection(&reader), request.filterPolicy <= 1,
      (0x0004...0x4000).contains(request.scanInterval),
      (0x0004...0x4000).contains(request.scanWindow), request.scanWindow <= request.scanInterval,
      request.minimumEventLength <= request.maximumEventLength,
      let parameters = LinkParameters(request.parameters),
      let own = ownAddress(request.ownAddressType)
    else { return .invalidCommandParameters }
    let target = request.filterPolicy == 0 ? request.peer : nil
    if own.isPrivate { prepareAddresses() }
    // With the accept list, some devices may have no private address, so an identity is needed.
    guard target.map({ address(own, towards: $0) }) ?? own.identity != nil else {
      return .invalidCommandParameters
    }
    if let target, links.contains(where: { $0.sender.identity == target }) {
      return .connectionAlreadyExists
    }
    guard links.count < configuration.maximumLinks else { return .connectionLimitExceeded }
    initiate(Initiation(target: target, own: own, parameters: parameters))
    accept(opcode)
    air?.connectInitiator(self)
    return nil
  }

  /// Reports to the host that its attempt failed.
  func emitConnectionFailure(_ status: HCIErrorCode, role: LEConnectionComplete.Role) {
    emit(
      connectionComplete: LEConnectionComplete(
        status: status, handle: ConnectionHandle(rawValue: 0), role: role, peer: .zero, interval: 0,
        latency: 0, supervisionTimeout: 0), of: nil)
  }

  /// Adds one side of a new link, and reports it to the host.
  func begin(_ end: LinkEnd) {
    links.append(end)
    air?.audienceChanged()
    emit(
      connectionComplete: LEConnectionComplete(
        status: .success, handle: end.handle, role: end.role, peer: end.sender.identity,
        interval: end.parameters.interval, latency: end.parameters.latency,
        supervisionTimeout: end.parameters.supervisionTimeout), of: end)
  }

  /// The enhanced event replaces the other one if the host enables it. Only it has the link's
  /// private addresses.
  private func emit(connectionComplete event: LEConnectionComplete, of end: LinkEnd?) {
    guard allows(.enhancedConnectionComplete) else { return emit(event) }
    emitLEEvent(.enhancedConnectionComplete) { writer in
      writer.write(event.status.rawValue)
      writer.write(event.handle.rawValue)
      writer.write(event.role.rawValue)
      (end?.sender.reportedAddress ?? event.peer).write(to: &writer)
      (end?.ownPrivateAddress ?? .zero).writeBytes(to: &writer)
      (end?.sender.resolvedAddress ?? .zero).writeBytes(to: &writer)
      writer.write(event.interval)
      writer.write(event.latency)
      writer.write(event.supervisionTimeout)
      writer.write(event.centralClockAccuracy)
    }
  }
}
