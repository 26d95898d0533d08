import Linux
import LinuxSystem

/// Why a program cannot use an adapter.
package enum AdapterObstacle: Equatable {
  /// The kernel has not set it up.
  case notSetUp
  /// A switch has switched it off.
  case hardBlock
  /// rfkill(8) has switched it off.
  case softBlock
  /// The program may not configure adapters.
  case notPermitted
  /// Another program has its user channel.
  case held

  /// Why the adapter `name` is skipped, in a few words.
  package func phrase(_ name: String) -> String {
    switch self {
    case .notSetUp: RadioError(RadioTrouble.notSetUp, of: name).reason
    case .hardBlock: "\(name) is switched off by a switch"
    case .softBlock: "\(name) is switched off (rfkill unblock bluetooth)"
    case .notPermitted: "\(name) needs CAP_NET_ADMIN (sudo)"
    case .held: RadioError(RadioTrouble.held, of: name).reason
    }
  }
}

extension Adapter {
  /// Why a program cannot use it; `nil` if it can.
  ///
  /// - Parameter mayConfigure: Whether the program may configure adapters.
  package func obstacle(mayConfigure: Bool) -> AdapterObstacle? {
    if isRaw { return .notSetUp }
    switch block {
    case .hard: return .hardBlock
    case .soft: return .softBlock
    case .none: break
    }
    if !mayConfigure { return .notPermitted }
    return isHeld ? .held : nil
  }
}

extension RadioError {
  /// The error for a program that wants the adapter `name`.
  ///
  /// - Parameter holders: The programs that may hold it, as far as known.
  package init(_ name: String, _ obstacle: AdapterObstacle, holders: [ProcessTable.Entry] = []) {
    switch obstacle {
    case .notSetUp: self.init(RadioTrouble.notSetUp, of: name)
    case .hardBlock, .softBlock: self.init(RadioTrouble.switchedOff, of: name)
    case .notPermitted: self.init(RadioTrouble.notPermitted, of: name)
    case .held:
      self.init(RadioTrouble.held, of: name)
      guard !holders.isEmpty else { return }
      reason += ": " + holders.map(\.description).joined(separator: "; or ")
      remedy = "End that program first"
    }
  }
}
