import BluetoothHost
import Linux

/// The services of the host, as the objects that bluetoothd asks for: `/gatt/s001B/c001C/d0020`, with the
/// handles of the host's database. bluetoothd gives them other handles, and has its own Generic Access and
/// Generic Attribute services.
package struct ExportedDatabase: ~Copyable {
  /// The path of the objects.
  static var root: StaticString { "/gatt" }

  private var attributes: MappedArray<Attribute>
  private var count = 0
  /// What the values of the application require beside their own protection.
  private var protection = AttributeProtection.none

  /// A database without attributes; `nil` if the kernel refuses the memory.
  init?() {
    guard let attributes = unsafe MappedArray<Attribute>(zeros: 0xFFFF) else { return nil }
    self.attributes = attributes
  }

  /// Copies the attributes, from the handle 0x0001 on.
  mutating func assign(_ new: Span<Attribute>, protection: AttributeProtection) {
    count = min(new.count, attributes.capacity)
    for index in 0..<count { attributes[index] = new[index] }
    self.protection = protection
  }

  /// The attribute at a handle; `nil` if there is none.
  subscript(handle: UInt16) -> Attribute? {
    let index = Int(handle) &- 1
    return index >= 0 && index < count && !attributes[index].isVacant ? attributes[index] : nil
  }

  /// The handle of the object at a path; `nil` for another path.
  static func handle(of path: Span<UInt8>) -> UInt16? {
    let prefix = ProgramText(root).span
    guard path.count > prefix.count &+ 6, path.begins(with: root) else { return nil }
    var handle: UInt16 = 0
    for index in path.count &- 4..<path.count {
      guard let digit = path[index].hexadecimalValue else { return nil }
      handle = handle &<< 4 | UInt16(digit)
    }
    return handle
  }

  /// The Client Characteristic Configuration of the characteristic whose declaration is at a handle: its
  /// handle; `nil` without one.
  func configuration(of characteristic: UInt16) -> UInt16? {
    var handle = characteristic &+ 2
    while let attribute = self[handle] {
      switch attribute.value {
      case .clientConfiguration: return handle
      case .characteristic, .service: return nil
      default: handle &+= 1
      }
    }
    return nil
  }

  // MARK: The objects

  /// Writes all objects: `a{oa{sa{sv}}}`.
  func write(to writer: inout DBusWriter) {
    let objects = writer.beginArray(alignedTo: 8)
    var service: UInt16?
    var characteristic: UInt16 = 0
    for index in 0..<count {
      let handle = UInt16(truncatingIfNeeded: index &+ 1)
      let attribute = attributes[index]
      switch attribute.value {
      case .service(let uuid):
        service = uuid == .genericAccessService || uuid == .genericAttributeService ? nil : handle
        if let service { write(attribute, uuid, at: service, to: &writer) }
      case .characteristic(let uuid):
        guard let service else { continue }
        characteristic = handle
        write(attribute, uuid, at: handle, in: service, to: &writer)
      case .vacant, .include, .clientConfiguration: continue
      default:
        // A value belongs to its characteristic, and bluetoothd makes these descriptors itself.
        guard let service, handle != characteristic &+ 1,
          attribute.type != .characteristicExtendedProperties,
          attribute.type != .serverCharacteristicConfiguration
        else { continue }
        writeDescriptor(attribute, at: handle, of: characteristic, in: service, to: &writer)
      }
    }
    writer.endArray(objects)
  }

  private func write(
    _ attribute: Attribute, _ uuid: BluetoothUUID, at service: UInt16, to writer: inout DBusWriter
  ) {
    let object = writer.beginObject("org.bluez.GattService1") {
      Self.write(service: service, to: &$0)
    }
    writer.writeProperty("UUID", uuid)
    writer.beginProperty("Primary", "b")
    writer.write(attribute.type == .primaryService)
    writer.beginProperty("Includes", "ao")
    let includes = writer.beginArray(alignedTo: 4)
    var handle = service &+ 1
    while handle <= attribute.groupEnd.rawValue, case .include(let start)? = self[handle]?.value {
      writer.writeText { Self.write(service: start.rawValue, to: &$0) }
      handle &+= 1
    }
    writer.endArray(includes)
    writer.endObject(object)
  }

  private func write(
    _ attribute: Attribute, _ uuid: BluetoothUUID, at handle: UInt16, in service: UInt16,
    to writer: inout DBusWriter
  ) {
    let object = writer.beginObject("org.bluez.GattCharacteristic1") {
      Self.write(characteristic: handle, in: service, to: &$0)
    }
    writer.writeProperty("UUID", uuid)
    writer.beginProperty("Service", "o")
    writer.writeText { Self.write(service: service, to: &$0) }
    writer.beginProperty("Flags", "as")
    let flags = writer.beginArray(alignedTo: 4)
    writer.write(
      flagsOf: attribute.properties, protection(of: attribute, at: handle),
      extended: extended(handle))
    writer.endArray(flags)
    if attribute.properties.sendsUpdates {
      // Its presence lets bluetoothd ask for a socket.
      writer.beginProperty("NotifyAcquired", "b")
      writer.write(false)
    }
    writer.endObject(object)
  }

  private func writeDescriptor(
    _ attribute: Attribute, at handle: UInt16, of characteristic: UInt16, in service: UInt16,
    to writer: inout DBusWriter
  ) {
    let object = writer.beginObject("org.bluez.GattDescriptor1") {
      Self.write(characteristic: characteristic, in: service, to: &$0)
      $0.write(text: "/d")
      $0.write(hexadecimal: handle)
    }
    writer.writeProperty("UUID", attribute.type)
    writer.beginProperty("Characteristic", "o")
    writer.writeText { Self.write(characteristic: characteristic, in: service, to: &$0) }
    writer.beginProperty("Flags", "as")
    let flags = writer.beginArray(alignedTo: 4)
    let used = GATTProperties(rawValue: attribute.properties.rawValue & 0x0A)
    writer.write(flagsOf: used, attribute.protection, extended: 0)
    writer.endArray(flags)
    writer.endObject(object)
  }

  /// The protection of the characteristic at a handle: its own, and that of all values of the application.
  private func protection(of attribute: Attribute, at handle: UInt16) -> AttributeProtection {
    guard case .application? = self[handle &+ 1]?.value else { return attribute.protection }
    return AttributeProtection(rawValue: attribute.protection.rawValue | protection.rawValue)
  }

  /// The value of the Characteristic Extended Properties of the characteristic at a handle.
  private func extended(_ characteristic: UInt16) -> UInt64 {
    var handle = characteristic &+ 2
    while let attribute = self[handle] {
      switch attribute.value {
      case .characteristic, .service: return 0
      case .number(let value, _) where attribute.type == .characteristicExtendedProperties:
        return value
      default: handle &+= 1
      }
    }
    return 0
  }

  private static func write(service: UInt16, to writer: inout ByteWriter) {
    writer.write(text: root)
    writer.write(text: "/s")
    writer.write(hexadecimal: service)
  }

  private static func write(
    characteristic: UInt16, in service: UInt16, to writer: inout ByteWriter
  ) {
    write(service: service, to: &writer)
    writer.write(text: "/c")
    writer.write(hexadecimal: characteristic)
  }
}

