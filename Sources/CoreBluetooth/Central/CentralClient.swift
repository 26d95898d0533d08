import BluetoothHost
import Foundation

/// One manager, as the engine knows it. Only the engine's thread uses `scan`.
final class CentralClient: @unchecked Sendable {
  /// The queue on which the manager's delegate is called.
  let queue: DispatchQueue
  /// The scan that the manager wants.
  var scan: ManagerScan?

  private struct Contents {
    weak var manager: CBCentralManager?
    var state = CBManagerState.unknown
  }

  private let contents = Locked(Contents())

  init(queue: DispatchQueue) {
    self.queue = queue
  }

  /// Sets the manager that this represents. To be called once, when the manager has been made.
  func represent(_ manager: CBCentralManager) {
    contents.withLock { $0.manager = manager }
  }

  /// Calls `body` on the manager's queue, in the order of the calls, unless the manager is
  /// released.
  func callManager(_ body: @escaping @Sendable (CBCentralManager) -> Void) {
    queue.async { [weak self] in self?.withManager(body) }
  }

  /// The same with the manager and `peripheral`, unless either is released.
  func callManager(
    with peripheral: CBPeripheral?,
    _ body: @escaping @Sendable (CBCentralManager, CBPeripheral) -> Void
  ) {
    queue.async { [weak self, weak peripheral] in
      guard let peripheral else { return }
      self?.withManager { body($0, peripheral) }
      // Releasing both in `body` is no misuse: the manager goes first, and the link with it.
      withExtendedLifetime(peripheral) {}
    }
  }

  private func withManager(_ body: (CBCentralManager) -> Void) {
    if let manager = contents.withLock({ $0.manager }) { body(manager) }
  }

  /// Reports the radio's state to the delegate, if it differs from the last report.
  func report(_ state: CBManagerState) {
    let hasChanged = contents.withLock { contents in
      defer { contents.state = state }
      return contents.state != state
    }
    guard hasChanged else { return }
    callManager { manager in
      manager.state = state
      if state != .poweredOn { manager.change { $0.scan = nil } }
      manager.delegate?.centralManagerDidUpdateState(manager)
    }
  }
}
