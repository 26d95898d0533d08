import Boards
import LinuxRadio
import Testing

@testable import LinuxBoard
@testable import eightball

/// Compares all that is said of a machine, chosen as `eightball run` chooses.
func expect(
  _ machine: Machine, radio: RadioName? = nil, board: BoardDescription?, reason: String? = nil,
  _ expected: String, _ location: SourceLocation = #_sourceLocation
) {
  var options = RadioChoiceOptions()
  options.radio = radio
  let chosen = ChosenRadio(options, board: board, usual: machine.usualRadio)
  let checkup = Checkup(
    of: machine,
    radio: Checkup.RadioChoice(chosen.name, reason: chosen.reason, isUsual: chosen.isUsual),
    board: Checkup.BoardChoice(.success(board), reason: reason))
  compare(checkup, expected, location)
}

/// Compares all that is said of `checkup`.
func compare(
  _ checkup: Checkup, _ expected: String, _ location: SourceLocation = #_sourceLocation
) {
  let lines = Doctor.lines(checkup)
  #expect(lines.joined(separator: "\n") == expected, sourceLocation: location)
  #expect(
    checkup.isWell == !lines.contains { $0.hasPrefix("wrong") }, sourceLocation: location)
}
