import BluetoothHost

extension CBRadio: CentralThread {
  var centralEngine: CentralEngine { engine.program.central }

  func performCentral(_ body: @escaping @Sendable (Instant) -> Void) -> Bool {
    perform { _, now in body(now) }
  }

  func watch(for client: CentralClient) -> AnyObject? {
    observeState { client.tell($0) }
  }
}
