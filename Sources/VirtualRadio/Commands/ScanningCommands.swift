import BluetoothHost

extension VirtualController {
  func performScanning(
    _ opcode: HCIOpcode, _ command: CommandDefinition, _ reader: inout ByteReader
  ) -> HCIErrorCode? {
    if opcode == .leSetScanParameters {
      guard state.scan == nil else { return .commandDisallowed }
      guard let request = LESetScanParameters(&reader), request.type <= 1,
        (0x0004...0x4000).contains(request.interval), (0x0004...0x4000).contains(request.window),
        request.window <= request.interval, request.ownAddressType <= 1, request.filterPolicy <= 1
      else { return .invalidCommandParameters }
      state.scanParameters = request
      succeed(command)
      return nil
    }
    guard let request = LESetScanEnable(&reader), request.enable <= 1,
      request.filterDuplicates <= 1
    else { return .invalidCommandParameters }
    guard request.enable == 1 else {
      state.scan = nil
      succeed(command)
      return nil
    }
    let parameters = state.scanParameters
    guard let address = ownAddress(parameters.ownAddressType) else {
      return .invalidCommandParameters
    }
    state.scan = Scan(
      isActive: parameters.type == 1, ownAddress: address,
      acceptListOnly: parameters.filterPolicy == 1,
      filtersDuplicates: request.filterDuplicates == 1)
    succeed(command)
    air?.listen(self)
    return nil
  }

  /// Reports kept unread at most: a slow host misses advertisements, as with a real controller.
  private static let reportLimit = 64
  /// Reports remembered at most, to leave out duplicates.
  private static let memoryLimit = 1_000

  /// Tells the host what it hears of `advertiser`, at `rssi` dBm.
  func report(_ advertiser: VirtualController, _ advertising: Advertising, rssi: Int8) {
    guard let scan = state.scan else { return }
    if scan.acceptListOnly, !state.acceptList.contains(advertising.address) { return }
    if let target = advertising.target, target != scan.ownAddress { return }
    let data = advertising.kind == .directed ? AdvertisingData() : advertiser.state.advertisingData
    report(
      LEAdvertisingReport(
        kind: advertising.kind, address: advertising.address, data: data, rssi: rssi))

    guard scan.isActive, advertising.kind == .connectable || advertising.kind == .scannable else {
      return
    }
    if advertising.answersAcceptListOnly, !advertiser.state.acceptList.contains(scan.ownAddress) {
      return
    }
    report(
      LEAdvertisingReport(
        kind: .scanResponse, address: advertising.address, data: advertiser.state.scanResponseData,
        rssi: rssi))
  }

  private func report(_ report: LEAdvertisingReport) {
    if state.scan?.filtersDuplicates == true {
      let heard = Scan.Heard(address: report.address, kind: report.kind)
      guard state.scan?.heard.contains(heard) == false else { return }
      // As a real one does, it begins anew when it cannot remember more.
      if state.scan?.heard.count == Self.memoryLimit { state.scan?.heard.removeAll() }
      state.scan?.heard.append(heard)
    }
    guard outgoing.reportCount < Self.reportLimit else {
      counters.droppedReports += 1
      return
    }
    emitLEEvent(.advertisingReport, isReport: true) { writer in
      writer.write(UInt8(1))
      writer.write(report.kind.rawValue)
      report.address.write(to: &writer)
      writer.write(UInt8(truncatingIfNeeded: report.data.count))
      writer.write(report.data.span)
      writer.write(report.rssi)
    }
  }
}
