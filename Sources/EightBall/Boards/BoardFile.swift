import BluetoothHost

/// The board of a file.
///
/// Each line of the file is a setting as for `--set`, such as `shake.line = GPIO18`, or a model of the board, such as
/// `model = Raspberry Pi 4 Model B`. boards/README.md describes the fields.
public struct BoardFile: Equatable, Sendable {
  /// The largest size of a file, in bytes.
  public static var capacity: Int { 8_192 }

  /// The board.
  public private(set) var board: BoardDescription
  /// The number of the line with the radio, from 1; `nil` without one. Only the program that opens the radio checks it.
  public private(set) var radioLine: Int?

  /// Reads the text of a file.
  ///
  /// - Throws: What is wrong, with the line and the field.
  public init(_ text: Span<UInt8>, name: BoardName) throws(BoardFileError) {
    var changes = BoardChanges(to: BoardDescription(named: ""))
    var lines = BoardLines(text)
    var radioLine: Int?
    var isEmpty = true
    while let kind = lines.next() {
      isEmpty = false
      switch kind {
      case .board: throw BoardFileError(lines, .wrong(.noValue))
      case .model:
        guard BoardField.isModel(lines.value.settingValue) else {
          throw BoardFileError(lines, .wrong(.wrongValue(.model)))
        }
      case .setting:
        let name = lines.value.settingName
        if name.equals(BoardField.radio.name) { radioLine = lines.number }
        if let first = Self.firstLine(of: name, in: text), first < lines.number {
          throw BoardFileError(lines, .repeated(first))
        }
        do throws(BoardSettingError) {
          try changes.add(lines.value, at: lines.number)
        } catch {
          throw BoardFileError(lines, .wrong(error))
        }
      }
    }
    guard !isEmpty else { throw BoardFileError(BoardLines(text), .isEmpty) }
    do throws(BoardChangeError) {
      try changes.complete()
    } catch {
      var lines = BoardLines(text)
      while lines.next() != nil, lines.number < error.index {}
      throw BoardFileError(lines, .wrong(error.cause))
    }
    board = changes.board
    board.name = name
    self.radioLine = radioLine
  }

  /// Calls `body` with each model in the text of a file.
  public static func forEachModel(in text: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
    var lines = BoardLines(text)
    while let kind = lines.next() {
      if kind == .model { body(lines.value.settingValue) }
    }
  }

  /// The number of the first line that sets the field `name`; `nil` without one.
  private static func firstLine(of name: Span<UInt8>, in text: Span<UInt8>) -> Int? {
    var lines = BoardLines(text)
    while let kind = lines.next() {
      if kind == .setting, lines.value.settingName.hasSameBytes(as: name) { return lines.number }
    }
    return nil
  }
}

/// What is wrong with a board's file, and where.
public struct BoardFileError: Error, Equatable, Sendable {
  /// What is wrong.
  enum Problem: Equatable {
    /// The file has no fields.
    case isEmpty
    /// An earlier line, with this number, has the field.
    case repeated(Int)
    /// A setting is wrong.
    case wrong(BoardSettingError)
  }

  /// The number of the line, from 1; 0 if the whole file is wrong.
  public let line: Int
  /// The beginning of the line's text.
  private let setting: BoardText<127>
  private let problem: Problem

  /// A problem in the current line of `lines`.
  init(_ lines: borrowing BoardLines, _ problem: Problem) {
    line = lines.number
    let text = lines.value
    setting = BoardText { $0.add(text) }
    self.problem = problem
  }

  /// Writes the field and what was expected, without a full stop: "shake.offset: expected a whole number from 0 to
  /// 1023, not "five"". What does not fit in the writer is left out: 700 bytes are enough.
  @_lifetime(writer: copy writer)
  public func write(to writer: inout ByteWriter) {
    switch problem {
    case .isEmpty:
      writer.add("the file has no fields: expected settings such as shake.line=GPIO23")
    case .repeated(let line):
      writer.writeShown(setting.span.settingName)
      writer.add(": expected once, but line ")
      writer.write(decimal: line)
      writer.add(" already has it")
    case .wrong(let error):
      write(error, to: &writer)
    }
  }

  @_lifetime(writer: copy writer)
  private func write(_ error: BoardSettingError, to writer: inout ByteWriter) {
    let setting = setting.span
    switch error {
    case .noValue, .unknownField, .clash: break
    default:
      writer.writeShown(setting.settingName)
      writer.add(": ")
    }
    error.write(to: &writer, of: setting)
    switch error {
    case .noValue: writeActual(setting, to: &writer)
    case .wrongValue, .notNone: writeActual(setting.settingValue, to: &writer)
    default: break
    }
  }

  @_lifetime(writer: copy writer)
  private func writeActual(_ text: Span<UInt8>, to writer: inout ByteWriter) {
    writer.add(text.isEmpty ? ", not nothing" : ", not \"")
    guard !text.isEmpty else { return }
    writer.writeShown(text)
    writer.add("\"")
  }
}
