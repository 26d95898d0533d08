import BluetoothHost

// The radio that another program drives: bluetoothd.
extension PortRadio {
  /// How often a service that starts looks for bluetoothd and its adapter, in milliseconds.
  private static var interval: UInt32 { 1_000 }

  /// Opens the radio, or looks whether bluetoothd has answered; `false` if not yet.
  ///
  /// - Parameter waits: Whether to try again until bluetoothd runs and has switched the adapter on.
  @inline(never)
  mutating func openShared(
    _ number: UInt16, _ queue: borrowing PollQueue, at now: Instant, _ waits: Bool
  ) throws(SystemCallError) -> Bool {
    do throws(SystemCallError) {
      if shared == nil {
        if let deadline, now < deadline { return false }
        guard let sharing else {
          throw SystemCallError(code: .protocolNotSupported, operation: .open)
        }
        shared = try sharing.open(number, now)
        shared?.pairs = pairs
        guard let socket = shared?.number, queue.add(socket, token, for: .readable) else {
          throw SystemCallError(code: .current, operation: .wait)
        }
      }
      shared?.serve(at: now)
      if let code = shared?.failure { throw SystemCallError(code: code, operation: .use) }
      guard shared?.isOpen == true else {
        deadline = shared?.deadline
        return false
      }
      deadline = nil
      hasBeenOpen = true
      return true
    } catch {
      shared = nil
      deadline = nil
      guard waits, !hasBeenOpen, Self.mayEnd(error.code) else { throw error }
      deadline = now.advanced(by: Self.interval)
      return false
    }
  }

  /// Whether the reason may go away while a machine starts.
  @inline(never)
  private static func mayEnd(_ code: ErrorNumber) -> Bool {
    switch code {
    // systemd's socket of the bus is silent until the bus runs.
    case .noSuchFile, .connectionRefused, .hostDown, .noSuchDevice, .networkDown, .timedOut,
      .remoteInputOutput:
      true
    default: false
    }
  }

  /// Describes the services that bluetoothd offers for this program. Other radios need no description.
  @inline(never)
  package mutating func export(_ attributes: Span<Attribute>) {
    shared?.export(attributes, protection: protection)
  }

  @inline(never)
  mutating func readShared(into space: inout MutableSpan<UInt8>) -> RadioRead {
    let read = shared?.read(into: &space, at: MonotonicClock.now) ?? .nothing
    noteState()
    return read
  }

  @inline(never)
  mutating func writeShared(_ packet: Span<UInt8>) -> RadioWrite {
    let written = shared?.write(packet, at: MonotonicClock.now) ?? .taken(0)
    noteState()
    return written
  }

  @inline(never)
  private mutating func noteState() {
    deadline = shared?.deadline
    if let code = shared?.failure { failure = SystemCallError(code: code, operation: .use) }
  }
}
