import BluetoothHost

/// Writes the help of a table of options, with lines of at most 80 columns.
public struct OptionHelp {
  /// Where the meanings begin.
  private static var indentation: Int { 26 }
  /// The length of a line.
  private static var width: Int { 80 }

  private var column = 0

  /// An empty help.
  public init() {}

  /// Writes the usage: the program, and each option of the table in brackets.
  ///
  /// - Parameters:
  ///   - program: The program and its arguments.
  ///   - print: Takes the text, part by part.
  public static func writeUsage<Table: OptionTable>(
    of program: StaticString, _ table: Table.Type, _ print: (Span<UInt8>) -> Void
  ) {
    print(ProgramText("USAGE: ").span)
    print(ProgramText(program).span)
    var number = 0
    while let row = Table.row(at: number) {
      number &+= 1
      // Every command has them.
      if isCommon(row) { continue }
      print(ProgramText(" [").span)
      writeForm(of: row, print)
      print(ProgramText(row.isRepeatable ? " ...]" : "]").span)
    }
    print(ProgramText("\n").span)
  }

  /// Whether it is `--help` or `--version`.
  private static func isCommon(_ row: OptionRow) -> Bool {
    let name = ProgramText(row.name).span
    return name.equals("--help") || name.equals("--version")
  }

  /// Writes a row for each option of the table: how it is written, and what it does.
  ///
  /// - Parameter print: Takes the text, part by part.
  public static func write<Table: OptionTable>(
    _ table: Table.Type, _ print: (Span<UInt8>) -> Void
  ) {
    print(ProgramText("OPTIONS:\n").span)
    var number = 0
    while let row = Table.row(at: number) {
      number &+= 1
      var help = OptionHelp()
      help.put(ProgramText("  ").span, print)
      if ProgramText(row.name).span.equals("--help") { help.put(ProgramText("-h, ").span, print) }
      help.put(ProgramText(row.name).span, print)
      if row.takesValue {
        help.put(ProgramText(" ").span, print)
        help.put(ProgramText(row.value).span, print)
      }
      help.writeMeaning(ProgramText(row.help).span, print)
    }
  }

  /// Writes a term and its meaning in the same two columns.
  ///
  /// - Parameter print: Takes the text, part by part.
  public static func write(
    _ term: Span<UInt8>, _ meaning: Span<UInt8>, _ print: (Span<UInt8>) -> Void
  ) {
    var help = OptionHelp()
    help.put(ProgramText("  ").span, print)
    help.put(term, print)
    help.writeMeaning(meaning, print)
  }

  private static func writeForm(of row: OptionRow, _ print: (Span<UInt8>) -> Void) {
    print(ProgramText(row.name).span)
    guard row.takesValue else { return }
    print(ProgramText(" ").span)
    print(ProgramText(row.value).span)
  }

  /// Writes a part of a line.
  private mutating func put(_ text: Span<UInt8>, _ print: (Span<UInt8>) -> Void) {
    print(text)
    column &+= text.columns
  }

  /// Writes a meaning from its column on, word by word.
  private mutating func writeMeaning(_ text: Span<UInt8>, _ print: (Span<UInt8>) -> Void) {
    // A long term has a line of its own.
    if column > Self.indentation - 2 { endLine(print) }
    var start = 0
    while start < text.count {
      let rest = text.extracting(start...)
      let word = rest.extracting(first: rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.count)
      if column >= Self.indentation {
        if column &+ 1 &+ word.columns > Self.width {
          endLine(print)
        } else {
          put(ProgramText(" ").span, print)
        }
      }
      while column < Self.indentation { put(ProgramText(" ").span, print) }
      put(word, print)
      start &+= word.count &+ 1
    }
    endLine(print)
  }

  private mutating func endLine(_ print: (Span<UInt8>) -> Void) {
    print(ProgramText("\n").span)
    column = 0
  }
}

extension Span<UInt8> {
  /// How many columns the text takes, with one for each character.
  fileprivate var columns: Int {
    var columns = 0
    for index in indices where self[index] & 0xC0 != 0x80 { columns &+= 1 }
    return columns
  }
}
