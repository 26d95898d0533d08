/// A database that never changes: a table that is part of the program.
///
///     let database = GATTDatabase<4> {
///       Service(BluetoothUUID(0x180F)) {  // Battery
///         Characteristic(BluetoothUUID(0x2A19), .read | .notify, value: .application(.charge))
///       }
///     }
///
/// `capacity` is the number of attributes that it has room for: one for each service and each
/// descriptor, two for each characteristic, and one more for a characteristic that notifies or
/// indicates. No central sees the room that is left.
/// Core Specification, Vol 3, Part G, 2.5.1.
public struct GATTDatabase<let capacity: Int>: AttributeDatabase, ~Copyable {
  private var lines: InlineArray<capacity, Attribute>
  private let pin = Pinned()
  /// Where the values of the application's attributes 0 to 7 are.
  private var firstPlaces = InlineArray<8, ValuePlace>(repeating: ValuePlace())

  /// Where the value of Service Changed is.
  public private(set) var serviceChanged = ValuePlace()

  /// The hash of the table's structure, by which a central knows whether what it remembers still
  /// holds. Core Specification, Vol 3, Part G, 7.3.
  public private(set) var hash = DatabaseHash()

  /// Makes a database of the services in `content`. If `capacity` is too small for them, the program
  /// stops here.
  public init(@GATTBuilder _ content: () -> some GATTDeclaration) {
    // In place: a table that is handed over is held twice for a moment, on the stack.
    lines = InlineArray(repeating: .vacant)
    var span = lines.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { buffer in
      var table = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
      content().declare(in: &table)
      _ = unsafe table.finalize(for: buffer)
    }
    link()
  }

  /// Fills in what follows from the order of the lines: each value's type and properties, and where
  /// each service ends.
  private mutating func link() {
    var slots = 0
    var span = lines.mutableSpan
    span.link(from: .first) {
      slots += 1
      return slots - 1
    }
    notePlaces()
    hash = DatabaseHash(of: attributes)
  }

  /// The attributes; that at index 0 has the handle 0x0001. Room that is left is vacant.
  public var attributes: Span<Attribute> {
    @_lifetime(borrow self)
    borrowing get { lines.span }
  }

  /// Where the value of `attribute` is, and which slot says who wants to be told of it.
  ///
  /// For the numbers 0 to 7 that has been noted. For others the table is searched, at each update.
  public func place(of attribute: ApplicationAttribute) -> ValuePlace {
    let number = Int(attribute.rawValue)
    guard number >= firstPlaces.count else { return firstPlaces[number] }
    for index in 0..<capacity {
      if case .application(attribute) = lines[index].value, isValue(index) {
        return place(ofValueAt: index)
      }
    }
    return ValuePlace()
  }

  /// From now on a link must have `protection` for the value of `attribute`, and to subscribe to it. For
  /// before the database is served.
  public mutating func protect(
    _ attribute: ApplicationAttribute, by protection: AttributeProtection
  ) {
    for index in 0..<capacity where isValue(index) {
      guard case .application(attribute) = lines[index].value else { continue }
      lines[index - 1].protection = protection
      lines[index].protection = protection
      for line in index + 1..<capacity {
        switch lines[line].value {
        case .clientConfiguration: lines[line].protection = protection.ofConfiguration
        case .characteristic, .service: return
        default: continue
        }
      }
    }
  }

  /// Notes where the values are that are told without being asked for.
  private mutating func notePlaces() {
    for index in 0..<capacity where isValue(index) {
      if case .application(let attribute) = lines[index].value {
        let number = Int(attribute.rawValue)
        if number < firstPlaces.count { firstPlaces[number] = place(ofValueAt: index) }
      } else if lines[index].type == .serviceChanged {
        serviceChanged = place(ofValueAt: index)
      }
    }
  }

  /// Whether the line at `index` is the value of a characteristic, and no descriptor.
  private func isValue(_ index: Int) -> Bool {
    if index > 0, case .characteristic = lines[index - 1].value { true } else { false }
  }

  /// The handle of the value at `index`, and the slot of the configuration below it.
  private func place(ofValueAt index: Int) -> ValuePlace {
    let handle = AttributeHandle(rawValue: UInt16(truncatingIfNeeded: index + 1))
    for line in index + 1..<capacity {
      switch lines[line].value {
      case .clientConfiguration(let slot): return ValuePlace(handle: handle, slot: slot)
      case .characteristic, .service: return ValuePlace(handle: handle)
      default: continue
      }
    }
    return ValuePlace(handle: handle)
  }
}
