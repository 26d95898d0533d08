import BluetoothHost

/// The role of a peripheral beside bluetoothd: the host's services and its advertisement are objects that
/// bluetoothd uses, and each central that uses them has a virtual link to the host, on which this type is the
/// central's ATT client.
package struct BlueZPeripheral: ~Copyable {
  /// The first token of the sockets for updates.
  static var firstToken: UInt32 { 0x1_0000 }
  /// How long the host waits for bluetoothd to advertise, in milliseconds: less than for a controller. After that it
  /// learns only of a failure.
  private static var patience: UInt32 { 1_500 }
  /// How long the host may take to advertise again after a link has begun, in milliseconds.
  private static var pause: UInt32 { 1_000 }

  /// The calls of this role: the upper byte of 24 bits. The lower ones are the place of a central and the
  /// generation of its link.
  private enum Question: UInt32 {
    case application, advertisement, device, disconnect

    func tag(_ place: Int = 0, _ generation: UInt8 = 0) -> UInt32 {
      BlueZBus.Caller.peripheral.tag(
        rawValue &<< 16 | UInt32(truncatingIfNeeded: place) &<< 8 | UInt32(generation))
    }
  }

  /// What bluetoothd knows.
  private enum Registration { case none, pending, done }

  private let pin = Pinned()
  private var database: ExportedDatabase
  private var links: CentralLinks
  private var sockets = UpdateSockets()
  private var application = Registration.none
  private var advertising = Registration.none
  private var advertisement = Advertisement(
    data: AdvertisingData(), scanResponse: AdvertisingData())
  /// How often the advertisement was registered, to recognise the reply to an earlier registration.
  private var registrations: UInt8 = 0
  /// When the host's command to advertise is answered without bluetoothd's reply; `nil` if it is.
  private var answerTime: Instant?
  /// When advertising ends unless the host has turned it on again; `nil` if it has.
  private var pauseEnd: Instant?

  /// A role without services; `nil` if the kernel refuses the memory.
  init?() {
    guard let database = ExportedDatabase(), let links = CentralLinks() else { return nil }
    self.database = database
    self.links = links
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

  /// Starts or stops to advertise. `finishCommand` answers the host.
  @inline(never)
  mutating func setAdvertising(
    _ isOn: Bool, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    pauseEnd = nil
    guard isOn else {
      unregisterAdvertisement(&bus)
      return controller.finishCommand(.success)
    }
    if application == .none { register(&bus) }
    if advertising != .none, advertisement == controller.advertisement {
      return controller.finishCommand(.success)
    }
    changeAdvertisement(controller.advertisement, &bus)
    answerTime = bus.now.advanced(by: Self.patience)
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

  /// The host has reset the controller: all links are gone.
  @inline(never)
  mutating func reset(_ bus: inout BlueZBus) {
    pauseEnd = nil
    unregisterAdvertisement(&bus)
    for place in 0..<CentralLinks.capacity where links.links[place].isUsed { remove(place, &bus) }
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
    guard let place = links.place(ofLink: index) else { return }
    let path = ObjectPath(adapter: bus.adapter, device: links.links[place].address)
    bus.call(
      .disconnectDevice, on: path.span,
      tag: Question.disconnect.tag(place, links.links[place].generation), timeout: 5_000)
  }

  /// Takes an ATT PDU of the host on the link with this index.
  @inline(never)
  mutating func receive(
    _ pdu: Span<UInt8>, at index: Int, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    defer { controller.completePacket(at: index) }
    guard let place = links.place(ofLink: index), !pdu.isEmpty else { return }
    if links.receive(pdu, of: place, &bus) {
      return links.advance(place, &controller, &bus)
    }
    var reader = ByteReader(pdu)
    let opcode = ATTOpcode(rawValue: reader.readUInt8() ?? 0)
    switch opcode {
    case .handleValueNotification, .handleValueIndication:
      guard let update = AttributeValue(reader) else { return }
      let characteristic = update.handle.rawValue &- 1
      sockets.send(update.value, of: characteristic, for: place, at: bus.now)
      if opcode == .handleValueIndication { links.links[place].unconfirmed = characteristic }
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

  /// Confirms the indication of a characteristic that the host sent to the central at a place, or to any.
  @inline(never)
  private mutating func confirm(
    _ characteristic: UInt16, for only: Int?, _ controller: inout BlueZController
  ) {
    for place in 0..<CentralLinks.capacity
    where links.links[place].unconfirmed == characteristic && (only == nil || only == place) {
      guard let index = links.links[place].index else { continue }
      links.links[place].unconfirmed = 0
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
      controller.finishCommand(.success)
    }
    for place in 0..<CentralLinks.capacity where links.links[place].count > 0 {
      links.advance(place, &controller, &bus)
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
      if isError { return bus.fail(Self.code(of: message.errorName)) }
      application = .done
    case .advertisement:
      guard advertising == .pending, UInt8(truncatingIfNeeded: tag) == registrations else { return }
      if isError { return bus.fail(Self.code(of: message.errorName)) }
      advertising = .done
      guard answerTime != nil else { return }
      answerTime = nil
      controller.finishCommand(.success)
    case .device:
      guard let place = place(tag) else { return }
      var body = message.body
      guard !isError, open(place, &body, &controller, &bus) else { return remove(place, &bus) }
      links.advance(place, &controller, &bus)
    case .disconnect:
      if let place = place(tag) {
        close(place, .connectionTerminatedByLocalHost, &controller, &bus)
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
      if let place = place(tag) {
        close(place, .connectionTerminatedByLocalHost, &controller, &bus)
      }
    case nil: break
    }
  }

  /// What a refusal of bluetoothd means.
  private static func code(of name: Span<UInt8>) -> ErrorNumber {
    if name.equals("org.bluez.Error.NotPermitted") { return .noSpace }
    if name.equals("org.bluez.Error.InvalidLength") { return .messageTooLong }
    if name.equals("org.bluez.Error.Failed") { return .inputOutput }
    if name.equals("org.freedesktop.DBus.Error.UnknownMethod") { return .notSupported }
    return BlueZSession.code(of: name)
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
        for place in 0..<CentralLinks.capacity where links.links[place].isUsed {
          guard sockets.isPerCentral ? place == owner : isLast else { continue }
          configure(characteristic, of: place, isOn: false, &bus)
          links.advance(place, &controller, &bus)
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
      let place = links.place(of: address)
    else { return }
    var body = message.body
    guard let interface = body.readText(), interface.equals("org.bluez.Device1"),
      let device = DeviceProperties(&body)
    else { return }
    if device.isConnected == false {
      close(place, .remoteUserTerminatedConnection, &controller, &bus)
    }
  }

  // MARK: Centrals

  /// The place of the central that a tag is about; `nil` if its link has ended.
  private func place(_ tag: UInt32) -> Int? {
    let place = Int(tag &>> 8 & 0xFF)
    guard place < CentralLinks.capacity, links.links[place].isUsed,
      links.links[place].generation == UInt8(truncatingIfNeeded: tag)
    else { return nil }
    return place
  }

  /// The place of the central that is the device at `path`, which gets a link; `nil` if there are too many.
  @inline(never)
  private mutating func place(
    for path: Span<UInt8>, mtu: UInt16?, _ bus: inout BlueZBus
  ) -> Int? {
    guard let address = path.deviceAddress(below: bus.adapterPath.span) else { return nil }
    if let place = links.place(of: address) { return place }
    guard let place = links.add(address) else { return nil }
    bus.watch("org.bluez.Device1", at: path)
    bus.call(
      .getAllProperties, on: path,
      tag: Question.device.tag(place, links.links[place].generation), timeout: 5_000, signature: "s"
    ) { $0.write("org.bluez.Device1") }
    let mtu = ATTMTU(Int(mtu ?? 0)) ?? .maximum
    links.append(
      .exchangeMTU, 0, of: place, call: 0, offset: UInt16(truncatingIfNeeded: mtu.byteCount), &bus)
    if !sockets.isPerCentral { subscribe(place, &bus) }
    return place
  }

  /// Subscribes a new central to all that has a socket: bluetoothd does not say whether it has subscribed.
  @inline(never)
  private mutating func subscribe(_ place: Int, _ bus: inout BlueZBus) {
    var last: UInt16 = 0
    for index in 0..<UpdateSockets.capacity {
      guard let (characteristic, _) = sockets.owner(at: index), characteristic != last else {
        continue
      }
      last = characteristic
      configure(characteristic, of: place, isOn: true, &bus)
    }
  }

  /// Writes the Client Characteristic Configuration of a characteristic for a central.
  @inline(never)
  private mutating func configure(
    _ characteristic: UInt16, of place: Int, isOn: Bool, _ bus: inout BlueZBus
  ) {
    guard let handle = database.configuration(of: characteristic),
      let properties = database[characteristic]?.properties
    else { return }
    let on: UInt8 = properties.contains(.notify) ? 1 : 2
    let value: InlineArray<2, UInt8> = [isOn ? on : 0, 0]
    links.append(.configure, handle, of: place, call: 0, value: value.span, &bus)
  }

  /// Opens the link of a central that bluetoothd has described; `false` if it has gone, or there are too many.
  @inline(never)
  private mutating func open(
    _ place: Int, _ body: inout DBusReader, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) -> Bool {
    guard let device = DeviceProperties(&body), device.isConnected == true else { return false }
    let address = DeviceAddress(
      kind: device.hasRandomAddress ? .random : .public, bytes: links.links[place].address)
    guard let index = controller.openLink(to: address, .peripheral, rssi: device.rssi) else {
      return false
    }
    links.links[place].index = index
    pauseEnd = bus.now.advanced(by: Self.pause)
    return true
  }

  @inline(never)
  private mutating func close(
    _ place: Int, _ reason: HCIErrorCode, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    if let index = links.links[place].index { controller.closeLink(index, reason) }
    remove(place, &bus)
  }

  @inline(never)
  private mutating func remove(_ place: Int, _ bus: inout BlueZBus) {
    let path = ObjectPath(adapter: bus.adapter, device: links.links[place].address)
    bus.watch("org.bluez.Device1", at: path.span, false)
    links.remove(place, &bus)
  }
}

// The calls of bluetoothd.
extension BlueZPeripheral {
  /// Answers a call, or passes it to the host.
  @inline(never)
  mutating func call(
    _ message: borrowing DBusMessage, _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) {
    guard message.sender.hasSameBytes(as: bus.owner.span) else {
      return bus.output.reply(
        to: message.serial, of: message.sender, error: "org.freedesktop.DBus.Error.AccessDenied"
      ) { $0.write(text: "these objects are bluetoothd's alone") }
    }
    if message.isOf(.getManagedObjects), message.path.equals(ExportedDatabase.root) {
      return bus.reply(to: message.serial, signature: "a{oa{sa{sv}}}") { database.write(to: &$0) }
    }
    if message.path.equals(ExportedAdvertisement.path) {
      if message.isOf(.getAllProperties) {
        return bus.reply(to: message.serial, signature: "a{sv}") {
          ExportedAdvertisement.write(advertisement, to: &$0)
        }
      }
      if message.isOf(.releaseAdvertisement) {
        advertising = .none
        controller.advertisingEnded()
        return bus.reply(to: message.serial)
      }
    }
    if let handle = ExportedDatabase.handle(of: message.path), let attribute = database[handle],
      use(attribute, at: handle, message, &controller, &bus)
    {
      return
    }
    bus.output.reply(
      to: message.serial, of: message.sender, error: "org.freedesktop.DBus.Error.UnknownMethod"
    ) { $0.write(text: "there is no such method") }
  }

  /// Uses the attribute of an object; `false` if it has no such method.
  @inline(never)
  private mutating func use(
    _ attribute: Attribute, at handle: UInt16, _ message: borrowing DBusMessage,
    _ controller: inout BlueZController, _ bus: inout BlueZBus
  ) -> Bool {
    let isCharacteristic = attribute.type == .characteristic
    if isCharacteristic, message.isOf(.confirm) {
      confirm(handle, for: nil, &controller)
      bus.reply(to: message.serial)
      return true
    }
    var body = message.body
    var value = Span<UInt8>()
    let isWrite = message.isOf(isCharacteristic ? .writeCharacteristic : .writeDescriptor)
    let isRead = message.isOf(isCharacteristic ? .readCharacteristic : .readDescriptor)
    let isSubscription = isCharacteristic && message.isOf(.acquireNotify)
    guard isWrite || isRead || isSubscription else { return false }
    if isWrite {
      guard let bytes = body.readBytes() else { return false }
      value = bytes
    }
    guard let options = UseOptions(&body) else { return false }
    let call = message.needsNoReply ? 0 : message.serial
    guard let place = place(for: options.device, mtu: options.mtu, &bus) else {
      bus.reply(to: call, error: .insufficientResources)
      return true
    }
    let target = isCharacteristic ? handle &+ 1 : handle
    if isSubscription {
      acquire(handle, place, call, &bus)
    } else if isRead {
      links.append(.read, target, of: place, call: call, offset: options.offset, &bus)
    } else {
      // Without a reply, bluetoothd has already answered the central.
      let isCommand =
        message.needsNoReply && attribute.properties.contains(.writeWithoutResponse)
        && value.count &+ 3 <= links.links[place].mtu
      links.append(
        isCommand ? .command : .write, target, of: place, call: call, offset: options.offset,
        value: value, &bus)
    }
    links.advance(place, &controller, &bus)
    return true
  }

  /// Gives bluetoothd a socket for the updates of a characteristic, and subscribes the central.
  @inline(never)
  private mutating func acquire(
    _ characteristic: UInt16, _ place: Int, _ call: UInt32, _ bus: inout BlueZBus
  ) {
    guard database.configuration(of: characteristic) != nil,
      let end = sockets.add(characteristic, for: place, in: bus.sockets)
    else { return bus.reply(to: call, error: .insufficientResources) }
    let mtu = UInt16(truncatingIfNeeded: links.links[place].mtu)
    bus.reply(to: call, signature: "hq", with: end) {
      $0.write(UInt32(0))
      $0.write(mtu)
    }
    if sockets.isPerCentral {
      configure(characteristic, of: place, isOn: true, &bus)
    } else {
      for place in 0..<CentralLinks.capacity where links.links[place].isUsed {
        configure(characteristic, of: place, isOn: true, &bus)
      }
    }
  }
}

/// The options of a read, a write or a subscription that bluetoothd passes.
private struct UseOptions: ~Escapable {
  var device: Span<UInt8>
  var offset: UInt16 = 0
  var mtu: UInt16?

  /// Reads `a{sv}`; `nil` if it is invalid or without a device.
  @_lifetime(copy body) init?(_ body: inout DBusReader) {
    guard var entries = body.readArray(alignedTo: 8) else { return nil }
    var device: Span<UInt8>?
    while !entries.isEmpty {
      guard entries.enterStructure(), let name = entries.readText(),
        let value = entries.readVariant()
      else { return nil }
      if name.equals("device") { device = value.text }
      if name.equals("offset") { offset = value.uint16 ?? 0 }
      if name.equals("mtu") { mtu = value.uint16 }
    }
    guard let device else { return nil }
    self.device = device
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
    guard var properties = body.readArray(alignedTo: 8) else { return nil }
    while !properties.isEmpty {
      guard properties.enterStructure(), let name = properties.readText(),
        let value = properties.readVariant()
      else { return nil }
      if name.equals("Connected") { isConnected = value.boolean }
      if name.equals("AddressType") { hasRandomAddress = value.text?.equals("random") ?? false }
      if name.equals("RSSI") { rssi = value.int16.map { Int8(clamping: $0) } }
    }
  }
}
