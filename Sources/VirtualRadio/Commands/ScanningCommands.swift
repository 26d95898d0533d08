import BluetoothHost

extension VirtualController {
  func performScanning(_ opcode: HCIOpcode, _ reader: inout ByteReader) -> HCIErrorCode? {
    switch opcode {
    case .leSetScanParameters, .leSetExtendedScanParameters:
      guard state.scan == nil else { return .commandDisallowed }
      let isExtended = opcode == .leSetExtendedScanParameters
      guard
        let request = isExtended
          ? ScanSettings.Request(extended: &reader) : ScanSettings.Request(legacy: &reader),
        reader.isEmpty, ownAddress(request.ownAddressType) != nil, request.filterPolicy <= 1
      else { return .invalidCommandParameters }
      guard configuration.phys.contains(request.phys) else {
        return .unsupportedFeatureOrParameterValue
      }
      state.scanParameters = request
      succeed(opcode)
      return nil
    case .leSetScanEnable:
      guard let request = LESetScanEnable(&reader) else { return .invalidCommandParameters }
      return scan(
        opcode,
        LESetExtendedScanEnable(
          enable: request.enable, filterDuplicates: request.filterDuplicates))
    default:
      guard let request = LESetExtendedScanEnable(&reader) else { return .invalidCommandParameters }
      // It scans once, and not in periods.
      guard request.period == 0 else { return .unsupportedFeatureOrParameterValue }
      return scan(opcode, request)
    }
  }

