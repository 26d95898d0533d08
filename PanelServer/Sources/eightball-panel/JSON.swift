import BluetoothHost
import BallRunner

/// Writes JSON texts: RFC 8259. `ControlLine` reads them.
enum JSON {
  /// A text as a value, with its quotes.
  static func quoted(_ text: String) -> String {
    let utf8 = Array(text.utf8)
    // The longest escape of a byte has 6 bytes.
    var storage = [UInt8](repeating: 0, count: 6 * utf8.count)
    var writer = ByteWriter(storage.mutableSpan)
    writer.write(escaped: utf8.span)
    let count = writer.count
    return "\"\(String(decoding: storage.prefix(count), as: UTF8.self))\""
  }
}
