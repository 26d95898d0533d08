import BluetoothHost

/// A row of a table of options: how the option is written, and what it does.
public struct OptionRow: Sendable {
  /// Its name, such as "--name".
  public var name: StaticString
  /// Its value, such as "<name>"; in brackets if it may be left out, and empty without one.
  public var value: StaticString
  /// What it does, and its default.
  public var help: StaticString
  /// Whether it may be given several times.
  public var isRepeatable: Bool

  /// The row of an option without a value.
  public init(_ name: StaticString, _ help: StaticString) {
    self.init(name, "", help)
  }

  /// The row of an option with a value.
  public init(
    _ name: StaticString, _ value: StaticString, isRepeatable: Bool = false,
    _ help: StaticString
  ) {
    self.name = name
    self.value = value
    self.help = help
    self.isRepeatable = isRepeatable
  }

  /// Whether it takes a value.
  public var takesValue: Bool { value.utf8CodeUnitCount > 0 }

  /// Whether its value may be left out.
  public var isValueOptional: Bool { ProgramText(value).span.begins(with: "[") }

  /// Writes the option with its value, as in the usage.
  public func writeForm(to writer: inout ByteWriter) {
    writer.write(text: name)
    guard takesValue else { return }
    writer.write(text: " ")
    writer.write(text: value)
  }
}

/// The options of a command, as a table of rows in the order of the help.
public protocol OptionTable {
  /// The row with this number, from 0; `nil` after the last one.
  static func row(at number: Int) -> OptionRow?
}

extension OptionTable {
  /// The number of the option of an argument `--name` or `--name=VALUE`; `nil` without one. `-h` is
  /// `--help`.
  static func number(of argument: Span<UInt8>) -> Int? {
    let argument = argument.equals("-h") ? ProgramText("--help").span : argument
    var number = 0
    while let row = row(at: number) {
      if row.isNamed(by: argument) { return number }
      number &+= 1
    }
    return nil
  }
}

extension OptionRow {
  fileprivate func isNamed(by argument: Span<UInt8>) -> Bool {
    guard argument.begins(with: name) else { return false }
    let length = name.utf8CodeUnitCount
    return argument.count == length || argument[length] == UInt8(ascii: "=")
  }
}

/// Reads the arguments of a command with the options of a table.
public struct OptionReader<Table: OptionTable> {
  /// An option, or another argument.
  public enum Item {
    /// The number of an option, and its value; `nil` for an option without one.
    case option(Int, ProgramText?)
    /// An argument that is not an option.
    case argument(ProgramText)
  }

  private var rest: ArgumentList
  /// Whether "--" has ended the options.
  private var isOver = false

  /// Reads `arguments`.
  public init(_ arguments: ArgumentList) {
    rest = arguments
  }

  /// Reads the next argument, with the value of an option; `nil` at the end.
  ///
  /// - Throws: What is wrong with it.
  public mutating func next() throws(ArgumentError) -> Item? {
    guard let argument = rest.next() else { return nil }
    if isOver { return .argument(argument) }
    if argument.span.equals("--") {
      isOver = true
      return try next()
    }
    guard let number = Table.number(of: argument.span), let row = Table.row(at: number) else {
      if argument.span.isOption { throw ArgumentError(.unknownOption, argument) }
      return .argument(argument)
    }
    let attached = attachedValue(of: argument, row)
    guard row.takesValue else {
      if let attached { throw ArgumentError(.noValueExpected(row), attached) }
      return .option(number, nil)
    }
    if let attached, attached.count == 0 { throw ArgumentError(.missingValue(row), argument) }
    let value = attached ?? rest.nextValue()
    if value == nil, !row.isValueOptional {
      throw ArgumentError(.missingValue(row), argument)
    }
    return .option(number, value)
  }

  /// The text after the "=" of an option; `nil` without "=".
  private func attachedValue(of argument: ProgramText, _ row: OptionRow) -> ProgramText? {
    let length = row.name.utf8CodeUnitCount
    return argument.count > length ? argument.dropping(length + 1) : nil
  }
}

/// What is wrong with an argument.
public struct ArgumentError: Error {
  /// The kinds of errors.
  public enum Cause: Sendable {
    /// It is written as an option, and the table has none of this name.
    case unknownOption
    /// The command takes no argument here.
    case unexpected
    /// The option lacks its value.
    case missingValue(OptionRow)
    /// The option takes no value.
    case noValueExpected(OptionRow)
    /// The option does not take this value.
    case wrongValue(OptionRow)
  }

  /// What is wrong.
  public var cause: Cause
  /// The wrong argument or value.
  public var text: ProgramText

  /// An error about `text`.
  public init(_ cause: Cause, _ text: ProgramText) {
    self.cause = cause
    self.text = text
  }

  /// Writes what is wrong.
  public func write(to writer: inout ByteWriter) {
    switch cause {
    case .unknownOption: quote("Unknown option '", to: &writer)
    case .unexpected: quote("Unexpected argument '", to: &writer)
    case .missingValue(let row):
      writer.write(text: "Missing value for '")
      row.writeForm(to: &writer)
    case .noValueExpected(let row):
      writer.write(text: "The option '")
      writer.write(text: row.name)
      quote("' does not take any value, but '", to: &writer)
      writer.write(text: "' was specified.")
      return
    case .wrongValue(let row):
      quote("The value '", to: &writer)
      writer.write(text: "' is invalid for '")
      row.writeForm(to: &writer)
    }
    writer.write(text: "'")
  }

  @inline(never)
  private func quote(_ before: StaticString, to writer: inout ByteWriter) {
    writer.write(text: before)
    // Without what a terminal would obey.
    writer.writeShown(text.span)
  }
}
