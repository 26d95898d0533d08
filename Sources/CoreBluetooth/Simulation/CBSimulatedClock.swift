import BluetoothHost
import Foundation
import VirtualRadio

/// The time of simulated radios, for tests: it stands still, and jumps from event to event when a
/// test advances it. A test of a time-out of 30 s takes milliseconds.
///
///     let clock = CBSimulatedClock()
///     let radio = CBRadio(simulated: clock)
///     let manager = CBCentralManager(delegate: app, queue: queue, radio: radio)
///     await clock.settle()                      // the manager is powered on
///     manager.connect(peripheral)
///     await clock.advance(by: .seconds(30))     // whatever happens in 30 s has happened
///
/// All radios with the same clock are on one air, in this process alone: no socket, no thread and no
/// adapter. Nothing happens between two calls of `advance` or `settle`; what managers are asked for
/// waits. A call to a delegate is made on its queue, one at a time, and the clock waits until it has
/// returned, and also for what it has put on the queue of a manager. The packets are then the same
/// in each run with the same seed.
///
/// The clock cannot know what else a program waits for. Other queues, threads and tasks, a `Timer`,
/// a `Task.sleep` and the run loop of a channel's streams go by real time: wait for them before the
/// next `advance`, or give the program's timers to `schedule(after:on:_:)`. A delegate that does not
/// return stops the clock.
public final class CBSimulatedClock: @unchecked Sendable {
  // Unchecked: only the current call of `advance` uses `world`.
  private let world: SimulatedWorld
  private let seed: UInt64
  let calls = DelegateCalls(milliseconds: 0)
  private let shared = Locked(Shared())

  /// A change of the world, from any thread.
  typealias Change = @Sendable (SimulatedWorld) -> Void

  private struct Shared {
    var changes: [Change] = []
    var isAdvancing = false
    /// The calls of `advance` that wait for an earlier one.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var radioTotal: UInt64 = 0
  }

  /// How many packets and calls may fall on one moment before a millisecond passes: two programs
  /// that answer each other without end must not stop the clock.
  private static let stepLimit = 100
  /// The same at the end of an `advance`, where no time is left.
  private static let lastStepLimit = 5_000
  /// How many deadlines may fall on one moment. Keys are computed in many steps.
  private static let deadlineLimit = 200_000

  /// A clock at 0 s, with an air of its own.
  ///
  /// - Parameters:
  ///   - seed: Decides all random numbers of the air and of the radios, keys included.
  ///   - packetLoss: The part of all packets that are lost, 0 to 1. With a value, also with 0, data
  ///     leaves at the connection events of its link, and a lost packet is sent again at a later one.
  ///     Without one each packet arrives at once.
  public init(seed: UInt64 = 0, packetLoss: Double? = nil) {
    self.seed = seed
    world = SimulatedWorld(seed: seed, packetLoss.map { LinkLayerModel(packetLoss: $0) })
  }

  /// How much time has passed.
  public var now: Duration { .milliseconds(calls.milliseconds) }

  /// Lets time pass, with everything that happens in it. Calls that overlap are carried out one after
  /// the other. Do not wait for it in a delegate's call.
  ///
  /// - Parameter duration: How long; it is rounded up to milliseconds.
  public func advance(by duration: Duration) async {
    await begin()
    let target = Instant(rawValue: world.now.rawValue &+ duration.wholeMilliseconds)
    await calls.waitForQueues()
    var deadlines = 0
    while true {
      let (start, isAtTarget) = (world.now, world.now >= target)
      let isSettled = await settleMoment(isAtTarget ? Self.lastStepLimit : Self.stepLimit)
      if !isSettled {
        guard !isAtTarget else { break }
        _ = pass(upTo: start.advanced(by: 1))
      } else if !pass(upTo: target), isAtTarget {
        break
      }
      deadlines = world.now == start ? deadlines + 1 : 0
      guard deadlines < Self.deadlineLimit else { break }
    }
    end()
  }

  /// Lets everything happen that takes no time: `advance(by: .zero)`.
  public func settle() async { await advance(by: .zero) }

  /// Calls `body` on `queue` when this much time has passed: a timer of a program under test. Returns
  /// a function that cancels it.
  @discardableResult public func schedule(
    after duration: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    calls.schedule(after: duration.wholeMilliseconds, on: queue, body)
  }

