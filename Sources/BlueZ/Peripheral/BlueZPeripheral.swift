import BluetoothHost
import Linux

/// The role of a peripheral beside bluetoothd: the host's services and its advertisement are objects that
/// bluetoothd uses, and each central that uses them has a virtual link to the host, on which this type is the
/// central's ATT client.
package struct BlueZPeripheral: ~Copyable {
  /// The first token of the sockets for updates.
  static var firstToken: UInt32 { 0x1_0000 }
  /// How long the host waits for bluetoothd to advertise, in milliseconds: less than for a controller. After that it
  /// learns only of a failure.
  private static var advertisingTimeout: UInt32 { 1_500 }
  /// How long the host may take to advertise again after a link has begun, in milliseconds.
  static var pause: UInt32 { 1_000 }

  /// The calls of this role: the upper byte of 24 bits. The lower ones are the index of a central and the
  /// generation of its link.
  enum Question: UInt32 {
    case application, advertisement, device, disconnect

    func tag(_ central: Int = 0, _ generation: UInt8 = 0) -> UInt32 {
      BlueZBus.Caller.peripheral.tag(
        rawValue &<< 16 | UInt32(truncatingIfNeeded: central) &<< 8 | UInt32(generation))
    }
  }

  /// What bluetoothd knows.
  enum Registration { case none, pending, done }

  private let pin = Pinned()
  var database: ExportedDatabase
  var centrals: CentralLinks
  var sockets = UpdateSockets()
  private var application = Registration.none
  var advertising = Registration.none
  var advertisement = Advertisement(
    data: AdvertisingData(), scanResponse: AdvertisingData())
  /// How often the advertisement was registered, to recognise the reply to an earlier registration.
  private var registrations: UInt8 = 0
  /// When the host's command to advertise is answered without bluetoothd's reply; `nil` if it is.
  private var answerTime: Instant?
  /// When advertising ends unless the host has turned it on again; `nil` if it has.
  var pauseEnd: Instant?

  /// A role without services; `nil` if the kernel refuses the memory.
  init?() {
    guard let database = ExportedDatabase(), let centrals = CentralLinks() else { return nil }
    self.database = database
    self.centrals = centrals
  }

  /// When `advance` must be called next; `nil` to wait for messages.
  var deadline: Instant? { .earlier(answerTime, pauseEnd) }

  /// Whether bluetoothd asks for a socket for each central.
  var hasOwnSockets: Bool {
    get { sockets.isPerCentral }
    set { sockets.isPerCentral = newValue }
  }

  // MARK: The host

  /// Offers these services from now on.
  @inline(never)
  mutating func export(
    _ attributes: Span<Attribute>, protection: AttributeProtection, _ bus: inout BlueZBus
  ) {
    database.assign(attributes, protection: protection)
    guard application != .none else { return }
    // bluetoothd reads the services of an application once.
    bus.callAdapter(.unregisterApplication, tag: nil, signature: "o") {
      $0.write(ExportedDatabase.root)
    }
    register(&bus)
  }

  @inline(never)
  private mutating func register(_ bus: inout BlueZBus) {
    application = .pending
    bus.callAdapter(
      .registerApplication, tag: Question.application.tag(),
      signature: "oa{sv}"
    ) {
      $0.write(ExportedDatabase.root)
      let options = $0.beginArray(alignedTo: 8)
      $0.endArray(options)
    }
  }

  /// Starts or stops advertising. `finishAdvertising` answers the host.
  @inline(never)
  mutating func setAdvertising(
    _ isOn: Bool, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    pauseEnd = nil
    guard isOn else {
      unregisterAdvertisement(&bus)
      return controller.finishAdvertising(.success)
    }
    if application == .none { register(&bus) }
    if advertising != .none, advertisement == controller.advertisement {
      return controller.finishAdvertising(.success)
    }
    changeAdvertisement(controller.advertisement, &bus)
    answerTime = bus.now.advanced(by: Self.advertisingTimeout)
  }

  /// Advertises other data.
  @inline(never)
  mutating func changeAdvertisement(_ new: Advertisement, _ bus: inout BlueZBus) {
    unregisterAdvertisement(&bus)
    advertisement = new
    advertising = .pending
    registrations &+= 1
    bus.callAdapter(
      .registerAdvertisement, tag: Question.advertisement.tag(0, registrations),
      signature: "oa{sv}"
    ) {
      $0.write(ExportedAdvertisement.path)
      let options = $0.beginArray(alignedTo: 8)
      $0.endArray(options)
    }
  }

  @inline(never)
  private mutating func unregisterAdvertisement(_ bus: inout BlueZBus) {
    answerTime = nil
    guard advertising != .none else { return }
    advertising = .none
    bus.callAdapter(.unregisterAdvertisement, tag: nil, signature: "o") {
      $0.write(ExportedAdvertisement.path)
    }
  }

  /// The host has reset the controller: all links are gone. bluetoothd ends the connections of their devices, also of one
  /// that it has not described yet, whose link the host does not have.
  @inline(never)
  mutating func reset(_ bus: inout BlueZBus) {
    pauseEnd = nil
    unregisterAdvertisement(&bus)
    for central in 0..<CentralLinks.capacity where centrals.links[central].isUsed {
      disconnect(central, tag: nil, &bus)
      remove(central, &bus)
    }
    guard application != .none else { return }
    application = .none
    for index in 0..<UpdateSockets.capacity { sockets.remove(index) }
    bus.callAdapter(.unregisterApplication, tag: nil, signature: "o") {
      $0.write(ExportedDatabase.root)
    }
  }

  /// The host ends the link with this index. bluetoothd then ends the connection of the device.
  @inline(never)
  mutating func disconnect(_ index: Int, _ bus: inout BlueZBus) {
    guard let central = centrals.central(ofLink: index) else { return }
    disconnect(
      central, tag: Question.disconnect.tag(central, centrals.links[central].generation), &bus)
  }

  /// Has bluetoothd end the connection of a central, unless it is doing so.
  @inline(never)
  private mutating func disconnect(_ central: Int, tag: UInt32?, _ bus: inout BlueZBus) {
    guard !centrals.links[central].isDisconnecting else { return }
    centrals.links[central].isDisconnecting = true
    let path = ObjectPath(adapter: bus.adapter, device: centrals.links[central].address)
    bus.call(.disconnectDevice, on: path.span, tag: tag, timeout: 5_000)
  }

  /// Takes an ATT PDU of the host on the link with this index.
  @inline(never)
  mutating func receive(
    _ pdu: Span<UInt8>, at index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    defer { controller.completePacket(at: index) }
    guard let central = centrals.central(ofLink: index), !pdu.isEmpty else { return }
    if centrals.receive(pdu, of: central, &bus) {
      return centrals.advance(central, &controller, &bus)
    }
    var reader = ByteReader(pdu)
    let opcode = ATTOpcode(rawValue: reader.readUInt8() ?? 0)
    switch opcode {
    case .handleValueNotification, .handleValueIndication:
      guard let update = AttributeValue(reader) else { return }
      let characteristic = update.handle.rawValue &- 1
      sockets.send(update.value, of: characteristic, for: central, at: bus.now)
      if opcode == .handleValueIndication { centrals.links[central].unconfirmed = characteristic }
    case .errorResponse, .handleValueConfirmation: break
    default:
      // bluetoothd is the client of each central: the host cannot be one on this link. Requests have even
      // opcodes, without the flag of commands.
      guard opcode.rawValue & 0x41 == 0 else { return }
      _ = controller.send(to: index) {
        ErrorResponse(request: opcode, handle: .none, code: .requestNotSupported).write(to: &$0)
      }
    }
  }

  /// Confirms the indication of a characteristic that the host sent to a central, or to any.
  @inline(never)
  mutating func confirm(
    _ characteristic: UInt16, for only: Int?, _ controller: inout BlueZController
  ) {
    for central in 0..<CentralLinks.capacity
    where centrals.links[central].unconfirmed == characteristic && (only == nil || only == central)
    {
      guard let index = centrals.links[central].index else { continue }
      centrals.links[central].unconfirmed = 0
      _ = controller.send(to: index) { $0.write(ATTOpcode.handleValueConfirmation.rawValue) }
    }
  }

  // MARK: The bus

  /// Does what is due.
  @inline(never)
  mutating func advance(_ controller: inout BlueZController, _ bus: inout BlueZBus) {
    if let pauseEnd, pauseEnd <= bus.now {
      self.pauseEnd = nil
      if !controller.isAdvertising { unregisterAdvertisement(&bus) }
    }
    if let answerTime, answerTime <= bus.now {
      self.answerTime = nil
      controller.finishAdvertising(.success)
    }
    for central in 0..<CentralLinks.capacity where centrals.links[central].count > 0 {
      centrals.advance(central, &controller, &bus)
    }
  }

  /// Takes the reply to a call of this role.
  @inline(never)
  mutating func reply(
    _ tag: UInt32, _ message: borrowing DBusMessage, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    let isError = message.kind == .error
    switch Question(rawValue: tag &>> 16) {
    case .application:
      if isError { return bus.fail(message.registrationError) }
      application = .done
    case .advertisement:
      guard advertising == .pending, UInt8(truncatingIfNeeded: tag) == registrations else { return }
      if isError { return bus.fail(message.registrationError) }
      advertising = .done
      guard answerTime != nil else { return }
      answerTime = nil
      controller.finishAdvertising(.success)
    case .device:
      guard let central = central(ofTag: tag) else { return }
      var body = message.body
      guard !isError, open(central, &body, &controller, &bus) else { return remove(central, &bus) }
      centrals.advance(central, &controller, &bus)
    case .disconnect:
      if let central = central(ofTag: tag) {
        close(central, .connectionTerminatedByLocalHost, &controller, &bus)
      }
    case nil: break
    }
  }

  /// A call of this role has had no reply in time.
  @inline(never)
  mutating func giveUp(
    _ tag: UInt32, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    switch Question(rawValue: tag &>> 16) {
    case .application, .advertisement: bus.fail(.timedOut)
    case .device, .disconnect:
      if let central = central(ofTag: tag) {
        close(central, .connectionTerminatedByLocalHost, &controller, &bus)
      }
    case nil: break
    }
  }

  /// Reads the sockets whose bits are set.
  @inline(never)
  mutating func read(_ bits: UInt32, _ controller: inout BlueZController, _ bus: inout BlueZBus) {
    for index in 0..<UpdateSockets.capacity where bits & 1 &<< UInt32(index) != 0 {
      guard let (characteristic, owner) = sockets.owner(at: index) else { continue }
      switch sockets.read(index) {
      case .nothing: break
      case .confirmation: confirm(characteristic, for: owner, &controller)
      case .end:
        sockets.remove(index)
        let isLast = !sockets.contains(characteristic)
        for central in 0..<CentralLinks.capacity where centrals.links[central].isUsed {
          guard sockets.isPerCentral ? central == owner : isLast else { continue }
          configure(characteristic, of: central, isOn: false, &bus)
          centrals.advance(central, &controller, &bus)
        }
      }
    }
  }

  /// Takes a signal of bluetoothd.
  @inline(never)
  mutating func signal(
    _ message: borrowing DBusMessage, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard message.isOf(.propertiesChanged),
      let address = message.path.deviceAddress(below: bus.adapterPath.span),
      let central = centrals.central(of: address)
    else { return }
    var body = message.body
    guard let interface = body.readText(), interface.equals("org.bluez.Device1"),
      let device = DeviceProperties(&body)
    else { return }
    if device.isConnected == false {
      close(central, .remoteUserTerminatedConnection, &controller, &bus)
    }
  }
}

/// What a radio needs of the properties of a device.
struct DeviceProperties {
  /// `nil` if they do not say.
  var isConnected: Bool?
  var hasRandomAddress = false
  var rssi: Int8?

  /// Reads `a{sv}`; `nil` if it is invalid.
  init?(_ body: inout DBusReader) {
    guard let properties = body.readArray(alignedTo: 8) else { return nil }
    let isValid = properties.forEachProperty { name, value in
      if name.equals("Connected") { isConnected = value.boolean }
      if name.equals("AddressType") { hasRandomAddress = value.text?.equals("random") ?? false }
      if name.equals("RSSI") { rssi = value.int16.map { Int8(clamping: $0) } }
    }
    guard isValid else { return nil }
  }
}
