import LinuxRadio

/// A call of a manager, for the place where the device is served.
typealias DeviceJob = @Sendable (LocalDevice) -> Void

/// Receives a radio's state.
typealias StateObserver = @Sendable (CBManagerState) -> Void

/// What serves the device of a `CBRadio`: a thread on a controller, or a simulated clock. Managers call
/// it on any thread, and their jobs and observers wait until the device is served.
class DeviceEngine: @unchecked Sendable {
  // Unchecked: what the comments below say.
  typealias Observer = (id: Int, body: StateObserver)

  /// The state that all threads share.
  struct Shared {
    var jobs: [DeviceJob] = []
    /// New observers that have not been adopted where the device is served.
    var arrivals: [Observer] = []
    /// The observations that have not ended.
    var observations: Set<Int> = []
    fileprivate var lastObservation = 0
    var isServed = false
    /// Wakes the thread that serves the device.
    var wakeup: Wakeup?
    var isClosed = false
    /// The state of a radio that is closed.
    var finalState = CBManagerState.poweredOff
  }

  /// The device on the radio. Only the place where it is served uses it, apart from what its types permit.
  let device: LocalDevice
  /// How the delegates of its managers are called.
  let calls: DelegateCalls
  let shared = Locked(Shared())

  // Only the place where the device is served uses these.
  private(set) var state = CBManagerState.unknown
  var observers: [Observer] = []

  init(_ device: LocalDevice, _ calls: DelegateCalls = DelegateCalls()) {
    self.device = device
    self.calls = calls
    device.pairing.calls = calls
    device.pairing.perform = { [weak self] job in self?.perform(whileServing: true, job) }
  }

  // MARK: From any thread

  /// Serves the device, if it is not served. The caller has the lock of `shared`.
  func begin(_ shared: inout Shared) {}

  /// Ends every link, and releases the controller for good.
  ///
  /// - Parameter waits: Whether to return only when that is done. A simulated radio does it when its
  ///   clock advances, and never waits.
  func close(waits: Bool) { shared.withLock { $0.isClosed = true } }

  /// Runs `job` where the device is served, in the order of the calls; `false` if the radio is
  /// closed, or if it is not served and the job is only for one that is.
  @discardableResult final func perform(
    whileServing isOptional: Bool, _ job: @escaping DeviceJob
  ) -> Bool {
    let (isTaken, wakeup): (Bool, Wakeup?) = shared.withLock { shared in
      guard !shared.isClosed, !isOptional || shared.isServed else { return (false, nil) }
      shared.jobs.append(job)
      begin(&shared)
      // The caller with the first job has woken the thread.
      return (true, shared.jobs.count == 1 ? shared.wakeup : nil)
    }
    wakeup?.ring()
    return isTaken
  }

  /// Reports the radio's state at once and at each change, until `endObservation` of the result.
  final func observe(_ body: @escaping StateObserver) -> Int {
    let (id, wakeup, finalState): (Int, Wakeup?, CBManagerState?) = shared.withLock { shared in
      shared.lastObservation += 1
      let id = shared.lastObservation
      guard !shared.isClosed else { return (id, nil, shared.finalState) }
      shared.observations.insert(id)
      shared.arrivals.append((id, body))
      begin(&shared)
      return (id, shared.wakeup, nil)
    }
    wakeup?.ring()
    if let finalState { body(finalState) }
    return id
  }

  /// Ends the reports, apart from one that is being delivered.
  final func endObservation(_ id: Int) {
    let wakeup = shared.withLock { shared in
      shared.observations.remove(id)
      return shared.observations.isEmpty ? shared.wakeup : nil
    }
    wakeup?.ring()
  }

  // MARK: Where the device is served

  /// Adds the new observers, and reports the state to them. `false` if there are none.
  @discardableResult final func adoptArrivals() -> Bool {
    let arrivals = shared.withLock { shared in
      defer { shared.arrivals = [] }
      return shared.arrivals
    }
    observers += arrivals
    for observer in arrivals { report(state, to: observer) }
    return !arrivals.isEmpty
  }

  /// Removes the observers that are not in `present`. Returns whether there were observers, and none is
  /// present.
  final func removeObservers(except present: Set<Int>) -> Bool {
    defer { observers.removeAll { !present.contains($0.id) } }
    return !observers.isEmpty && present.isEmpty
  }

  final func change(to state: CBManagerState) {
    guard state != self.state else { return }
    self.state = state
    for observer in observers { report(state, to: observer) }
  }

  private func report(_ state: CBManagerState, to observer: Observer) {
    if shared.withLock({ $0.observations.contains(observer.id) }) { observer.body(state) }
  }
}
