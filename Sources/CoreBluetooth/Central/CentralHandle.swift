import BluetoothHost
import Foundation

/// A central manager, as the engine knows it. The engine's reports come on the radio's thread.
class CentralHandle: ManagerHandle<CBCentralManager>, @unchecked Sendable {
  /// The scan that the manager wants. Only the radio's thread uses it.
  var scan: ManagerScan?
  private let state = Locked(CBManagerState.unknown)

  /// The manager's part of a link.
  ///
  /// - Parameter reconnects: Whether to make the link again after it was lost.
  func member(of peripheral: CBPeripheral, reconnects: Bool) -> PeerLink.Member {
    PeerLink.Member(
      self,
      reconnects: { [weak peripheral] in
        guard reconnects, let peripheral else { return false }
        return peripheral.contents.withLock { $0.beginReconnecting() }
      },
      report: { [self, weak peripheral] report in
        let time = calls.time ?? CFAbsoluteTimeGetCurrent()
        callManager(with: peripheral) { manager, peripheral in
          peripheral.handle(report, at: time, manager)
        }
      })
  }

  /// Calls `body` on the manager's queue with the manager and `peripheral`, unless either is
  /// released.
  func callManager(
    with peripheral: CBPeripheral?,
    _ body: @escaping @Sendable (CBCentralManager, CBPeripheral) -> Void
  ) {
    callQueue { [self, weak peripheral] in
      guard let peripheral else { return }
      withManager { body($0, peripheral) }
      // Releasing both in `body` is not misuse: the manager goes first, and the link with it.
      withExtendedLifetime(peripheral) {}
    }
  }

  /// Reports the radio's state to the delegate, if it differs from the last report.
  func report(_ state: CBManagerState) {
    let hasChanged = self.state.withLock { known in
      defer { known = state }
      return known != state
    }
    guard hasChanged else { return }
    callManager { manager in
      manager.state = state
      if state != .poweredOn { manager.change { $0.scan = nil } }
      manager.delegate?.centralManagerDidUpdateState(manager)
    }
  }

  // MARK: Scanning

  /// The controller has refused to scan.
  func scanFailed(_ reason: HCIErrorCode) {
    scan = nil
    callManager { manager in manager.change { $0.scan = nil } }
  }

  /// An advertiser was received.
  func heard(_ discovery: Discovery, at now: Instant, _ names: Locked<KnownNames>) {
    if let due = scan?.report(for: discovery, at: now) { report(due, names) }
  }

  /// Reports the advertisers whose scan response has not arrived in time.
  func reportHeld(at now: Instant, _ names: Locked<KnownNames>) {
    for discovery in scan?.takeHeld(at: now) ?? [] { report(discovery, names) }
  }

  private func report(_ discovery: Discovery, _ names: Locked<KnownNames>) {
    let scan = scan?.number
    if let name = discovery.name {
      names.withLock { $0.note(KnownName(text: name, isRead: false), of: discovery.address) }
    }
    callManager { manager in
      // Nothing is reported after the scan has ended.
      guard manager.contents.withLock({ $0.scan == scan }) else { return }
      let peripheral = manager.peripheral(at: discovery.address)
      manager.delegate?.centralManager(
        manager, didDiscover: peripheral, advertisementData: discovery.advertisementData,
        rssi: NSNumber(value: Int(discovery.rssi ?? 127)))
    }
  }
}

// The managers' scans together.
extension CentralEngine {
  /// Starts a manager's scan, or replaces it.
  func scan(_ handle: CentralHandle, _ scan: ManagerScan) {
    // The radio was lost after the manager's call. The manager has not received the new state yet.
    guard state == .poweredOn else { return }
    handle.scan = scan
    // Restarts even a running scan, so that it reports every advertiser again.
    if let parameters = scanParameters { scanner.begin(parameters) }
    needsUpdate = true
  }

  func stopScan(_ handle: CentralHandle) {
    handle.scan = nil
    updateScan()
  }

  /// Scans with the options of all managers together, or stops if none scans.
  func updateScan() {
    needsUpdate = true
    guard let parameters = scanParameters else { return scanner.end() }
    if parameters != scanner.wanted { scanner.begin(parameters) }
  }

  private var scanParameters: ScanParameters? {
    let scans = handles.compactMap(\.scan)
    guard !scans.isEmpty else { return nil }
    var parameters = ScanParameters()
    parameters.filtersDuplicates = !scans.contains { $0.allowsDuplicates }
    return parameters
  }
}
