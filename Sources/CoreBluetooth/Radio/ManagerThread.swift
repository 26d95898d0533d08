import BluetoothHost

/// The thread that carries a device's packets and runs the calls of its managers.
protocol ManagerThread: AnyObject, Sendable {
  /// The device and its engines. Only the thread uses it, apart from what its types permit.
  var program: DeviceProgram { get }

  /// Calls `body` on the thread, with the time there, in the order of the calls. Returns `false`,
  /// and never calls it, if the radio is closed.
  @discardableResult
  func perform(_ body: @escaping @Sendable (DeviceProgram, Instant) -> Void) -> Bool

  /// Reports the radio's state at once and at each change, while the result is kept. The result
  /// also keeps the radio in use.
  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject
}

extension CBRadio: ManagerThread {
  var program: DeviceProgram { engine.program }

  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    observeState(body)
  }
}
