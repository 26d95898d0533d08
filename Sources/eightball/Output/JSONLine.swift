#if Tools
import BluetoothHost

/// One JSON object on one line, its members in the order in which they are added.
///
/// RFC 8259.
struct JSONLine {
  private var line = Line()

  /// An object that tells of an event.
  init(event: String) {
    begin(event)
  }

  /// Begins again, in the same storage, with an object that tells of `event`.
  mutating func begin(_ event: String) {
    line.removeAll()
    line.append("{")
    self["event"] = event
  }

  /// The object as text.
  var text: String { line.text + "}" }

  /// Prints the object. It is over then.
  mutating func print() {
    line.append("}")
    Terminal.print(&line)
  }

  /// Adds text; nothing for `nil`.
  subscript(_ name: String) -> String? {
    get { nil }
    set {
      guard let newValue else { return }
      addName(name)
      line.append("\"")
      for scalar in newValue.unicodeScalars { line.append(escaped: scalar) }
      line.append("\"")
    }
  }

  /// Adds text in UTF-8.
  mutating func add(_ name: String, utf8: Span<UInt8>) {
    addName(name)
    line.append("\"")
    line.append(scalarsOf: utf8) { $0.append(escaped: $1) }
    line.append("\"")
  }

  /// Adds an address, as text; nothing for `nil`.
  mutating func add(_ name: String, _ address: DeviceAddress?) {
    guard let address else { return }
    add(name) { $0.append(address) }
  }

  /// Adds a whole number; nothing for `nil`.
  mutating func add(_ name: String, _ number: Int?) {
    guard let number else { return }
    addName(name)
    line.append(number)
  }

  /// Adds `true` or `false`.
  mutating func add(_ name: String, _ truth: Bool) {
    addName(name)
    line.append(truth ? "true" : "false")
  }

  /// Adds an array of texts that need no escaping.
  mutating func add(_ name: String, plain texts: [String]) {
    addName(name)
    line.append("[")
    for (index, text) in texts.enumerated() {
      line.append(index > 0 ? ",\"" : "\"")
      line.append(text)
      line.append("\"")
    }
    line.append("]")
  }

  /// Adds what `body` appends, which needs no escaping, as text.
  mutating func add(_ name: String, _ body: (inout Line) -> Void) {
    addName(name)
    line.append("\"")
    body(&line)
    line.append("\"")
  }

  private mutating func addName(_ name: String) {
    if line.bytes.count > 1 { line.append(",") }
    line.append("\"")
    line.append(name)
    line.append("\":")
  }
}

extension Line {
  /// Appends a scalar as it stands in quotes. Besides what must be escaped, line ends of Unicode
  /// are, so that a line of output is a line to every reader.
  fileprivate mutating func append(escaped scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append("\\\"")
    case "\\": append("\\\\")
    case "\n": append("\\n")
    case "\r": append("\\r")
    case "\t": append("\\t")
    case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
      append("\\u")
      append(hexadecimal: UInt8(truncatingIfNeeded: scalar.value >> 8))
      append(hexadecimal: UInt8(truncatingIfNeeded: scalar.value))
    default: append(scalar)
    }
  }
}
#endif
