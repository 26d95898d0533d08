/// One JSON object on one line, its members in the order in which they are added.
///
/// RFC 8259.
struct JSONLine {
  private var text = "{"

  /// An object that tells of an event.
  init(event: String) {
    self["event"] = event
  }

  /// The object.
  var line: String { text + "}" }

  /// Adds text; nothing for `nil`.
  subscript(_ name: String) -> String? {
    get { nil }
    set {
      guard let newValue else { return }
      add(name, Self.quoted(newValue))
    }
  }

  /// Adds a whole number; nothing for `nil`.
  mutating func add(_ name: String, _ number: Int?) {
    if let number { add(name, String(number)) }
  }

  /// Adds `true` or `false`.
  mutating func add(_ name: String, _ truth: Bool) {
    add(name, truth ? "true" : "false")
  }

  /// Adds an array of texts.
  mutating func add(_ name: String, _ texts: [String]) {
    add(name, "[" + texts.map { Self.quoted($0) }.joined(separator: ",") + "]")
  }

  private mutating func add(_ name: String, _ value: String) {
    if text != "{" { text += "," }
    text += Self.quoted(name) + ":" + value
  }

  /// Text in quotes. Besides what must be escaped, line ends of Unicode are, so that a line of
  /// output is a line to every reader.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
