import BlueZ
import BluetoothHost
import Dispatch
import Foundation
import LinuxAir
import LinuxRadio
import Synchronization

/// A radio, the device on it, and their thread: the implementation of `CBRadio`. The thread retains
/// the engine, but not the `CBRadio`, whose release ends the thread.
final class RadioEngine: DeviceEngine, @unchecked Sendable {
  private let name: RadioAddress?
  private let airPath: String
  private let stopsWhenUnused: Bool
  /// The time on the radio. It survives the thread.
  private let time: AirTime
  /// The thread that serves the device. Only who has the lock of `shared` uses it.
  private var thread: Thread?
  /// Receives the reason why the radio cannot be used.
  private let errorObserver = Locked<(@Sendable (RadioError) -> Void)?>(nil)
  /// Entered while there is a thread.
  let life = DispatchGroup()

  /// - Parameters:
  ///   - name: The radio; `nil` for none, which stays `unsupported`.
  ///   - address: The address of the device.
  ///   - airPath: The path of the virtual air.
  ///   - bonds: The store of the device's bonds.
  ///   - stopsWhenUnused: Whether the controller is released when the last observation has ended.
  init(
    _ name: RadioAddress?, address: AddressChoice = .automatic,
    airPath: String = SharedAir.defaultPath, bonds: RadioBonds = RadioBonds(), stopsWhenUnused: Bool
  ) {
    let time = AirTime()
    self.name = name
    self.time = time
    self.airPath = airPath
    self.stopsWhenUnused = stopsWhenUnused
    super.init(
      LocalDevice(
        address: bonds.own(address), bonds: bonds,
        random: AirRandom(of: time, address, isAddressNew: bonds.isAddressNew),
        isBesideDaemon: name?.isBesideDaemon ?? false))
    if name == nil {
      shared.withLock {
        $0.isClosed = true
        $0.finalState = .unsupported
      }
    }
  }

  // MARK: From any thread

  /// Calls `body` on the radio's thread with each reason why the radio cannot be used.
  func onError(_ body: @escaping @Sendable (RadioError) -> Void) {
    errorObserver.withLock { $0 = body }
  }

  override func close(waits: Bool) {
    let (wakeup, mustWait, isIdle): (Wakeup?, Bool, Bool) = shared.withLock { shared in
      shared.isClosed = true
      return (shared.wakeup, waits && thread !== Thread.current, !shared.isServed)
    }
    wakeup?.ring()
    if isIdle { device.bonds.close(as: nil) }
    if mustWait { life.wait() }
  }

  /// Ends the threads of these engines for good, all at once, and waits for them. All are marked
  /// before the first one ends, so that none reports the loss of an air that another one hosts.
  static func close(_ engines: [RadioEngine]) {
    for engine in engines { engine.shared.withLock { $0.isClosed = true } }
    for engine in engines { engine.close(waits: false) }
    for engine in engines { engine.close(waits: true) }
  }

  /// The engines with a thread.
  private static let running = Locked<[ObjectIdentifier: RadioEngine]>([:])

  /// At the orderly end of the process, adapters return to the kernel and bonds to their files.
  private static let closesAtExit: Void = {
    atexit { RadioEngine.close(Array(RadioEngine.running.withLock(\.values))) }
  }()

  override func begin(_ shared: inout Shared) {
    guard !shared.isServed else { return }
    _ = Self.closesAtExit
    Self.running.withLock { $0[ObjectIdentifier(self)] = self }
    let thread = Thread { [self] in runThread() }
    thread.name = "CoreBluetooth"
    self.thread = thread
    shared.isServed = true
    life.enter()
    thread.start()
  }

  // MARK: On the thread

  private func runThread() {
    // Signals are for the program's own threads.
    SignalMask.blockAll()
    repeat {
      do throws(SystemError) { try run() } catch {
        Log.logger.error("the radio's thread cannot run: \(error.description)")
        shared.withLock {
          $0.isClosed = true
          $0.finalState = .unsupported
        }
      }
    } while mustRunAgain()
    life.leave()
  }

  /// Whether the radio is in use again after its release. If not, the thread ends.
  private func mustRunAgain() -> Bool {
    while true {
      var isOver = false
      // Released outside of the lock.
      var ended: [Observer] = []
      let finalState = shared.withLock { $0.isClosed ? $0.finalState : .unknown }
      change(to: finalState)
      adoptArrivals()
      let mustRunAgain: Bool? = shared.withLock { shared in
        if shared.isClosed {
          // Every observer receives the final state, also the latest ones.
          if !shared.arrivals.isEmpty || state != shared.finalState { return nil }
          shared.jobs = []
          isOver = true
        } else if !shared.observations.isEmpty {
          return true
        }
        // Jobs of a caller that does not observe the state yet wait until it does.
        shared.arrivals = []
        // The next thread may begin at once, and its observers are not these.
        swap(&ended, &observers)
        thread = nil
        shared.isServed = false
        Self.running.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
        return false
      }
      guard let mustRunAgain else { continue }
      // No other thread follows.
      if isOver { device.closeBonds() }
      return mustRunAgain
    }
  }

