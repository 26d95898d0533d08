import BluetoothHost
import EightBall
import Linux
import LinuxPort

/// The board of the ball.
struct BoardChoice {
  /// Why a board was chosen, or none.
  enum Reason {
    /// The command line names it.
    case named
    /// The device tree has this model.
    case model
    /// No board has the model of the device tree.
    case unknownModel
    /// There is no device tree.
    case noDeviceTree
  }

  /// The board; `nil` without one.
  var description: BoardDescription?
  /// Why it was chosen.
  var reason: Reason
  /// This machine's model in the device tree.
  var model: BoardText<127>

  /// Chooses the board of `options`, or the one with `model` in the program's table.
  ///
  /// - Throws: What is wrong with the options.
  init(_ options: borrowing Options, model: BoardText<127>) throws(BoardChoiceError) {
    let table = BoardTable.shipped
    self.model = model
    reason = .named
    if let name = options.board {
      description = try Self.named(name, table)
    } else {
      reason = model.isEmpty ? .noDeviceTree : .unknownModel
      switch table.search(model: model.span).result {
      case .none: break
      case .board(let number):
        reason = .model
        description = table.board(at: number)
      case .several: throw .several
      }
    }
    try apply(options)
    if description?.isVirtual ?? false { throw .virtual }
  }

  private static func named(
    _ name: ProgramText, _ table: BoardTable
  ) throws(BoardChoiceError) -> BoardDescription {
    if name.span.equals(BoardDescription.noBoard) {
      return BoardDescription(named: BoardDescription.noBoard)
    }
    if isPath(name.span) { return try read(name) }
    guard let number = table.index(named: name.span), let board = table.board(at: number) else {
      throw .unknown(name)
    }
    return board
  }

  /// Whether `--board` is a file: it has a slash, or ends in .conf.
  private static func isPath(_ name: Span<UInt8>) -> Bool {
    for index in name.indices where name[index] == UInt8(ascii: "/") { return true }
    return name.extracting(last: min(5, name.count)).equals(".conf")
  }

  /// Reads the board of a file, which has the file's name without .conf.
  private static func read(_ path: ProgramText) throws(BoardChoiceError) -> BoardDescription {
    // One byte more shows that a file is too long.
    var bytes = InlineArray<8_193, UInt8>(repeating: 0)
    let count: Int
    do throws(ErrorNumber) {
      count = try readFile(path, into: bytes.mutableSpan)
    } catch {
      throw .unreadable(path, error)
    }
    guard count <= BoardFile.capacity else { throw .tooLong(path) }
    var name = path.span
    if let slash = name.lastIndex(of: UInt8(ascii: "/")) { name = path.dropping(slash + 1).span }
    if name.extracting(last: min(5, name.count)).equals(".conf") {
      name = name.extracting(first: name.count - 5)
    }
    do throws(BoardFileError) {
      return try BoardFile(
        bytes.span.extracting(first: count), name: BoardName(name) ?? BoardName()
      ).board
    } catch {
      throw .file(path, error)
    }
  }

  private mutating func apply(_ options: borrowing Options) throws(BoardChoiceError) {
    guard options.settingCount > 0 else { return }
    guard let description else { throw .noBoard }
    var changes = BoardChanges(to: description)
    for index in 0..<options.settingCount {
      guard let setting = options.settings[index] else { continue }
      do throws(BoardSettingError) {
        try changes.add(setting.span, at: index)
      } catch {
        throw .setting(setting, error)
      }
    }
    do throws(BoardChangeError) {
      try changes.complete()
    } catch {
      throw .setting(options.settings[error.index] ?? ProgramText(""), error.cause)
    }
    self.description = changes.board
  }

  /// Writes the board and why it was chosen, as a sentence.
  func write(to writer: inout ByteWriter) {
    writer.write(text: "Board: ")
    if let description {
      writer.writeShown(description.name.span)
    } else {
      writer.write(text: "none")
    }
    switch reason {
    case .named: break
    case .model:
      writer.write(text: " (this is a ")
      writer.writeShown(model.span)
      writer.write(text: ")")
    case .unknownModel:
      writer.write(text: " (no known board is a ")
      writer.writeShown(model.span)
      writer.write(text: ")")
    case .noDeviceTree:
      writer.write(text: " (no device tree)")
    }
    // `==` would add a comparison of all fields of a board.
    if case nil = description {
      writer.write(text: "; --board chooses one: see eightball boards")
    }
    writer.write(text: ".")
  }
}

/// What is wrong with the choice of a board.
enum BoardChoiceError: Error {
  /// Something is wrong in the file of the board.
  case file(ProgramText, BoardFileError)
  /// The file of the board cannot be read.
  case unreadable(ProgramText, ErrorNumber)
  /// The file of the board is too long.
  case tooLong(ProgramText)
  /// The program has no board of this name.
  case unknown(ProgramText)
  /// Two boards have the model of this machine.
  case several
  /// There is no board to change.
  case noBoard
  /// A setting is not valid for the board.
  case setting(ProgramText, BoardSettingError)
  /// The board is the virtual one.
  case virtual

  /// Writes what is wrong and what was expected, without a full stop.
  func write(to writer: inout ByteWriter) {
    switch self {
    case .file(let path, let error):
      writer.write(shown: path)
      if error.line > 0 {
        writer.write(text: ":")
        writer.write(decimal: error.line)
      }
      writer.write(text: ": ")
      error.write(to: &writer)
    case .unreadable(let path, let code):
      writer.write(shown: path)
      writer.write(text: ": cannot read the board's file: ")
      SystemCallError(code: code, operation: .read).writeReason(to: &writer)
    case .tooLong(let path):
      writer.write(shown: path)
      writer.write(text: ": expected at most 8192 bytes")
    case .unknown(let name):
      writer.write(text: "--board ")
      writer.write(shown: name)
      writer.write(text: ": expected ")
      BoardTable.shipped.writeNames(ofRealBoardsTo: &writer)
      writer.write(text: "none, or a file such as ./my-board.conf")
    case .several:
      writer.write(text: "two boards have the model of this machine: name one with --board")
    case .noBoard:
      writer.write(text: "--set: there is no board to change: add --board")
    case .setting(let setting, let fault):
      writer.write(text: "--set ")
      writer.write(shown: setting)
      writer.write(text: ": ")
      fault.write(to: &writer, of: setting.span)
    case .virtual:
      writer.write(
        text: "the virtual board is not in eightballd: eightball run --board virtual has it")
    }
  }
}
