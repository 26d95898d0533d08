import BluetoothHost
import Linux

/// The attributes of a peripheral, as bluetoothd has found them: an `AttributeDatabase` in memory that is mapped when
/// it is filled.
///
/// The paths of bluetoothd's objects have the handles: `service000a/char000b/desc000d`. It keeps the service GAP, and
/// services that a plugin of its own uses, to itself.
package struct RemoteDatabase: AttributeDatabase, ~Copyable {
  /// As many as there are handles.
  private static var capacity: Int { 0xFFFF }

  private var table = MappedTable<Attribute>(capacity)
  /// The longest ATT PDU of the link; `nil` if bluetoothd does not report it.
  package private(set) var mtu: UInt16?

  /// No attributes.
  package init() {}

  /// The attributes.
  package var attributes: Span<Attribute> {
    @_lifetime(borrow self) borrowing get { table.span }
  }

  /// The hash of the attributes. No client reads it: the peripheral's own is an attribute of it.
  package var hash: DatabaseHash { mutating get { DatabaseHash(of: attributes) } }

  /// None: the peripheral's own is an attribute of it.
  package var serviceChanged: ValueLocation { ValueLocation() }

  /// The number of an attribute is its handle.
  package func location(of attribute: ApplicationAttribute) -> ValueLocation {
    ValueLocation(handle: AttributeHandle(rawValue: attribute.rawValue))
  }

  /// The attribute at `handle`; `nil` if there is none.
  package borrowing func attribute(at handle: UInt16) -> Attribute? {
    handle > 0 && Int(handle) <= table.count ? table.span[Int(handle) &- 1] : nil
  }

  /// Where the value or the descriptor at `handle` is; `nil` for any other attribute.
  package borrowing func place(of handle: UInt16) -> AttributePlace? {
    var place = AttributePlace()
    var handle = handle
    while let attribute = attribute(at: handle) {
      switch attribute.value {
      case .characteristic where place.characteristic == 0: place.characteristic = handle
      case .service:
        place.service = handle
        return place.characteristic == 0 ? nil : place
      default: break
      }
      handle &-= 1
    }
    return nil
  }

  // MARK: Filling

  /// Removes all attributes.
  package mutating func removeAll() {
    table.removeAll()
    mtu = nil
  }

  /// Adds the attribute that an object below `device` describes; nothing for any other object. Call `link` at the end.
  package mutating func add(_ object: borrowing ManagedInterface, of device: Span<UInt8>) {
    guard let position = AttributePath(object.path, of: device) else { return }
    var description = AttributeDescription()
    object.forEachProperty { description.take($0, $1) }
    guard let uuid = description.uuid else { return }
    let handle = position.handle
    let isCharacteristic = object.name.equals("org.bluez.GattCharacteristic1")
    switch position.kind {
    case .service where object.name.equals("org.bluez.GattService1"):
      put(description.isPrimary ? .primaryService(uuid) : .secondaryService(uuid), at: handle)
    case .characteristic where isCharacteristic && handle < 0xFFFF:
      put(.characteristic(uuid, description.properties), at: handle)
      put(.value(.application(ApplicationAttribute(rawValue: handle &+ 1))), at: handle &+ 1)
      if let mtu = description.mtu { self.mtu = mtu }
    case .descriptor where object.name.equals("org.bluez.GattDescriptor1"):
      // What may be written is the peripheral's decision.
      put(
        .descriptor(
          uuid, .read | .write, .application(ApplicationAttribute(rawValue: handle))), at: handle)
    default: break
    }
  }

  /// Completes the attributes, when all have been added.
  package mutating func link() {
    var attributes = table.mutableSpan
    attributes.link(from: AttributeHandle(rawValue: 1)) { 0 }
  }

  private mutating func put(_ attribute: Attribute, at handle: UInt16) {
    while table.count < Int(handle) { guard table.append(.vacant) else { return } }
    var attributes = table.mutableSpan
    attributes[Int(handle) &- 1] = attribute
  }
}

/// The handles in the path of an attribute's object.
package struct AttributePlace: Equatable {
  /// The service's declaration.
  package var service: UInt16 = 0
  /// The characteristic's declaration; its value is the next attribute.
  package var characteristic: UInt16 = 0

  /// The value of the characteristic.
  package var value: UInt16 { characteristic &+ 1 }
}

/// Which attribute of a device an object is, by its path.
struct AttributePath {
  /// What the object describes.
  enum Kind {
    case service, characteristic, descriptor
  }

  let kind: Kind
  let handle: UInt16

  /// Reads the path below `device`; `nil` for any other object.
  init?(_ path: Span<UInt8>, of device: Span<UInt8>) {
    guard path.isBelow(device) else { return nil }
    // The last part: the kind, and four digits.
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let name = path.extracting(droppingFirst: slash &+ 1)
    if name.begins(with: "service") {
      kind = .service
    } else if name.begins(with: "char") {
      kind = .characteristic
    } else if name.begins(with: "desc") {
      kind = .descriptor
    } else {
      return nil
    }
    guard name.count == (kind == .service ? 11 : 8) else { return nil }
    var handle: UInt16 = 0
    for index in (name.count &- 4)..<name.count {
      guard let digit = name[index].hexadecimalValue else { return nil }
      handle = handle &<< 4 | UInt16(digit)
    }
    guard handle > 0 else { return nil }
    self.handle = handle
  }
}

/// What the properties of an object describe.
struct AttributeDescription {
  var uuid: BluetoothUUID?
  var isPrimary = true
  var properties = GATTProperties(rawValue: 0)
  var mtu: UInt16?

  mutating func take(_ name: Span<UInt8>, _ value: DBusVariant) {
    if name.equals("UUID"), let text = value.text { uuid = BluetoothUUID(text: text) }
    if name.equals("Primary"), let boolean = value.boolean { isPrimary = boolean }
    if name.equals("MTU") { mtu = value.uint16 }
    if name.equals("Flags"), var flags = value.array("as", alignedTo: 4) {
      while !flags.isEmpty, let flag = flags.readText() { add(flag) }
    }
  }

  private mutating func add(_ flag: Span<UInt8>) {
    // In the order of their bits: Core Specification, Vol 3, Part G, 3.3.1.1.
    let names: InlineArray<8, StaticString> = [
      "broadcast", "read", "write-without-response", "write", "notify", "indicate",
      "authenticated-signed-writes", "extended-properties",
    ]
    for index in names.indices where flag.equals(names[index]) {
      properties = properties | GATTProperties(rawValue: 1 &<< UInt8(index))
    }
  }
}
