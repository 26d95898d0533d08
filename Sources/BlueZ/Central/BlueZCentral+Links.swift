import BluetoothHost
import Linux

// Connecting, and the ends of links.
extension BlueZCentral {
  /// How long after a change of a peripheral's attributes they are read again, in milliseconds: bluetoothd announces
  /// each on its own.
  private static var refreshDelay: UInt32 { 100 }
  /// How long bluetoothd may take to connect, in milliseconds. Its own limit is shorter.
  private static var connectionTimeout: UInt32 { 60_000 }
  /// How long a pairing may take, in milliseconds: bluetoothd's agent may ask a person.
  private static var pairingTimeout: UInt32 { 60_000 }

  /// Begins to connect.
  package mutating func connect(_ peer: DeviceAddress, _ bus: inout BlueZBus) {
    abandonAttempt(&bus)
    attempt.peer = peer
    watchDevices(&bus)
    readObjects(&bus)
  }

  /// Stops connecting.
  package mutating func cancelConnection(_ bus: inout BlueZBus) {
    abandonAttempt(&bus)
    watchDevices(&bus)
  }

  private mutating func readObjects(_ bus: inout BlueZBus) {
    attempt.phase = .readingObjects
    attempt.deadline = nil
    watchDevices(&bus)
    bus.call(.getManagedObjects, on: ProgramText("/").span, tag: attemptTag(.objects))
  }

  /// Ends the attempt, and the connection if it was made for it.
  mutating func abandonAttempt(_ bus: inout BlueZBus) {
    let old = attempt
    attempt = ConnectionAttempt()
    attemptNumber &+= 1
    if old.phase == .searching {
      updateDiscovery(isScanning: false, filtersDuplicates: true, &bus)
    }
    if old.phase == .connecting || old.hasConnected, !old.isShared {
      disconnectDevice(old.path, &bus)
    }
  }

  /// The attempt has failed for this reason.
  mutating func failAttempt(
    _ reason: HCIErrorCode, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard attempt.isActive else { return }
    abandonAttempt(&bus)
    watchDevices(&bus)
    controller.failConnection(reason)
  }

  /// bluetoothd does not describe its objects.
  mutating func failObjects(_ controller: inout BlueZController, _ bus: inout BlueZBus) {
    if attempt.phase == .readingObjects { failAttempt(.hardwareFailure, &controller, &bus) }
  }

  /// Takes bluetoothd's objects: connects to the device, pairs with it, or opens the link if bluetoothd knows its
  /// attributes.
  mutating func takeObjects(
    _ objects: DBusReader, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard attempt.phase == .readingObjects else { return }
    var device:
      (path: ObjectPath, isConnected: Bool, isResolved: Bool, isPaired: Bool, rssi: Int8?)?
    let wanted = attempt.peer
    objects.forEachManagedInterface { interface in
      guard interface.name.equals("org.bluez.Device1"), interface.path.isBelow(bus.adapterPath.span)
      else { return }
      var description = DeviceDescription()
      interface.forEachProperty { description.take($0, $1) }
      var path = ObjectPath()
      guard description.isAt(wanted), path.assign(interface.path) else { return }
      device = (
        path, description.isConnected, description.isResolved, description.isPaired,
        description.rssi
      )
    }
    guard let device else {
      attempt.phase = .searching
      // The host's own limit ends the search.
      return updateDiscovery(isScanning: false, filtersDuplicates: true, &bus)
    }
    attempt.path = device.path
    let isOwn = attempt.hasConnected && !attempt.isShared
    if disconnectingSlot(of: device.path.span) != nil {
      awaitDisconnection(&bus)
    } else if device.isConnected, device.isResolved, !isOwn, !attempt.stays {
      probe(objects, &bus)
    } else if device.isConnected, isOwn || device.isResolved, pairs, !device.isPaired,
      !attempt.hasPaired
    {
      if !attempt.hasConnected { attempt.isShared = true }
      callPair(&bus)
    } else if device.isConnected, device.isResolved {
      if !attempt.hasConnected { attempt.isShared = true }
      // bluetoothd forgets the strength when its discovery ends.
      let rssi = device.rssi ?? advertisers.rssi(of: attempt.peer)
      open(objects, rssi: rssi, &controller, &bus)
    } else if attempt.hasConnected {
      attempt.phase = .resolving
      attempt.deadline = bus.now.advanced(by: Self.responseTimeout)
    } else {
      attempt.isShared = device.isConnected
      callConnect(&bus)
    }
  }

  // MARK: A connection that another program has made

  /// bluetoothd is disconnecting the device: the attempt goes on when it has.
  private mutating func awaitDisconnection(_ bus: inout BlueZBus) {
    attempt.phase = .waiting
    attempt.deadline = bus.now.advanced(by: Self.responseTimeout)
  }

