import BluetoothHost
import Linux

/// An interface of an object, with its properties: a line of `a{oa{sa{sv}}}`.
package struct ManagedInterface: ~Escapable {
  /// The object.
  package let path: Span<UInt8>
  /// The interface.
  package let name: Span<UInt8>
  /// Its properties: `a{sv}`, as the elements.
  package let properties: DBusReader

  @_lifetime(copy properties)
  init(path: Span<UInt8>, name: Span<UInt8>, properties: DBusReader) {
    self.path = unsafe _overrideLifetime(path, copying: properties)
    self.name = unsafe _overrideLifetime(name, copying: properties)
    self.properties = properties
  }

  /// Calls `body` with each property. It stops at an invalid one.
  package func forEachProperty(_ body: (_ name: Span<UInt8>, _ value: DBusVariant) -> Void) {
    properties.forEachProperty(body)
  }
}

extension DBusReader {
  /// Calls `body` with each of the elements of `a{sv}`. It stops at an invalid one, and returns false.
  @inline(never)
  @discardableResult
  func forEachProperty(_ body: (_ name: Span<UInt8>, _ value: DBusVariant) -> Void) -> Bool {
    var reader = self
    while !reader.isEmpty {
      guard reader.enterStructure(), let name = reader.readText(), let value = reader.readVariant()
      else { return false }
      body(name, value)
    }
    return true
  }

  /// Calls `body` with each interface of the objects in `a{oa{sa{sv}}}`. It stops at an invalid one.
  func forEachManagedInterface(_ body: (borrowing ManagedInterface) -> Void) {
    var reader = self
    guard var objects = reader.readArray(alignedTo: 8) else { return }
    while !objects.isEmpty {
      guard objects.enterStructure(), let path = objects.readText(),
        objects.forEachInterface(of: path, body)
      else { return }
    }
  }

  /// Reads `a{sa{sv}}` of the object at `path`, and calls `body` with each interface. False if it is invalid.
  @_lifetime(self: copy self)
  mutating func forEachInterface(
    of path: Span<UInt8>, _ body: (borrowing ManagedInterface) -> Void
  ) -> Bool {
    guard var interfaces = readArray(alignedTo: 8) else { return false }
    while !interfaces.isEmpty {
      guard interfaces.enterStructure(), let name = interfaces.readText(),
        let properties = interfaces.readArray(alignedTo: 8)
      else { return false }
      body(ManagedInterface(path: path, name: name, properties: properties))
    }
    return true
  }
}
