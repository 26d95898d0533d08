import BluetoothHost

/// A text with fields: "no controller listens at %s". A field is a percent sign and a letter.
///
/// It writes into the caller's storage, so programs without a heap can use it.
public struct MessageTemplate: Sendable {
  private let text: StaticString

  /// A text in which each percent sign begins a field.
  package init(_ text: StaticString) {
    self.text = text
  }

  /// Writes the text; `field` writes the field of each letter. What does not fit is left out.
  public func write(
    to writer: inout ByteWriter, field: (_ letter: UInt8, _ writer: inout ByteWriter) -> Void
  ) {
    guard text.hasPointerRepresentation else { return }
    let utf8 = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    let bytes = unsafe utf8.span
    var isField = false
    for index in bytes.indices {
      let byte = bytes[index]
      if isField {
        field(byte, &writer)
        isField = false
      } else if byte == UInt8(ascii: "%") {
        isField = true
      } else if writer.freeCapacity > 0 {
        writer.write(byte)
      }
    }
  }
}
