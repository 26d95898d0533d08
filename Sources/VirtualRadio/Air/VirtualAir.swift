import BluetoothHost

/// The medium that carries the packets of virtual controllers: advertisements and links.
///
/// Nothing here reads a clock or waits: the owner calls `advance(to:)` by `deadline`, and before it
/// sends a packet, with any time. The same calls at the same times give the same packets. Packets
/// arrive at once; only what the specification times takes time: the interval between
/// advertisements, the end of directed advertising and the supervision timeout of a lost link. With a
/// `linkLayer`, packets take time too.
///
/// An exchange on a link and the next deadline cost the same with any number of other controllers.
/// The cost of an advertisement grows with the number of controllers that scan or initiate, and the
/// cost of starting a scan with the number of advertisers.
///
/// Not thread-safe: the air and all its controllers belong to one thread.
public final class VirtualAir {
  /// How a controller leaves.
  public enum Removal: Sendable {
    /// It loses power: its peers end their links with reason 0x08 after the supervision timeout.
    case vanishing
    /// It closes its links first: its peers end them at once, with reason 0x15.
    case politely
  }

  /// The time of the last `advance(to:)`.
  public private(set) var now: Instant

  /// The controllers, in the order of their arrival.
  public private(set) var controllers: [VirtualController] = []

  /// How packets take time and get lost; `nil` to carry each at once. Links that exist when a model is
  /// set keep carrying theirs at once.
  ///
  /// With a loss of 1 all links lose contact, and end by supervision timeout.
  public var linkLayer: LinkLayerModel? {
    didSet {
      if linkLayer != oldValue { linkLayerChanged() }
    }
  }

  /// The faults of new connections; none by default.
  public var connectionFaults = ConnectionFaults()

  package let seed: UInt64
  /// The number of controllers that have joined.
  private var controllerTotal = 0
  /// The number of links with connection events that there have been.
  private var linkTotal: UInt64 = 0
  private var signalStrengths: [Path: Int8?] = [:]

  /// The controllers that scan or initiate.
  private(set) var listeners = ControllerList()
  /// The controllers that advertise.
  private(set) var advertisers = ControllerList()
  /// The advertisers by the address that each advertises.
  private var advertisersByAddress: [DeviceAddress: ControllerList] = [:]
  /// The timed events. The entry of an advertiser that has lost its receivers is updated only when
  /// it becomes the first: see `deadline`.
  var schedule = Schedule<VirtualController>()
  /// Counts the changes after which an advertiser may have lost its receivers.
  private var audienceChanges = 0

  /// An empty air at `now`. Its controllers derive their random numbers from `seed`.
  public init(now: Instant = Instant(rawValue: 0), seed: UInt64 = 0) {
    self.now = now
    self.seed = seed
  }

  /// Adds a new controller, in the state after a reset.
  ///
  /// - Parameter configuration: What the controller can do.
  /// - Parameter address: Its public address; default: F0:00:00:00:00:01 and so on, counting every
  ///   controller that this air has had.
  public func addController(
    address: DeviceAddress? = nil, configuration: ControllerConfiguration = .init()
  ) -> VirtualController {
    controllerTotal += 1
    let controller = VirtualController(
      air: self, number: controllerTotal, address: address ?? .numbered(controllerTotal),
      configuration: configuration, seed: seed)
    controllers.append(controller)
    return controller
  }

  /// Removes a controller. It does not answer from then on.
  public func remove(_ controller: VirtualController, _ removal: Removal) {
    guard let index = controllers.firstIndex(where: { $0 === controller }) else { return }
    controllers.remove(at: index)
    signalStrengths = signalStrengths.filter { !$0.key.joins(controller) }
    controller.stopActivities()
    switch removal {
    case .vanishing: controller.loseLinks()
    case .politely: controller.closeLinks(reason: .remoteDevicePoweredOff)
    }
    schedule.set(controller, nil)
    controller.leaveAir()
  }

  /// Sets the signal strength of `transmitter` at `receiver`, in dBm; `nil` puts the two out of
  /// each other's range, and their links end by supervision timeout on both sides.
  ///
  /// The default is the transmitter's `signalStrength`, or that at their distance if the model of the
  /// link layer has an area.
  public func setSignalStrength(
    _ strength: Int8?, from transmitter: VirtualController, to receiver: VirtualController
  ) {
    let path = Path(transmitter: transmitter.number, receiver: receiver.number)
    signalStrengths[path] = .some(strength)
    if strength == nil {
      for end in transmitter.links where end.peer?.controller === receiver {
        end.breakContact(at: now)
      }
    }
    audienceChanged()
    for controller in [transmitter, receiver] where controller.air === self {
      reschedule(controller)
    }
  }

  /// When `advance(to:)` must be called; `nil` without timed events.
  ///
  /// An advertiser without scanners and initiators has no timed events.
  public var deadline: Instant? {
    while let (controller, instant) = schedule.first {
      if controller.audienceSeen == audienceChanges { return instant }
      reschedule(controller)
    }
    return nil
  }

  /// Sets the time, and handles all timed events up to it in order. Time never goes back.
  public func advance(to instant: Instant) {
    while let next = deadline, next <= instant {
      now = max(now, next)
      // Deterministic: by time, then by order of arrival.
      schedule.first?.member.passDeadline()
    }
    now = max(now, instant)
  }

  // MARK: Changes

