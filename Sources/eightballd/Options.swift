import BallRunner
import BluetoothHost
import EightBall
import Linux
import LinuxPort

/// The options of the command line.
struct Options {
  /// What the program does.
  enum Task {
    case run
    case showHelp
    case showVersion
  }

  /// The largest number of `--set`.
  static var mostSettings: Int { 32 }

  /// What the program does.
  var task = Task.run
  /// `--name`.
  var name: ProgramText?
  /// `--answers`.
  var style = AnswerFormat.text
  /// `--seed`; `nil` for a random one.
  var seed: UInt64?
  /// `--idle-limit`, in minutes; 0 keeps every central.
  var idleLimit: UInt16 = 5
  /// `--security`: whether links are encrypted.
  var isProtected = false
  /// `--pairing-window`: whether pairing stays open after a central has paired.
  var keepsPairingOpen = false
  /// The path of `--control`.
  var control: ProgramText?
  /// `--allow-remote-buttons`.
  var allowsRemoteButtons = false
  /// `--address`.
  var address: AddressChoice?
  /// `--radio`.
  var radio: RadioAddress?
  /// `--board`.
  var board: ProgramText?
  /// The texts of `--set`, not yet checked against the board.
  var settings = InlineArray<32, ProgramText?>(repeating: nil)
  /// How often `--set` was given.
  var settingCount = 0
  /// `--json`.
  var isJSON = false
  /// `--quiet`.
  var isQuiet = false

  /// How events are printed.
  var lines: LineFormat { isJSON ? .json : isQuiet ? .none : .words }

  /// The defaults.
  init() {}

  /// Reads the arguments after the program's name.
  ///
  /// - Throws: What is wrong with the first wrong argument.
  init(_ arguments: ArgumentList) throws(OptionError) {
    self.init()
    var reader = OptionReader<CommandOption>(arguments)
    while task == .run, let item = try Self.next(&reader) {
      switch item {
      case .argument(let text): throw OptionError(.argument(.unexpected), text)
      case .option(let number, let value):
        if let option = CommandOption(rawValue: number) { try set(option, value) }
      }
    }
    guard task == .run else { return }
    if let name { try Self.check(name) }
    if keepsPairingOpen, !isProtected {
      throw OptionError(.openPairingWindow, ProgramText("--pairing-window"))
    }
    if isQuiet, isJSON { throw OptionError(.quietJSON, ProgramText("--quiet")) }
  }

  private static func next(
    _ reader: inout OptionReader<CommandOption>
  ) throws(OptionError) -> OptionReader<CommandOption>.Item? {
    do throws(ArgumentError) {
      return try reader.next()
    } catch {
      throw OptionError(error)
    }
  }

  @inline(never)
  private mutating func set(_ option: CommandOption, _ value: ProgramText?) throws(OptionError) {
    guard let value else { return set(option) }
    switch option {
    case .name: name = value
    case .answers:
      guard let style = AnswerFormat(value.span) else { throw OptionError(.answers, value) }
      self.style = style
    case .seed:
      guard let number = value.span.unsignedNumber(upTo: .max) else {
        throw OptionError(.argument(.wrongValue(option.row)), value)
      }
      seed = number
    case .security: isProtected = try Self.protection(value)
    case .idleLimit:
      guard let minutes = value.span.unsignedNumber(upTo: 0xFFFF) else {
        throw OptionError(.argument(.wrongValue(option.row)), value)
      }
      guard minutes <= 1_440 else { throw OptionError(.idleLimit, value) }
      idleLimit = UInt16(truncatingIfNeeded: minutes)
    case .address:
      do throws(AddressChoiceError) {
        address = try AddressChoice(value.span)
      } catch {
        throw OptionError(.address(error), value)
      }
    case .radio:
      do throws(RadioAddressError) {
        radio = try RadioAddress(numeric: value.span)
      } catch {
        throw OptionError(.radio(error), value)
      }
    case .control: control = value
    case .board: board = value
    case .set: try add(value)
    case .pairingWindow, .allowRemoteButtons, .json, .quiet, .help, .version: break
    }
  }

  /// Sets an option without a value.
  private mutating func set(_ option: CommandOption) {
    switch option {
    case .pairingWindow: keepsPairingOpen = true
    case .allowRemoteButtons: allowsRemoteButtons = true
    case .json: isJSON = true
    case .quiet: isQuiet = true
    case .version: task = .showVersion
    case .help: task = .showHelp
    // Without a path it is the usual one.
    default: break
    }
  }

  @inline(never)
  private static func protection(_ text: ProgramText) throws(OptionError) -> Bool {
    if text.span.equals("authenticated") { throw OptionError(.authenticated, text) }
    guard text.span.equals("encrypted") || text.span.equals("none") else {
      throw OptionError(.security, text)
    }
    return text.span.equals("encrypted")
  }

  @inline(never)
  private mutating func add(_ setting: ProgramText) throws(OptionError) {
    guard settingCount < Self.mostSettings else { throw OptionError(.tooManySettings, setting) }
    do throws(BoardSettingError) {
      var changes = BoardChanges()
      try changes.add(setting.span, at: settingCount)
    } catch {
      throw OptionError(.setting(error), setting)
    }
    settings[settingCount] = setting
    settingCount += 1
  }

  private static func check(_ name: ProgramText) throws(OptionError) {
    guard name.count > 0 else { throw OptionError(.emptyName, name) }
    guard name.count <= DeviceName.capacity else { throw OptionError(.longName, name) }
    guard name.span.isValidUTF8 else { throw OptionError(.wrongName, name) }
  }
}

extension AnswerFormat {
  /// The style for `--answers`; `nil` for any other text.
  fileprivate init?(_ text: Span<UInt8>) {
    if text.equals("text") {
      self = .text
    } else if text.equals("slugs") {
      self = .slug
    } else {
      return nil
    }
  }
}

/// The options of eightballd, with the rows that `eightball run` has too.
enum CommandOption: Int, OptionTable {
  case name, answers, seed, idleLimit, security, pairingWindow, control, allowRemoteButtons,
    address,
    board, set, radio, json, quiet, version, help

  static func row(at number: Int) -> OptionRow? { CommandOption(rawValue: number)?.row }

  var row: OptionRow {
    switch self {
    case .name: .name
    case .answers: .answers
    case .seed: .seed
    case .idleLimit: .idleLimit
    case .security: .security
    case .pairingWindow: .pairingWindow
    case .control: .ballControl
    case .allowRemoteButtons: .allowRemoteButtons
    case .address: .address
    case .board:
      OptionRow(
        "--board", "<name>",
        """
        The board with the ball's buttons and lights, one of those that eightball boards lists, or \
        none; or a file of your own, such as ./my-board.conf. Default: the board of the model in the \
        device tree.
        """)
    case .set: .set
    case .radio:
      OptionRow(
        "--radio", "<radio>",
        "The Bluetooth controller to use: see RADIOS. Default: the board's, or else hci0.")
    case .json: .json
    case .quiet: .quiet
    case .version: .version
    case .help: .help
    }
  }
}
