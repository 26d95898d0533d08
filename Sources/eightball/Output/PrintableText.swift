import BallRunner
import BluetoothHost

/// `text` without control characters and direction overrides, so that text from the air cannot
/// control the terminal.
func printable(_ text: String) -> String {
  // U+FFFD takes 3 bytes.
  rewriting(text, growth: 3) { $0.write(printable: $1) }
}

/// `text` as `write` rewrites it. `write` makes at most `growth` bytes of each byte.
func rewriting(
  _ text: String, growth: Int, _ write: (inout ByteWriter, Span<UInt8>) -> Void
) -> String {
  let utf8 = Array(text.utf8)
  var storage = [UInt8](repeating: 0, count: growth * utf8.count)
  var writer = ByteWriter(storage.mutableSpan)
  write(&writer, utf8.span)
  let count = writer.count
  return String(decoding: storage.prefix(count), as: UTF8.self)
}

extension DeviceAddress {
  /// `public` or `random`.
  var kindText: String { kind == .random ? "random" : "public" }
}

/// A signal strength, with a minus sign as printers set it: `−50 dBm`.
func strength(_ rssi: Int) -> String {
  (rssi < 0 ? "\u{2212}" : "") + "\(rssi.magnitude) dBm"
}

/// `text` with a full stop, unless it ends as a sentence does.
func sentence(_ text: String) -> String {
  text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
}

/// Prints why a command failed.
///
/// - Parameters:
///   - text: A sentence.
///   - reason: A word for programs.
///   - isJSON: Whether programs read the output.
func printFailure(_ text: String, reason: String, isJSON: Bool) {
  guard isJSON else { return Terminal.note("Error: \(text)") }
  var line = JSONLine(event: "failed")
  line.add("reason", reason)
  line.add("detail", text)
  line.print()
}

extension [UInt8] {
  /// A copy of these bytes.
  init(_ bytes: Span<UInt8>) {
    self.init(capacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }
}
