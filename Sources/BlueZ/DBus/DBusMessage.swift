import BluetoothHost
import Linux

/// A message, lent by the `DBusInput` that received it.
/// D-Bus Specification, "Message Protocol". All texts are empty where the message has none.
package struct DBusMessage: ~Escapable {
  /// What a message is.
  package enum Kind: UInt8 {
    case call = 1
    case reply
    case error
    case signal
  }

  /// What it is; `nil` for a kind that a later version may have, which is ignored.
  package let kind: Kind?
  /// Whether its sender wants no reply.
  package let needsNoReply: Bool
  /// Its number, for a reply to it.
  package let serial: UInt32
  /// The number of the call that it replies to; 0 without one.
  package private(set) var replySerial: UInt32 = 0
  /// The object.
  package private(set) var path: Span<UInt8>
  /// The interface.
  package private(set) var interface: Span<UInt8>
  /// The method or the signal.
  package private(set) var member: Span<UInt8>
  /// The name of an error.
  package private(set) var errorName: Span<UInt8>
  /// The unique name of the sender.
  package private(set) var sender: Span<UInt8>
  /// The types of the values in `body`.
  package private(set) var signature: Span<UInt8>
  /// How many descriptors came with it.
  package private(set) var descriptorCount = 0
  /// The values.
  package private(set) var body: DBusReader

  /// The first bytes of each message, which give its length.
  static var prefixCount: Int { 16 }
  /// The longest message: 128 MiB.
  static var longest: Int { 0x800_0000 }

  /// The whole length of the message that begins with `prefix`, of 16 bytes; `nil` if none begins so.
  static func length(_ prefix: Span<UInt8>) -> Int? {
    var reader = ByteReader(prefix)
    // Programs of one machine all send in its order of bytes.
    guard reader.readUInt8() == UInt8(ascii: "l"), reader.readUInt16() != nil,
      reader.readUInt8() == 1,
      let body = reader.readUInt32(), reader.readUInt32() != nil, let fields = reader.readUInt32(),
      body < UInt32(longest), fields <= 0x400_0000
    else { return nil }
    let header = (prefixCount &+ Int(fields) &+ 7) & ~7
    let length = header &+ Int(body)
    return length <= longest ? length : nil
  }

  /// Reads a whole message; `nil` if its header is invalid.
  @_lifetime(copy bytes) package init?(_ bytes: Span<UInt8>) {
    let none = bytes.extracting(first: 0)
    (path, interface, member) = (none, none, none)
    (errorName, sender, signature) = (none, none, none)
    body = DBusReader(none)
    var reader = DBusReader(bytes)
    guard bytes.count >= Self.prefixCount,
      Self.length(bytes.extracting(first: Self.prefixCount)) == bytes.count,
      reader.readByte() != nil, let kind = reader.readByte(), let flags = reader.readByte(),
      reader.readByte() != nil, let length = reader.readUInt32(), let serial = reader.readUInt32(),
      serial != 0, var fields = reader.readArray(alignedTo: 8)
    else { return nil }
    self.kind = Kind(rawValue: kind)
    needsNoReply = flags & 1 != 0
    self.serial = serial
    while !fields.isEmpty {
      guard fields.enterStructure(), let code = fields.readByte(), let field = fields.readVariant(),
        take(code, field)
      else { return nil }
    }
    body = DBusReader(bytes.extracting(droppingFirst: bytes.count &- Int(length)))
  }

  /// Takes a field of the header; `false` if its type is wrong.
  @_lifetime(self: copy self, copy field)
  private mutating func take(_ code: UInt8, _ field: DBusVariant) -> Bool {
    switch code {
    case 1, 2, 3, 4, 7:
      guard let text = field.text else { return false }
      switch code {
      case 1: path = text
      case 2: interface = text
      case 3: member = text
      case 4: errorName = text
      default: sender = text
      }
    case 5, 9:
      guard let number = field.uint32 else { return false }
      if code == 5 { replySerial = number } else { descriptorCount = Int(number) }
    case 8:
      var value = field.value
      guard field.signature.equals("g"), let types = value.readSignature() else { return false }
      signature = types
    default: break
    }
    return true
  }

  /// Whether it is this signal or a call of this method.
  package func isOf(_ member: DBusMember) -> Bool {
    self.member.equals(member.name) && interface.equals(member.interface)
  }
}

/// A method or a signal of an interface.
package struct DBusMember: Sendable {
  /// The interface.
  package let interface: StaticString
  /// The method or the signal.
  package let name: StaticString

  /// The member `name` of `interface`.
  package init(_ interface: StaticString, _ name: StaticString) {
    self.interface = interface
    self.name = name
  }

  /// Asks the bus for the unique name of this connection: the first call.
  package static var hello: DBusMember { DBusMember("org.freedesktop.DBus", "Hello") }
  /// Subscribes to signals: `s`, a rule.
  package static var addMatch: DBusMember { DBusMember("org.freedesktop.DBus", "AddMatch") }
  /// Removes a rule: `s`.
  package static var removeMatch: DBusMember { DBusMember("org.freedesktop.DBus", "RemoveMatch") }
  /// Gets the owner of a name: `s` to `s`.
  package static var getNameOwner: DBusMember { DBusMember("org.freedesktop.DBus", "GetNameOwner") }
  /// A name has another owner: `sss`, the name, the old and the new one.
  package static var nameOwnerChanged: DBusMember {
    DBusMember("org.freedesktop.DBus", "NameOwnerChanged")
  }
  /// `a{oa{sa{sv}}}`: all objects below.
  package static var getManagedObjects: DBusMember {
    DBusMember("org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
  }
  /// `oa{sa{sv}}`.
  package static var interfacesAdded: DBusMember {
    DBusMember("org.freedesktop.DBus.ObjectManager", "InterfacesAdded")
  }
  /// `oas`.
  package static var interfacesRemoved: DBusMember {
    DBusMember("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved")
  }
  /// `s` to `a{sv}`: all properties of an interface.
  package static var getAllProperties: DBusMember {
    DBusMember("org.freedesktop.DBus.Properties", "GetAll")
  }
  /// `sa{sv}as`.
  package static var propertiesChanged: DBusMember {
    DBusMember("org.freedesktop.DBus.Properties", "PropertiesChanged")
  }
}
