/// The attributes of a server, by handle.
///
/// `GATTDatabase` is one that never changes. A program with a changing database declares a type of
/// its own: an attribute keeps its handle while it exists, a removed one becomes `.vacant`, and
/// after each change the program calls `GATTServer.databaseChanged(in:)`. A bonded client that was
/// away keeps its subscriptions outside the changes if the type implements `convert`. The module
/// that declares the type has to enable an experimental feature of Swift, since `attributes`
/// borrows from the database:
///
///     swiftSettings: [.enableExperimentalFeature("Lifetimes")]
public protocol AttributeDatabase: ~Copyable {
  /// The attributes, at most 65,535; the one at index 0 has the handle 0x0001.
  var attributes: Span<Attribute> { @_lifetime(borrow self) borrowing get }

  /// The hash of the attributes: `DatabaseHash(of: attributes)`, stored after the first use. The
  /// server gets it when a client reads it.
  var hash: DatabaseHash { mutating get }

  /// The location of the Service Changed value; `ValueLocation()` if there is none.
  var serviceChanged: ValueLocation { get }

  /// The location of the value of `attribute`; `ValueLocation()` if it is not in the database.
  func location(of attribute: ApplicationAttribute) -> ValueLocation

  /// Converts the subscriptions of a bonded client that was away while the database changed. The
  /// server calls it before it restores subscriptions that are for another database.
  /// Core Specification, Vol 3, Part G, 3.3.3.3. By default the call does nothing and returns
  /// `false`, and the server restores only the subscription to Service Changed.
  ///
  /// - Parameters:
  ///   - subscriptions: The values of all Client Characteristic Configurations of an earlier state
  ///     of this database, in the order of their handles, the lowest at slot 0; on return, of this
  ///     database in the same order. Those that were removed or changed since are lost, except that
  ///     of Service Changed; new ones are `.none`.
  ///   - hash: The hash of the earlier state.
  /// - Returns: Whether the state is known; if not, `subscriptions` is unchanged.
  mutating func convert(_ subscriptions: inout ClientConfigurations, from hash: DatabaseHash)
    -> Bool
}

extension AttributeDatabase where Self: ~Copyable {
  /// `false`.
  @inlinable public mutating func convert(
    _ subscriptions: inout ClientConfigurations, from hash: DatabaseHash
  ) -> Bool { false }
}

/// The handle of a value, and the slot of its Client Characteristic Configuration.
public struct ValueLocation: Equatable, Sendable {
  /// The value; `.none` if there is none.
  public var handle: AttributeHandle
  /// The slot of its Client Characteristic Configuration; `nil` if it has none.
  public var slot: Int?

  /// Creates a location; without arguments, one of no value.
  public init(handle: AttributeHandle = .none, slot: Int? = nil) {
    self.handle = handle
    self.slot = slot
  }
}

extension Span<Attribute> {
  /// The attribute at `handle`; `nil` if there is none.
  subscript(handle: AttributeHandle) -> Attribute? {
    let index = Int(handle.rawValue) - 1
    return index >= 0 && index < count ? self[index] : nil
  }

  /// The handle of the value at `index`, and the slot of its Client Characteristic Configuration. The
  /// first attribute has the handle 0x0001.
  public func location(ofValueAt index: Int) -> ValueLocation {
    let handle = AttributeHandle(rawValue: UInt16(truncatingIfNeeded: index + 1))
    for line in index + 1..<count {
      switch self[line].value {
      case .clientConfiguration(let slot): return ValueLocation(handle: handle, slot: slot)
      case .characteristic, .service: return ValueLocation(handle: handle)
      default: continue
      }
    }
    return ValueLocation(handle: handle)
  }
}

extension Attribute {
  /// Writes the value of this declaration at `handle` among `attributes`, as discovery reads it.
  /// Core Specification, Vol 3, Part G, 3.1 to 3.3. Other attributes write nothing.
  @inline(__always) func writeDeclaration(
    at handle: AttributeHandle, among attributes: Span<Attribute>, to writer: inout ByteWriter
  ) {
    switch value {
    case .service(let uuid): uuid.write(to: &writer)
    case .include(let start):
      guard let service = attributes[start], case .service(let uuid) = service.value else { return }
      writer.write(start.rawValue)
      writer.write(service.groupEnd.rawValue)
      // An include declaration contains only a 16-bit UUID; a client reads a longer one from the
      // service.
      if uuid.short != nil { uuid.write(to: &writer) }
    case .characteristic(let uuid):
      writer.write(properties.rawValue, handle.rawValue &+ 1)
      uuid.write(to: &writer)
    default: break
    }
  }
}

extension MutableSpan<Attribute> {
  /// Sets what the order of the attributes determines: each value's type and properties, where each
  /// service ends, and the slot of each Client Characteristic Configuration.
  ///
  /// - Parameters:
  ///   - first: The handle of the first attribute.
  ///   - nextSlot: Returns a slot that no other attribute of the database has. A client cannot
  ///     write a Client Characteristic Configuration whose slot is
  ///     `ClientConfigurations.capacity` or higher.
  @_lifetime(self: copy self) public mutating func link(
    from first: AttributeHandle, nextSlot: () -> Int
  ) {
    var service: Int?
    // The protection of the current characteristic.
    var value = AttributeProtection.none
    for index in 0..<count {
      let handle = AttributeHandle(rawValue: first.rawValue &+ UInt16(truncatingIfNeeded: index))
      self[index].groupEnd = handle
      if index > 0, case .characteristic(let uuid) = self[index - 1].value {
        self[index].type = uuid
        self[index].properties = self[index - 1].properties
        value = self[index - 1].protection
        self[index].protection = value
      }
      switch self[index].value {
      case .service: service = index
      case .clientConfiguration:
        self[index].value = .clientConfiguration(slot: nextSlot())
        self[index].protection = value.ofConfiguration
      default: break
      }
      if let service, !self[index].isVacant { self[service].groupEnd = handle }
    }
  }
}
