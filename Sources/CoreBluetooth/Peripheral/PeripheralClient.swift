import Foundation

/// One manager, as the engine knows it.
final class PeripheralClient: Sendable {
  /// Where the manager's delegate is told.
  private let queue: DispatchQueue
  private let manager: Locked<Weak>
  private let commands = Locked(Commands())
  private let losses = Locked(0)

  /// How many writes without response may wait for a delegate: centrals do not wait for it.
  static let commandCapacity = 1_024

  private struct Weak {
    weak var manager: CBPeripheralManager?
  }

  /// The writes without response that the delegate has not been told of.
  private struct Commands {
    var waiting = 0
    /// Whether the log says that some are dropped.
    var isLogged = false
  }

  init(queue: DispatchQueue) {
    self.queue = queue
    manager = Locked(Weak())
  }

  /// The manager that this is; to be called once, when it has been made.
  func represent(_ manager: CBPeripheralManager) {
    self.manager.withLock { $0.manager = manager }
  }

  /// How often the radio has lost all that this manager asked of it. The manager hears of it later.
  var lossCount: Int { losses.withLock(\.self) }

  /// The radio loses all that this manager asked of it.
  ///
  /// - Returns: How often it has.
  func noteLoss() -> Int {
    losses.withLock { losses in
      losses += 1
      return losses
    }
  }

  /// Calls `body` on the manager's queue, in the order of the calls, if there still is a manager
  /// then.
  func tell(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
    queue.async { [self] in
      if let manager = manager.withLock({ $0.manager }) { body(manager) }
    }
  }

  /// The same for a write without response, which is dropped if too many wait already. The log says
  /// so once, until none waits any more.
  func tellCommand(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
    let (isTaken, isNews) = commands.withLock { commands in
      guard commands.waiting >= Self.commandCapacity else {
        commands.waiting += 1
        return (true, false)
      }
      defer { commands.isLogged = true }
      return (false, !commands.isLogged)
    }
    if isNews {
      Log.logger.warning(
        """
        \(Self.commandCapacity) writes without response wait for the delegate of a peripheral \
        manager: more are dropped until it has taken some.
        """)
    }
    guard isTaken else { return }
    queue.async { [self] in
      commands.withLock { commands in
        commands.waiting -= 1
        if commands.waiting == 0 { commands.isLogged = false }
      }
      if let manager = manager.withLock({ $0.manager }) { body(manager) }
    }
  }
}
