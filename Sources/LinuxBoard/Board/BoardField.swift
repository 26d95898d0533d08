import LinuxRadio

/// A field of a board: which texts it takes, and in words what it expects.
///
/// Board files and the command line read their values by the same fields.
struct BoardField<Value>: Sendable {
  /// What is expected, to follow that word.
  let expected: String
  /// The value that a text stands for; `nil` if it is none.
  let read: @Sendable (String) -> Value?
}

extension BoardField where Value == String {
  static let model = BoardField(
    expected: "how a device tree's model begins: 1 to 127 characters of ASCII, without quotes"
  ) { name($0, upTo: 127) }

  static let chip = BoardField(
    expected: "the label of a GPIO chip, such as pinctrl-bcm2711, or virtual"
  ) { name($0, upTo: 31) }

  static let line = BoardField(
    expected: "the name of a line, such as GPIO18: 1 to 31 characters of ASCII, without quotes"
  ) { name($0, upTo: 31) }

  /// `text`, if the kernel could call something so: it has 32 bytes for most names, the last of
  /// which is zero.
  private static func name(_ text: String, upTo limit: Int) -> String? {
    let isPlain = text.utf8.allSatisfy {
      (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    return isPlain && !text.isEmpty && text.utf8.count <= limit ? text : nil
  }
}

extension BoardField where Value == Int {
  static let offset = BoardField(expected: "a whole number from 0 to 1023") {
    number($0, in: 0...1_023)
  }

  static let debounce = BoardField(expected: "a whole number of milliseconds from 0 to 1000") {
    number($0, in: 0...1_000)
  }

  /// The number that `text` is in decimal digits and nothing else.
  private static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(text), range.contains(number)
    else { return nil }
    return number
  }
}

extension BoardField where Value == Bool {
  /// Whether low means pressed or lit.
  static let active = BoardField(expected: "high or low") {
    $0 == "low" ? true : $0 == "high" ? false : nil
  }
}

extension BoardField where Value == LineDescription.Bias {
  static let bias = BoardField(expected: "pull-up, pull-down or none") {
    LineDescription.Bias(rawValue: $0)
  }
}

extension BoardField where Value == RadioName {
  static let radio = BoardField(expected: "a radio: \(RadioName.forms)") { try? RadioName($0) }
}

/// The fields that a group may have, in the order in which files have them.
struct FieldNames {
  /// Those that it must have.
  var required: [String] = []
  /// The others.
  var optional: [String] = []

  /// All of them.
  var all: [String] { required + optional }

  /// What is expected where none of them is.
  var words: String {
    guard !required.isEmpty else { return "one or more of the fields \(alternatives(all, "and"))" }
    let more = optional.isEmpty ? "" : ", and perhaps \(alternatives(optional, "and"))"
    return "the fields \(alternatives(required, "and"))\(more)"
  }
}

/// What of a board has a line.
enum BoardPart: String, CaseIterable {
  case shake
  case clear
  case status
  case answer

  /// The names of its fields.
  var fields: FieldNames {
    isButton
      ? FieldNames(required: ["line", "offset", "active", "bias", "debounce"])
      : FieldNames(required: ["line", "offset", "active"], optional: ["bias"])
  }

  /// Whether it is a button, and not a light.
  var isButton: Bool { self == .shake || self == .clear }

  /// Where a board keeps its line.
  var path: WritableKeyPath<BoardDescription, LineDescription?> {
    switch self {
    case .shake: \.shake
    case .clear: \.clear
    case .status: \.status
    case .answer: \.answer
    }
  }
}

extension BoardDescription {
  /// The label that stands for the chip of software, and for no other.
  static let virtualChip = "virtual"

  /// The fields of a board's file.
  static let fields = FieldNames(
    optional: ["models", "chip", "radio"] + BoardPart.allCases.map(\.rawValue))

  /// Two lines that cannot both be right: the later one, its field, what is wrong with it.
  func clash() -> (part: BoardPart, field: String, problem: String)? {
    var seen: [(part: BoardPart, line: LineDescription)] = []
    for part in BoardPart.allCases {
      guard let line = self[keyPath: part.path] else { continue }
      for other in seen {
        if other.line.name == line.name {
          return (
            part, "line",
            "expected a line of its own, not \(line.name), which \(other.part.rawValue) has"
          )
        }
        if other.line.offset == line.offset {
          return (
            part, "offset",
            "expected an offset of its own, not \(line.offset), which \(other.part.rawValue) has"
          )
        }
      }
      seen.append((part, line))
    }
    return nil
  }
}

/// "a", "a or b", "a, b or c".
func alternatives(_ names: [String], _ conjunction: String = "or") -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
}