extension GATTProperties {
  /// Whether the value can be notified or indicated.
  var sendsUpdates: Bool { rawValue & 0x30 != 0 }
}

extension DBusWriter {
  /// Begins an object with one interface, and its properties.
  @_lifetime(self: copy self)
  fileprivate mutating func beginObject(
    _ interface: StaticString, _ path: (inout ByteWriter) -> Void
  ) -> (DBusArrayMark, DBusArrayMark) {
    beginStructure()
    writeText(path)
    let interfaces = beginArray(alignedTo: 8)
    beginStructure()
    write(interface)
    return (interfaces, beginArray(alignedTo: 8))
  }

  @_lifetime(self: copy self)
  fileprivate mutating func endObject(_ object: (DBusArrayMark, DBusArrayMark)) {
    endArray(object.1)
    endArray(object.0)
  }

  @_lifetime(self: copy self)
  fileprivate mutating func writeProperty(_ name: StaticString, _ uuid: BluetoothUUID) {
    beginProperty(name, "s")
    writeText { uuid.writeText(to: &$0) }
  }

  /// Writes the flags of properties with a protection: org.bluez.GattCharacteristic(5), Flags.
  @_lifetime(self: copy self)
  fileprivate mutating func write(
    flagsOf properties: GATTProperties, _ protection: AttributeProtection, extended: UInt64
  ) {
    let bits = protection.rawValue
    if properties.contains(.broadcast) { write("broadcast") }
    if properties.contains(.read) {
      write(flag: bits, "read", "encrypt-read", "encrypt-authenticated-read")
    }
    // With this flag, bluetoothd answers requests itself, and drops each refusal. It takes commands without it, too.
    // A protected command has no flag of its own.
    if properties.contains(.write) || properties.contains(.writeWithoutResponse) && bits & 0x0C != 0
    {
      write(flag: bits &>> 2, "write", "encrypt-write", "encrypt-authenticated-write")
    } else if properties.contains(.writeWithoutResponse) {
      write("write-without-response")
    }
    if properties.contains(.notify) {
      write(flag: bits &>> 4, "notify", "encrypt-notify", "encrypt-authenticated-notify")
    }
    if properties.contains(.indicate) {
      write(flag: bits &>> 4, "indicate", "encrypt-indicate", "encrypt-authenticated-indicate")
    }
    if properties.contains(.authenticatedSignedWrites) { write("authenticated-signed-writes") }
    if extended & 1 != 0 { write("reliable-write") }
    if extended & 2 != 0 { write("writable-auxiliaries") }
  }

  /// Writes the flag for the lowest two bits of a protection.
  @_lifetime(self: copy self)
  private mutating func write(
    flag bits: UInt8, _ plain: StaticString, _ encrypted: StaticString,
    _ authenticated: StaticString
  ) {
    write(bits & 2 != 0 ? authenticated : bits & 1 != 0 ? encrypted : plain)
  }
}
