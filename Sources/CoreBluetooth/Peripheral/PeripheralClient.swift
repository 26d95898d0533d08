import Foundation

/// One manager, as the engine knows it.
final class PeripheralClient: Sendable {
  /// Where the manager's delegate is told.
  private let queue: DispatchQueue
  private let manager: Locked<Weak>

  private struct Weak {
    weak var manager: CBPeripheralManager?
  }

  init(queue: DispatchQueue) {
    self.queue = queue
    manager = Locked(Weak())
  }

  /// The manager that this is; to be called once, when it has been made.
  func represent(_ manager: CBPeripheralManager) {
    self.manager.withLock { $0.manager = manager }
  }

  /// Calls `body` on the manager's queue, in the order of the calls, if there still is a manager
  /// then.
  func tell(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
    queue.async { [self] in
      if let manager = manager.withLock({ $0.manager }) { body(manager) }
    }
  }
}
