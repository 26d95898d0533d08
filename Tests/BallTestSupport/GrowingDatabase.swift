import BluetoothHost

/// A database of any size that a test can change.
package struct GrowingDatabase: AttributeDatabase {
  private var lines: [Attribute] = []
  package private(set) var hash = DatabaseHash()
  private var nextSlot = 0

  package init(_ table: [Attribute]) { append(table) }

  package var attributes: Span<Attribute> {
    @_lifetime(borrow self)
    borrowing get { lines.span }
  }

  package var serviceChanged: ValueLocation { location { $0.type == .serviceChanged } }

  package func location(of attribute: ApplicationAttribute) -> ValueLocation {
    location { $0.value == .application(attribute) }
  }

  /// Appends lines, and returns their handles.
  @discardableResult
  package mutating func append(_ table: [Attribute]) -> AttributeHandleRange {
    let start = handle(at: lines.count)
    var table = table
    var span = table.mutableSpan
    span.link(from: start) {
      nextSlot += 1
      return nextSlot - 1
    }
    lines += table
    hash = DatabaseHash(of: lines.span)
    return AttributeHandleRange(start: start, end: handle(at: lines.count - 1))
  }

  /// Removes the lines of `range`, and leaves their handles vacant.
  package mutating func remove(_ range: AttributeHandleRange) {
    for index in Int(range.start.rawValue) - 1...Int(range.end.rawValue) - 1 {
      lines[index] = .vacant
    }
    nextSlot = 0
    for line in lines {
      if case .clientConfiguration(let slot) = line.value { nextSlot = slot + 1 }
    }
    hash = DatabaseHash(of: lines.span)
  }

  private func location(where matches: (Attribute) -> Bool) -> ValueLocation {
    guard let index = lines.firstIndex(where: matches) else { return ValueLocation() }
    return lines.span.location(ofValueAt: index)
  }

  private func handle(at index: Int) -> AttributeHandle {
    AttributeHandle(rawValue: UInt16(index + 1))
  }
}
