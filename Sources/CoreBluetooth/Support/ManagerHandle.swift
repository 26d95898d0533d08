import Foundation

/// A manager, as its radio's engines know it: it is called on its queue, and not retained.
class ManagerHandle<Manager: CBManager>: @unchecked Sendable {
  /// The queue on which the manager's delegate is called.
  let queue: DispatchQueue
  private struct Weak {
    weak var manager: Manager?
  }
  private let represented = Locked(Weak())

  init(queue: DispatchQueue) {
    self.queue = queue
  }

  /// Sets the manager that this represents. To be called once, when the manager has been made.
  func represent(_ manager: Manager) {
    represented.withLock { $0.manager = manager }
  }

  /// Calls `body` on the manager's queue, in the order of the calls, unless the manager is
  /// released.
  func callManager(_ body: @escaping @Sendable (Manager) -> Void) {
    queue.async { [self] in withManager(body) }
  }

  func withManager(_ body: (Manager) -> Void) {
    if let manager = represented.withLock({ $0.manager }) { body(manager) }
  }
}
