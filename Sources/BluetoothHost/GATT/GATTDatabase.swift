/// A database that never changes: a table in the program.
///
///     let database = GATTDatabase<4> {
///       Service(BluetoothUUID(0x180F)) {  // Battery
///         Characteristic(BluetoothUUID(0x2A19), .read | .notify, value: .application(.charge))
///       }
///     }
///
/// `capacity` is the number of attributes: one for each service and each descriptor, two for each
/// characteristic, and one more for a characteristic that notifies or indicates. Clients do not see
/// unused capacity. Core Specification, Vol 3, Part G, 2.5.1.
public struct GATTDatabase<let capacity: Int>: AttributeDatabase, ~Copyable {
  private var lines: InlineArray<capacity, Attribute>
  private let pin = Pinned()
  /// The locations of the application's attributes 0 to 7.
  private var firstLocations = InlineArray<8, ValueLocation>(repeating: ValueLocation())

  /// The location of the Service Changed value.
  public private(set) var serviceChanged = ValueLocation()

  /// The hash of the table's structure, which shows a client whether its cache is still valid. Core
  /// Specification, Vol 3, Part G, 7.3.
  public private(set) var hash: DatabaseHash

  /// Creates a database of the services in `content`. If `capacity` is too small for them, the
  /// program stops.
  public init(@GATTBuilder _ content: () -> some GATTDeclaration) {
    self.init(hash: DatabaseHash(), content)
    hash = DatabaseHash(of: attributes)
  }

  /// Creates a database with a known hash, so that the program needs no AES for it.
  ///
  /// - Parameter content: The services.
  /// - Parameter hash: `DatabaseHash(of: attributes)`. A test of the program should check it: a
  ///   client that knows another database's hash uses wrong handles.
  public init(hash: DatabaseHash, @GATTBuilder _ content: () -> some GATTDeclaration) {
    self.hash = hash
    // In place: a table that is passed as an argument exists twice on the stack for a moment.
    lines = InlineArray(repeating: .vacant)
    var span = lines.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { buffer in
      var table = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
      content().declare(in: &table)
      _ = unsafe table.finalize(for: buffer)
    }
    link()
  }

  /// Sets what the order of the attributes determines: each value's type and properties, and where
  /// each service ends.
  private mutating func link() {
    var slots = 0
    var span = lines.mutableSpan
    span.link(from: .first) {
      slots += 1
      return slots - 1
    }
    noteLocations()
  }

  /// The attributes; the one at index 0 has the handle 0x0001. Unused ones are vacant.
  public var attributes: Span<Attribute> { @_lifetime(borrow self) borrowing get { lines.span } }

  /// The location of the value of `attribute`. For the numbers 0 to 7 it is stored; for others each
  /// call searches the table.
  public func location(of attribute: ApplicationAttribute) -> ValueLocation {
    let number = Int(attribute.rawValue)
    guard number >= firstLocations.count else { return firstLocations[number] }
    for index in 0..<capacity {
      if case .application(attribute) = lines[index].value, isValue(index) {
        return attributes.location(ofValueAt: index)
      }
    }
    return ValueLocation()
  }

  /// Requires `protection` for the value of `attribute`, and for subscribing to it. Call it before
  /// a host serves the database.
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

  /// Stores the locations of values that the server sends as updates.
  private mutating func noteLocations() {
    for index in 0..<capacity where isValue(index) {
      if case .application(let attribute) = lines[index].value {
        let number = Int(attribute.rawValue)
        if number < firstLocations.count {
          firstLocations[number] = attributes.location(ofValueAt: index)
        }
      } else if lines[index].type == .serviceChanged {
        serviceChanged = attributes.location(ofValueAt: index)
      }
    }
  }

  /// Whether the attribute at `index` is a characteristic's value.
  private func isValue(_ index: Int) -> Bool {
    if index > 0, case .characteristic = lines[index - 1].value { true } else { false }
  }
}
