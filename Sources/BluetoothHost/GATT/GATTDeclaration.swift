/// A part of a GATT database, as a program declares it: a service, a characteristic, or a single
/// attribute that neither of them makes.
///
///     Service(BluetoothUUID(0x180F)) {  // Battery
///       Characteristic(BluetoothUUID(0x2A19), .read | .notify, value: .application(.charge))
///     }
///
/// Attributes get their handles in the order of the declaration, from 0x0001.
/// Core Specification, Vol 3, Part G, 2.5 and 3.
public protocol GATTDeclaration {
  /// Adds the attributes, in the order of their handles.
  func declare(in table: inout OutputSpan<Attribute>)
}

/// A service with what is in it.
///
/// Core Specification, Vol 3, Part G, 3.1.
public struct Service<Content: GATTDeclaration>: GATTDeclaration {
  private let declaration: Attribute
  private let content: Content

  /// Declares a service.
  ///
  /// - Parameters:
  ///   - uuid: Its type.
  ///   - isPrimary: Whether a central looks for it; `false` if it is only for other services to
  ///     include.
  ///   - content: The services that it includes, each an `Attribute.include(serviceAt:)`, and then its
  ///     characteristics.
  public init(
    _ uuid: BluetoothUUID, isPrimary: Bool = true, @GATTBuilder _ content: () -> Content
  ) {
    declaration = isPrimary ? .primaryService(uuid) : .secondaryService(uuid)
    self.content = content()
  }

  /// Adds the service's declaration, and then its content.
  public func declare(in table: inout OutputSpan<Attribute>) {
    declaration.declare(in: &table)
    content.declare(in: &table)
  }
}

/// A characteristic: its declaration, its value, and its descriptors.
///
/// One that notifies or indicates has a Client Characteristic Configuration right behind its value.
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
  ///   - properties: What can be done with its value.
  ///   - value: Where its value comes from.
  ///   - protection: What a link must have for it.
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

  /// Adds the declaration, the value, the configuration if there is one, and the other descriptors.
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
  ///   - uuid: Its type.
  ///   - properties: What can be done with its value.
  ///   - value: Where its value comes from.
  ///   - protection: What a link must have for it.
  public init(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, value: Attribute.Value,
    protection: AttributeProtection = .none
  ) {
    self.init(uuid, properties, value: value, protection: protection) {}
  }
}

extension Attribute: GATTDeclaration {
  /// Adds this attribute. If there is no room for it, the program stops, in a debug build with a message:
  /// the capacity of its database is too small. This depends on nothing but the program, so its first
  /// start shows it.
  public func declare(in table: inout OutputSpan<Attribute>) {
    precondition(
      !table.isFull,
      "The GATT database declares more attributes than its type, GATTDatabase<capacity>, has room for."
    )
    table.append(self)
  }
}

/// Nothing: the content of a service without characteristics.
public struct EmptyDeclaration: GATTDeclaration {
  /// Adds nothing.
  public func declare(in table: inout OutputSpan<Attribute>) {}
}

/// One declaration after the other, as `GATTBuilder` joins them.
public struct DeclarationSequence<First: GATTDeclaration, Next: GATTDeclaration>: GATTDeclaration {
  let first: First
  let next: Next

  /// Adds the first, and then the next.
  public func declare(in table: inout OutputSpan<Attribute>) {
    first.declare(in: &table)
    next.declare(in: &table)
  }
}

/// Makes one declaration from those in braces.
@resultBuilder
public enum GATTBuilder {
  /// No declaration.
  public static func buildBlock() -> EmptyDeclaration { EmptyDeclaration() }

  /// The first declaration.
  public static func buildPartialBlock<First: GATTDeclaration>(first: First) -> First { first }

  /// Those before, and another one.
  public static func buildPartialBlock<First: GATTDeclaration, Next: GATTDeclaration>(
    accumulated: First, next: Next
  ) -> DeclarationSequence<First, Next> {
    DeclarationSequence(first: accumulated, next: next)
  }
}
