import LinuxSystem

/// The radio that is used when none is named, and why that one.
public struct DefaultRadio: Equatable, Sendable {
  /// The first adapter that may be used, or else the virtual air.
  public var name: RadioName
  /// Why, as a sentence without its full stop.
  public var reason: String

  /// Looks what this machine has.
  public static func choose() -> DefaultRadio {
    do throws(SystemError) {
      return choose(from: try Adapter.all(), mayConfigure: Process.mayConfigureAdapters)
    } catch {
      let radioError = RadioError(.adapter(0), error)
      return DefaultRadio(name: .virtual, reason: radioError.reason)
    }
  }

  static func choose(from adapters: [Adapter], mayConfigure: Bool) -> DefaultRadio {
    var reasons: [String] = []
    for adapter in adapters {
      let name = "hci\(adapter.number)"
      if adapter.isRaw {
        reasons.append("\(name) has not been set up")
      } else if adapter.block == .hard {
        reasons.append("\(name) is switched off by a switch")
      } else if adapter.block == .soft {
        reasons.append("\(name) is switched off (rfkill unblock bluetooth)")
      } else if !mayConfigure {
        reasons.append("\(name) needs CAP_NET_ADMIN (sudo)")
      } else {
        return DefaultRadio(
          name: .adapter(adapter.number), reason: "\(name) is the first adapter that may be used")
      }
    }
    return DefaultRadio(
      name: .virtual,
      reason: reasons.isEmpty
        ? "there is no Bluetooth adapter" : reasons.joined(separator: ", and "))
  }
}