  /// Asks bluetoothd whether it is disconnecting a connected device, as for another program that has ended. It takes 2 s for
  /// that, during which the device is connected as before.
  ///
  /// Only StartNotify reports it, from bluetoothd 5.56 on, and before any other error: see `characteristic_start_notify` of
  /// its gatt-client.c. Called for a value that has no notifications, it has no other effect. Without such a value, the
  /// attempt waits for as long as bluetoothd may take.
  private mutating func probe(_ objects: DBusReader, _ bus: inout BlueZBus) {
    let device = attempt.path
    var silent: ObjectPath?
    objects.forEachManagedInterface { object in
      guard object.name.equals("org.bluez.GattCharacteristic1"),
        let position = AttributePath(object.path, of: device.span), position.kind == .characteristic
      else { return }
      var description = AttributeDescription()
      object.forEachProperty { description.take($0, $1) }
      var path = ObjectPath()
      if description.uuid != nil, !description.properties.sendsUpdates, path.assign(object.path) {
        silent = path
      }
    }
    guard let silent else {
      attempt.phase = .watching
      attempt.deadline = bus.now.advanced(by: ConnectionAttempt.disconnectionTime)
      return
    }
    attempt.phase = .probing
    bus.call(.startNotify, on: silent.span, tag: attemptTag(.probe))
  }

  /// bluetoothd is disconnecting the device, or has another error for a value without notifications.
  mutating func probed(_ error: Span<UInt8>?, _ bus: inout BlueZBus) {
    guard attempt.phase == .probing else { return }
    if let error, error.equals("org.bluez.Error.NotConnected") { return awaitDisconnection(&bus) }
    useConnection(&bus)
  }

  /// bluetoothd is not disconnecting the device.
  mutating func useConnection(_ bus: inout BlueZBus) {
    attempt.stays = true
    readObjects(&bus)
  }

  /// The device is not connected any more.
  private mutating func connectionEnded(
    _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    // The reply to the call of Pair reports the failure.
    guard attempt.phase != .pairing else { return }
    if attempt.hasConnected, !attempt.isShared {
      return failAttempt(.connectionFailedToBeEstablished, &controller, &bus)
    }
    // It was another program's connection: bluetoothd makes one for this program.
    attempt.hasConnected = false
    attempt.isShared = false
    attempt.stays = false
    switch attempt.phase {
    case .probing, .watching, .waiting, .resolving: readObjects(&bus)
    case .none, .readingObjects, .searching, .connecting, .pairing: break
    }
  }

  // MARK: Connecting

  private mutating func callConnect(_ bus: inout BlueZBus) {
    attempt.phase = .connecting
    updateDiscovery(isScanning: false, filtersDuplicates: true, &bus)
    bus.call(
      .connectDevice, on: attempt.path.span, tag: attemptTag(.connect),
      timeout: Self.connectionTimeout)
  }

  /// bluetoothd has connected the device, or not.
  mutating func connected(
    _ error: Span<UInt8>?, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard attempt.phase == .connecting else { return }
    guard let error, !error.equals("org.bluez.Error.AlreadyConnected") else {
      attempt.hasConnected = true
      return readObjects(&bus)
    }
    attempt.phase = .none
    attempt.hasConnected = false
    controller.failConnection(.connectionFailedToBeEstablished)
    watchDevices(&bus)
  }

  /// Has bluetoothd pair before the host uses the device: if a refused request makes bluetoothd 5.66 pair, it often loses
  /// the request.
  ///
  /// bluetoothd pairs only for an agent. That of this program is for its own pairings, and is never called: without input
  /// and output, there is nothing to ask.
  private mutating func callPair(_ bus: inout BlueZBus) {
    attempt.phase = .pairing
    attempt.hasPaired = true
    bus.call(.registerAgent, on: ProgramText("/org/bluez").span, tag: nil, signature: "os") {
      $0.write("/agent")
      $0.write("NoInputNoOutput")
    }
    bus.call(
      .pairDevice, on: attempt.path.span, tag: attemptTag(.pair), timeout: Self.pairingTimeout)
  }

  /// bluetoothd has paired with the device, or not: perhaps the device requires no pairing.
  mutating func paired(isRefused: Bool, _ bus: inout BlueZBus) {
    guard attempt.phase == .pairing else { return }
    guard isRefused, attempt.hasConnected, !attempt.isShared else {
      if isRefused {
        // Another program's connection may be ending now.
        attempt.hasConnected = false
        attempt.stays = false
      }
      return readObjects(&bus)
    }
    // bluetoothd disconnects the device, sooner or later: it is connected again, without pairing.
    attempt.hasConnected = false
    awaitDisconnection(&bus)
    disconnectDevice(attempt.path, &bus)
  }

  /// Opens the virtual link, with the attributes among `objects`.
  private mutating func open(
    _ objects: DBusReader, rssi: Int8?, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    let path = attempt.path
    guard let index = controller.openLink(to: attempt.peer, .central, rssi: rssi) else {
      return failAttempt(.connectionLimitExceeded, &controller, &bus)
    }
    peripherals[index].fill { database in
      objects.forEachManagedInterface { database.add($0, of: path.span) }
    }
    peripherals[index].open(
      controller.handle(at: index), attempt.peer, at: path, isShared: attempt.isShared)
    attempt = ConnectionAttempt()
  }

  // MARK: Ends

