import Boards
import LinuxRadio
import Testing

@testable import LinuxBoard
@testable import eightball

/// Compares the whole report about a machine, with the radio that `eightball run` chooses.
func expect(
  _ machine: Machine, radio: RadioAddress? = nil, board: BoardDescription?, reason: String? = nil,
  _ expected: String, _ location: SourceLocation = #_sourceLocation
) {
  let chosen = ChosenRadio(radio, board: board, defaultRadio: machine.defaultRadio)
  let checkup = Checkup(
    of: machine,
    radio: Checkup.CheckedRadio(chosen.name, reason: chosen.reason, isDefault: chosen.isDefault),
    board: Checkup.CheckedBoard(.success(board), reason: reason))
  compare(checkup, expected, location)
}

/// Compares the whole report of `checkup`.
func compare(
  _ checkup: Checkup, _ expected: String, _ location: SourceLocation = #_sourceLocation
) {
  let lines = Doctor.lines(checkup)
  #expect(lines.joined(separator: "\n") == expected, sourceLocation: location)
  #expect(
    checkup.isWell == !lines.contains { $0.hasPrefix("wrong") }, sourceLocation: location)
}
