import LinuxSystem

/// What keeps a program from driving an adapter.
package enum AdapterObstacle: Equatable {
  /// It has not been set up, and can only be driven raw.
  case notSetUp
  /// A switch has switched it off.
  case hardBlock
  /// rfkill(8) has switched it off.
  case softBlock
  /// The program may not configure adapters.
  case notPermitted
  /// Another program has its user channel.
  case held

  /// Why the adapter `name` is passed over, in a few words.
  package func phrase(_ name: String) -> String {
    switch self {
    case .notSetUp: "\(name) has not been set up"
    case .hardBlock: "\(name) is switched off by a switch"
    case .softBlock: "\(name) is switched off (rfkill unblock bluetooth)"
    case .notPermitted: "\(name) needs CAP_NET_ADMIN (sudo)"
    case .held: "another program holds \(name)"
    }
  }
}

extension Adapter {
  /// What keeps a program from driving it; `nil` if nothing does.
  ///
  /// - Parameter mayConfigure: whether the program may configure adapters.
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
  /// What a program that wants the adapter `name` is told.
  ///
  /// - Parameter holders: the programs that may be the one that holds it, as far as is known.
  package init(_ name: String, _ obstacle: AdapterObstacle, holders: [ProcessTable.Entry] = []) {
    switch obstacle {
    case .notSetUp:
      self.init(
        obstacle.phrase(name), remedy: "See what the kernel lacks for it: dmesg | grep -i bluetooth"
      )
    case .hardBlock, .softBlock:
      self.init(
        "\(name) is switched off",
        remedy: "Switch it on: rfkill unblock bluetooth, or the switch on the machine")
    case .notPermitted:
      self.init(
        "\(name) may only be driven by a program with the right to configure adapters",
        remedy: "Run with sudo, give the program CAP_NET_ADMIN "
          + "(sudo setcap cap_net_admin+ep \(Process.programPath)), "
          + "or have the ball run as a service (scripts/install)")
    case .held:
      let reason = obstacle.phrase(name)
      guard !holders.isEmpty else {
        self.init(
          reason, remedy: "End that program first; sudo eightball doctor tells which it is")
        return
      }
      let names = holders.map(\.description).joined(separator: "; or ")
      self.init("\(reason): \(names)", remedy: "End that program first")
    }
  }
}