  /// The host ends the link at `index`.
  package mutating func disconnect(
    _ index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    let path = peripherals[index].path
    if peripherals[index].isOpen, !peripherals[index].isShared { disconnectDevice(path, &bus) }
    endLink(index, .connectionTerminatedByLocalHost, &controller, &bus)
  }

  /// Has bluetoothd disconnect the device at `path`. The host does not wait for that.
  private mutating func disconnectDevice(_ path: ObjectPath, _ bus: inout BlueZBus) {
    for slot in disconnectingDevices.indices where disconnectingDevices[slot].count == 0 {
      disconnectingDevices[slot] = path
      return bus.call(.disconnectDevice, on: path.span, tag: tag(.disconnect, slot))
    }
    bus.call(.disconnectDevice, on: path.span, tag: nil)
  }

  /// The slot of the device at `path`; `nil` if bluetoothd is not disconnecting it.
  private func disconnectingSlot(of path: Span<UInt8>) -> Int? {
    for slot in disconnectingDevices.indices
    where disconnectingDevices[slot].span.hasSameBytes(as: path) {
      return slot
    }
    return nil
  }

  /// bluetoothd has disconnected the device of this slot: the host may connect to it again.
  mutating func deviceDisconnected(
    _ slot: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    let path = disconnectingDevices[slot]
    disconnectingDevices[slot] = ObjectPath()
    if attempt.phase == .waiting, attempt.path == path { readObjects(&bus) }
    watchDevices(&bus)
  }

  /// Ends the link at `index`, and reports that to the host.
  mutating func endLink(
    _ index: Int, _ reason: HCIErrorCode, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    unsubscribe(at: index, &bus)
    peripherals[index].close()
    controller.closeLink(index, reason)
    watchDevices(&bus)
  }

  /// Ends the link at `index`, if there is one, without a report.
  mutating func dropLink(_ index: Int, _ bus: inout BlueZBus) {
    guard peripherals[index].isOpen else { return }
    unsubscribe(at: index, &bus)
    let path = peripherals[index].path
    if !peripherals[index].isShared { disconnectDevice(path, &bus) }
    peripherals[index].close()
  }

  /// The index of the peripheral whose device is at `path`, or has an object there; `nil` if there is none.
  func index(at path: Span<UInt8>) -> Int? {
    for index in 0..<BlueZController.linkCapacity where peripherals[index].isOpen {
      let device = peripherals[index].path
      if path.hasSameBytes(as: device.span) || path.isBelow(device.span) { return index }
    }
    return nil
  }

  // MARK: Signals

  /// bluetoothd has found a device.
  mutating func deviceAdded(
    _ device: borrowing ManagedInterface, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    guard device.path.isBelow(bus.adapterPath.span) else { return }
    report(device, &controller)
    guard attempt.phase == .searching else { return }
    var description = DeviceDescription()
    device.forEachProperty { description.take($0, $1) }
    guard description.isAt(attempt.peer), attempt.path.assign(device.path) else { return }
    callConnect(&bus)
  }

  /// Properties of a device have changed.
  mutating func deviceChanged(
    _ change: borrowing ManagedInterface, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    if controller.isScanning { advertisementChanged(change, controller, &bus) }
    var isConnected: Bool?
    var isResolved: Bool?
    var rssi: Int16?
    change.forEachProperty { name, value in
      if name.equals("Connected") { isConnected = value.boolean }
      if name.equals("ServicesResolved") { isResolved = value.boolean }
      if name.equals("RSSI") { rssi = value.int16 }
    }
    if attempt.isActive, change.path.hasSameBytes(as: attempt.path.span) {
      if isResolved == true, attempt.phase == .resolving { readObjects(&bus) }
      if isConnected == false { connectionEnded(&controller, &bus) }
    }
    if isConnected == false, let slot = disconnectingSlot(of: change.path) {
      deviceDisconnected(slot, &controller, &bus)
    }
    guard let index = index(at: change.path) else { return }
    if let rssi { controller.setRSSI(Int8(clamping: rssi), at: index) }
    if isConnected == false { endLink(index, .remoteUserTerminatedConnection, &controller, &bus) }
  }

  /// An attribute has come or gone, or an interface of the device.
  mutating func attributesChanged(below path: Span<UInt8>, _ bus: inout BlueZBus) {
    guard let index = index(at: path) else { return }
    peripherals[index].refreshTime = bus.now.advanced(by: Self.refreshDelay)
  }

  /// The device at `path` has gone.
  mutating func deviceRemoved(
    _ path: Span<UInt8>, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    if attempt.isActive, path.hasSameBytes(as: attempt.path.span) {
      connectionEnded(&controller, &bus)
    }
    if let slot = disconnectingSlot(of: path) { deviceDisconnected(slot, &controller, &bus) }
    if let index = index(at: path) {
      endLink(index, .remoteUserTerminatedConnection, &controller, &bus)
    }
  }
}

extension DeviceDescription {
  /// Whether it has the address of `peer`. bluetoothd knows the kind of an address better than a user.
  borrowing func isAt(_ peer: DeviceAddress) -> Bool {
    guard let bytes else { return false }
    return DeviceAddress(kind: peer.kind, bytes: bytes) == peer
  }
}
