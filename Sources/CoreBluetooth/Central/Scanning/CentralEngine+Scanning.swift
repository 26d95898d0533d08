import BluetoothHost
import Foundation

extension CentralEngine {
  /// Starts a manager's scan, or replaces it.
  func scan(_ client: CentralClient, _ scan: ManagerScan) {
    // The radio was lost after the manager's call. The manager has not received the new state yet.
    guard state == .poweredOn else { return }
    client.scan = scan
    // Restarts even a running scan, so that it reports every advertiser again.
    if let options = scanOptions { central.scan(options) }
  }

  func stopScan(_ client: CentralClient) {
    client.scan = nil
    updateScan()
  }

  /// Scans with the options of all managers together, or stops if none scans.
  func updateScan() {
    guard let options = scanOptions else { return central.stopScan() }
    if options != central.scanner.wanted { central.scan(options) }
  }

  private var scanOptions: ScanParameters? {
    let scans = clients.compactMap(\.scan)
    guard !scans.isEmpty else { return nil }
    var options = ScanParameters()
    options.filtersDuplicates = !scans.contains { $0.allowsDuplicates }
    return options
  }

  /// The controller has refused to scan.
  func scanFailed() {
    for client in clients where client.scan != nil {
      client.scan = nil
      client.callManager { manager in manager.change { $0.scan = nil } }
    }
  }

  /// The central has received an advertisement.
  func heard(_ discovery: Discovery, at now: Instant) {
    for client in clients {
      if let due = client.scan?.report(for: discovery, at: now) { report(due, to: client) }
    }
  }

  /// Reports the advertisers whose scan response has not arrived in time.
  func reportHeld(to client: CentralClient, at now: Instant) {
    for discovery in client.scan?.takeHeld(at: now) ?? [] { report(discovery, to: client) }
  }

  private func report(_ discovery: Discovery, to client: CentralClient) {
    let scan = client.scan?.number
    if let name = discovery.name {
      names.withLock { $0.note(KnownName(text: name, isRead: false), of: discovery.address) }
    }
    client.callManager { manager in
      // Nothing is reported after the scan has ended.
      guard manager.contents.withLock({ $0.scan == scan }) else { return }
      let peripheral = manager.peripheral(at: discovery.address)
      manager.delegate?.centralManager(
        manager, didDiscover: peripheral, advertisementData: discovery.advertisementData,
        rssi: NSNumber(value: Int(discovery.rssi ?? 127)))
    }
  }
}

extension Discovery {
  /// The advertisement data, by Apple's keys.
  var advertisementData: [String: Any] {
    var data: [String: Any] = [
      CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)
    ]
    if let name { data[CBAdvertisementDataLocalNameKey] = name }
    if let txPower { data[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: Int(txPower)) }
    if let manufacturerData {
      data[CBAdvertisementDataManufacturerDataKey] = Data(manufacturerData)
    }
    if !serviceUUIDs.isEmpty {
      data[CBAdvertisementDataServiceUUIDsKey] = serviceUUIDs.map { CBUUID($0) }
    }
    if !solicitedUUIDs.isEmpty {
      data[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicitedUUIDs.map { CBUUID($0) }
    }
    if !serviceData.isEmpty {
      data[CBAdvertisementDataServiceDataKey] = Dictionary(
        serviceData.map { (CBUUID($0.uuid), Data($0.bytes)) }, uniquingKeysWith: { $1 })
    }
    return data
  }
}
