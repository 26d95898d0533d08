import BluetoothHost
import Linux

// What centrals do with the services, as bluetoothd passes it on: each central that uses one gets a link to the host.
extension BlueZPeripheral {
  /// The index of the central that a tag is about; `nil` if its link has ended.
  func central(ofTag tag: UInt32) -> Int? {
    let central = Int(tag &>> 8 & 0xFF)
    guard central < CentralLinks.capacity, centrals.links[central].isUsed,
      centrals.links[central].generation == UInt8(truncatingIfNeeded: tag)
    else { return nil }
    return central
  }

  /// The index of the central that is the device at `path`, which gets a link; `nil` if there are too many.
  @inline(never)
  private mutating func central(
    for path: Span<UInt8>, mtu: UInt16?, _ bus: inout BlueZBus
  ) -> Int? {
    guard let address = path.deviceAddress(below: bus.adapterPath.span) else { return nil }
    if let central = centrals.central(of: address) { return central }
    guard let central = centrals.add(address) else { return nil }
    bus.watch("org.bluez.Device1", at: path)
    bus.call(
      .getAllProperties, on: path,
      tag: Question.device.tag(central, centrals.links[central].generation), timeout: 5_000,
      signature: "s"
    ) { $0.write("org.bluez.Device1") }
    let mtu = ATTMTU(Int(mtu ?? 0)) ?? .maximum
    centrals.append(
      .exchangeMTU, 0, of: central, call: 0, offset: UInt16(truncatingIfNeeded: mtu.byteCount), &bus
    )
    if !sockets.isPerCentral { subscribe(central, &bus) }
    return central
  }

  /// Subscribes a new central to all that has a socket: bluetoothd does not say whether it has subscribed.
  @inline(never)
  private mutating func subscribe(_ central: Int, _ bus: inout BlueZBus) {
    var last: UInt16 = 0
    for index in 0..<UpdateSockets.capacity {
      guard let (characteristic, _) = sockets.owner(at: index), characteristic != last else {
        continue
      }
      last = characteristic
      configure(characteristic, of: central, isOn: true, &bus)
    }
  }

  /// Writes the Client Characteristic Configuration of a characteristic for a central.
  @inline(never)
  mutating func configure(
    _ characteristic: UInt16, of central: Int, isOn: Bool, _ bus: inout BlueZBus
  ) {
    guard let handle = database.configuration(of: characteristic),
      let properties = database[characteristic]?.properties
    else { return }
    let on: UInt8 = properties.contains(.notify) ? 1 : 2
    let value: InlineArray<2, UInt8> = [isOn ? on : 0, 0]
    centrals.append(.configure, handle, of: central, call: 0, value: value.span, &bus)
  }

  /// Opens the link of a central that bluetoothd has described; `false` if it has gone, or there are too many.
  @inline(never)
  mutating func open(
    _ central: Int, _ body: inout DBusReader, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) -> Bool {
    guard let device = DeviceProperties(&body), device.isConnected == true else { return false }
    let address = DeviceAddress(
      kind: device.hasRandomAddress ? .random : .public, bytes: centrals.links[central].address)
    guard let index = controller.openLink(to: address, .peripheral, rssi: device.rssi) else {
      return false
    }
    centrals.links[central].index = index
    pauseEnd = bus.now.advanced(by: Self.pause)
    return true
  }

  @inline(never)
  mutating func close(
    _ central: Int, _ reason: HCIErrorCode, _ controller: inout BlueZController,
    _ bus: inout BlueZBus
  ) {
    if let index = centrals.links[central].index { controller.closeLink(index, reason) }
    remove(central, &bus)
  }

  @inline(never)
  mutating func remove(_ central: Int, _ bus: inout BlueZBus) {
    let path = ObjectPath(adapter: bus.adapter, device: centrals.links[central].address)
    bus.watch("org.bluez.Device1", at: path.span, false)
    centrals.remove(central, &bus)
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
    guard let central = central(for: options.device, mtu: options.mtu, &bus) else {
      bus.reply(to: call, error: .insufficientResources)
      return true
    }
    let target = isCharacteristic ? handle &+ 1 : handle
    if isSubscription {
      acquire(handle, central, call, &bus)
    } else if isRead {
      centrals.append(.read, target, of: central, call: call, offset: options.offset, &bus)
    } else {
      // Without a reply, bluetoothd has already answered the central.
      let isCommand =
        message.needsNoReply && attribute.properties.contains(.writeWithoutResponse)
        && value.count &+ 3 <= centrals.links[central].mtu
      centrals.append(
        isCommand ? .command : .write, target, of: central, call: call, offset: options.offset,
        value: value, &bus)
    }
    centrals.advance(central, &controller, &bus)
    return true
  }

  /// Gives bluetoothd a socket for the updates of a characteristic, and subscribes the central.
  @inline(never)
  private mutating func acquire(
    _ characteristic: UInt16, _ central: Int, _ call: UInt32, _ bus: inout BlueZBus
  ) {
    guard database.configuration(of: characteristic) != nil,
      let end = sockets.add(characteristic, for: central, in: bus.sockets)
    else { return bus.reply(to: call, error: .insufficientResources) }
    let mtu = UInt16(truncatingIfNeeded: centrals.links[central].mtu)
    bus.reply(to: call, signature: "hq", with: end) {
      $0.write(UInt32(0))
      $0.write(mtu)
    }
    if sockets.isPerCentral {
      configure(characteristic, of: central, isOn: true, &bus)
    } else {
      for central in 0..<CentralLinks.capacity where centrals.links[central].isUsed {
        configure(characteristic, of: central, isOn: true, &bus)
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
