/// A JSON value: RFC 8259. Only whole numbers are supported.
enum JSONValue: Equatable {
  case null
  case truth(Bool)
  case number(Int)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The value of a whole text; `nil` if it is not JSON, or nests deeper than 8.
  init?(_ bytes: some Sequence<UInt8>) {
    var reader = JSONReader(Array(bytes))
    guard let value = reader.readWhole() else { return nil }
    self = value
  }

  /// A member of an object; `nil` for other values, or if the member is missing.
  subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The text, if it is one.
  var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// The number, if it is one.
  var number: Int? {
    guard case .number(let number) = self else { return nil }
    return number
  }

  /// The truth value, if it is one.
  var truth: Bool? {
    guard case .truth(let truth) = self else { return nil }
    return truth
  }

  /// A text with its quotes, for a JSON text.
  static func escaped(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
