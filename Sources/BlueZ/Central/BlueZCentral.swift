import BluetoothHost
import Linux

/// The central of a radio that is bluetoothd's: it scans and connects by bluetoothd's objects, and serves the host's
/// client from the attributes that bluetoothd has found.
package struct BlueZCentral: ~Copyable {
  /// The calls to bluetoothd, as a part of their tags. `objects` is for a connection, `survey` for reports.
  enum Question: UInt32 {
    case startDiscovery, survey, report
    case objects, probe, connect, pair
    case disconnect, refresh
    case operate, command, acquire, startNotify
  }

  /// The first of the tokens of the sockets for notifications.
  package static var firstToken: UInt32 { 0x2_0000 }
  /// How long bluetoothd may take to get a response of a peripheral, in milliseconds. Its own limit is 30 s, and so is the
  /// host's.
  static var responseTimeout: UInt32 { 35_000 }
  /// The most subscriptions at a time.
  package static var subscriptionLimit: Int { 32 }

  private let pin = Pinned()
  /// Whether bluetoothd pairs with each peripheral before its link opens.
  package var pairs = false
  /// The advertisers that were reported last.
  var advertisers = ReportedAdvertisers()
  var attempt = ConnectionAttempt()
  /// Counts the attempts: a reply about an earlier one says nothing about this one.
  var attemptNumber: UInt32 = 0
  /// The peripherals, by the index of their links. In line they would make the witnesses of each type around them
  /// larger, by 50 kB.
  var peripherals: MappedArray<RemotePeripheral>
  /// The devices that bluetoothd is disconnecting for this program, which takes it some seconds; empty for none.
  var disconnectingDevices = InlineArray<16, ObjectPath>(repeating: ObjectPath())
  var subscriptions = InlineArray<32, Subscription?>(repeating: nil)
  /// Whether bluetoothd discovers devices for this program.
  var isDiscovering = false
  /// Whether signals of bluetoothd's devices come.
  private var isWatching = false
  /// How many devices' properties bluetoothd has been asked for and not answered.
  var reportCount = 0
  /// Whether a device has changed and its properties could not be asked for.
  var hasMissedReport = false
  /// How many interfaces of a survey's reply have been reported, while the host must read before the next; 0 otherwise.
  var surveyedCount = 0

  /// A central without links that does not scan; `nil` if the kernel refuses memory.
  package init?() {
    guard
      let peripherals = MappedArray(BlueZController.linkCapacity, { RemotePeripheral() })
    else { return nil }
    self.peripherals = peripherals
  }

  deinit {
    for slot in subscriptions.indices {
      if let socket = subscriptions[slot]?.socket { clinux_close(socket) }
    }
  }

  // MARK: For the radio

  /// Whether the reply to a survey has more to report. `reportAll` goes on with it.
  var isReporting: Bool { surveyedCount > 0 }

  /// When `advance` must be called next; `nil` if nothing is scheduled.
  package var deadline: Instant? {
    var earliest = attempt.deadline
    for index in 0..<BlueZController.linkCapacity {
      earliest = Instant.earlier(earliest, peripherals[index].refreshTime)
    }
    return earliest
  }

  /// Does what is due.
  package mutating func advance(_ controller: inout BlueZController, _ bus: inout BlueZBus) {
    if let deadline = attempt.deadline, deadline <= bus.now {
      if attempt.phase == .watching {
        useConnection(&bus)
      } else {
        failAttempt(.connectionFailedToBeEstablished, &controller, &bus)
      }
    }
    for index in 0..<BlueZController.linkCapacity {
      guard let time = peripherals[index].refreshTime, time <= bus.now else { continue }
      peripherals[index].refreshTime = nil
      ask(.refresh, at: index, &bus) {
        $0.call(.getManagedObjects, on: ProgramText("/").span, tag: $1)
      }
    }
  }

  /// Stops scanning and connecting, and ends every link, without an event.
  package mutating func reset(_ bus: inout BlueZBus) {
    abandonAttempt(&bus)
    for index in 0..<BlueZController.linkCapacity { dropLink(index, &bus) }
    updateDiscovery(isScanning: false, filtersDuplicates: true, &bus)
    hasMissedReport = false
    surveyedCount = 0
    watchDevices(&bus)
  }

  /// Takes bluetoothd's answer to a call.
  package mutating func reply(
    _ tag: UInt32, _ message: borrowing DBusMessage, _ descriptors: inout DBusDescriptors,
    _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard let question = Question(rawValue: tag &>> 16), isPresent(question, tag) else { return }
    let isError = message.kind == .error
    switch question {
    case .disconnect: deviceDisconnected(Int(tag &>> 12 & 0xF), &controller, &bus)
    case .startDiscovery: discoveryStarted(message, &controller, &bus)
    case .survey: surveyed(message, &controller, &bus)
    case .report:
      reportCount = max(0, reportCount &- 1)
      if !isError { reportDevice(message.body, &controller) }
      surveyIfNeeded(controller, &bus)
    case .objects:
      isError ? failObjects(&controller, &bus) : takeObjects(message.body, &controller, &bus)
    case .probe: probed(isError ? message.errorName : nil, &bus)
    case .connect: connected(isError ? message.errorName : nil, &controller, &bus)
    case .pair: paired(isRefused: isError, &bus)
    default:
      guard let index = index(of: tag) else { return }
      reply(question, message, &descriptors, at: index, &controller, &bus)
    }
  }

  /// bluetoothd has not answered a call in time.
  package mutating func giveUp(
    _ tag: UInt32, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard let question = Question(rawValue: tag &>> 16), isPresent(question, tag) else { return }
    switch question {
    case .startDiscovery: discoveryFailed(.hardwareFailure, .timedOut, &controller, &bus)
    case .survey: surveyFailed(.timedOut, controller, &bus)
    case .disconnect: deviceDisconnected(Int(tag &>> 12 & 0xF), &controller, &bus)
    case .report: reportCount = max(0, reportCount &- 1)
    case .objects, .probe, .connect, .pair:
      failAttempt(.connectionFailedToBeEstablished, &controller, &bus)
    default:
      guard let index = index(of: tag) else { return }
      giveUp(question, at: index, &controller, &bus)
    }
  }

  /// Takes a signal of bluetoothd.
  package mutating func signal(
    _ message: borrowing DBusMessage, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    var body = message.body
    if message.isOf(.propertiesChanged) {
      guard let interface = body.readText(), let properties = body.readArray(alignedTo: 8) else {
        return
      }
      let change = ManagedInterface(path: message.path, name: interface, properties: properties)
      if interface.equals("org.bluez.Device1") {
        deviceChanged(change, &controller, &bus)
      } else if interface.equals("org.bluez.GattCharacteristic1") {
        valueChanged(change, &controller)
      }
    } else if message.isOf(.interfacesAdded), let path = body.readText() {
      var isDevice = false
      _ = body.forEachInterface(of: path) { interface in
        guard interface.name.equals("org.bluez.Device1") else { return }
        isDevice = true
        deviceAdded(interface, &controller, &bus)
      }
      if !isDevice { attributesChanged(below: path, &bus) }
    } else if message.isOf(.interfacesRemoved), let path = body.readText() {
      let isDevice = body.readTexts(containing: "org.bluez.Device1")
      isDevice ? deviceRemoved(path, &controller, &bus) : attributesChanged(below: path, &bus)
    }
  }

  // MARK: Calls

  /// Calls `body` with the tag of a question about the peripheral at `index`.
  func ask(
    _ question: Question, at index: Int, _ bus: inout BlueZBus,
    _ body: (inout BlueZBus, _ tag: UInt32) -> Void
  ) {
    let number = UInt32(truncatingIfNeeded: index) &<< 12 | peripherals[index].generation & 0xFFF
    body(&bus, BlueZBus.Caller.central.tag(question.rawValue &<< 16 | number))
  }

  /// The tag of a question about no peripheral, and with a number from 0 to 15.
  func tag(_ question: Question, _ number: Int = 0) -> UInt32 {
    BlueZBus.Caller.central.tag(
      question.rawValue &<< 16 | UInt32(truncatingIfNeeded: number) &<< 12)
  }

  /// The tag of a question about the present attempt.
  func attemptTag(_ question: Question) -> UInt32 {
    BlueZBus.Caller.central.tag(question.rawValue &<< 16 | attemptNumber & 0xFFFF)
  }

  /// Whether the tag of a question about an attempt is about the present one.
  private func isPresent(_ question: Question, _ tag: UInt32) -> Bool {
    switch question {
    case .objects, .probe, .connect, .pair: tag & 0xFFFF == attemptNumber & 0xFFFF
    default: true
    }
  }

  /// The index of the peripheral that a tag is about; `nil` if it has gone.
  private func index(of tag: UInt32) -> Int? {
    let index = Int(tag &>> 12 & 0xF)
    let isSame = peripherals[index].generation & 0xFFF == tag & 0xFFF
    return isSame && peripherals[index].isOpen ? index : nil
  }

  /// Asks for the signals of the adapter's devices while they matter, and not otherwise.
  mutating func watchDevices(_ bus: inout BlueZBus) {
    var isNeeded = isDiscovering || attempt.isActive
    for index in 0..<BlueZController.linkCapacity where peripherals[index].isOpen {
      isNeeded = true
    }
    guard isNeeded != isWatching else { return }
    isWatching = isNeeded
    let adapter = bus.adapterPath
    bus.match(isNeeded) {
      $0.write(text: "interface='org.freedesktop.DBus.Properties',path_namespace='")
      $0.write(start: adapter.span)
      $0.write(text: "'")
    }
    bus.match(isNeeded) { $0.write(text: "interface='org.freedesktop.DBus.ObjectManager'") }
  }
}
