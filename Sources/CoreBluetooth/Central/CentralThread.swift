import BluetoothHost

/// What carries an engine's packets, and calls what is asked of it on one thread.
protocol CentralThread: AnyObject, Sendable {
  /// The engine that it serves.
  var centralEngine: CentralEngine { get }

  /// Calls `body` on the thread, with the time there, in the order of the calls; `false` if it never
  /// will, since the radio is closed.
  @discardableResult
  func performCentral(_ body: @escaping @Sendable (Instant) -> Void) -> Bool

  /// Tells a manager what the radio can be used for, for as long as what is given back is kept:
  /// as far as the engine cannot know that itself. While there is one, the radio is in use.
  func watch(for client: CentralClient) -> AnyObject?
}
