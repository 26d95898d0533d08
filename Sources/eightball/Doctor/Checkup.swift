import EightBall
import Linux
import LinuxPort
import LinuxRadio

/// What a machine's facts mean for a ball on it: a finding for each checked item, from the radio to
/// the service.
struct Checkup: Equatable, Sendable {
  /// The radio that a ball would use.
  struct CheckedRadio: Equatable, Sendable {
    /// Its name.
    var name: RadioAddress
    /// Why this one; `nil` if the command line named it.
    var reason: String?
    /// Whether it is the default radio, which neither the command line nor the board named.
    var isDefault: Bool

    /// The radio `name`, for this reason.
    init(_ name: RadioAddress, reason: String?, isDefault: Bool) {
      self.name = name
      self.reason = reason
      self.isDefault = isDefault
    }
  }

  /// The board that a ball would use.
  struct CheckedBoard: Equatable, Sendable {
    /// The board, `nil` without one; or what is wrong with it.
    var board: Result<BoardDescription?, BoardError>
    /// Why this one, or why none; `nil` if the command line named it.
    var reason: String?

    /// The board `board`, for this reason.
    init(_ board: Result<BoardDescription?, BoardError>, reason: String?) {
      self.board = board
      self.reason = reason
    }

    /// The board; `nil` without one, or if it is wrong.
    var description: BoardDescription? { (try? board.get()) ?? nil }
  }

  /// The findings, in the order of the report.
  private(set) var findings: [Finding] = []
  /// The result in one sentence.
  private(set) var summary = ""

  /// The radio that a ball would use.
  let radio: CheckedRadio
  /// The board that a ball would use.
  let board: CheckedBoard
  let machine: Machine

  /// Evaluates the facts.
  init(of machine: Machine, radio: CheckedRadio, board: CheckedBoard) {
    self.machine = machine
    self.radio = radio
    self.board = board
    let adapters = adapterFindings + [permissionFinding]
    findings = radioFindings(besides: adapters) + adapters + [daemonFinding]
    findings += boardFindings + [serviceFinding]
    summary = sentence
  }

  /// Whether nothing is wrong.
  var isWell: Bool { !findings.contains { $0.verdict == .wrong } }

  /// `text`, with the reason if there is one.
  func because(_ text: String, _ reason: String?) -> String {
    reason.map { "\(text) (\($0))" } ?? text
  }

  /// Whether the ball's own service runs.
  var isServiceRunning: Bool { !machine.service.processes.isEmpty }

  private var sentence: String {
    let wrong = findings.count { $0.verdict == .wrong }
    guard wrong == 0 else { return wrong == 1 ? "1 problem found." : "\(wrong) problems found." }
    guard !isServiceRunning else { return "All is well: \(machine.service.name) runs a ball." }
    let air = radio.name == .virtual ? "the virtual air" : "\(radio.name)"
    let body = board.description.map { "the board \($0.name)" } ?? "no buttons or lights"
    return "All is well: eightball run uses \(air), and \(body)."
  }

  // MARK: The service

  private var serviceFinding: Finding {
    let service = machine.service
    let name = service.name
    func finding(_ verdict: Finding.Verdict, _ text: String, _ remedy: String? = nil) -> Finding {
      Finding(verdict, "service", text, remedy: remedy)
    }
    guard service.hasSystemd else {
      return finding(.note, "this system does not run systemd, so the ball has no service")
    }
    guard service.isInstalled else {
      return finding(.note, "\(name) is not installed", "To start a ball at boot: scripts/install")
    }
    switch (isRunning: isServiceRunning, isEnabled: service.isEnabled) {
    case (true, true):
      return finding(.ok, "\(name) runs, and starts at boot")
    case (true, false):
      return finding(
        .note, "\(name) runs, but does not start at boot",
        "To start it at boot: sudo systemctl enable \(name)")
    case (false, true):
      return finding(
        .wrong, "\(name) starts at boot, but does not run",
        "See why: journalctl -u \(name); then start it: sudo systemctl start \(name)")
    case (false, false):
      return finding(
        .note, "\(name) is installed, but does not run",
        "To start it now and at boot: sudo systemctl enable --now \(name)")
    }
  }
}

extension Checkup {
  /// The chosen board, its chip, each of its lines, each missing button or light, and its parts on buses.
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
    let parts = partFindings(of: description)
    guard description.hasLines else {
      return [finding, Finding(.note, "lines", "the board has no buttons or lights")] + parts
    }
    let lines =
      description.isVirtual
      ? [Finding(.ok, "chip", "simulated by the program")]
      : lineFindings(chip: description.chip?.description ?? "")
    let missing = BoardPart.allCases.filter { !$0.isOnBus && description[$0] == nil }
    return [finding] + lines + missing.map { Finding(.note, "\($0)", "the board has none") } + parts
  }

  private func lineFindings(chip: String) -> [Finding] {
    switch machine.lines {
    case nil: return []
    case .failure(let error):
      // This user may not look, but the running service would report a problem.
      let isOurs = isServiceRunning && [.noPermission, .notInGroup].contains(error.cause)
      return [Finding(isOurs ? .note : .wrong, "chip", error.reason, remedy: error.remedy)]
    case .success(let survey):
      let found = Finding(.ok, "chip", "“\(chip)” is \(survey.path)")
      return [found] + survey.lines.map { finding($0, of: chip, at: survey.path) }
    }
  }

  private func finding(
    _ line: ChipSurvey.Line, of chip: String, at path: String
  ) -> Finding {
    func finding(_ cause: LineAccessError) -> Finding {
      let error = LineError(cause, chip: chip, path: path, line: line.name, user: line.user)
      return Finding(.wrong, line.part, error.reason, remedy: error.remedy)
    }
    guard let offset = line.offset else { return finding(.noLine) }
    guard let user = line.user else {
      return Finding(.ok, line.part, "line \(line.name) (at \(offset)) is free")
    }
    guard user == LineUser.name.description, isServiceRunning else { return finding(.busy) }
    return Finding(
      .ok, line.part, "line \(line.name) (at \(offset)) is held by \(machine.service.name)")
  }
}

/// One checked item, and its verdict.
struct Finding: Equatable, Sendable {
  /// Whether a ball can run with it.
  enum Verdict: String, Sendable {
    /// As a ball needs it.
    case ok
    /// A ball runs with it, but the user may want to know.
    case note
    /// A ball does not run with it.
    case wrong
  }

  /// Whether a ball can run with it.
  var verdict: Verdict
  /// The checked item in a word: "adapter".
  var subject: String
  /// What was found, without a full stop.
  var text: String
  /// What to do, without a full stop; `nil` if nothing is needed, or nothing is known to help.
  var remedy: String?

  /// A finding about `subject`.
  init(_ verdict: Verdict, _ subject: String, _ text: String, remedy: String? = nil) {
    self.verdict = verdict
    self.subject = subject
    self.text = text
    self.remedy = remedy
  }
}
