import BluetoothHost
import Foundation

/// One manager, as the engine knows it. The engine's thread alone uses `scan`.
final class CentralClient: @unchecked Sendable {
  /// Where the manager's delegate is told.
  let queue: DispatchQueue
  /// The scan that the manager wants.
  var scan: ScanWish?

  private struct Contents {
    weak var manager: CBCentralManager?
    var state = CBManagerState.unknown
  }

  private let contents = Locked(Contents())

  init(queue: DispatchQueue) {
    self.queue = queue
  }

  /// Whose it is.
  func belongs(to manager: CBCentralManager) {
    contents.withLock { $0.manager = manager }
  }

  /// Calls `body` on the manager's queue, in the order of the calls, if there still is a manager
  /// then.
  func tell(_ body: @escaping @Sendable (CBCentralManager) -> Void) {
    queue.async { [weak self] in self?.withManager(body) }
  }

  /// Calls `body` with the manager and `peripheral` too, if there still are both then.
  func tell(
    of peripheral: CBPeripheral?,
    _ body: @escaping @Sendable (CBCentralManager, CBPeripheral) -> Void
  ) {
    queue.async { [weak self, weak peripheral] in
      guard let peripheral else { return }
      self?.withManager { body($0, peripheral) }
      // Whoever lets go of both in there has misused nothing: the manager goes first, and the link
      // with it.
      withExtendedLifetime(peripheral) {}
    }
  }

  private func withManager(_ body: (CBCentralManager) -> Void) {
    if let manager = contents.withLock({ $0.manager }) { body(manager) }
  }

  /// Tells what the radio can be used for, if that is not what was told last.
  func tell(_ state: CBManagerState) {
    let isNews = contents.withLock { contents in
      defer { contents.state = state }
      return contents.state != state
    }
    guard isNews else { return }
    tell { manager in
      manager.state = state
      if state != .poweredOn { manager.change { $0.scan = nil } }
      manager.delegate?.centralManagerDidUpdateState(manager)
    }
  }
}
