import LinuxTestSupport

/// The public declarations of a folder of Swift sources, found line by line in this project's format.
enum Declarations {
  /// Names such as `CBPeer.identifier`, `CBUUID.init(string:)` and `CBError.Code.unknown`, also the
  /// members of a public protocol or enumeration.
  static func publicSymbols(in folder: String) throws -> Set<String> {
    var symbols: Set<String> = []
    for name in try Repository.files(in: folder) where name.hasSuffix(".swift") {
      symbols.formUnion(self.symbols(of: try Document(folder + "/" + name).lines))
    }
    return symbols
  }

  private static func symbols(of lines: [String]) -> Set<String> {
    var symbols: Set<String> = []
    /// The types that the line is in, the outermost first.
    var types: [(name: String, isProtocol: Bool, isEnum: Bool)] = []
    var rest = lines[...]
    while let line = rest.popFirst() {
      let text = trim(line)
      guard !text.isEmpty, !text.hasPrefix("//") else { continue }
      // Two spaces a level: a line that is deeper than its type is in a body.
      let depth = (line.count - line.drop { $0 == " " }.count) / 2
      if text.hasPrefix("}") || text.hasPrefix(")") {
        if text.hasPrefix("}") { types = Array(types.prefix(depth)) }
        continue
      }
      guard depth <= types.count else { continue }
      types = Array(types.prefix(depth))
      let words = text.split(separator: " ").map(String.init)
      let isPublic = words.contains("public") || words.contains("open")
      let prefix = types.map { $0.name + "." }.joined()
      if let type = type(words) {
        let isCounted = isPublic && type.kind != "extension"
        if isCounted { symbols.insert(prefix + type.name) }
        types.append((type.name, type.kind == "protocol", type.kind == "enum" && isPublic))
        continue
      }
      if words.first == "case", types.last?.isEnum == true {
        let cases = withoutPayloads(words.dropFirst().joined(separator: " "))
        for name in cases.split(separator: ",") {
          symbols.insert(prefix + trim(name.prefix { $0 != "=" }).filter { $0 != "`" })
        }
        continue
      }
      guard isPublic || types.last?.isProtocol == true else { continue }
      if let name = member(text, words, &rest) { symbols.insert(prefix + name) }
    }
    return symbols
  }

  private static func type(_ words: [String]) -> (kind: String, name: String)? {
    let kinds = ["class", "struct", "enum", "protocol", "extension"]
    guard let index = words.firstIndex(where: { kinds.contains($0) }),
      index + 1 < words.count, !["func", "var"].contains(words[index + 1]),
      words[..<index].allSatisfy({
        ["public", "open", "final", "indirect", "fileprivate"].contains($0)
      })
    else { return nil }
    return (words[index], String(words[index + 1].prefix { !":<".contains($0) }))
  }

  /// Names of cases without their associated values.
  private static func withoutPayloads(_ text: String) -> String {
    var level = 0
    return text.filter { character in
      if character == "(" { level += 1 }
      defer { if character == ")" { level -= 1 } }
      return level == 0
    }
  }

  private static func member(
    _ text: String, _ words: [String], _ rest: inout ArraySlice<String>
  ) -> String? {
    if let index = words.firstIndex(where: { ["var", "let", "typealias"].contains($0) }),
      !words[..<index].contains("func"), index + 1 < words.count
    {
      return words[index + 1].filter { $0 != "`" && $0 != ":" }
    }
    guard let open = text.firstIndex(of: "(") else { return nil }
    let name = text[..<open].split(separator: " ").last.map { $0.filter { $0 != "?" } }
    guard let name = name?.prefix(while: { $0 != "<" }), name == "init" || words.contains("func")
    else { return nil }
    var parameters = String(text[open...])
    while parameters.count(where: { $0 == "(" }) > parameters.count(where: { $0 == ")" }),
      let next = rest.popFirst()
    {
      parameters += " " + trim(next)
    }
    return name + "(" + labels(parameters).map { $0 + ":" }.joined() + ")"
  }

  /// The labels of parameters, from the parenthesis that opens them.
  private static func labels(_ text: String) -> [String] {
    var labels: [String] = []
    var level = 0
    var parameter = ""
    for character in text {
      if "([<".contains(character) { level += 1 }
      if ")]>".contains(character) { level -= 1 }
      if level == 0 || (level == 1 && character == ",") {
        let label = parameter.split(separator: " ").first ?? ""
        if !label.isEmpty { labels.append(String(label.prefix { $0 != ":" })) }
        parameter = ""
        if level == 0 { break }
      } else if level > 1 || character != "(" {
        parameter.append(character)
      }
    }
    return labels
  }
}
