import BluetoothHost

extension VirtualController {
  func performScanning(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    if opcode == .leSetScanParameters {
      guard state.scan == nil else { return .commandDisallowed }
      guard let request = LESetScanParameters(&reader), request.type <= 1,
        (0x0004...0x4000).contains(request.interval), (0x0004...0x4000).contains(request.window),
        request.window <= request.interval, ownAddress(request.ownAddressType) != nil,
        request.filterPolicy <= 1
      else { return .invalidCommandParameters }
      state.scanParameters = request
      succeed(command)
      return nil
    }
    guard let request = LESetScanEnable(&reader), request.enable <= 1,
      request.filterDuplicates <= 1
    else { return .invalidCommandParameters }
    guard request.enable == 1 else {
      scan(nil)
      succeed(command)
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
          isActive: parameters.type == 1, own: own,
          acceptListOnly: parameters.filterPolicy == 1,
          filtersDuplicates: request.filterDuplicates == 1)))
    succeed(command)
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
    else {
      return false
    }
    guard parameters.filtersDuplicates else { return true }
    return !hasReported(sender.reportedAddress, advertising.kind)
      || isAnswered(by: advertiser, advertising, sender, parameters)
        && !hasReported(sender.reportedAddress, .scanResponse)
  }

  /// Reports an advertisement of `advertiser` to the host, at `rssi` dBm.
  func report(_ advertiser: VirtualController, _ advertising: Advertising, rssi: Int8) {
    // Reads only `parameters`: a copy of `reported` would prevent it from growing in place.
    guard let parameters = state.scan?.parameters, let sender = sender(of: advertising, parameters)
    else {
      return
    }
    sender.note()
    let data = advertising.kind == .directed ? AdvertisingData() : advertiser.state.advertisingData
    report(
      LEAdvertisingReport(
        kind: advertising.kind, address: sender.reportedAddress, data: data, rssi: rssi))
    guard isAnswered(by: advertiser, advertising, sender, parameters) else { return }
    report(
      LEAdvertisingReport(
        kind: .scanResponse, address: sender.reportedAddress,
        data: advertiser.state.scanResponseData,
        rssi: rssi))
  }

  /// The advertiser; `nil` if its advertisements must not be reported.
  private func sender(
    of advertising: Advertising, _ parameters: ScanSettings.Parameters
  ) -> Sender? {
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
    else {
      return false
    }
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
