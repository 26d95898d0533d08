/// The attributes that a server offers, by handle.
///
/// A table that never changes is a `GATTDatabase`. One that changes as the program runs is its
/// owner's own type: a line keeps its handle as long as it is there, one that has gone is `.vacant`,
/// and after each change the owner calls `Host.databaseChanged(in:)`. A target that declares one has to
/// enable an experimental feature of Swift, for `attributes` borrows from the database:
///
///     swiftSettings: [.enableExperimentalFeature("Lifetimes")]
public protocol AttributeDatabase: ~Copyable {
  /// The lines; that at index 0 has the handle 0x0001. At most 65,535.
  var attributes: Span<Attribute> {
    @_lifetime(borrow self)
    borrowing get
  }

  /// The hash of the lines: `DatabaseHash(of: attributes)`, made once and kept. It is asked for when a
  /// central reads it, and may be made then.
  var hash: DatabaseHash { mutating get }

  /// Where the value of Service Changed is; `ValuePlace()` if there is none.
  var serviceChanged: ValuePlace { get }

  /// Where the value of `attribute` is, and which slot says who wants to be told of it;
  /// `ValuePlace()` if there is no such line.
  func place(of attribute: ApplicationAttribute) -> ValuePlace
}

/// Where a value is, and which slot of a bearer says who wants to be told of it.
public struct ValuePlace: Equatable, Sendable {
  /// The value; `.none` if there is none.
  public var handle: AttributeHandle
  /// The slot of its Client Characteristic Configuration; `nil` if it has none.
  public var slot: Int?

  /// No value, unless told otherwise.
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
}

extension Attribute {
  /// Writes the value of this declaration at `handle` among `attributes`, as discovery reads it.
  ///
  /// Core Specification, Vol 3, Part G, 3.1 to 3.3. Other attributes write nothing.
  @inline(__always)
  func writeDeclaration(
    at handle: AttributeHandle, among attributes: Span<Attribute>, to writer: inout ByteWriter
  ) {
    switch value {
    case .service(let uuid):
      uuid.write(to: &writer)
    case .include(let start):
      guard let service = attributes[start], case .service(let uuid) = service.value else { return }
      writer.write(start.rawValue)
      writer.write(service.groupEnd.rawValue)
      // A reference has only a 16-bit UUID; a longer one is read from the service.
      if uuid.short != nil { uuid.write(to: &writer) }
    case .characteristic(let uuid):
      writer.write(properties.rawValue, handle.rawValue &+ 1)
      uuid.write(to: &writer)
    default:
      break
    }
  }
}

extension MutableSpan<Attribute> {
  /// Fills in what follows from the order of the lines: each value's type and properties, where
  /// each service ends, and the slot of each Client Characteristic Configuration.
  ///
  /// - Parameters:
  ///   - first: The handle of the first line.
  ///   - nextSlot: Gives a slot that no other line of the database has. One of
  ///     `ClientConfigurations.capacity` or more cannot be written.
  @_lifetime(self: copy self)
  public mutating func link(from first: AttributeHandle, nextSlot: () -> Int) {
    var service: Int?
    // That of the characteristic whose lines these are.
    var value = AttributeProtection.none
    for index in 0..<count {
      let handle = AttributeHandle(
        rawValue: first.rawValue &+ UInt16(truncatingIfNeeded: index))
      self[index].groupEnd = handle
      if index > 0, case .characteristic(let uuid) = self[index - 1].value {
        self[index].type = uuid
        self[index].properties = self[index - 1].properties
        value = self[index - 1].protection
        self[index].protection = value
      }
      switch self[index].value {
      case .service:
        service = index
      case .clientConfiguration:
        self[index].value = .clientConfiguration(slot: nextSlot())
        self[index].protection = value.ofConfiguration
      default:
        break
      }
      if let service, !self[index].isVacant { self[service].groupEnd = handle }
    }
  }
}
