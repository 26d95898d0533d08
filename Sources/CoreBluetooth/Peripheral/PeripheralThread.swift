import BluetoothHost

/// What carries an engine's packets, and calls what is asked of it on one thread.
protocol PeripheralThread: AnyObject, Sendable {
  /// The engine that it serves.
  var peripheralEngine: PeripheralEngine { get }

  /// Calls `body` on the thread, with the time there, in the order of the calls.
  func performPeripheral(_ body: @escaping @Sendable (Instant) -> Void)

  /// Tells what the radio is: at once, and at each change, for as long as what is returned is kept.
  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject
}
