import BluetoothHost
import Foundation

extension CentralEngine {
  /// A manager wants a scan, or another one than before.
  func scan(_ client: CentralClient, _ wish: ScanWish) {
    // It was asked for before the radio was lost, of which the manager is being told.
    guard state == .poweredOn else { return }
    client.scan = wish
    // Anew, even if there is a scan: whoever was heard is to be heard again.
    if let options = scanOptions { central.scan(options) }
  }

  /// A manager wants no scan any more.
  func stopScan(_ client: CentralClient) {
    client.scan = nil
    updateScan()
  }

  /// Scans as all managers together want it, and not at all if none does.
  func updateScan() {
    guard let options = scanOptions else { return central.stopScan() }
    if options != central.scanner.wanted { central.scan(options) }
  }

  private var scanOptions: ScanParameters? {
    let wishes = clients.compactMap(\.scan)
    guard !wishes.isEmpty else { return nil }
    var options = ScanParameters()
    options.filtersDuplicates = !wishes.contains { $0.allowsDuplicates }
    return options
  }

  /// The controller does not scan.
  func scanFailed() {
    for client in clients where client.scan != nil {
      client.scan = nil
      client.tell { manager in manager.change { $0.scan = nil } }
    }
  }

  /// The central has heard an advertiser.
  func heard(_ discovery: Discovery, at now: Instant) {
    for client in clients {
      if let news = client.scan?.hears(discovery, at: now) { tell(client, news) }
    }
  }

  /// Tells a manager of those whose scan responses have not come.
  func tellHeld(_ client: CentralClient, at now: Instant) {
    for discovery in client.scan?.takeHeld(at: now) ?? [] { tell(client, discovery) }
  }

  private func tell(_ client: CentralClient, _ discovery: Discovery) {
    let scan = client.scan?.number
    client.tell { manager in
      // What was heard before the scan ended is not told after it.
      guard manager.contents.withLock({ $0.scan == scan }) else { return }
      let peripheral = manager.peripheral(at: discovery.address, name: discovery.name)
      manager.delegate?.centralManager(
        manager, didDiscover: peripheral, advertisementData: discovery.advertisementData,
        rssi: NSNumber(value: Int(discovery.rssi ?? 127)))
    }
  }
}

extension Discovery {
  /// What an advertiser tells, by Apple's keys.
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
