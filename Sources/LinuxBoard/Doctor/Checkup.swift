import Boards
import LinuxRadio
import LinuxSystem

/// What a machine's facts mean for a ball that is to run on it: a finding for each thing that was
/// looked at, from the radio to the service.
public struct Checkup: Equatable, Sendable {
  /// The radio that a ball would use.
  public struct RadioChoice: Equatable, Sendable {
    /// Which.
    public var name: RadioName
    /// Why this one; `nil` if it was named.
    public var reason: String?
    /// Whether it is what there is, and nobody has named it.
    public var isUsual: Bool

    /// The radio `name`, for this reason.
    public init(_ name: RadioName, reason: String?, isUsual: Bool) {
      self.name = name
      self.reason = reason
      self.isUsual = isUsual
    }
  }

  /// The board that a ball would use.
  public struct BoardChoice: Equatable, Sendable {
    /// Which, or what is wrong with it; `nil` in it if there is none.
    public var board: Result<BoardDescription?, BoardError>
    /// Why this one, or why none; `nil` if it was named.
    public var reason: String?

    /// The board `board`, for this reason.
    public init(_ board: Result<BoardDescription?, BoardError>, reason: String?) {
      self.board = board
      self.reason = reason
    }

    /// The board, if there is one and nothing is wrong with it.
    public var description: BoardDescription? { (try? board.get()) ?? nil }
  }

  /// What was found, in the order in which it is told.
  public private(set) var findings: [Finding] = []
  /// All of it in a sentence.
  public private(set) var summary = ""

  /// The radio that a ball would use.
  public let radio: RadioChoice
  /// The board that a ball would use.
  public let board: BoardChoice
  let machine: Machine

  /// Judges the facts.
  public init(of machine: Machine, radio: RadioChoice, board: BoardChoice) {
    self.machine = machine
    self.radio = radio
    self.board = board
    findings = radioFindings + adapterFindings + [permissionFinding, daemonFinding]
    findings += boardFindings + [serviceFinding]
    summary = sentence
  }

  /// Whether nothing is wrong.
  public var isWell: Bool { !findings.contains { $0.verdict == .wrong } }

  /// `text`, and why, if it is known.
  func because(_ text: String, _ reason: String?) -> String {
    reason.map { "\(text) (\($0))" } ?? text
  }

  /// Whether the ball's own service runs.
  var isServiceRunning: Bool { !machine.service.processes.isEmpty }

  private var sentence: String {
    let wrong = findings.count { $0.verdict == .wrong }
    guard wrong == 0 else { return wrong == 1 ? "1 thing is wrong." : "\(wrong) things are wrong." }
    guard !isServiceRunning else { return "All is well: \(machine.service.name) runs a ball." }
    let air = radio.name == .virtual ? "the virtual air" : "\(radio.name)"
    let body = board.description.map { "the board \($0.name)" } ?? "no buttons and lights"
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
      return finding(.note, "this system was not started by systemd, so it has no services for it")
    }
    guard service.isInstalled else {
      return finding(
        .note, "\(name) is not installed", "To have a ball start with the machine: scripts/install")
    }
    switch (isRunning: isServiceRunning, isEnabled: service.isEnabled) {
    case (true, true):
      return finding(.ok, "\(name) runs, and starts with the machine")
    case (true, false):
      return finding(
        .note, "\(name) runs, but does not start with the machine",
        "To have it do so: sudo systemctl enable \(name)")
    case (false, true):
      return finding(
        .wrong, "\(name) starts with the machine, but does not run",
        "See why: journalctl -u \(name); and start it: sudo systemctl start \(name)")
    case (false, false):
      return finding(
        .note, "\(name) is installed, but does not run",
        "To have it run now and start with the machine: sudo systemctl enable --now \(name)")
    }
  }
}