  /// Sets the signal strength of one simulated radio at another, in dBm; `nil` puts the two out of
  /// each other's range, and their links end by supervision timeout. It is -50 dBm by default.
  ///
  /// Has no effect for radios of another clock, and at the next `advance`.
  public func setSignalStrength(_ strength: Int8?, from transmitter: CBRadio, to receiver: CBRadio)
  {
    guard let transmitter = transmitter.engine as? SimulatedRadio,
      let receiver = receiver.engine as? SimulatedRadio
    else { return }
    change { $0.setSignalStrength(strength, from: transmitter, to: receiver) }
  }

  // MARK: Radios

  /// The seed of a new radio's keys.
  func nextSeed() -> UInt64 {
    let number = shared.withLock { shared in
      shared.radioTotal += 1
      return shared.radioTotal
    }
    return seed &+ number &* 0x9E37_79B9_7F4A_7C15
  }

  /// Changes the world at the next step.
  func change(_ change: @escaping Change) { shared.withLock { $0.changes.append(change) } }

  // MARK: Steps

  /// Carries packets and makes calls until there are none. `false` after `limit` steps.
  private func settleMoment(_ limit: Int) async -> Bool {
    for _ in 0..<limit {
      let hasActed = step()
      let hasCalled = await calls.makeAll()
      if !hasActed, !hasCalled { return true }
    }
    return false
  }

  /// Makes the changes, and carries one packet or runs the calls of managers.
  private func step() -> Bool {
    let changes = shared.withLock { shared in
      defer { shared.changes = [] }
      return shared.changes
    }
    for change in changes { change(world) }
    return world.step() || !changes.isEmpty
  }

  /// Moves the time to the next deadline, at most to `limit`. `false` if nothing is due by then.
  private func pass(upTo limit: Instant) -> Bool {
    let timer = calls.nextTimer.map { Instant(rawValue: $0) }
    let next = max(
      world.now, Instant.earlier(Instant.earlier(timer, world.deadline), limit) ?? limit)
    // First: what happens then has this time.
    let hasTimer = calls.advance(to: next.rawValue)
    return world.advance(upTo: next) || hasTimer
  }

  // MARK: One call at a time

  private func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = shared.withLock { shared in
        if shared.isAdvancing { shared.waiting.append(continuation) }
        defer { shared.isAdvancing = true }
        return !shared.isAdvancing
      }
      if isFree { continuation.resume() }
    }
  }

  private func end() {
    let next: CheckedContinuation<Void, Never>? = shared.withLock { shared in
      guard !shared.waiting.isEmpty else {
        shared.isAdvancing = false
        return nil
      }
      return shared.waiting.removeFirst()
    }
    next?.resume()
  }
}

extension Duration {
  /// In milliseconds, rounded up; 0 if it is negative.
  fileprivate var wholeMilliseconds: UInt64 {
    guard self > .zero else { return 0 }
    let (seconds, attoseconds) = components
    let fraction = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    // A longer time than a thousand years is as good as none: it must not overflow.
    return UInt64(min(seconds, 1 << 35)) * 1_000 + UInt64(fraction)
  }
}

/// The air and the radios of a simulated clock. Only the clock's current call uses it.
final class SimulatedWorld {
  private let bench: AirBench
  private var radios: [(radio: SimulatedRadio, device: AirDevice<SimulatedRadio>)] = []

  init(seed: UInt64, _ linkLayer: LinkLayerModel?) {
    bench = AirBench(seed: seed)
    bench.air.linkLayer = linkLayer
  }

  var now: Instant { bench.now }
  var deadline: Instant? { bench.deadline }

  /// Adds a radio, which is not switched on yet.
  func add(_ radio: SimulatedRadio) {
    let device = bench.add(radio)
    device.onPacket = { [weak radio] in radio?.note($0, $1) }
    radios.append((radio, device))
  }

  func setSignalStrength(
    _ strength: Int8?, from transmitter: SimulatedRadio, to receiver: SimulatedRadio
  ) {
    guard let transmitter = controller(of: transmitter), let receiver = controller(of: receiver)
    else { return }
    bench.air.setSignalStrength(strength, from: transmitter, to: receiver)
  }

  private func controller(of radio: SimulatedRadio) -> VirtualController? {
    radios.first { $0.radio === radio }?.device.controller
  }

  /// Runs the calls of managers and carries one packet; `false` if there was neither.
  func step() -> Bool {
    var hasActed = false
    for (radio, device) in radios where radio.turn(at: now) {
      hasActed = true
      if radio.hasLeft { bench.remove(device.controller) }
    }
    radios.removeAll { $0.radio.hasLeft }
    return bench.carryOne() || hasActed
  }

  /// Moves the time to the next deadline, at most to `limit`. `false` if nothing is due by then.
  func advance(upTo limit: Instant) -> Bool { bench.advance(upTo: limit) }
}