  /// Serves the radio from its opening to its end.
  private func run() throws(SystemError) {
    guard let name else { return }
    let loop = try EventLoop()
    let wakeup = try Wakeup(loop: loop)
    shared.withLock { $0.wakeup = wakeup }
    defer {
      shared.withLock { $0.wakeup = nil }
      wakeup.stop()
    }
    let report: RadioWatch.Listener = { [errorObserver] error in
      errorObserver.withLock(\.self)?(error)
    }
    var device = device
    device.renew()
    device.onError = report
    device.onLoss = { [shared] error in
      let (isUsed, isClosed) = shared.withLock { (!$0.observations.isEmpty, $0.isClosed) }
      // The program closes its radios in any order: one may host the air of the others.
      guard !isClosed else { return }
      // An unused radio is not reported as lost.
      if isUsed { Log.logger.warning("the radio was lost: \(error.description)") }
      report(error)
    }
    var radio = Radio(
      toBeOpened: name, loop: loop, air: SharedAir(path: airPath, loop: loop), sharing: .bluez,
      time: time)
    var watch = RadioWatch(onError: report)
    var end: Instant?
    var turns = AirTurns(radio.time, calls)
    defer { turns.end() }
    let wake: @Sendable () -> Void = { [weak self] in
      self?.shared.withLock(\.wakeup)?.ring()
    }
    while true {
      let now = turns.begin()
      var mayHaveMore = false
      if end == nil, !turns.isHeld || shared.withLock(\.isClosed) {
        adoptArrivals()
        let turn = takeTurn()
        device.run(turn.jobs, at: now)
        mayHaveMore = turn.mayHaveMore
        if turn.isLast {
          turns.leave()
          device.shutDown(at: now)
          end = now.advanced(by: Self.shutdownTime)
        }
      }
      if device.takeServiceChange() { radio.export(of: device) }
      if radio.serve(&device, at: now) { mayHaveMore = true }
      change(to: watch.state(of: radio, device))
      // Packets go first: a disk may be slow.
      if !mayHaveMore { device.keepBonds() }
      if let end, now >= end || device.isFinished || !radio.isOpen { break }
      var deadline = Instant.earlier(.earlier(device.deadline, radio.deadline), end)
      if mayHaveMore { deadline = now }
      let limit = turns.wait(until: deadline, wake: wake) { radio.wait(until: $0) }
      try loop.wait(until: limit, now: radio.time.now)
    }
    radio.close()
    device.keepBonds()
  }

  /// How long the shutdown may take, in milliseconds.
  private static let shutdownTime: UInt32 = 2_000

  /// How many jobs run in a row before the controller is served: a command without a response for
  /// 2 s counts as lost.
  private static let burst = 16

  /// The jobs to run before the controller is served.
  private struct Turn {
    var jobs: [DeviceJob]
    /// Whether more jobs wait.
    var mayHaveMore: Bool
    /// Whether the radio is unused after these. They include all jobs from before its closing, and
    /// those of observers that have ended.
    var isLast = false
  }

  private func takeTurn() -> Turn {
    let (jobs, mayHaveMore, isClosed, present) = shared.withLock { shared in
      let jobs = Array(shared.jobs.prefix(Self.burst))
      shared.jobs.removeFirst(jobs.count)
      return (jobs, !shared.jobs.isEmpty, shared.isClosed, shared.observations)
    }
    var turn = Turn(jobs: jobs, mayHaveMore: mayHaveMore)
    guard !mayHaveMore else { return turn }
    let isUnused = removeObservers(except: present)
    turn.isLast = isClosed || (stopsWhenUnused && isUnused)
    return turn
  }
}

/// Derives the managers' state from the radio, and logs why the radio cannot be used.
struct RadioWatch {
  /// Receives the reason why a radio cannot be used.
  typealias Listener = (RadioError) -> Void

  private let onError: Listener
  private var wasReady = false
  /// The last logged reason; `nil` if the radio is open.
  private var complaint: RadioError?

  init(onError: @escaping Listener) { self.onError = onError }

  /// The state now. To be called after every turn.
  mutating func state(of radio: borrowing Radio, _ device: LocalDevice) -> CBManagerState {
    report(radio.isOpen ? nil : radio.openError)
    let isReady = radio.isOpen && device.isReady
    wasReady = wasReady || isReady
    return Self.state(
      isOpen: radio.isOpen, isReady: isReady, wasReady: wasReady, openError: radio.openError?.kind)
  }

  /// - Parameters:
  ///   - isOpen: Whether the controller can be reached.
  ///   - isReady: Whether it has been set up.
  ///   - wasReady: Whether it has ever been set up.
  ///   - openError: Why it could not be opened; `nil` before the first attempt.
  static func state(isOpen: Bool, isReady: Bool, wasReady: Bool, openError: RadioError.Kind?)
    -> CBManagerState
  {
    if isReady { return .poweredOn }
    switch isOpen ? nil : openError {
    case .absent: return .unsupported
    case .notAllowed: return .unauthorized
    case .switchedOff: return .poweredOff
    case .other, nil: return wasReady ? .resetting : .unknown
    }
  }

  private mutating func report(_ openError: RadioError?) {
    guard openError != complaint else { return }
    complaint = openError
    guard let openError else { return }
    Log.logger.error("\(openError.description)")
    onError(openError)
  }
}
