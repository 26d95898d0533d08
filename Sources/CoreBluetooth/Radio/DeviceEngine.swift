import LinuxRadio

/// A call of a manager, for the place where the device is served.
typealias DeviceJob = @Sendable (LocalDevice) -> Void

/// Receives a radio's state.
typealias StateObserver = @Sendable (CBManagerState) -> Void

/// What serves the device of a `CBRadio`: a thread on a controller, or a simulated clock.
protocol DeviceEngine: AnyObject, Sendable {
  /// The device on the radio.
  var device: LocalDevice { get }
  /// How the delegates of its managers are called.
  var calls: DelegateCalls { get }

  /// Runs `job` where the device is served, in the order of the calls; `false` if the radio is
  /// closed, or if it is not served and the job is only for one that is.
  @discardableResult func perform(whileServing isOptional: Bool, _ job: @escaping DeviceJob) -> Bool

  /// Reports the radio's state at once and at each change, until `endObservation` of the result.
  func observe(_ body: @escaping StateObserver) -> Int

  /// Ends the reports, apart from one that is being delivered.
  func endObservation(_ id: Int)

  /// Calls `body` with each reason why the radio cannot be used.
  func onError(_ body: @escaping @Sendable (RadioError) -> Void)

  /// Ends every link, and releases the controller for good.
  ///
  /// - Parameter waits: Whether to return only when that is done. A simulated radio does it when its
  ///   clock advances, and never waits.
  func close(waits: Bool)
}
