import BluetoothHost

extension CBRadio: PeripheralThread {
  var peripheralEngine: PeripheralEngine { engine.peripheral }

  /// The peripheral uses the controller from the first call on.
  func performPeripheral(_ body: @escaping @Sendable (Instant) -> Void) {
    perform { program, now in
      program.shared.join(.second, at: now)
      body(now)
    }
  }

  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    observeState(body)
  }
}
