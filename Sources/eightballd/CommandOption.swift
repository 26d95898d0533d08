import BluetoothHost
import LinuxPort

/// An option of the command line.
enum CommandOption: UInt8 {
  case name, answers, seed, idleLimit, security, pairingWindow, control, allowPresses, address,
    board, set, radio, json, quiet, version, help

  /// The option of an argument `--name` or `--name=VALUE`; `nil` without one.
  init?(_ argument: ProgramText) {
    var number: UInt8 = 0
    while let option = CommandOption(rawValue: number) {
      if option.isFirst(of: argument.span) {
        self = option
        return
      }
      number += 1
    }
    guard argument.span.equals("-h") else { return nil }
    self = .help
  }

  private func isFirst(of argument: Span<UInt8>) -> Bool {
    let length = name.count
    guard argument.extracting(first: min(length, argument.count)).hasSameBytes(as: name.span) else {
      return false
    }
    return argument.count == length || argument[length] == UInt8(ascii: "=")
  }

  /// The text after the "=" of an argument with this option; `nil` without "=".
  func attachedValue(of argument: ProgramText) -> ProgramText? {
    argument.count > name.count ? argument.dropping(name.count + 1) : nil
  }

  /// As it is written.
  var name: ProgramText {
    let form = ProgramText(form)
    return form.first(form.span.firstIndex(of: UInt8(ascii: " ")) ?? form.count)
  }

  /// The option with its value, as in the usage.
  var form: StaticString {
    switch self {
    case .name: "--name <name>"
    case .answers: "--answers <text|slugs>"
    case .seed: "--seed <number>"
    case .idleLimit: "--idle-limit <minutes>"
    case .security: "--security <none|encrypted|authenticated>"
    case .pairingWindow: "--pairing-window"
    case .control: "--control [<path>]"
    case .allowPresses: "--allow-presses"
    case .address: "--address <address>"
    case .board: "--board <name>"
    case .set: "--set <field=value>"
    case .radio: "--radio <radio>"
    case .json: "--json"
    case .quiet: "--quiet"
    case .version: "--version"
    case .help: "--help"
    }
  }

  /// Whether it takes a value.
  var takesValue: Bool { name.count < form.utf8CodeUnitCount }
}
