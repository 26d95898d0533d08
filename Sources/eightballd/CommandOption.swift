import LinuxPort

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
