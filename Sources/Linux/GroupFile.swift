import BluetoothHost

/// The group names of /etc/group, in the format of group(5): NAME:PASSWORD:NUMBER:USERS.
package enum GroupFile {
  /// Writes the name of the group with this number; the number if it has no name.
  package static func writeName(of group: UInt32, to writer: inout ByteWriter) {
    let start = writer.count
    let path: StaticString = "/etc/group"
    let number = unsafe clinux_open_file(path.cText)
    if number >= 0 {
      let file = PortDescriptor(owning: number)
      search(file, for: group, &writer)
    }
    if writer.count == start { writer.write(decimal: group) }
  }

  private static func search(
    _ file: borrowing PortDescriptor, for group: UInt32, _ writer: inout ByteWriter
  ) {
    var scanner = GroupScanner(group)
    var storage = InlineArray<512, UInt8>(repeating: 0)
    while true {
      var space = storage.mutableSpan
      guard case .bytes(let count) = file.read(into: &space), count > 0 else { return }
      for index in 0..<min(count, 512) where scanner.take(storage[index]) {
        return writer.write(start: scanner.name)
      }
    }
  }
}

/// Searches for the line of a group, byte by byte.
struct GroupScanner {
  private let group: UInt32
  private var storage = InlineArray<32, UInt8>(repeating: 0)
  private var nameLength = 0
  private var field = 0
  /// The number read so far; `nil` if it is not a number.
  private var number: UInt32?

  init(_ group: UInt32) {
    self.group = group
  }

  /// The name on the line that was found, at most its first 32 bytes.
  var name: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { storage.span.extracting(first: nameLength) }
  }

  /// Takes the next byte of the file; `true` at the end of the group's number.
  mutating func take(_ byte: UInt8) -> Bool {
    switch (byte, field) {
    case (UInt8(ascii: "\n"), _):
      field = 0
      nameLength = 0
      number = nil
    case (UInt8(ascii: ":"), 2) where number == group: return true
    case (UInt8(ascii: ":"), _): field &+= 1
    case (_, 0) where nameLength < 32:
      storage[nameLength] = byte
      nameLength &+= 1
    case (UInt8(ascii: "0")...UInt8(ascii: "9"), 2):
      number = (number ?? 0) &* 10 &+ UInt32(byte &- UInt8(ascii: "0"))
    // Not a number: the rest of the line is skipped.
    case (_, 2): field = 3
    default: break
    }
    return false
  }
}
