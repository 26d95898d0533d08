import BluetoothHost

// The radio beside bluetoothd.
extension PortRadio {
  /// How often a service that starts looks for bluetoothd and its adapter, in milliseconds.
  private static var interval: UInt32 { 1_000 }

  /// Opens the radio, or looks whether bluetoothd has answered; `false` if not yet.
  ///
  /// - Parameter waits: Whether to try again until bluetoothd runs and has switched the adapter on.
  @inline(never)
  mutating func openBlueZ(
    _ number: UInt16, _ queue: borrowing PollQueue, at now: Instant, _ waits: Bool
  ) throws(SystemCallError) -> Bool {
    do throws(SystemCallError) {
      if bluez == nil {
        if let deadline, now < deadline { return false }
        bluez = try Mapped { () throws(SystemCallError) in try BlueZRadio(adapter: number, at: now)
        }
        bluez?.value.pairs = pairs
        guard let socket = bluez?.value.number, queue.add(socket, token, for: .readable) else {
          throw SystemCallError(code: .current, operation: .wait)
        }
      }
      bluez?.value.serve(at: now)
      if let code = bluez?.value.failure { throw SystemCallError(code: code, operation: .use) }
      guard bluez?.value.isOpen == true else {
        deadline = bluez?.value.deadline
        return false
      }
      deadline = nil
      hasBeenOpen = true
      return true
    } catch {
      bluez = nil
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
    case .noSuchFile, .connectionRefused, .hostDown, .noSuchDevice, .networkDown, .timedOut: true
    default: false
    }
  }

  /// Describes the services that bluetoothd offers for this program. Other radios need no description.
  @inline(never)
  package mutating func export(_ attributes: Span<Attribute>) {
    bluez?.value.export(attributes, protection: protection)
  }

  @inline(never)
  mutating func readBlueZ(into space: inout MutableSpan<UInt8>) -> RadioRead {
    let read = bluez?.value.read(into: &space, at: MonotonicClock.now) ?? .nothing
    noteBlueZ()
    return read
  }

  @inline(never)
  mutating func writeBlueZ(_ packet: Span<UInt8>) -> RadioWrite {
    let written = bluez?.value.write(packet, at: MonotonicClock.now) ?? .taken(0)
    noteBlueZ()
    return written
  }

  @inline(never)
  private mutating func noteBlueZ() {
    deadline = bluez?.value.deadline
    if let code = bluez?.value.failure { failure = SystemCallError(code: code, operation: .use) }
  }
}