  /// Updates the timed event of `controller`. Call it whenever the event may have become earlier;
  /// for an advertiser, also when it may gain a receiver.
  func reschedule(_ controller: VirtualController) {
    controller.audienceSeen = audienceChanges
    for set in controller.state.sets {
      set.hasReceivers = set.active.map { hasReceivers(set, $0) } ?? false
    }
    schedule.set(controller, controller.deadline)
  }

  private func linkLayerChanged() {
    if linkLayer?.packetLoss == 1 {
      for controller in controllers {
        for end in controller.links where end.peer != nil { end.breakContact(at: now) }
      }
    }
    audienceChanged()
    for controller in advertisers.all { reschedule(controller) }
  }

  /// Gives a new link its connection events, if the air has a model.
  func beginEvents(central: LinkEnd, peripheral: LinkEnd) {
    guard linkLayer != nil else { return }
    linkTotal += 1
    let events = LinkEvents(
      self, central: central, peripheral: peripheral, seed: seed ^ linkTotal &* 0xD1B5_4A32)
    central.begin(events)
    peripheral.begin(events)
  }

  /// Whether an advertisement is lost on its way to one receiver.
  func losesAdvertisement(to receiver: VirtualController) -> Bool {
    guard let loss = linkLayer?.packetLoss, loss > 0 else { return false }
    return receiver.random.nextFraction() < loss
  }

  /// An advertiser may have lost a receiver.
  func audienceChanged() { audienceChanges &+= 1 }

  /// `controller` has started or stopped scanning or initiating.
  func listeningChanged(of controller: VirtualController) {
    if controller.state.scan == nil, controller.state.initiation == nil {
      listeners.remove(controller)
    } else {
      listeners.insert(controller)
    }
    audienceChanged()
  }

  /// A set of `controller` has started or stopped advertising, or has another address.
  func advertisingChanged(
    of controller: VirtualController, from former: DeviceAddress?, to address: DeviceAddress?
  ) {
    if let former, !controller.state.sets.contains(where: { $0.active?.address == former }) {
      advertisersByAddress[former]?.remove(controller)
      if advertisersByAddress[former]?.all.isEmpty == true { advertisersByAddress[former] = nil }
    }
    if let address {
      advertisersByAddress[address, default: ControllerList()].insert(controller)
      advertisers.insert(controller)
    } else if !controller.isAdvertising {
      advertisers.remove(controller)
    }
    reschedule(controller)
  }

  /// A link of `controller` has ended, so it may have room for a new one, in either role.
  func linkEnded(of controller: VirtualController) {
    reschedule(controller)
    for advertiser in targets(of: controller) { reschedule(advertiser) }
  }

  /// The advertisers that `initiator` looks for, in the order of their arrival.
  func targets(of initiator: VirtualController) -> [VirtualController] {
    guard let initiation = initiator.state.initiation else { return [] }
    // A private address must be resolved to identify its advertiser.
    if initiator.state.resolvingList.isEnabled { return advertisers.all }
    if let target = initiation.target { return advertisersByAddress[target]?.all ?? [] }
    var found = ControllerList()
    for address in initiator.state.acceptList {
      for advertiser in advertisersByAddress[address]?.all ?? [] { found.insert(advertiser) }
    }
    return found.all
  }

  /// `receiver` wants to follow a train: its advertisers matter again.
  func synchronizationChanged(of receiver: VirtualController) {
    guard let request = receiver.state.synchronizationRequest else { return }
    let isKnown = !request.usesList && !receiver.state.resolvingList.isEnabled
    let candidates = isKnown ? advertisersByAddress[request.address]?.all ?? [] : advertisers.all
    for advertiser in candidates { reschedule(advertiser) }
  }

  // MARK: Signals

  /// The signal strength of `transmitter` at `receiver`, in dBm; `nil` if out of range.
  func signalStrength(from transmitter: VirtualController, to receiver: VirtualController) -> Int8?
  {
    guard transmitter !== receiver, transmitter.silenceEnd == nil, receiver.silenceEnd == nil else {
      return nil
    }
    guard !signalStrengths.isEmpty else { return usualStrength(from: transmitter, to: receiver) }
    let back = signalStrengths[Path(transmitter: receiver.number, receiver: transmitter.number)]
    if case .some(.none) = back { return nil }
    let path = Path(transmitter: transmitter.number, receiver: receiver.number)
    guard let strength = signalStrengths[path] else {
      return usualStrength(from: transmitter, to: receiver)
    }
    return strength
  }

  private func usualStrength(
    from transmitter: VirtualController, to receiver: VirtualController
  ) -> Int8? {
    guard let area = linkLayer?.area else { return transmitter.signalStrength }
    return transmitter.signalStrength(at: receiver, in: area)
  }
}

/// One direction between two controllers.
private struct Path: Hashable {
  var transmitter: Int
  var receiver: Int

  func joins(_ controller: VirtualController) -> Bool {
    transmitter == controller.number || receiver == controller.number
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

/// Some of an air's controllers, in the order of their arrival. Adding or removing one takes the
/// logarithm of the count, and moves those that arrived later.
struct ControllerList {
  /// The controllers, the oldest first.
  private(set) var all: [VirtualController] = []

  /// Adds `controller`, unless it is in the list.
  mutating func insert(_ controller: VirtualController) {
    let index = location(of: controller.number)
    if index < all.count, all[index] === controller { return }
    all.insert(controller, at: index)
  }

  /// Removes `controller`, if it is in the list.
  mutating func remove(_ controller: VirtualController) {
    let index = location(of: controller.number)
    guard index < all.count, all[index] === controller else { return }
    all.remove(at: index)
  }

  /// The index at which the controller with `number` is, or would be.
  private func location(of number: Int) -> Int {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