  /// Starts or stops scanning.
  private func scan(_ opcode: HCIOpcode, _ request: LESetExtendedScanEnable) -> HCIErrorCode? {
    guard request.enable <= 1, request.filterDuplicates <= 1 else {
      return .invalidCommandParameters
    }
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
    let duration = UInt32(request.duration) * 10
    scan(
      ScanSettings(
        parameters: ScanSettings.Parameters(
          activePHYs: parameters.activePHYs, own: own, acceptListOnly: parameters.filterPolicy == 1,
          filtersDuplicates: request.filterDuplicates == 1, phys: parameters.phys,
          isExtended: parameters.isExtended),
        end: duration == 0 ? nil : air?.now.advanced(by: duration)))
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

  /// Whether another advertisement of `set` would cause a report. A report that was dropped because
  /// the host reads too slowly is not a duplicate.
  func wouldReport(_ set: AdvertiserSet, _ advertising: Advertising) -> Bool {
    guard let parameters = state.scan?.parameters, let sender = sender(of: set, parameters) else {
      return false
    }
    guard parameters.filtersDuplicates else { return true }
    return !hasReported(.init(sender.reportedAddress, set, isScanResponse: false))
      || isAnswered(by: set, sender, parameters)
        && !hasReported(.init(sender.reportedAddress, set, isScanResponse: true))
  }

  /// Reports an advertisement of `set` to the host, at `rssi` dBm.
  func report(_ set: AdvertiserSet, _ advertising: Advertising, rssi: Int8) {
    // Reads only `parameters`: a copy of `reported` would prevent it from growing in place.
    guard let parameters = state.scan?.parameters, let sender = sender(of: set, parameters) else {
      return
    }
    sender.note()
    report(set, advertising, sender, rssi, isScanResponse: false)
    guard isAnswered(by: set, sender, parameters) else { return }
    report(set, advertising, sender, rssi, isScanResponse: true)
  }

  /// The advertiser; `nil` if its advertisements are not received, or must not be reported.
  func sender(of set: AdvertiserSet, _ parameters: ScanSettings.Parameters) -> Sender? {
    guard let advertising = set.active, parameters.isExtended || advertising.isLegacy,
      parameters.phys.contains(set.parameters.primaryPHY.set),
      let sender = state.resolvingList.sender(at: advertising.address)
    else { return nil }
    if parameters.acceptListOnly, !state.acceptList.contains(sender.identity) { return nil }
    guard let target = advertising.target else { return sender }
    return isAddressed(by: sender, target, parameters.own) ? sender : nil
  }

  /// Whether the scanner requests a scan response and gets one.
  private func isAnswered(
    by set: AdvertiserSet, _ sender: Sender, _ parameters: ScanSettings.Parameters
  ) -> Bool {
    guard let advertising = set.active, advertising.isScannable,
      parameters.activePHYs.contains(set.parameters.primaryPHY.set),
      let address = address(parameters.own, towards: sender.identity),
      let scanner = set.advertiser.state.resolvingList.sender(at: address)
    else { return false }
    return !advertising.answersAcceptListOnly
      || set.advertiser.state.acceptList.contains(scanner.identity)
  }

  /// Whether the host has read enough reports for another one; otherwise it is dropped.
  var hasRoomForReport: Bool {
    if outgoing.reportCount < Self.reportLimit { return true }
    counters.droppedReports += 1
    return false
  }

  private func hasReported(_ reported: ScanSettings.Reported) -> Bool {
    state.scan?.reported.contains(reported) == true
  }

  private func report(
    _ set: AdvertiserSet, _ advertising: Advertising, _ sender: Sender, _ rssi: Int8,
    isScanResponse: Bool
  ) {
    let reported = ScanSettings.Reported(
      sender.reportedAddress, set, isScanResponse: isScanResponse)
    let filtersDuplicates = state.scan?.parameters.filtersDuplicates == true
    if filtersDuplicates, hasReported(reported) { return }
    guard hasRoomForReport else { return }
    if filtersDuplicates { remember(reported) }
    let isEmpty = advertising.isDirected && advertising.isLegacy && !isScanResponse
    let data = isEmpty ? [] : isScanResponse ? set.scanResponse.bytes : set.data.bytes
    if state.scan?.parameters.isExtended == true {
      emitExtendedReports(set, sender.reportedAddress, data, rssi, isScanResponse: isScanResponse)
    } else {
      emitLEEvent(.advertisingReport, isReport: true) { writer in
        writer.write(UInt8(1))
        writer.write(
          isScanResponse
            ? LEAdvertisingReport.Kind.scanResponse.rawValue
            : advertising.properties.legacyKind.rawValue)
        sender.reportedAddress.write(to: &writer)
        writer.write(UInt8(truncatingIfNeeded: data.count))
        writer.write(data.span)
        writer.write(rssi)
      }
    }
  }

  /// One extended report for each part of the data.
  private func emitExtendedReports(
    _ set: AdvertiserSet, _ address: DeviceAddress, _ data: [UInt8], _ rssi: Int8,
    isScanResponse: Bool
  ) {
    var properties = set.parameters.properties.removing(.highDuty | .anonymous | .txPower)
    if isScanResponse { properties = properties | .scanResponse }
    var offset = 0
    repeat {
      let length = min(data.count - offset, LEExtendedAdvertisingReport.longestPart)
      let isLast = offset + length == data.count
      emitLEEvent(.extendedAdvertisingReport, isReport: true) { writer in
        LEExtendedAdvertisingReport(
          properties: properties, completeness: isLast ? .complete : .partial, address: address,
          primaryPHY: set.parameters.primaryPHY,
          secondaryPHY: set.isLegacy ? PHY(rawValue: 0) : set.parameters.secondaryPHY,
          advertisingSet: set.isLegacy ? 0xFF : set.parameters.identifier, rssi: rssi,
          periodicInterval: set.train?.interval ?? 0,
          data: data.span.extracting(offset..<offset + length)
        ).writeParameters(to: &writer)
      }
      offset += length
    } while offset < data.count
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

extension ScanSettings.Request {
  /// Reads LE Set Scan Parameters; `nil` if they are invalid.
  fileprivate init?(legacy reader: inout ByteReader) {
    guard let request = LESetScanParameters(&reader), request.type <= 1,
      (0x0004...0x4000).contains(request.interval), (0x0004...0x4000).contains(request.window),
      request.window <= request.interval
    else { return nil }
    self.init(
      ownAddressType: request.ownAddressType, filterPolicy: request.filterPolicy, phys: .le1M,
      activePHYs: request.type == 1 ? .le1M : .none, isExtended: false)
  }

  /// Reads LE Set Extended Scan Parameters; `nil` if they are invalid.
  fileprivate init?(extended reader: inout ByteReader) {
    guard let request = LESetExtendedScanParameters(&reader) else { return nil }
    var active = PHYSet.none
    for (scan, phy) in [(request.le1M, PHYSet.le1M), (request.leCoded, .leCoded)] {
      guard let scan else { continue }
      guard scan.type <= 1, scan.window >= 4, scan.window <= scan.interval else { return nil }
      if scan.type == 1 { active = active | phy }
    }
    self.init(
      ownAddressType: request.ownAddressType, filterPolicy: request.filterPolicy,
      phys: request.phys, activePHYs: active, isExtended: true)
  }
}
