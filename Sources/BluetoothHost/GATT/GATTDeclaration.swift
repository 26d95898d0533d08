/// A part of a GATT database that a program declares: a service, a characteristic, or a single
/// attribute.
///
///     Service(BluetoothUUID(0x180F)) {  // Battery
///       Characteristic(BluetoothUUID(0x2A19), .read | .notify, value: .application(.charge))
///     }
///
/// Attributes get their handles in the order of the declaration, from 0x0001. Core Specification,
/// Vol 3, Part G, 2.5 and 3.
public protocol GATTDeclaration {
  /// Appends the attributes in the order of their handles.
  func declare(in table: inout OutputSpan<Attribute>)
}

/// A service and its content: Core Specification, Vol 3, Part G, 3.1.
public struct Service<Content: GATTDeclaration>: GATTDeclaration {
  private let declaration: Attribute
  private let content: Content

  /// Declares a service.
  ///
  /// - Parameters:
  ///   - uuid: Its type.
  ///   - isPrimary: True for a primary service, which clients discover; false for one that only
  ///     other services include.
  ///   - content: The services that it includes, each an `Attribute.include(serviceAt:)`, and then
  ///     its characteristics.
  public init(_ uuid: BluetoothUUID, isPrimary: Bool = true, @GATTBuilder _ content: () -> Content)
  {
    declaration = isPrimary ? .primaryService(uuid) : .secondaryService(uuid)
    self.content = content()
  }

  /// Appends the service's declaration, and then its content.
  public func declare(in table: inout OutputSpan<Attribute>) {
    declaration.declare(in: &table)
    content.declare(in: &table)
  }
}

/// A characteristic: its declaration, its value, and its descriptors.
///
/// One that notifies or indicates has a Client Characteristic Configuration right after its value.
/// Core Specification, Vol 3, Part G, 3.3.
public struct Characteristic<Descriptors: GATTDeclaration>: GATTDeclaration {
  private let uuid: BluetoothUUID
  private let properties: GATTProperties
  private let protection: AttributeProtection
  private let value: Attribute.Value
  private let descriptors: Descriptors

  /// Declares a characteristic.
  ///
  /// - Parameters:
  ///   - uuid: Its type.
  ///   - properties: The permitted uses of its value.
  ///   - value: The source of its value.
  ///   - protection: The security that a link needs for it.
  ///   - descriptors: Its other descriptors, each an `Attribute.descriptor`.
  public init(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, value: Attribute.Value,
    protection: AttributeProtection = .none, @GATTBuilder _ descriptors: () -> Descriptors
  ) {
    self.uuid = uuid
    self.properties = properties
    self.protection = protection
    self.value = value
    self.descriptors = descriptors()
  }

  /// Appends the declaration, the value, the configuration if there is one, and the other
  /// descriptors.
  public func declare(in table: inout OutputSpan<Attribute>) {
    Attribute.characteristic(uuid, properties, protection: protection).declare(in: &table)
    Attribute.value(value).declare(in: &table)
    if properties.contains(.notify) || properties.contains(.indicate) {
      Attribute.clientCharacteristicConfiguration.declare(in: &table)
    }
    descriptors.declare(in: &table)
  }
}

extension Characteristic<EmptyDeclaration> {
  /// Declares a characteristic without other descriptors.
  ///
  /// - Parameters:
  ///   - uuid: The type of the characteristic.
  ///   - properties: The permitted uses of its value.
  ///   - value: The source of its value.
  ///   - protection: The security that a link needs for it.
  public init(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, value: Attribute.Value,
    protection: AttributeProtection = .none
  ) { self.init(uuid, properties, value: value, protection: protection) {} }
}

extension Attribute: GATTDeclaration {
  /// Appends this attribute. If there is no room for it, the program stops, in a debug build with a
  /// message: the database's capacity is too small. This depends only on the program, so its first
  /// start shows it.
  public func declare(in table: inout OutputSpan<Attribute>) {
    precondition(
      !table.isFull,
      "The GATT database declares more attributes than its type, GATTDatabase<capacity>, has room for."
    )
    table.append(self)
  }
}

/// The content of a service without characteristics.
public struct EmptyDeclaration: GATTDeclaration {
  /// Appends nothing.
  public func declare(in table: inout OutputSpan<Attribute>) {}
}

/// Two declarations in order, as `GATTBuilder` joins them.
public struct DeclarationSequence<First: GATTDeclaration, Next: GATTDeclaration>: GATTDeclaration {
  let first: First
  let next: Next

  /// Appends the first, and then the next.
  public func declare(in table: inout OutputSpan<Attribute>) {
    first.declare(in: &table)
    next.declare(in: &table)
  }
}

/// Builds one declaration from those in braces.
@resultBuilder public enum GATTBuilder {
  /// No declaration.
  public static func buildBlock() -> EmptyDeclaration { EmptyDeclaration() }

  /// The first declaration.
  public static func buildPartialBlock<First: GATTDeclaration>(first: First) -> First { first }

  /// The previous declarations, and another one.
  public static func buildPartialBlock<First: GATTDeclaration, Next: GATTDeclaration>(
    accumulated: First, next: Next
  ) -> DeclarationSequence<First, Next> { DeclarationSequence(first: accumulated, next: next) }
}
