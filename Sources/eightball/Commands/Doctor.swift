#if Tools
import ArgumentParser
import LinuxBoard

/// Looks at what a ball needs of this machine.
struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look at all that a ball needs of this machine, and say what to do.",
    discussion: """
      Each line is ok, a note, or something wrong with what to do about it: the radio, the \
      adapters and who holds them, permissions, the system's Bluetooth service, the board, its \
      GPIO chip and lines, and the ball's own service. Nothing is changed, and no ball disturbed. \
      Who holds an adapter is known to root alone.

      Give it the options that you give to eightball run.

      EXAMPLES
        eightball doctor
        eightball doctor --radio hci0 --board pi-4b
        sudo eightball doctor
        eightball doctor --json

      EXIT STATUS
        0   a ball can run on what was chosen
        1   something unexpected
        64  the command line is wrong
        69  something is wrong with the radio, the lines or the service
        78  the board's file is wrong, or there is none
      """)

  @OptionGroup var boardOptions: BoardOptions
  @OptionGroup var radioChoice: RadioChoiceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let checkup = checkup()
    if output.json {
      for finding in checkup.findings { Self.json(finding) }
      var line = JSONLine(event: "checked")
      line.add("well", checkup.isWell)
      line["detail"] = checkup.summary
      line.print()
    } else {
      for line in Self.lines(checkup) { Terminal.print(line) }
    }
    if case .failure = checkup.board.board { throw ExitStatus.board }
    if !checkup.isWell { throw ExitStatus.unavailable }
  }

  private func checkup() -> Checkup {
    let board: Checkup.BoardChoice
    do throws(BoardError) {
      let chosen = try ChosenBoard(boardOptions)
      board = Checkup.BoardChoice(.success(chosen.description), reason: chosen.reason)
    } catch {
      board = Checkup.BoardChoice(.failure(error), reason: nil)
    }
    var machine = Machine.here(for: board.description)
    let usual = machine.usualRadio
    let radio = ChosenRadio(radioChoice, board: board.description, usual: usual)
    machine.try(radio.name)
    return Checkup(
      of: machine,
      radio: Checkup.RadioChoice(radio.name, reason: radio.reason, isUsual: radio.isUsual),
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
    line["subject"] = finding.subject
    line["verdict"] = finding.verdict.rawValue
    line["detail"] = finding.text
    line["remedy"] = finding.remedy
    line.print()
  }
}
#endif
