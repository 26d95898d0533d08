import LinuxPort
import LinuxRadio

/// Checks whether this machine can run a ball.
struct Doctor: Command {
  static let page = CommandPage(
    name: "doctor",
    abstract: "Check whether this machine can run a ball, and say what to do.",
    discussion: """
      Each line is ok, a note, or wrong with what to do about it: the radio, the adapters and \
      the programs that hold them, permissions, the system's Bluetooth service, the board, its \
      GPIO chip and lines, and the ball's own service. It changes nothing and disturbs no ball. \
      Only root can see who holds an adapter.

      Give it the options that you give to eightball run.

      EXAMPLES
        eightball doctor
        eightball doctor --radio hci0 --board pi-4b
        sudo eightball doctor
        eightball doctor --json

      EXIT STATUS
        0   a ball can run with these options
        1   an unexpected failure
        64  the command line is wrong
        69  something is wrong with the radio, the lines or the service
        74  the checks cannot be written
        78  the board is wrong or unknown
      """)

  static var options: [ToolOption<Doctor>] {
    [
      .value(.board) { $0.boardOptions.board = $1.text },
      .value(.set) { try $0.boardOptions.add($1) },
      .value(.radio) { $0.radio = try $1.radio() },
      .flag(.json) { $0.isJSON = true },
    ]
  }

  var boardOptions = BoardOptions()
  var radio: RadioAddress?
  var isJSON = false

  func run() throws {
    let checkup = checkup()
    if isJSON {
      for finding in checkup.findings { Self.json(finding) }
      var line = JSONLine(event: "checked")
      line.add("well", checkup.isWell)
      line.add("detail", checkup.summary)
      line.print()
    } else {
      for line in Self.lines(checkup) { Terminal.print(line) }
    }
    if case .failure = checkup.board.board { throw ExitStatus.board }
    if !checkup.isWell { throw ExitStatus.unavailable }
  }

  private func checkup() -> Checkup {
    let board: Checkup.CheckedBoard
    do throws(BoardError) {
      let chosen = try ChosenBoard(boardOptions)
      board = Checkup.CheckedBoard(.success(chosen.description), reason: chosen.reason)
    } catch {
      board = Checkup.CheckedBoard(.failure(error), reason: nil)
    }
    var machine = Machine.here(for: board.description)
    let defaultRadio = machine.defaultRadio
    let radio = ChosenRadio(
      self.radio, board: board.description, defaultRadio: defaultRadio)
    machine.checkRadio(radio.name)
    return Checkup(
      of: machine,
      radio: Checkup.CheckedRadio(radio.name, reason: radio.reason, isDefault: radio.isDefault),
      board: board)
  }

  /// What is printed for people:
  ///
  ///     ok     board       pi-4b (this is a Raspberry Pi 4 Model B Rev 1.4)
  ///     wrong  adapter     hci0 is switched off
  ///                        Switch it on: rfkill unblock bluetooth, or the switch on the machine
  static func lines(_ checkup: Checkup) -> [String] {
    let width = checkup.findings.map(\.subject.count).max() ?? 0
    var lines: [String] = []
    for finding in checkup.findings {
      let verdict = padded(finding.verdict.rawValue, to: 5)
      let head = "\(verdict)  \(padded(finding.subject, to: width))  "
      lines.append(head + printable(finding.text))
      guard let remedy = finding.remedy else { continue }
      lines.append(String(repeating: " ", count: head.count) + printable(remedy))
    }
    return lines + [checkup.summary]
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func json(_ finding: Finding) {
    var line = JSONLine(event: "check")
    line.add("subject", finding.subject)
    line.add("verdict", finding.verdict.rawValue)
    line.add("detail", finding.text)
    line.add("remedy", finding.remedy)
    line.print()
  }
}
