import LinuxTestSupport

/// A page of the project's documentation.
struct Document {
  /// The lines between two fences.
  struct Block {
    /// The text after the opening fence: the language, and additions.
    var tag: String
    var lines: [String]
    /// The line of the opening fence, from 1.
    var line: Int

    var text: String { lines.joined(separator: "\n") }
  }

  /// Its path from the top of the repository.
  let path: String
  let lines: [String]

  /// Reads the page at `path`, from the top of the repository.
  init(_ path: String) throws {
    self.path = path
    lines = try Repository.text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
  }

  /// The blocks between fences, in order.
  var blocks: [Block] {
    var blocks: [Block] = []
    var open: Block?
    for (index, line) in lines.enumerated() {
      guard line.hasPrefix("```") else {
        open?.lines.append(line)
        continue
      }
      if let block = open {
        blocks.append(block)
        open = nil
      } else {
        open = Block(tag: String(line.dropFirst(3)), lines: [], line: index + 1)
      }
    }
    return blocks
  }

  /// The lines outside of fences.
  var prose: [String] {
    var isOpen = false
    return lines.filter { line in
      if line.hasPrefix("```") { isOpen.toggle() }
      return !isOpen
    }
  }

  /// The rows of the tables below the heading, each as its cells; headings and rules left out.
  func rows(under heading: String) -> [[String]] {
    guard let start = lines.firstIndex(of: heading) else { return [] }
    let section = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
    var rows: [[String]] = []
    var isBody = false
    for line in section {
      if !line.hasPrefix("|") {
        isBody = false
      } else if line.hasPrefix("| ---") {
        isBody = true
      } else if isBody {
        let cells = line.split(separator: "|").map { trim($0) }
        rows.append(Array(cells.dropLast(cells.last == "" ? 1 : 0)))
      }
    }
    return rows
  }
}

/// Bytes in hexadecimal, in the documentation's format.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    .joined(separator: " ")
}

/// The bytes of lines in hexadecimal, with comments from `#` on; `nil` if the lines are not
/// hexadecimal.
func bytes(of lines: [String]) -> [UInt8]? {
  var bytes: [UInt8] = []
  for line in lines {
    for word in line.prefix(while: { $0 != "#" }).split(separator: " ") {
      guard word.count == 2, let byte = UInt8(word, radix: 16) else { return nil }
      bytes.append(byte)
    }
  }
  return bytes
}
