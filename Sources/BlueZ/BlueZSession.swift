import BluetoothHost
import Linux

/// What a `BlueZRadio` does between the host and bluetoothd: commands become calls, and messages become events.
struct BlueZSession: ~Copyable {
  /// The radio's own calls.
  private enum Question: UInt32 {
    case hello, owner, adapter

    var tag: UInt32 { BlueZBus.Caller.radio.tag(rawValue) }
  }

  /// How long the bus and bluetoothd may take to answer when the radio is opened, in milliseconds.
  private static var timeout: UInt32 { 5_000 }
  private let pin = Pinned()
  /// Whether the bus has answered.
  private var hasBus = false
  /// Whether bluetoothd has described the adapter.
  private(set) var isOpen = false
  var descriptors = DBusDescriptors()
  var bus: BlueZBus
  var controller = BlueZController()
  private var peripheral: BlueZPeripheral
  private var central: BlueZCentralRole

  /// Begins with the questions for the bus and bluetoothd; `nil` if the kernel refuses memory.
  init?(adapter: UInt16, at now: Instant) {
    guard let bus = BlueZBus(adapter: adapter), let peripheral = BlueZPeripheral(),
      let central = BlueZCentralRole()
    else { return nil }
    self.bus = bus
    self.peripheral = peripheral
    self.central = central
    self.bus.now = now
    ask(at: now)
  }

  /// When the next turn is due; `nil` to wait for messages.
  var deadline: Instant? {
    if controller.hasPacket { return bus.now }
    return .earlier(bus.output.deadline, .earlier(peripheral.deadline, central.deadline))
  }

  /// Whether the last message is to be handled again when the host has read: it has more reports than fit.
  var isReporting: Bool { central.isReporting }

  /// See `BlueZRadio.pairs`.
  var pairs: Bool {
    get { central.pairs }
    set { central.pairs = newValue }
  }

  /// See `BlueZRadio.export`.
  @inline(never)
  mutating func export(_ attributes: Span<Attribute>, protection: AttributeProtection) {
    peripheral.export(attributes, protection: protection, &bus)
  }

  /// Begins a turn.
  mutating func advance(to now: Instant) { bus.now = now }

  /// Reads the sockets of each role whose bits are set.
  @inline(never)
  mutating func read(_ ofPeripheral: UInt32, _ ofCentral: UInt32) {
    if ofPeripheral != 0 { peripheral.read(ofPeripheral, &controller, &bus) }
    if ofCentral != 0 { central.read(ofCentral, &controller, &bus) }
  }

  /// Ends a turn: does what is due.
  @inline(never)
  mutating func finishTurn() {
    peripheral.advance(&controller, &bus)
    central.advance(&controller, &bus)
    while let tag = bus.output.takeOverdueCall(at: bus.now) { giveUp(tag) }
  }

  // MARK: The host

  /// Takes a packet of the host.
  @inline(never)
  mutating func take(_ packet: Span<UInt8>, at now: Instant) {
    bus.now = now
    switch controller.receive(packet) {
    case .nothing: break
    case .reset: reset()
    case .setAdvertising(let isOn): peripheral.setAdvertising(isOn, &controller, &bus)
    case .changeAdvertisement: peripheral.changeAdvertisement(controller.advertisement, &bus)
    case .setScanning(let isOn, let filter):
      central.setScanning(isOn, filtersDuplicates: filter, &controller, &bus)
    case .connect(let peer): central.connect(peer, &bus)
    case .cancelConnection: central.cancelConnection(&bus)
    case .disconnect(let index) where controller.role(at: index) == .central:
      central.disconnect(index, &controller, &bus)
    case .disconnect(let index): peripheral.disconnect(index, &bus)
    case .attribute(let index, let pdu) where controller.role(at: index) == .central:
      central.receive(pdu, at: index, &controller, &bus)
    case .attribute(let index, let pdu): peripheral.receive(pdu, at: index, &controller, &bus)
    }
  }

  /// Ends what bluetoothd does for this program: its links would stay otherwise.
  @inline(never)
  mutating func reset() {
    peripheral.reset(&bus)
    central.reset(&bus)
  }

  // MARK: Opening

  /// Introduces this program, and asks for all that is needed, without waiting for each reply.
  @inline(never)
  private mutating func ask(at now: Instant) {
    bus.output.authenticate()
    bus.output.callBus(.hello, tag: Question.hello.tag, at: now, timeout: Self.timeout)
    bus.output.match(at: now) {
      $0.write(
        text: """
          type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'
          """)
    }
    bus.output.callBus(
      .getNameOwner, tag: Question.owner.tag, at: now, timeout: Self.timeout, signature: "s"
    ) { $0.write("org.bluez") }
    let path = bus.adapterPath
    bus.watch("org.bluez.Adapter1", at: path.span)
    bus.match {
      $0.write(text: "member='InterfacesRemoved',arg0path='")
      $0.write(start: path.span)
      $0.write(text: "'")
    }
    bus.call(
      .getAllProperties, on: path.span, tag: Question.adapter.tag, timeout: Self.timeout,
      signature: "s"
    ) { $0.write("org.bluez.Adapter1") }
  }

