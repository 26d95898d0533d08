import Foundation

/// A peripheral manager, as the engine knows it.
final class PeripheralHandle: ManagerHandle<CBPeripheralManager>, @unchecked Sendable {
  private let commands = Locked(Commands())
  private let losses = Locked(0)
  private let warn: @Sendable (String) -> Void

  /// How many writes without response may wait for a delegate. Centrals do not wait for it.
  static let commandCapacity = 1_024

  /// The writes without response that the delegate has not received.
  private struct Commands {
    var waiting = 0
    /// Whether dropping has been logged.
    var isLogged = false
  }

  /// - Parameter warn: Logs a sentence.
  init(
    queue: DispatchQueue, calls: DelegateCalls = DelegateCalls(),
    warn: @escaping @Sendable (String) -> Void = { Log.logger.warning("\($0)") }
  ) {
    self.warn = warn
    super.init(queue: queue, calls: calls)
  }

  /// How often the radio has lost this manager's services and advertising. The manager sees it
  /// later.
  var lossCount: Int { losses.withLock(\.self) }

  /// The radio loses this manager's services and advertising. Returns the number of losses.
  func noteLoss() -> Int {
    losses.withLock { losses in
      losses += 1
      return losses
    }
  }

  /// Calls `body` as `callManager` does, for a write without response, which is dropped if too many wait. Dropping is logged
  /// once, until none waits.
  func callManagerForCommand(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
    let (isTaken, mustLog) = commands.withLock { commands in
      guard commands.waiting >= Self.commandCapacity else {
        commands.waiting += 1
        return (true, false)
      }
      defer { commands.isLogged = true }
      return (false, !commands.isLogged)
    }
    if mustLog {
      warn(
        """
        \(Self.commandCapacity) writes without response wait for the delegate of a peripheral \
        manager: more are dropped until it has handled some.
        """)
    }
    guard isTaken else { return }
    callQueue { [self] in
      commands.withLock { commands in
        commands.waiting -= 1
        if commands.waiting == 0 { commands.isLogged = false }
      }
      withManager(body)
    }
  }
}
