/// One attribute of a GATT database. Its handle is its index in the table plus 1.
///
/// A program usually declares services and characteristics (`Service`, `Characteristic`), which
/// create these attributes. A database that changes at run time creates them itself, in the order
/// of the specification: a service, then its characteristics, each followed by its value and its
/// descriptors. Core Specification, Vol 3, Part G, 2.5 and 3.
public struct Attribute: Sendable {
  /// The attribute's type.
  public internal(set) var type: BluetoothUUID
  /// The source of its value.
  public internal(set) var value: Value
  /// How it may be used; a value has its characteristic's properties.
  public internal(set) var properties: GATTProperties
  /// The security that its use requires; a value has its characteristic's protection.
  public internal(set) var protection = AttributeProtection.none
  /// For a service, its last attribute; for other attributes, the attribute itself. Linking the
  /// table sets it. A service may then get a later end before the next service, as some devices
  /// have.
  public var groupEnd = AttributeHandle.none

  /// The source of an attribute's value.
  public enum Value: Equatable, Sendable {
    /// A service's declaration.
    case service(BluetoothUUID)
    /// The declaration of an included service, which starts at the given handle.
    case include(AttributeHandle)
    /// A characteristic's declaration.
    case characteristic(BluetoothUUID)
    /// The lowest `byteCount` bytes, 1 to 8, of a number.
    case number(UInt64, byteCount: Int)
    /// Constant text.
    case text(StaticText)
    /// The device's name, as in its advertising.
    case deviceName
    /// The hash of the database's structure.
    case databaseHash
    /// The client's Client Supported Features.
    case clientSupportedFeatures
    /// A Client Characteristic Configuration. Linking the table sets `slot`.
    case clientConfiguration(slot: Int)
    /// A value that is only notified or indicated.
    case none
    /// A value of the application.
    case application(ApplicationAttribute)
    /// No attribute has this handle.
    case vacant
  }

  private init(_ type: BluetoothUUID, _ value: Value, _ properties: GATTProperties) {
    self.type = type
    self.value = value
    self.properties = properties
  }

  /// An unused handle. The attributes after it keep their handles when one is removed.
  public static var vacant: Attribute {
    Attribute(BluetoothUUID(0x0000), .vacant, GATTProperties(rawValue: 0))
  }

  /// A primary service, which a client discovers.
  public static func primaryService(_ uuid: BluetoothUUID) -> Attribute {
    Attribute(.primaryService, .service(uuid), .read)
  }

  /// A secondary service, which other services include.
  public static func secondaryService(_ uuid: BluetoothUUID) -> Attribute {
    Attribute(.secondaryService, .service(uuid), .read)
  }

  /// A reference to the service declared at `handle`.
  public static func include(serviceAt handle: AttributeHandle) -> Attribute {
    Attribute(.include, .include(handle), .read)
  }

  /// A characteristic; its value is the next attribute.
  public static func characteristic(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, protection: AttributeProtection = .none
  ) -> Attribute {
    var attribute = Attribute(.characteristic, .characteristic(uuid), properties)
    attribute.protection = protection
    return attribute
  }

  /// The value of the characteristic before it, which gives its type and properties.
  public static func value(_ value: Value) -> Attribute {
    Attribute(BluetoothUUID(0x0000), value, GATTProperties(rawValue: 0))
  }

  /// The Client Characteristic Configuration of the characteristic before it.
  public static var clientCharacteristicConfiguration: Attribute {
    Attribute(.clientCharacteristicConfiguration, .clientConfiguration(slot: 0), .read | .write)
  }

  /// Any other descriptor of the characteristic before it.
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
  /// Whether the handle is unused.
  public var isVacant: Bool { if case .vacant = value { true } else { false } }

  /// Whether it declares a service, an include or a characteristic. Every client may read it.
  var isDeclaration: Bool {
    switch value {
    case .service, .include, .characteristic: true
    default: false
    }
  }

  /// Whether it is an attribute of `type`.
  func isOf(_ type: BluetoothUUID) -> Bool { self.type == type && !isVacant }

  /// Whether a client may use it in the way `what`. A declaration is read-only, whatever properties
  /// it declares.
  func allows(_ what: GATTProperties) -> Bool {
    switch value {
    case .service, .include, .characteristic: what == .read
    default: properties.contains(what)
    }
  }
}

/// An attribute whose value the application provides, identified by a number that the program
/// chooses.
public struct ApplicationAttribute: RawRepresentable, Equatable, Sendable {
  /// Used at most once in a database. A `GATTDatabase` finds 0 to 7 directly, and searches for
  /// others.
  public var rawValue: UInt16

  /// Any number, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// Text that is a constant of the program.
public struct StaticText: Equatable, Sendable {
  private let string: StaticString

  /// Any string literal.
  public init(_ string: StaticString) { self.string = string }

  /// The number of bytes in UTF-8.
  public var byteCount: Int { string.utf8CodeUnitCount }

  /// Writes as much as fits, in UTF-8.
  public func writePrefix(to writer: inout ByteWriter) {
    guard string.hasPointerRepresentation else { return }
    string.withUTF8Buffer { utf8 in unsafe writer.writePrefix(of: utf8.span) }
  }

  /// Whether both texts are equal.
  public static func == (left: StaticText, right: StaticText) -> Bool {
    guard left.byteCount == right.byteCount, left.string.hasPointerRepresentation,
      right.string.hasPointerRepresentation
    else { return false }
    return left.string.withUTF8Buffer { left in
      right.string.withUTF8Buffer { right in unsafe left.span.hasSameBytes(as: right.span) }
    }
  }
}
