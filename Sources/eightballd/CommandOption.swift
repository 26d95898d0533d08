import LinuxPort

/// An option of the command line.
enum CommandOption {
  case name, answers, seed, idleLimit, address, board, set, radio, json, quiet, version, help

  /// The option that an argument begins with, `--name` or `--name=VALUE`; `nil` if it is none.
  init?(_ argument: ProgramText) {
    let all: InlineArray<12, CommandOption> = [
      .name, .answers, .seed, .idleLimit, .address, .board, .set, .radio, .json, .quiet,
      .version, .help,
    ]
    for index in all.indices where all[index].isFirst(of: argument) {
      self = all[index]
      return
    }
    guard argument.span.equals("-h") else { return nil }
    self = .help
  }

  private func isFirst(of argument: ProgramText) -> Bool {
    let text = argument.span
    guard text.begins(with: name) else { return false }
    let length = name.utf8CodeUnitCount
    return text.count == length || text[length] == UInt8(ascii: "=")
  }

  /// What follows the "=" of an argument that begins with this option; `nil` if there is none.
  func attachedValue(of argument: ProgramText) -> ProgramText? {
    argument.count > name.utf8CodeUnitCount
      ? argument.dropping(name.utf8CodeUnitCount + 1) : nil
  }

  /// As it is written.
  var name: StaticString {
    switch self {
    case .name: "--name"
    case .answers: "--answers"
    case .seed: "--seed"
    case .idleLimit: "--idle-limit"
    case .address: "--address"
    case .board: "--board"
    case .set: "--set"
    case .radio: "--radio"
    case .json: "--json"
    case .quiet: "--quiet"
    case .version: "--version"
    case .help: "--help"
    }
  }

  /// With its value, as the usage shows it.
  var form: StaticString {
    switch self {
    case .name: "--name <name>"
    case .answers: "--answers <text|slugs>"
    case .seed: "--seed <number>"
    case .idleLimit: "--idle-limit <minutes>"
    case .address: "--address <address>"
    case .board: "--board <name>"
    case .set: "--set <field=value>"
    case .radio: "--radio <radio>"
    case .json, .quiet, .version, .help: name
    }
  }

  /// Whether a value belongs to it.
  var takesValue: Bool {
    switch self {
    case .json, .quiet, .version, .help: false
    default: true
    }
  }
}
