import BluetoothHost
import Linux

extension String {
  /// The text in UTF-8 that `body` writes, at most 1,024 bytes of it.
  package init(writing body: (inout ByteWriter) -> Void) {
    var bytes = [UInt8](repeating: 0, count: 1_024)
    var writer = ByteWriter(bytes.mutableSpan)
    body(&writer)
    let count = writer.count
    self = String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}

/// A number in all its hexadecimal digits: two for a byte.
package func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: Number.bitWidth / 4 - digits.utf8.count) + digits
}

/// A pairing number as both devices show it.
package func sixDigits(_ number: UInt32) -> String {
  String(writing: { $0.write(sixDigits: number) })
}

extension BluetoothUUID {
  /// The UUID in capital hexadecimal digits: four for an assigned number, or `longText`.
  package var text: String { short.map { hexadecimal($0) } ?? longText }

  /// The UUID in 32 capital hexadecimal digits, in groups.
  package var longText: String { String(writing: { writeText(to: &$0) }) }
}

extension DeviceAddress {
  /// The address as people write it: `F0:00:00:00:00:01`.
  public var text: String { String(writing: { $0.write(self) }) }

  /// The bytes of an address as people write it, the least significant first; `nil` for other text.
  package static func bytes(of text: String) -> InlineArray<6, UInt8>? {
    bytes(of: Array(text.utf8).span)
  }
}

extension ATTErrorCode {
  /// The error with this number as a sentence for people.
  package static func sentence(of number: Int) -> String {
    UInt8(exactly: number).flatMap { ATTErrorCode(rawValue: $0).sentence }?.description
      ?? "Unknown ATT error 0x\(String(number, radix: 16, uppercase: true))."
  }
}

extension InlineCString<256> {
  /// A path or a host. Empty if it has a zero byte or more than 255 bytes, which no call takes.
  package init(_ text: String) {
    self.init()
    _ = assign(Array(text.utf8).span)
  }
}
