// What the owner of a peripheral changes while it runs.
extension Host where Database: ~Copyable, Application: ~Copyable {
  /// The GATT database. Whoever changes it calls `databaseChanged(in:)` next.
  public var database: Database {
    _read { yield server.database }
    _modify { yield &server.database }
  }

  /// The value of the GAP service's Device Name, at first that of the configuration.
  public var deviceName: DeviceName {
    get { server.deviceName }
    set { server.deviceName = newValue }
  }

  /// The services in `range` are no longer what they were, or are new, or have gone.
  ///
  /// What centrals wanted to be told of values in the range is forgotten, but for Service Changed
  /// itself, as is every subscription whose slot no line has any more; the application is not told of
  /// that. Every central that has asked for it is told by a Service Changed indication; a range that
  /// still waits to be told becomes part of this one. One that knows of robust caching is refused with
  /// Database Out Of Sync until it knows of the change, and told of no values.
  ///
  /// Core Specification, Vol 3, Part G, 2.5.2 and 7.1.
  public mutating func databaseChanged(in range: AttributeHandleRange) {
    for place in 0..<places where connections[place].handle != nil {
      connections[place].bearer.keepConfigurations(
        of: server.database.attributes, outside: range, and: server.database.serviceChanged.slot)
      connections[place].bearer.databaseChanged()
      connections[place].changedServices = range.merged(with: connections[place].changedServices)
    }
  }

  /// Whether the central at `place` is told the values that are pending, at once or once it has
  /// confirmed Service Changed. One that knows of robust caching, but does not listen to Service
  /// Changed, is told none from a change on until it happens to ask for something; nor is nobody.
  ///
  /// Core Specification, Vol 3, Part G, 2.5.2.1.
  public func isToldValues(at place: Int) -> Bool {
    guard place >= 0, place < places, connections[place].handle != nil else { return false }
    guard connections[place].bearer.isOutOfSync else { return true }
    return connections[place].bearer.updateOpcode(for: server.database.serviceChanged) != nil
  }

  /// What to advertise from now on, while a place is free; `nil` for nothing. Links that there are
  /// stay.
  ///
  /// `RadioState.advertising` tells that advertising has begun. A change while it is on tells
  /// nothing.
  public mutating func advertise(_ advertisement: Advertisement?) {
    guard advertisement != self.advertisement else { return }
    self.advertisement = advertisement
    controller.owesAdvertisingData = advertisement != nil
    controller.owesScanResponseData = advertisement != nil
    controller.refusesAdvertising = false
    controller.owesCommands = true
  }

  /// Whether there is something to advertise that has to wait until a link has gone: every place is
  /// taken, or the controller refuses to advertise while it has links.
  public var isAdvertisingHeldBack: Bool {
    advertisement != nil && (connectionCount >= places || controller.refusesAdvertising)
  }

  /// The request of the central at `place` that the application put off can be answered: the
  /// application is asked again. Nothing happens if there is none.
  public mutating func resume(at place: Int) {
    guard place >= 0, place < places else { return }
    connections[place].resume(at: place, server: &server, application: &application)
  }

  /// Whether the central at `place` waits for the answer to a request that was put off.
  public func isPutOff(at place: Int) -> Bool {
    place >= 0 && place < places && connections[place].bearer.hasPutOff
  }

  /// Asks the central at `place` for other connection parameters. It may refuse. Nothing happens if
  /// nobody is there.
  public mutating func requestParameters(_ parameters: ConnectionParameters, at place: Int) {
    guard place >= 0, place < places, connections[place].handle != nil else { return }
    connections[place].requestParameters(parameters)
  }

  /// The longest ATT PDU that this device and the central at `place` take; `.minimum` if nobody is
  /// there. What it is told of a value unasked is 3 bytes shorter at most.
  public func mtu(at place: Int) -> ATTMTU {
    place >= 0 && place < places ? connections[place].bearer.mtu : .minimum
  }
}
