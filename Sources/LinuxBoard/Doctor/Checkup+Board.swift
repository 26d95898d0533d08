import Boards
import Linux
import LinuxPort
import LinuxSystem

extension Checkup {
  /// The chosen board, its chip, each of its lines, and each missing button or light.
  var boardFindings: [Finding] {
    let description: BoardDescription?
    switch board.board {
    case .success(let found): description = found
    case .failure(let error): return [Finding(.wrong, "board", error.description)]
    }
    guard let description else {
      return [
        Finding(
          .note, "board", because("none", board.reason), remedy: KnownBoard.howToName)
      ]
    }
    let finding = Finding(.ok, "board", because("\(description.name)", board.reason))
    guard description.hasLines else {
      return [finding, Finding(.note, "lines", "the board has no buttons or lights")]
    }
    let lines =
      description.isVirtual
      ? [Finding(.ok, "chip", "simulated by the program")]
      : lineFindings(chip: description.chip?.description ?? "")
    let missing = BoardPart.allCases.filter { description[$0] == nil }
    return [finding] + lines + missing.map { Finding(.note, "\($0)", "the board has none") }
  }

  private func lineFindings(chip: String) -> [Finding] {
    switch machine.lines {
    case nil: return []
    case .failure(let error):
      // This user may not look, but the running service would report a problem.
      let isOurs = isServiceRunning && [.noPermission, .notInGroup].contains(error.trouble)
      return [Finding(isOurs ? .note : .wrong, "chip", error.reason, remedy: error.remedy)]
    case .success(let survey):
      let found = Finding(.ok, "chip", "“\(chip)” is \(survey.path)")
      return [found] + survey.lines.map { finding($0, of: chip, at: survey.path) }
    }
  }

  private func finding(
    _ line: ChipSurvey.Line, of chip: String, at path: String
  ) -> Finding {
    func trouble(_ trouble: LineTrouble) -> Finding {
      let error = LineError(trouble, chip: chip, path: path, line: line.name, user: line.user)
      return Finding(.wrong, line.part, error.reason, remedy: error.remedy)
    }
    guard let offset = line.offset else { return trouble(.noLine) }
    guard let user = line.user else {
      return Finding(.ok, line.part, "line \(line.name) (at \(offset)) is free")
    }
    guard user == LineUser.name.description, isServiceRunning else { return trouble(.busy) }
    return Finding(
      .ok, line.part, "line \(line.name) (at \(offset)) is held by \(machine.service.name)")
  }
}
