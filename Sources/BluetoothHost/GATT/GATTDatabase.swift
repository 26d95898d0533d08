/// A database that never changes: a table that is part of the program.
///
/// `count` is the number of its lines. Core Specification, Vol 3, Part G, 2.5.1.
public struct GATTDatabase<let count: Int>: AttributeDatabase, ~Copyable {
  /// How many attributes of the application a table can have.
  static var applicationCapacity: Int { 8 }

  private var lines: InlineArray<count, Attribute>
  private let pin = Pinned()
  private var applicationPlaces = InlineArray<8, ValuePlace>(repeating: ValuePlace())

  /// Where the value of Service Changed is.
  public private(set) var serviceChanged = ValuePlace()

  /// The hash of the table's structure, by which a central knows whether what it remembers still
  /// holds. Core Specification, Vol 3, Part G, 7.3.
  public private(set) var hash = DatabaseHash()

  /// Takes a table and fills in what follows from the order of its lines: each value's type and
  /// properties, and where each service ends.
  public init(_ table: InlineArray<count, Attribute>) {
    lines = table
    var slots = 0
    var span = lines.mutableSpan
    span.link(from: .first) {
      slots += 1
      return slots - 1
    }
    notePlaces()
    hash = DatabaseHash(of: attributes)
  }

  /// The attributes; that at index 0 has the handle 0x0001.
  public var attributes: Span<Attribute> {
    @_lifetime(borrow self)
    borrowing get { lines.span }
  }

  /// Where the value of `attribute` is, and which slot says who wants to be told of it.
  public func place(of attribute: ApplicationAttribute) -> ValuePlace {
    let index = Int(attribute.rawValue)
    return index < Self.applicationCapacity ? applicationPlaces[index] : ValuePlace()
  }

  /// Notes where the values are that are told without being asked for.
  private mutating func notePlaces() {
    var valueIndex: Int?
    for index in 0..<count {
      if index > 0, case .characteristic = lines[index - 1].value {
        valueIndex = index
        let handle = AttributeHandle(rawValue: UInt16(truncatingIfNeeded: index + 1))
        setPlace(ofValueAt: index) { $0.handle = handle }
      }
      if case .clientConfiguration(let slot) = lines[index].value, let valueIndex {
        setPlace(ofValueAt: valueIndex) { $0.slot = slot }
      }
    }
  }

  private mutating func setPlace(ofValueAt index: Int, _ body: (inout ValuePlace) -> Void) {
    if case .application(let attribute) = lines[index].value,
      Int(attribute.rawValue) < Self.applicationCapacity
    {
      body(&applicationPlaces[Int(attribute.rawValue)])
    } else if lines[index].type == .serviceChanged {
      body(&serviceChanged)
    }
  }
}
