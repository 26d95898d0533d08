import Linux
import LinuxSystem

/// The radio to use if none is named, and why.
public struct DefaultRadio: Equatable, Sendable {
  /// The first usable adapter, or else the virtual air.
  public var name: RadioAddress
  /// Why, as a sentence without its full stop.
  public var reason: String

  /// Chooses among the adapters of this machine.
  public static func choose() -> DefaultRadio {
    choose(from: Adapter.found(), mayConfigure: CurrentProcess.mayConfigureAdapters)
  }

  package static func choose(
    from adapters: Result<[Adapter], SystemError>, mayConfigure: Bool
  ) -> DefaultRadio {
    switch adapters {
    case .success(let adapters): choose(from: adapters, mayConfigure: mayConfigure)
    case .failure(let error):
      DefaultRadio(name: .virtual, reason: RadioError(.adapter(0), error).reason)
    }
  }

  package static func choose(from adapters: [Adapter], mayConfigure: Bool) -> DefaultRadio {
    var reasons: [String] = []
    for adapter in adapters {
      guard let obstacle = adapter.obstacle(mayConfigure: mayConfigure) else {
        return DefaultRadio(
          name: .adapter(adapter.number),
          reason: "\(adapter.name) is the first usable adapter")
      }
      reasons.append(obstacle.phrase(adapter.name))
    }
    return DefaultRadio(
      name: .virtual,
      reason: reasons.isEmpty ? Adapter.nonePhrase : reasons.joined(separator: ", and "))
  }
}
