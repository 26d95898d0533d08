import BluetoothHost
import LinuxPort

/// A command of the program.
protocol Command: OptionTable {
  /// What it is called and does.
  static var page: CommandPage { get }
  /// Its options, in the order of the help. `--version` and `--help` follow them.
  static var options: [ToolOption<Self>] { get }

  /// The command with the defaults of its options.
  init()
  /// Takes an argument that is not an option.
  ///
  /// - Throws: `UsageError`, if it takes no argument here.
  mutating func take(_ argument: String) throws(UsageError)
  /// Checks the options together.
  ///
  /// - Throws: `UsageError`.
  func validate() throws(UsageError)
  /// Runs the command.
  ///
  /// - Throws: The exit status, after it has printed why; or `UsageError`.
  func run() throws
}

extension Command {
  mutating func take(_ argument: String) throws(UsageError) {
    throw UsageError("Unexpected argument '\(printable(argument))'")
  }

  func validate() throws(UsageError) {}
}

/// An option of a command: its row in the help, and what it sets.
struct ToolOption<Options> {
  let row: OptionRow
  /// Sets the option.
  ///
  /// - Throws: `UsageError`, for a value that it does not take.
  let set: (inout Options, OptionValue) throws -> Void

  /// An option without a value.
  static func flag(
    _ row: OptionRow, _ set: @escaping (inout Options) -> Void
  ) -> ToolOption {
    ToolOption(row: row) { command, _ in set(&command) }
  }

  /// An option with a value.
  static func value(
    _ row: OptionRow, _ set: @escaping (inout Options, OptionValue) throws -> Void
  ) -> ToolOption {
    ToolOption(row: row, set: set)
  }
}

/// What a command is called and does, for the help.
struct CommandPage {
  /// Its name.
  let name: StaticString
  /// What it does, as a sentence.
  let abstract: StaticString
  /// What else to know. Parts have headings in capitals.
  let discussion: StaticString
  /// Its argument; `nil` without one.
  var argument: Argument?
  /// The arguments after that one; `nil` without any.
  var rest: Argument?
  /// The option that has to be given, such as "--listen"; empty without one.
  var requiredOption: StaticString = ""

  /// An argument that is not an option.
  struct Argument {
    /// Its name, such as "question".
    let name: StaticString
    let isOptional: Bool
    let help: StaticString
  }
}

/// What is wrong with the command line.
struct UsageError: Error {
  /// A sentence.
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

/// The value of an option.
struct OptionValue {
  /// The value; empty for an option without one.
  let text: String
  /// Whether there is one.
  let isGiven: Bool
  /// How the option is written, such as "--seed <number>".
  fileprivate let form: String

  /// Why the option does not take this value.
  func invalid(_ why: String = "") -> UsageError {
    UsageError("The value '\(printable(text))' is invalid for '\(form)'\(why)")
  }

  /// The value as a whole number.
  ///
  /// - Parameter expected: The numbers that the option takes, for the explanation of another text.
  func number<Number: FixedWidthInteger>(_ expected: String) throws(UsageError) -> Number {
    guard let number = Number(text), !text.hasPrefix("+") else {
      throw invalid(": expected \(expected)")
    }
    return number
  }

  /// The value as a seed.
  func seed() throws(UsageError) -> UInt64 {
    try number("a whole number from 0 to \(UInt64.max)")
  }

  /// The value as the path of a file or a socket.
  func path() throws(UsageError) -> String {
    guard !text.isEmpty else {
      throw UsageError("\(form.prefix { $0 != " " }) is empty: give a path.")
    }
    return text
  }

  /// The value as one of the names of a type.
  func name<Name: RawRepresentable & CaseIterable>() throws(UsageError) -> Name
  where Name.RawValue == String {
    if let name = Name(rawValue: text) { return name }
    let names = Name.allCases.map { "'\($0.rawValue)'" }
    let list = names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")"
    throw invalid(". Please provide one of \(list).")
  }

  /// The value as a length of time, in milliseconds up to `longest`.
  func time(upTo longest: UInt32) throws(UsageError) -> TimeOption {
    guard let time = TimeOption(text, upTo: longest) else {
      throw invalid(": expected a time such as 3s or 250ms, up to \(longest / 1_000)s")
    }
    return time
  }
}

extension Command {
  /// Reads the arguments of the command.
  ///
  /// - Returns: `nil` if they ask for the help or the version, by this option.
  init?(_ arguments: ArgumentList, asks: (OptionRow) -> Void) throws(UsageError) {
    self.init()
    var reader = OptionReader<Self>(arguments)
    while let item = try Self.next(&reader) {
      switch item {
      case .argument(let text): try take(text.string)
      case .option(let number, let value):
        guard number < Self.options.count else {
          if let row = Self.row(at: number) { asks(row) }
          return nil
        }
        let option = Self.options[number]
        let form = String(writing: { option.row.writeForm(to: &$0) })
        let given = OptionValue(text: value?.string ?? "", isGiven: value != nil, form: form)
        do {
          try option.set(&self, given)
        } catch {
          throw error as? UsageError ?? given.invalid()
        }
      }
    }
    try validate()
  }

  private static func next(
    _ reader: inout OptionReader<Self>
  ) throws(UsageError) -> OptionReader<Self>.Item? {
    do throws(ArgumentError) {
      return try reader.next()
    } catch {
      let text = String(writing: { error.write(to: &$0) })
      guard case .unknownOption = error.cause else { throw UsageError(text) }
      let name = String(error.text.string.prefix { $0 != "=" })
      let hint = nearestName(to: name, among: rows.map(\.nameText))
        .map { ". Did you mean '\($0)'?" }
      throw UsageError(text + (hint ?? ""))
    }
  }

  /// The rows of its options.
  static var rows: [OptionRow] { options.map(\.row) + [.version, .help] }

  /// The row with this number.
  static func row(at number: Int) -> OptionRow? {
    rows.indices.contains(number) ? rows[number] : nil
  }
}

extension OptionRow {
  /// Its name.
  var nameText: String { "\(name)" }
  /// Whether it is `--help` or `--version`, which every command has.
  var isCommon: Bool { nameText == "--help" || nameText == "--version" }
}

extension ProgramText {
  /// The text; bytes that are not UTF-8 are repaired.
  var string: String {
    String(decoding: [UInt8](span), as: UTF8.self)
  }
}

/// A length of time, as a person gives it: `3s`, `0.5s`, `250ms`, `3`.
struct TimeOption: Equatable, CustomStringConvertible {
  /// The longest time that a command waits, in milliseconds.
  static let hour: UInt32 = 3_600_000

  var milliseconds: UInt32

  init(milliseconds: UInt32) {
    self.milliseconds = milliseconds
  }

  /// - Parameter longest: The upper limit in milliseconds; the lower one is 1.
  /// - Returns: `nil` for a text of another form, or a time out of range.
  init?(_ text: String, upTo longest: UInt32) {
    let number: Substring
    let factor: Double
    if text.hasSuffix("ms") {
      (number, factor) = (text.dropLast(2), 1)
    } else {
      (number, factor) = (text.hasSuffix("s") ? text.dropLast() : text[...], 1_000)
    }
    guard let value = Double(number), value.isFinite, value * factor >= 1,
      value * factor <= Double(longest)
    else { return nil }
    milliseconds = UInt32((value * factor).rounded())
  }

  var description: String {
    milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
  }
}
