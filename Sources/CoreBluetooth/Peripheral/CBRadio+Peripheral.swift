import BluetoothHost

extension CBRadio: PeripheralThread {
  var peripheralEngine: PeripheralEngine { engine.program.peripheral }

  func performPeripheral(_ body: @escaping @Sendable (Instant) -> Void) {
    perform { _, now in body(now) }
  }

  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    observeState(body)
  }
}
