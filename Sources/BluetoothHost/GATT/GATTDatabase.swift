/// The attributes that a server offers, by handle.
///
/// `count` is the number of lines of its table. Core Specification, Vol 3, Part G, 2.5.1.
public struct GATTDatabase<let count: Int>: ~Copyable {
  /// How many Client Characteristic Configurations a database can have; those after them cannot
  /// be written.
  static var clientConfigurationCapacity: Int { 8 }

  /// How many attributes of the application a database can have.
  static var applicationCapacity: Int { 8 }

  private var attributes: InlineArray<count, Attribute>
  private let pin = Pinned()
  private var applicationPlaces = InlineArray<8, ValuePlace>(repeating: ValuePlace())

  /// Where the value of Service Changed is.
  private(set) var serviceChanged = ValuePlace()

  /// The hash of the table's structure, by which a central knows whether what it remembers still
  /// holds. Core Specification, Vol 3, Part G, 7.3.
  public private(set) var hash = DatabaseHash()

  /// Takes a table and fills in what follows from the order of its lines: each value's type and
  /// properties, and where each service ends.
  public init(_ table: InlineArray<count, Attribute>) {
    attributes = table
    link()
    hash = DatabaseHash(of: attributes.span)
  }

  /// The attributes; that at index 0 has the handle 0x0001.
  var span: Span<Attribute> {
    @_lifetime(borrow self)
    borrowing get { attributes.span }
  }

  /// Where the value of `attribute` is; `.none` if the table has no such line.
  public func handle(of attribute: ApplicationAttribute) -> AttributeHandle {
    let index = Int(attribute.rawValue)
    return index < Self.applicationCapacity ? applicationPlaces[index].handle : .none
  }

  /// Where the value of `attribute` is, and which slot says who wants to be told of it.
  func place(of attribute: ApplicationAttribute) -> ValuePlace {
    let index = Int(attribute.rawValue)
    return index < Self.applicationCapacity ? applicationPlaces[index] : ValuePlace()
  }

  private mutating func link() {
    var service: Int?
    var valueIndex: Int?
    var slots = 0
    for index in 0..<count {
      let handle = AttributeHandle(rawValue: UInt16(truncatingIfNeeded: index + 1))
      attributes[index].groupEnd = handle
      if index > 0, case .characteristic(let uuid) = attributes[index - 1].value {
        valueIndex = index
        attributes[index].type = uuid
        attributes[index].properties = attributes[index - 1].properties
        setPlace(ofValueAt: index) { $0.handle = handle }
      }
      switch attributes[index].value {
      case .service:
        service = index
      case .clientConfiguration:
        attributes[index].value = .clientConfiguration(slot: slots)
        if let valueIndex { setPlace(ofValueAt: valueIndex) { $0.slot = slots } }
        slots += 1
      default:
        break
      }
      if let service { attributes[service].groupEnd = handle }
    }
  }

  private mutating func setPlace(ofValueAt index: Int, _ body: (inout ValuePlace) -> Void) {
    if case .application(let attribute) = attributes[index].value,
      Int(attribute.rawValue) < Self.applicationCapacity
    {
      body(&applicationPlaces[Int(attribute.rawValue)])
    } else if attributes[index].type == .serviceChanged {
      body(&serviceChanged)
    }
  }
}

/// Where a value is, and which slot of a bearer says who wants to be told of it.
struct ValuePlace {
  /// The value; `.none` if the table has none.
  var handle = AttributeHandle.none
  /// The slot of its Client Characteristic Configuration; `nil` if it has none.
  var slot: Int?
}

extension Span<Attribute> {
  /// The attribute at `handle`; `nil` if there is none.
  subscript(handle: AttributeHandle) -> Attribute? {
    let index = Int(handle.rawValue) - 1
    return index >= 0 && index < count ? self[index] : nil
  }

  /// Writes the value of a declaration at `handle`, as discovery reads it.
  ///
  /// Core Specification, Vol 3, Part G, 3.1 to 3.3. Other attributes write nothing.
  func writeDeclaration(at handle: AttributeHandle, to writer: inout ByteWriter) {
    guard let attribute = self[handle] else { return }
    switch attribute.value {
    case .service(let uuid):
      uuid.write(to: &writer)
    case .include(let start):
      guard let service = self[start], case .service(let uuid) = service.value else { return }
      writer.write(start.rawValue)
      writer.write(service.groupEnd.rawValue)
      // The UUID is told only in its 16-bit form; a longer one is read from the service.
      if uuid.short != nil { uuid.write(to: &writer) }
    case .characteristic(let uuid):
      writer.write(attribute.properties.rawValue)
      writer.write(handle.rawValue &+ 1)
      uuid.write(to: &writer)
    default:
      break
    }
  }
}
