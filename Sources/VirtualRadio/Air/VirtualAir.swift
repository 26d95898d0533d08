import BluetoothHost

/// The space in which virtual controllers hear each other: advertisements, links and their ends.
///
/// Nothing here reads a clock or waits: the owner calls `advance(to:)` by `deadline`, and before
/// it sends a packet, with the time of its choice. The same calls at the same times give the same
/// packets. Packets cross the air at once; only what the specification times is timed: the
/// interval between advertisements, the end of directed advertising and the supervision
/// time-out of a lost link.
///
/// Not thread-safe: the air and all its controllers belong to one thread.
public final class VirtualAir {
  /// How a controller leaves.
  public enum Removal: Sendable {
    /// Power lost: nothing is said, and its peers end their links with reason 0x08 when their
    /// supervision time-outs have passed.
    case vanishing
    /// Its links are closed first, and its peers are told at once, with reason 0x15.
    case politely
  }

  /// The moment that `advance(to:)` was last given.
  public private(set) var now: Instant

  /// The controllers, in the order in which they came.
  public private(set) var controllers: [VirtualController] = []

  private let seed: UInt64
  private var controllersEver = 0
  private var signalStrengths: [Path: Int8?] = [:]

  /// An empty air at `now`, whose controllers draw their random numbers from `seed`.
  public init(now: Instant = Instant(rawValue: 0), seed: UInt64 = 0) {
    self.now = now
    self.seed = seed
  }

  /// Brings a new controller, in the state that follows a reset.
  ///
  /// - Parameter address: its public address; without one, F0:00:00:00:00:01 and so on, counting
  ///   every controller that this air has had, in an order that people read.
  public func addController(
    address: DeviceAddress? = nil, configuration: ControllerConfiguration = .init()
  ) -> VirtualController {
    controllersEver += 1
    let controller = VirtualController(
      air: self, number: controllersEver, address: address ?? .numbered(controllersEver),
      configuration: configuration, seed: seed)
    controllers.append(controller)
    return controller
  }

  /// Takes a controller away. It answers nothing from then on.
  public func remove(_ controller: VirtualController, _ removal: Removal) {
    guard let index = controllers.firstIndex(where: { $0 === controller }) else { return }
    controllers.remove(at: index)
    signalStrengths = signalStrengths.filter { !$0.key.joins(controller) }
    switch removal {
    case .vanishing: controller.loseLinks()
    case .politely: controller.closeLinks(telling: .remoteDevicePoweredOff)
    }
    controller.leaveAir()
  }

  /// Sets how strongly `listener` hears `speaker`, in dBm; `nil` puts the two out of each
  /// other's range, and their links end by supervision time-out, on both sides.
  ///
  /// Without it, the speaker's own `signalStrength` holds.
  public func setSignalStrength(
    _ strength: Int8?, from speaker: VirtualController, to listener: VirtualController
  ) {
    signalStrengths[Path(speaker: speaker.number, listener: listener.number)] = .some(strength)
    guard strength == nil else { return }
    for end in speaker.links where end.peer?.controller === listener { end.breakContact(at: now) }
  }

  /// The next moment at which something happens by itself; `nil` if nothing will.
  ///
  /// An advertiser that nobody scans for needs no call.
  public var deadline: Instant? {
    var earliest: Instant?
    for controller in controllers {
      guard let next = controller.deadline else { continue }
      earliest = min(earliest ?? next, next)
    }
    return earliest
  }

  /// Lets time pass, and everything that it brings happen in its order. Never backwards.
  public func advance(to instant: Instant) {
    while let next = deadline, next <= instant {
      now = max(now, next)
      // The first one due, in the order in which they came: the same every time.
      controllers.first { $0.deadline == next }?.passDeadline()
    }
    now = max(now, instant)
  }

  /// How strongly `listener` hears `speaker`, in dBm; `nil` if not at all.
  func signalStrength(from speaker: VirtualController, to listener: VirtualController) -> Int8? {
    guard speaker !== listener else { return nil }
    let back = signalStrengths[Path(speaker: listener.number, listener: speaker.number)]
    if case .some(.none) = back { return nil }
    let path = Path(speaker: speaker.number, listener: listener.number)
    guard let strength = signalStrengths[path] else { return speaker.signalStrength }
    return strength
  }
}

/// One direction between two controllers.
private struct Path: Hashable {
  var speaker: Int
  var listener: Int

  func joins(_ controller: VirtualController) -> Bool {
    speaker == controller.number || listener == controller.number
  }
}

extension DeviceAddress {
  /// The public address F0:00:00:00:00:00 plus `number`.
  fileprivate static func numbered(_ number: Int) -> DeviceAddress {
    DeviceAddress(
      kind: .public,
      bytes: [
        UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8), 0, 0, 0, 0xF0,
      ])
  }
}