  /// Takes the reply to one of the radio's own calls.
  @inline(never)
  private mutating func take(_ question: Question, _ message: borrowing DBusMessage) {
    if message.kind == .error {
      bus.fail(question == .hello ? .remoteInputOutput : message.radioError)
      return
    }
    var body = message.body
    switch question {
    case .hello: hasBus = true
    case .owner:
      guard let name = body.readText(), bus.owner.assign(name) else {
        return bus.fail(.protocolError)
      }
    case .adapter:
      guard takeAdapter(&body) else { return bus.fail(.protocolError) }
    }
  }

  /// Takes all properties of the adapter; `false` if they are invalid.
  @inline(never)
  private mutating func takeAdapter(_ body: inout DBusReader) -> Bool {
    guard let properties = body.readArray(alignedTo: 8) else { return false }
    var isPowered = false
    let isValid = properties.forEachProperty { name, value in
      if name.equals("Powered") { isPowered = value.boolean ?? false }
      if name.equals("Address"), let text = value.text, let bytes = DeviceAddress.bytes(of: text) {
        controller.address = DeviceAddress(kind: .public, bytes: bytes)
      }
      // This property came shortly after a socket for each central.
      if name.equals("Version") { peripheral.hasOwnSockets = true }
    }
    guard isValid else { return false }
    guard isPowered else {
      bus.fail(.networkDown)
      return true
    }
    isOpen = true
    return true
  }

  // MARK: Messages

  /// Takes a message of the bus.
  @inline(never)
  mutating func handle(_ message: borrowing DBusMessage) {
    if central.isReporting { return central.reportAll(message.body, &controller, bus) }
    defer { descriptors.drop(message.descriptorCount) }
    switch message.kind {
    case .reply, .error:
      guard let tag = bus.output.takeCall(message.replySerial) else { return }
      switch BlueZBus.Caller(tag: tag) {
      case .radio:
        if let question = Question(rawValue: tag & 0xFF_FFFF) { take(question, message) }
      case .peripheral: peripheral.reply(tag & 0xFF_FFFF, message, &controller, &bus)
      case .central: central.reply(tag & 0xFF_FFFF, message, &descriptors, &controller, &bus)
      case nil: break
      }
    case .call: peripheral.call(message, &controller, &bus)
    case .signal: takeSignal(message)
    case nil: break
    }
  }

  @inline(never)
  private mutating func takeSignal(_ message: borrowing DBusMessage) {
    var body = message.body
    if message.isOf(.nameOwnerChanged) {
      // It stops, or another instance runs: what the old one did for this program is gone.
      guard message.sender.equals("org.freedesktop.DBus"), body.readText() != nil,
        let old = body.readText(), !old.isEmpty
      else { return }
      return bus.fail(.hostDown)
    }
    guard message.sender.hasSameBytes(as: bus.owner.span) else { return }
    if message.isOf(.interfacesRemoved), let path = body.readText(),
      path.hasSameBytes(as: bus.adapterPath.span)
    {
      // The object has other interfaces, too.
      if body.readTexts(containing: "org.bluez.Adapter1") { bus.fail(.noSuchDevice) }
      return
    }
    if message.isOf(.propertiesChanged), message.path.hasSameBytes(as: bus.adapterPath.span) {
      if Self.reportsPowerOff(&body) { bus.fail(.networkDown) }
      return
    }
    peripheral.signal(message, &controller, &bus)
    central.signal(message, &controller, &bus)
  }

  /// Whether a change of the adapter's properties is that it is switched off.
  private static func reportsPowerOff(_ body: inout DBusReader) -> Bool {
    guard body.readText() != nil, let properties = body.readArray(alignedTo: 8) else {
      return false
    }
    var isOff = false
    properties.forEachProperty { name, value in
      if name.equals("Powered") { isOff = value.boolean == false }
    }
    return isOff
  }

  /// A call has had no reply in time.
  @inline(never)
  private mutating func giveUp(_ tag: UInt32) {
    switch BlueZBus.Caller(tag: tag) {
    case .radio: bus.fail(hasBus ? .timedOut : .remoteInputOutput)
    case .peripheral: peripheral.giveUp(tag & 0xFF_FFFF, &controller, &bus)
    case .central: central.giveUp(tag & 0xFF_FFFF, &controller, &bus)
    case nil: break
    }
  }
}
