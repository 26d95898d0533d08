/// The queued parts of one client: Core Specification, Vol 3, Part F, 3.4.6. Adjacent parts are
/// merged, so that 512 bytes fit in parts of any size.
struct PrepareQueue: ~Copyable {
  /// The length of handle, offset and length before a part's bytes.
  private static let headerLength = 6

  /// One value of 512 bytes with its header of 6, and as much again for parts of other attributes.
  private var buffer = ByteBuffer<1024>()
  private var lastEntry: Int?
  private var lastEnd: (handle: AttributeHandle, offset: Int)?

  init() {}

  mutating func removeAll() {
    buffer.removeAll()
    lastEntry = nil
    lastEnd = nil
  }

  /// Adds a part; `false`, without a change, if there is no room.
  mutating func append(_ part: borrowing PrepareWrite) -> Bool {
    let end = Int(part.offset) + part.value.count
    if let lastEntry, let lastEnd, lastEnd.handle == part.handle, lastEnd.offset == Int(part.offset)
    {
      guard buffer.append(part.value) else { return false }
      buffer.adjust(by: part.value.count, at: lastEntry + 4)
    } else {
      let start = buffer.count
      guard buffer.freeCapacity >= Self.headerLength + part.value.count else { return false }
      var header = InlineArray<6, UInt8>(repeating: 0)
      var writer = ByteWriter(header.mutableSpan)
      writer.write(part.handle.rawValue)
      writer.write(part.offset)
      writer.write(UInt16(truncatingIfNeeded: part.value.count))
      _ = writer
      guard buffer.append(header.span), buffer.append(part.value) else { return false }
      lastEntry = start
    }
    lastEnd = (part.handle, end)
    return true
  }

  /// The attribute whose part starts at `position`; `nil` at the end.
  func handle(at position: Int) -> AttributeHandle? {
    guard position < buffer.count else { return nil }
    var reader = ByteReader(buffer.span.extracting(position..<buffer.count))
    return AttributeHandle(&reader)
  }

  /// The part at `position`: 0, or the end of the part before it.
  @_lifetime(borrow self) func part(at position: Int) -> PrepareWrite? {
    guard position < buffer.count else { return nil }
    var reader = ByteReader(buffer.span.extracting(position..<buffer.count))
    guard let handle = AttributeHandle(&reader), let offset = reader.readUInt16(),
      let length = reader.readUInt16(), let value = reader.readBytes(Int(length))
    else { return nil }
    return PrepareWrite(handle: handle, offset: offset, value: value)
  }

  /// The position after the part at `position`.
  func position(after position: Int) -> Int {
    position + Self.headerLength + (part(at: position)?.value.count ?? 0)
  }

  /// Whether the part at `position` is the first for its attribute.
  func isFirst(at position: Int) -> Bool {
    let wanted = handle(at: position)
    var other = 0
    while other < position {
      if handle(at: other) == wanted { return false }
      other = self.position(after: other)
    }
    return true
  }
}
