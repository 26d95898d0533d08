/// One line of a GATT database: an attribute, whose handle is its place in the table, from 1.
///
/// A program declares a service and its characteristics (`Service`, `Characteristic`), which make these
/// lines; a database that changes as the program runs makes them itself. They are in the order that
/// the specification wants: a service, then its characteristics, each followed by its value and its
/// descriptors.
///
/// Core Specification, Vol 3, Part G, 2.5 and 3.
public struct Attribute: Sendable {
  /// What it is.
  public internal(set) var type: BluetoothUUID
  /// Where its value comes from.
  public internal(set) var value: Value
  /// How it may be used; a value's are those of its characteristic.
  public internal(set) var properties: GATTProperties
  /// What a link must have for it; a value's is that of its characteristic.
  public internal(set) var protection = AttributeProtection.none
  /// For a service, its last attribute; for the others, the attribute itself. Filled in when the
  /// table is linked.
  public internal(set) var groupEnd = AttributeHandle.none

  /// Where the value of an attribute comes from.
  public enum Value: Equatable, Sendable {
    /// A service's declaration.
    case service(BluetoothUUID)
    /// The declaration of an included service, which starts at the given handle.
    case include(AttributeHandle)
    /// A characteristic's declaration.
    case characteristic(BluetoothUUID)
    /// The lowest `byteCount` bytes, 1 to 8, of a number.
    case number(UInt64, byteCount: Int)
    /// Text that never changes.
    case text(StaticText)
    /// The name that this device goes by, as in its advertising.
    case deviceName
    /// The hash of the database's structure.
    case databaseHash
    /// What the central has said it can do.
    case clientSupportedFeatures
    /// What the central wants to be told; `slot` is filled in when the table is linked.
    case clientConfiguration(slot: Int)
    /// Never read or written, only indicated or notified.
    case none
    /// The application is asked.
    case application(ApplicationAttribute)
    /// There is no attribute with this handle.
    case vacant
  }

  private init(_ type: BluetoothUUID, _ value: Value, _ properties: GATTProperties) {
    self.type = type
    self.value = value
    self.properties = properties
  }

  /// A line without an attribute: what was there has gone, and those after it keep their handles.
  public static var vacant: Attribute {
    Attribute(BluetoothUUID(0x0000), .vacant, GATTProperties(rawValue: 0))
  }

  /// A service that a central looks for.
  public static func primaryService(_ uuid: BluetoothUUID) -> Attribute {
    Attribute(.primaryService, .service(uuid), .read)
  }

  /// A service that only others include.
  public static func secondaryService(_ uuid: BluetoothUUID) -> Attribute {
    Attribute(.secondaryService, .service(uuid), .read)
  }

  /// A reference to the service declared at `handle`.
  public static func include(serviceAt handle: AttributeHandle) -> Attribute {
    Attribute(.include, .include(handle), .read)
  }

  /// A characteristic; its value is the next line.
  public static func characteristic(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, protection: AttributeProtection = .none
  ) -> Attribute {
    var attribute = Attribute(.characteristic, .characteristic(uuid), properties)
    attribute.protection = protection
    return attribute
  }

  /// The value of the characteristic on the line before, which gives its type and properties.
  public static func value(_ value: Value) -> Attribute {
    Attribute(BluetoothUUID(0x0000), value, GATTProperties(rawValue: 0))
  }

  /// Where a central says what it wants to be told of the characteristic above.
  public static var clientCharacteristicConfiguration: Attribute {
    Attribute(.clientCharacteristicConfiguration, .clientConfiguration(slot: 0), .read | .write)
  }

  /// Any other descriptor of the characteristic above.
  public static func descriptor(
    _ type: BluetoothUUID, _ properties: GATTProperties, _ value: Value,
    protection: AttributeProtection = .none
  ) -> Attribute {
    var attribute = Attribute(type, value, properties)
    attribute.protection = protection
    return attribute
  }
}

extension Attribute {
  /// Whether there is an attribute.
  public var isVacant: Bool {
    if case .vacant = value { true } else { false }
  }

  /// Whether it declares a service, an included service or a characteristic. Every client may read it.
  var isDeclaration: Bool {
    switch value {
    case .service, .include, .characteristic: true
    default: false
    }
  }

  /// Whether a request for attributes of `type` is about it.
  func isOf(_ type: BluetoothUUID) -> Bool {
    self.type == type && !isVacant
  }

  /// Whether a central may do `what` with it. A declaration may be read and nothing else, whatever
  /// the properties that it declares.
  func allows(_ what: GATTProperties) -> Bool {
    switch value {
    case .service, .include, .characteristic: what == .read
    default: properties.contains(what)
    }
  }
}

/// An attribute whose value the application keeps: a number of its own choosing.
public struct ApplicationAttribute: RawRepresentable, Equatable, Sendable {
  /// Used at most once in a database. A `GATTDatabase` finds 0 to 7 at once, and searches for others.
  public var rawValue: UInt16

  /// Any number, known or not.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }
}

/// Text that is part of the program.
public struct StaticText: Equatable, Sendable {
  private let string: StaticString

  /// Any string literal.
  public init(_ string: StaticString) {
    self.string = string
  }

  /// The number of bytes in UTF-8.
  public var byteCount: Int { string.utf8CodeUnitCount }

  /// Writes as much as fits, in UTF-8.
  public func writePrefix(to writer: inout ByteWriter) {
    guard string.hasPointerRepresentation else { return }
    string.withUTF8Buffer { utf8 in
      unsafe writer.writePrefix(of: utf8.span)
    }
  }

  /// Whether it holds just these bytes.
  public func isEqual(to utf8: Span<UInt8>) -> Bool {
    guard string.hasPointerRepresentation else { return false }
    return string.withUTF8Buffer { unsafe $0.span.hasSameBytes(as: utf8) }
  }

  /// Whether both hold the same bytes.
  public static func == (left: StaticText, right: StaticText) -> Bool {
    guard left.byteCount == right.byteCount, left.string.hasPointerRepresentation,
      right.string.hasPointerRepresentation
    else { return false }
    return left.string.withUTF8Buffer { left in
      right.string.withUTF8Buffer { right in
        unsafe left.span.hasSameBytes(as: right.span)
      }
    }
  }
}
