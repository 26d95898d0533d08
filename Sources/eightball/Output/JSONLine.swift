import BallRunner
import BluetoothHost

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
