// Notifications and indications: Core Specification, Vol 3, Part F, 3.4.7.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// Writes the next notification or indication; `false` if there is none to send.
  @inline(__always) mutating func writeUpdate(
    on connection: inout Connection, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    let connectionIndex = connection.index
    // No update is sent until the client confirms the last indication: the next update might be an
    // indication as well. Core Specification, Vol 3, Part F, 3.3.2.
    guard !bearers[connectionIndex].awaitsConfirmation else { return false }
    if bearers[connectionIndex].changedServices != nil,
      writeServiceChanged(on: &connection, at: now, to: &writer)
    {
      return true
    }
    guard !bearers[connectionIndex].isOutOfSync,
      let attribute = application.pendingUpdate(at: connectionIndex)
    else { return false }
    let target = database.location(of: attribute)
    guard let opcode = bearers[connectionIndex].updateOpcode(for: target) else { return false }
    writer.write(opcode.rawValue, target.handle.rawValue)
    application.writeUpdate(of: attribute, at: connectionIndex, into: &writer)
    if opcode == .handleValueIndication { awaitConfirmation(on: &connection, at: now) }
    return true
  }

  /// Writes Service Changed; `false` if the client has not subscribed to it.
  @inline(never) private mutating func writeServiceChanged(
    on connection: inout Connection, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    let connectionIndex = connection.index
    let target = database.serviceChanged
    let range = bearers[connectionIndex].changedServices
    bearers[connectionIndex].changedServices = nil
    changedConnections.remove(connectionIndex)
    guard let range, let opcode = bearers[connectionIndex].updateOpcode(for: target) else {
      return false
    }
    writer.write(opcode.rawValue, target.handle.rawValue)
    range.write(to: &writer)
    if opcode == .handleValueIndication {
      bearers[connectionIndex].indicatesChange = true
      awaitConfirmation(on: &connection, at: now)
    }
    return true
  }

  private mutating func awaitConfirmation(on connection: inout Connection, at now: Instant) {
    bearers[connection.index].awaitsConfirmation = true
    // The transaction timeout: Core Specification, Vol 3, Part F, 3.3.3.
    connection.timers[.confirmation] = now.advanced(by: 30_000)
  }

  /// Drops the subscriptions in `range`, and schedules Service Changed for it.
  mutating func databaseChanged(in range: AttributeHandleRange, at connectionIndex: Int) {
    bearers[connectionIndex].keepConfigurations(
      of: database.attributes, outside: range, and: database.serviceChanged.slot)
    bearers[connectionIndex].databaseChanged()
    bearers[connectionIndex].changedServices = range.merged(
      with: bearers[connectionIndex].changedServices)
    changedConnections.insert(connectionIndex)
  }
}

extension ATTBearer {
  /// The opcode that sends the value at `location`; `nil` if the client has not subscribed to it.
  @inline(__always) func updateOpcode(for location: ValueLocation) -> ATTOpcode? {
    guard location.handle != .none, let slot = location.slot else { return nil }
    guard slot >= 0, slot < ClientConfigurations.capacity else { return nil }
    let configuration = ClientConfigurations.configuration(of: slot, in: configurations.bits.span)
    guard configuration != .none else { return nil }
    return configuration.contains(.notification)
      ? .handleValueNotification : .handleValueIndication
  }
}
