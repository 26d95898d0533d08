import BluetoothHost
import Dispatch
import Foundation
import LinuxRadio
import LinuxSystem
import Synchronization

/// A radio, the program on it, and the thread of both: what `CBRadio` is made of.
///
/// The thread keeps the engine, and not the `CBRadio`, whose end is the end of the thread.
final class RadioEngine: @unchecked Sendable {
  typealias Job = @Sendable (DeviceProgram, Instant) -> Void
  typealias StateObserver = @Sendable (CBManagerState) -> Void

  private typealias Observer = (id: Int, body: StateObserver)

  /// What every thread may reach.
  private struct Desk {
    var jobs: [Job] = []
    /// Observers that the thread does not know yet.
    var arrivals: [Observer] = []
    /// The observations that have not ended.
    var observations: Set<Int> = []
    var lastObservation = 0
    /// What wakes the thread, while it serves.
    var wakeup: Wakeup?
    var thread: Thread?
    /// Who is told why the radio cannot be used.
    var troubleObserver: (@Sendable (RadioError) -> Void)?
    var isClosed = false
    /// The state of a radio that is closed.
    var finalState = CBManagerState.poweredOff
  }

  private let name: RadioName?
  private let airPath: String
  private let stopsWhenUnused: Bool
  /// Those who look on at the packets.
  private let sinks: [any PacketSink]
  /// What runs on the radio, however often the thread ends and begins.
  let program: DeviceProgram
  private let desk = Locked(Desk())
  /// Entered while there is a thread.
  private let life = DispatchGroup()

  // The thread's own.
  private var state = CBManagerState.unknown
  private var observers: [Observer] = []

  /// - Parameters:
  ///   - name: Which radio; `nil` for none, which is `unsupported` for good.
  ///   - address: What the device goes by.
  ///   - airPath: Where the virtual air is.
  ///   - sinks: Those who look on at the packets.
  ///   - bonds: The peers that the device knows, and which it gets to know.
  ///   - stopsWhenUnused: Whether the controller is freed when the last observation has ended.
  init(
    _ name: RadioName?, address: AddressChoice = .automatic,
    airPath: String = SharedAir.usualPath, sinks: [any PacketSink] = [],
    bonds: RadioBonds = RadioBonds(), stopsWhenUnused: Bool
  ) {
    self.name = name
    self.sinks = sinks
    self.airPath = airPath
    self.stopsWhenUnused = stopsWhenUnused
    program = DeviceProgram(address: bonds.file?.own(address) ?? address.own, bonds: bonds)
    program.device.pairing.perform = { [weak self] job in
      self?.performIfServing { program, now in job(program.device, now) }
    }
    if name == nil {
      desk.withLock {
        $0.isClosed = true
        $0.finalState = .unsupported
      }
    }
  }

  // MARK: From any thread

  /// Has the thread do `job`; `false` if the radio is closed.
  func perform(_ job: @escaping Job) -> Bool {
    let (isTaken, wakeup): (Bool, Wakeup?) = desk.withLock { desk in
      guard !desk.isClosed else { return (false, nil) }
      desk.jobs.append(job)
      startThread(&desk)
      // Whoever put the first one there has rung.
      return (true, desk.jobs.count == 1 ? desk.wakeup : nil)
    }
    wakeup?.ring()
    return isTaken
  }

  /// Has the thread do `job` if it serves; `false` if there is none, or if the radio is closed.
  @discardableResult
  func performIfServing(_ job: @escaping Job) -> Bool {
    let (isTaken, wakeup): (Bool, Wakeup?) = desk.withLock { desk in
      guard !desk.isClosed, desk.thread != nil else { return (false, nil) }
      desk.jobs.append(job)
      return (true, desk.wakeup)
    }
    wakeup?.ring()
    return isTaken
  }

  func observe(_ body: @escaping StateObserver) -> Int {
    let (id, wakeup, finalState): (Int, Wakeup?, CBManagerState?) = desk.withLock { desk in
      desk.lastObservation += 1
      let id = desk.lastObservation
      guard !desk.isClosed else { return (id, nil, desk.finalState) }
      desk.observations.insert(id)
      desk.arrivals.append((id, body))
      startThread(&desk)
      return (id, desk.wakeup, nil)
    }
    wakeup?.ring()
    if let finalState { body(finalState) }
    return id
  }

  func endObservation(_ id: Int) {
    let wakeup: Wakeup? = desk.withLock { desk in
      desk.observations.remove(id)
      return desk.observations.isEmpty && stopsWhenUnused ? desk.wakeup : nil
    }
    wakeup?.ring()
  }

  /// Has `body` told, on the thread, why the radio cannot be used.
  func onTrouble(_ body: @escaping @Sendable (RadioError) -> Void) {
    desk.withLock { $0.troubleObserver = body }
  }

  /// Ends the thread for good.
  ///
  /// - Parameter waits: Whether to return only when it has ended.
  func close(waits: Bool) {
    let (wakeup, mustWait, isIdle): (Wakeup?, Bool, Bool) = desk.withLock { desk in
      desk.isClosed = true
      return (desk.wakeup, waits && desk.thread !== Thread.current, desk.thread == nil)
    }
    wakeup?.ring()
    if isIdle { program.device.bonds.close(as: nil) }
    if mustWait { life.wait() }
  }

