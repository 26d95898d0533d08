/// The rows of a text, each as its cells, which are between bars.
package func table(_ text: String) -> [[String]] {
  text.split(separator: "\n").map { row in
    row.split(separator: "|", omittingEmptySubsequences: false).map { trim($0) }
  }
}

/// `text` without the spaces around it.
package func trim<Text: StringProtocol>(_ text: Text) -> String {
  var rest = Substring(text)
  while rest.first == " " { rest.removeFirst() }
  while rest.last == " " { rest.removeLast() }
  return String(rest)
}

/// The arguments of a command line, between spaces, with '' for an empty one.
package func words(_ commandLine: String) -> [String] {
  commandLine.split(separator: " ").map { $0 == "''" ? "" : String($0) }
}

/// The bytes of a text in hexadecimal.
package func hex(_ text: some StringProtocol) -> [UInt8] {
  text.split(separator: " ").map { word in
    guard let byte = UInt8(word, radix: 16) else { fatalError("\(word) is no byte") }
    return byte
  }
}
