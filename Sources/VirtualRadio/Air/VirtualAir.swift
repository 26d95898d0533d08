import BluetoothHost

/// The space in which virtual controllers hear each other: advertisements, links and their ends.
///
/// Nothing here reads a clock or waits: the owner calls `advance(to:)` by `deadline`, and before
/// it sends a packet, with the time of its choice. The same calls at the same times give the same
/// packets. Packets cross the air at once; only what the specification times is timed: the
/// interval between advertisements, the end of directed advertising and the supervision
/// time-out of a lost link.
///
/// Work grows with what is used: an exchange on a link, and the next deadline, cost the same
/// however many other controllers there are. An advertisement costs as much as there are
/// controllers that scan or initiate, and the beginning of a scan as much as there are advertisers.
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

  /// The controllers that scan or initiate.
  private(set) var listeners = ControllerList()
  /// The controllers that advertise.
  private(set) var advertisers = ControllerList()
  /// The same, by the address that each advertises.
  private var advertisersByAddress: [DeviceAddress: ControllerList] = [:]
  /// When something happens by itself. An advertiser in it that is heard no longer stays until it
  /// is the first, as `deadline` sees.
  var schedule = Schedule()
  /// Counts the changes that may leave an advertiser unheard.
  private var audienceChanges = 0

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
    controller.fallSilent()
    switch removal {
    case .vanishing: controller.loseLinks()
    case .politely: controller.closeLinks(telling: .remoteDevicePoweredOff)
    }
    schedule.set(controller, nil)
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
    if strength == nil {
      for end in speaker.links where end.peer?.controller === listener { end.breakContact(at: now) }
    }
    audienceChanged()
    for controller in [speaker, listener] where controller.air === self { reschedule(controller) }
  }

  /// The next moment at which something happens by itself; `nil` if nothing will.
  ///
  /// An advertiser that nobody scans for needs no call.
  public var deadline: Instant? {
    while let (controller, instant) = schedule.first {
      if controller.audienceSeen == audienceChanges { return instant }
      reschedule(controller)
    }
    return nil
  }

  /// Lets time pass, and everything that it brings happen in its order. Never backwards.
  public func advance(to instant: Instant) {
    while let next = deadline, next <= instant {
      now = max(now, next)
      // The first one due, in the order in which they came: the same every time.
      schedule.first?.controller.passDeadline()
    }
    now = max(now, instant)
  }

  // MARK: What has changed

  /// Finds out anew when something will happen by itself at `controller`. To be called whenever
  /// that may have become earlier; for an advertiser, also when somebody may hear it from now on.
  func reschedule(_ controller: VirtualController) {
    controller.audienceSeen = audienceChanges
    controller.isHeard = controller.state.advertising.map { isHeard(controller, $0) } ?? false
    schedule.set(controller, controller.deadline)
  }

  /// Somebody who heard an advertiser may hear it no longer.
  func audienceChanged() {
    audienceChanges &+= 1
  }

  /// `controller` has begun or ended to scan or to initiate.
  func listeningChanged(of controller: VirtualController) {
    if controller.state.scan == nil, controller.state.initiation == nil {
      listeners.remove(controller)
    } else {
      listeners.insert(controller)
    }
    audienceChanged()
  }

  /// `controller` has begun or ended to advertise; before, it advertised `former`, if anything.
  func advertisingChanged(of controller: VirtualController, former: DeviceAddress?) {
    if let former {
      advertisersByAddress[former]?.remove(controller)
      if advertisersByAddress[former]?.all.isEmpty == true { advertisersByAddress[former] = nil }
    }
    if let address = controller.state.advertising?.address {
      advertisersByAddress[address, default: ControllerList()].insert(controller)
      advertisers.insert(controller)
    } else {
      advertisers.remove(controller)
    }
    reschedule(controller)
  }

  /// A link of `controller` has gone, and what it could not connect to, or who could not connect to
  /// it, for want of room may do so now.
  func linkEnded(of controller: VirtualController) {
    reschedule(controller)
    for advertiser in sought(by: controller) { reschedule(advertiser) }
  }

  /// The advertisers that `initiator` is looking for, in the order in which they came.
  func sought(by initiator: VirtualController) -> [VirtualController] {
    guard let initiation = initiator.state.initiation else { return [] }
    // A private address says nothing of its advertiser before it is resolved.
    if initiator.state.resolvingList.isEnabled { return advertisers.all }
    if let target = initiation.target { return advertisersByAddress[target]?.all ?? [] }
    var found = ControllerList()
    for address in initiator.state.acceptList {
      for advertiser in advertisersByAddress[address]?.all ?? [] { found.insert(advertiser) }
    }
    return found.all
  }

  // MARK: Signals

  /// How strongly `listener` hears `speaker`, in dBm; `nil` if not at all.
  func signalStrength(from speaker: VirtualController, to listener: VirtualController) -> Int8? {
    guard speaker !== listener else { return nil }
    guard !signalStrengths.isEmpty else { return speaker.signalStrength }
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
      bytes: InlineArray<6, UInt8> { index in
        index == 5 ? 0xF0 : UInt8(truncatingIfNeeded: number >> (8 * index))
      })
  }
}