  /// Waits until there is no thread; `false` if there is one after `seconds`.
  func waitForEnd(seconds: Int) -> Bool {
    life.wait(timeout: .now() + .seconds(seconds)) == .success
  }

  private func startThread(_ desk: inout Desk) {
    guard desk.thread == nil else { return }
    let thread = Thread { [self] in runThread() }
    thread.name = "CoreBluetooth"
    desk.thread = thread
    life.enter()
    thread.start()
  }

  // MARK: On the thread

  private func runThread() {
    // Signals are for the program's own threads.
    SignalMask.blockAll()
    repeat {
      do throws(SystemError) {
        try run()
      } catch {
        Log.logger.error("the radio's thread cannot run: \(error.description)")
        desk.withLock {
          $0.isClosed = true
          $0.finalState = .unsupported
        }
      }
    } while mustRunAgain()
    life.leave()
  }

  /// Whether somebody has come while the radio was being freed; if not, the thread is at its end.
  private func mustRunAgain() -> Bool {
    while true {
      var isOver = false
      let finalState = desk.withLock { $0.isClosed ? $0.finalState : .unknown }
      change(to: finalState)
      adoptArrivals()
      let mustRunAgain: Bool? = desk.withLock { desk in
        if desk.isClosed {
          // Everybody is to know, also those who came at the last moment.
          if !desk.arrivals.isEmpty || state != desk.finalState { return nil }
          desk.jobs = []
          isOver = true
        } else if !desk.observations.isEmpty {
          return true
        }
        // What is asked by one who comes just now, and does not observe yet, is done when he does.
        desk.arrivals = []
        desk.thread = nil
        return false
      }
      guard let mustRunAgain else { continue }
      if !mustRunAgain { observers = [] }
      // No other thread comes.
      if isOver { program.device.closeBonds() }
      return mustRunAgain
    }
  }

  /// Serves the radio from its opening to its end.
  private func run() throws(SystemError) {
    guard let name else { return }
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    desk.withLock { $0.wakeup = wakeup }
    defer {
      desk.withLock { $0.wakeup = nil }
      wakeup.stop()
    }
    let tell: RadioWatch.Listener = { [desk] error in
      desk.withLock { $0.troubleObserver }?(error)
    }
    var program = program
    program.renew()
    program.onTrouble = tell
    program.onLoss = { [desk] error in
      // To a program that does not use it just now, it is not lost.
      if desk.withLock({ !$0.observations.isEmpty }) {
        Log.logger.warning("the radio was lost: \(error.description)")
      }
      tell(error)
    }
    var radio = Radio(toBeOpened: name, loop: loop, airPath: airPath)
    radio.sinks = sinks
    var watch = RadioWatch(onTrouble: tell)
    var end: Instant?
    while true {
      let now = MonotonicClock.now
      var mayHaveMore = false
      if end == nil {
        adoptArrivals()
        let turn = takeTurn()
        for job in turn.jobs { job(program, now) }
        mayHaveMore = turn.mayHaveMore
        if turn.isLast {
          program.shutDown(at: now)
          end = now.advanced(by: Self.farewell)
        }
      }
      if radio.serve(&program, at: now) { mayHaveMore = true }
      change(to: watch.state(of: radio, program))
      // Packets go first: a disk may be slow.
      if !mayHaveMore { program.device.keepBonds() }
      if let end, now >= end || program.isFinished || !radio.isOpen { break }
      var deadline = Instant.earlier(program.deadline, radio.deadline)
      if mayHaveMore { deadline = now }
      try loop.wait(until: .earlier(deadline, end))
    }
    radio.close()
    program.device.keepBonds()
  }

  /// How long saying goodbye may take, in milliseconds.
  private static let farewell: UInt32 = 2_000

  /// The jobs that are done in a row before the controller has a turn: a command that is not
  /// answered in 2 s counts as lost.
  private static let burst = 16

  /// What is to be done before the controller has its turn.
  private struct Turn {
    var jobs: [Job]
    /// Whether more jobs wait.
    var mayHaveMore: Bool
    /// Whether the radio is wanted no longer once these are done. All that was asked for before it
    /// was closed, or by those who have gone, is among them.
    var isLast = false
  }

  private func takeTurn() -> Turn {
    let (jobs, mayHaveMore, isClosed, present) = desk.withLock { desk in
      let jobs = Array(desk.jobs.prefix(Self.burst))
      desk.jobs.removeFirst(jobs.count)
      return (jobs, !desk.jobs.isEmpty, desk.isClosed, desk.observations)
    }
    var turn = Turn(jobs: jobs, mayHaveMore: mayHaveMore)
    guard !mayHaveMore else { return turn }
    let wasUsed = !observers.isEmpty
    observers.removeAll { !present.contains($0.id) }
    turn.isLast = isClosed || (stopsWhenUnused && wasUsed && present.isEmpty)
    return turn
  }

  /// Tells those who have come what the radio is now.
  private func adoptArrivals() {
    let arrivals = desk.withLock { desk in
      defer { desk.arrivals = [] }
      return desk.arrivals
    }
    observers += arrivals
    for observer in arrivals { tell(state, observer) }
  }

  private func change(to state: CBManagerState) {
    guard state != self.state else { return }
    self.state = state
    for observer in observers { tell(state, observer) }
  }

  private func tell(_ state: CBManagerState, _ observer: Observer) {
    if desk.withLock({ $0.observations.contains(observer.id) }) { observer.body(state) }
  }
}
