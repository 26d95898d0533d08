import Glibc
import Testing

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

  /// A page or a source that is missing.
  struct Missing: Error {
    var path: String
  }

  /// Its path from the top of the repository.
  let path: String
  let lines: [String]

  /// Reads the page at `path`, from the top of the repository.
  init(_ path: String) throws {
    self.path = path
    lines = try Self.text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
  }

  /// The whole of a file of the repository.
  static func text(of path: String) throws -> String {
    let stream = unsafe fopen(top + path, "r")
    guard let stream = unsafe stream else { throw Missing(path: path) }
    defer { unsafe fclose(stream) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe fread(&part, 1, part.count, stream), count > 0 {
      bytes += part.prefix(count)
    }
    return try #require(String(validating: bytes, as: UTF8.self), "\(path) is not UTF-8")
  }

  /// The names of the files in a folder of the repository.
  static func files(in path: String) throws -> [String] {
    let folder = unsafe opendir(top + path)
    guard let folder = unsafe folder else { throw Missing(path: path) }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      names.append(name)
    }
    return names.sorted()
  }

  /// Whether the repository has this file or folder.
  static func exists(_ path: String) -> Bool {
    unsafe access(top + path, F_OK) == 0
  }

  /// The top of the repository: two folders above this file's.
  private static let top =
    #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/") + "/"

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

/// `text` without the spaces around it.
func trim<Text: StringProtocol>(_ text: Text) -> String {
  var rest = Substring(text)
  while rest.first == " " { rest.removeFirst() }
  while rest.last == " " { rest.removeLast() }
  return String(rest)
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
