import BluetoothHost
import Linux

// Scanning: bluetoothd's discovery, and its devices as advertisers.
extension BlueZCentral {
  /// How many devices' properties are asked for at a time.
  private static var reportLimit: Int { 8 }
  /// How long bluetoothd may take to begin a scan, and then to list its devices, in milliseconds: less than the 2 s of
  /// the host, which does not know the reason.
  private static var scanTimeout: UInt32 { 1_900 }

  /// Starts or stops scanning, and answers the host's command.
  package mutating func setScanning(
    _ isOn: Bool, filtersDuplicates: Bool, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    let wasDiscovering = isDiscovering
    updateDiscovery(isScanning: isOn, filtersDuplicates: filtersDuplicates, &bus)
    watchDevices(&bus)
    // bluetoothd answers a start.
    if isOn, !wasDiscovering { return }
    controller.finishScanning(.success)
    if isOn { survey(&bus) }
  }

  /// Lets bluetoothd discover devices while the host scans, or while this program looks for the one to connect to.
  mutating func updateDiscovery(
    isScanning: Bool, filtersDuplicates: Bool, _ bus: inout BlueZBus
  ) {
    let isWanted = isScanning || attempt.phase == .searching
    guard isWanted != isDiscovering else { return }
    isDiscovering = isWanted
    let path = bus.adapterPath
    guard isWanted else { return bus.call(.stopDiscovery, on: path.span, tag: nil) }
    bus.call(.setDiscoveryFilter, on: path.span, tag: nil, signature: "a{sv}") {
      let mark = $0.beginArray(alignedTo: 8)
      $0.beginProperty("Transport", "s")
      $0.write("le")
      $0.beginProperty("DuplicateData", "b")
      $0.write(!filtersDuplicates)
      $0.endArray(mark)
    }
    bus.call(
      .startDiscovery, on: path.span, tag: tag(.startDiscovery),
      timeout: isScanning ? Self.scanTimeout : DBusOutput.usualTimeout)
  }

  /// bluetoothd has started the discovery, or not.
  mutating func discoveryStarted(
    _ message: borrowing DBusMessage, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard message.kind == .error, !message.errorName.equals("org.bluez.Error.InProgress") else {
      controller.finishScanning(.success)
      if controller.isScanning { survey(&bus) }
      return
    }
    let error = message.radioError
    discoveryFailed(
      error == .networkDown ? .hardwareFailure : .commandDisallowed, error, &controller, &bus)
  }

  /// bluetoothd discovers no devices for this program.
  mutating func discoveryFailed(
    _ status: HCIErrorCode, _ error: ErrorNumber, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    isDiscovering = false
    controller.finishScanning(status)
    if attempt.phase == .searching {
      failAttempt(status, &controller, &bus)
    } else {
      failRadio(error, &bus)
    }
    watchDevices(&bus)
  }

  /// bluetoothd has not listed its devices. A radio with links scans on, without those that bluetoothd knows.
  mutating func surveyFailed(
    _ error: ErrorNumber, _ controller: borrowing BlueZController, _ bus: inout BlueZBus
  ) {
    if controller.isScanning { failRadio(error, &bus) }
  }

  /// Ends a radio that cannot scan, with the reason, which the host cannot report; a radio with links goes on.
  private mutating func failRadio(_ error: ErrorNumber, _ bus: inout BlueZBus) {
    for index in 0..<BlueZController.linkCapacity where peripherals[index].isOpen { return }
    bus.fail(error)
  }

  // MARK: Reports

  /// Asks for all devices, to report those in range.
  private func survey(_ bus: inout BlueZBus) {
    bus.call(
      .getManagedObjects, on: ProgramText("/").span, tag: tag(.survey), timeout: Self.scanTimeout)
  }

  /// bluetoothd has listed its objects, or not.
  mutating func surveyed(
    _ message: borrowing DBusMessage, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    if message.kind == .error {
      surveyFailed(message.radioError, controller, &bus)
    } else if !message.signature.equals("a{oa{sa{sv}}}") {
      surveyFailed(.protocolError, controller, &bus)
    } else {
      reportAll(message.body, &controller, bus)
    }
  }

  /// Asks for all devices if a change was missed.
  mutating func surveyIfNeeded(_ controller: borrowing BlueZController, _ bus: inout BlueZBus) {
    guard hasMissedReport, reportCount == 0, controller.isScanning else { return }
    hasMissedReport = false
    survey(&bus)
  }

  /// Reports the devices in range, or as many as the host has room for: see `isReporting`.
  mutating func reportAll(
    _ objects: DBusReader, _ controller: inout BlueZController, _ bus: borrowing BlueZBus
  ) {
    let first = surveyedCount
    var count = 0
    var isComplete = true
    objects.forEachManagedInterface { interface in
      isComplete = isComplete && controller.hasRoom
      guard isComplete else { return }
      count &+= 1
      guard count > first else { return }
      guard interface.name.equals("org.bluez.Device1"), interface.path.isBelow(bus.adapterPath.span)
      else { return }
      report(interface, &controller)
    }
    surveyedCount = isComplete ? 0 : count
  }

  /// Reports a device if it is in range.
  mutating func report(_ device: borrowing ManagedInterface, _ controller: inout BlueZController) {
    report(device.properties, &controller)
  }

  /// Reports the device with these properties, if it is in range.
  private mutating func report(_ properties: DBusReader, _ controller: inout BlueZController) {
    var description = DeviceDescription()
    properties.forEachProperty { description.take($0, $1) }
    guard let address = description.address, let rssi = description.rssi else { return }
    advertisers.note(address, rssi: rssi)
    controller.report(address, rssi: rssi, data: description.data.span)
  }

  /// Reports the device with the properties `a{sv}`, if it is in range.
  mutating func reportDevice(_ body: DBusReader, _ controller: inout BlueZController) {
    var reader = body
    guard let properties = reader.readArray(alignedTo: 8) else { return }
    report(properties, &controller)
  }

  /// A device has changed while the host scans: its advertisement came, if this is a property of that.
  mutating func advertisementChanged(
    _ change: borrowing ManagedInterface, _ controller: borrowing BlueZController,
    _ bus: inout BlueZBus
  ) {
    var isAdvertisement = false
    change.forEachProperty { name, _ in
      if name.equals("RSSI") || name.equals("Name") || name.equals("UUIDs")
        || name.equals("ManufacturerData") || name.equals("ServiceData")
      {
        isAdvertisement = true
      }
    }
    guard isAdvertisement else { return }
    guard reportCount < Self.reportLimit else {
      hasMissedReport = true
      return
    }
    reportCount &+= 1
    bus.call(.getAllProperties, on: change.path, tag: tag(.report), signature: "s") {
      $0.write("org.bluez.Device1")
    }
  }
}
