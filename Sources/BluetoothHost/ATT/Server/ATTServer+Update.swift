// Values that the server sends by itself: Core Specification, Vol 3, Part F, 3.4.7.
extension ATTServer where Database: ~Copyable, Application: ~Copyable {
  /// Writes the next notification or indication; `false` if there is none to send.
  @inline(__always)
  mutating func writeUpdate(
    on connection: inout Connection, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    let place = connection.index
    // While an indication is unconfirmed no other value is sent: the next might be one too.
    // Core Specification, Vol 3, Part F, 3.3.2.
    guard !bearers[place].awaitsConfirmation else { return false }
    if bearers[place].changedServices != nil,
      writeServiceChanged(on: &connection, at: now, to: &writer)
    {
      return true
    }
    guard !bearers[place].isOutOfSync, let attribute = application.pendingUpdate(at: place) else {
      return false
    }
    let target = database.place(of: attribute)
    guard let opcode = bearers[place].updateOpcode(for: target) else { return false }
    writer.write(opcode.rawValue, target.handle.rawValue)
    application.writeUpdate(of: attribute, at: place, into: &writer)
    if opcode == .handleValueIndication { awaitConfirmation(on: &connection, at: now) }
    return true
  }

  /// Writes Service Changed; `false` if the client does not subscribe to it.
  @inline(never)
  private mutating func writeServiceChanged(
    on connection: inout Connection, at now: Instant, to writer: inout ByteWriter
  ) -> Bool {
    let place = connection.index
    let target = database.serviceChanged
    let range = bearers[place].changedServices
    bearers[place].changedServices = nil
    changedConnections.remove(place)
    guard let range, let opcode = bearers[place].updateOpcode(for: target) else {
      return false
    }
    writer.write(opcode.rawValue, target.handle.rawValue)
    range.write(to: &writer)
    if opcode == .handleValueIndication {
      bearers[place].indicatesChange = true
      awaitConfirmation(on: &connection, at: now)
    }
    return true
  }

  private mutating func awaitConfirmation(on connection: inout Connection, at now: Instant) {
    bearers[connection.index].awaitsConfirmation = true
    // The transaction time-out: Core Specification, Vol 3, Part F, 3.3.3.
    connection.timers[.confirmation] = now.advanced(by: 30_000)
  }

  /// The services in `range` have changed for the client at `place`.
  mutating func databaseChanged(in range: AttributeHandleRange, at place: Int) {
    bearers[place].keepConfigurations(
      of: database.attributes, outside: range, and: database.serviceChanged.slot)
    bearers[place].databaseChanged()
    bearers[place].changedServices = range.merged(with: bearers[place].changedServices)
    changedConnections.insert(place)
  }
}

extension ATTBearer {
  /// How the client wants the value at `place`; `nil` if it does not.
  @inline(__always)
  func updateOpcode(for place: ValuePlace) -> ATTOpcode? {
    guard place.handle != .none, let slot = place.slot else { return nil }
    let configuration = configurations[slot]
    if configuration.contains(.notification) { return .handleValueNotification }
    if configuration.contains(.indication) { return .handleValueIndication }
    return nil
  }
}
