import BallRunner
import BluetoothHost

/// `text` without control characters and direction overrides, so that text from the air cannot
/// control the terminal.
func printable(_ text: String) -> String { String(printable: text) }

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
///   - print: Prints a line for programs.
///   - note: Prints a line for people.
func printError(
  _ text: String, reason: String, isJSON: Bool, print: (String) -> Void = Terminal.print,
  note: (String) -> Void = Terminal.note
) {
  guard isJSON else { return note("Error: \(text)") }
  var line = JSONLine(event: "failed")
  line.add("reason", reason)
  // A line of JSON has room for this much, whatever a command line or a file contains.
  line.add("detail", String(text.prefix(1_024)))
  print(line.text)
}

extension [UInt8] {
  /// A copy of these bytes.
  init(_ bytes: Span<UInt8>) {
    self.init(capacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }
}

/// One JSON object on one line, its members in the order in which they are added: the writer of the
/// ball's own lines, for commands.
struct JSONLine: ~Copyable {
  /// The longest text, a name of 4,096 bytes, may take six bytes for each.
  private var line = ByteBuffer<32_768>()

  /// An object about an event.
  init(event: StaticString) {
    append { $0.beginJSON(event) }
  }

  /// The object as text.
  var text: String { String(decoding: [UInt8](line.span), as: UTF8.self) + "}" }

  /// Prints the object.
  func print() { Terminal.print(text) }

  /// Adds text; nothing for `nil`.
  mutating func add(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    let utf8 = Array(text.utf8)
    append { $0.add(name, utf8: utf8.span) }
  }

  /// Adds an address, as text; nothing for `nil`.
  mutating func add(_ name: StaticString, _ address: DeviceAddress?) {
    guard let address else { return }
    append { $0.add(name, address) }
  }

  /// Adds a whole number; nothing for `nil`.
  mutating func add(_ name: StaticString, _ number: Int?) {
    guard let number else { return }
    append { $0.add(name, number) }
  }

  /// Adds `true` or `false`.
  mutating func add(_ name: StaticString, _ truth: Bool) {
    append { $0.add(name, truth) }
  }

  /// Adds an array of texts.
  mutating func add(_ name: StaticString, texts: [String]) {
    append { writer in
      writer.addName(name)
      writer.write(text: "[")
      for (index, text) in texts.enumerated() {
        writer.write(text: index == 0 ? "\"" : ",\"")
        writer.write(escaped: Array(text.utf8).span)
        writer.write(text: "\"")
      }
      writer.write(text: "]")
    }
  }

  /// Adds a member, unless the line is full.
  private mutating func append(_ write: (inout ByteWriter) -> Void) {
    var writer = line.makeAppendingWriter()
    write(&writer)
    if !writer.hasOverflowed { line.keepWritten(line.count + writer.count) }
  }
}
