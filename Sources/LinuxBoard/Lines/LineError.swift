import LinuxSystem

/// Why a board's lines cannot be used, and what a person can do about it.
public struct LineError: Error, Equatable, CustomStringConvertible {
  /// What kind of trouble it is.
  public enum Kind: Equatable, Sendable {
    /// No chip of this machine has the label.
    case noChip
    /// This user may not open the chip.
    case noPermission
    /// The chip has no such line.
    case noLine
    /// Somebody else has the line.
    case busy
    /// The chip was there and is gone.
    case vanished
    /// Anything else.
    case other(Errno)
  }

  /// What is wrong.
  public var kind: Kind
  /// The label of the chip.
  public var chip: String
  /// The chip's path, if it was found.
  public var path: String?
  /// The line's name, if one line is the trouble.
  public var line: String?
  /// Who has the line, if that is known.
  public var user: String?
  /// Which group may open the chip, if there is one to join.
  public var group: String?

  /// An error of this kind.
  public init(
    _ kind: Kind, chip: String, path: String? = nil, line: String? = nil, user: String? = nil,
    group: String? = nil
  ) {
    self.kind = kind
    self.chip = chip
    self.path = path
    self.line = line
    self.user = user
    self.group = group
  }

  /// What is wrong.
  public var reason: String {
    let place = path ?? "the GPIO chip"
    let line = line.map { "line \($0)" } ?? "a line"
    switch kind {
    case .noChip: return "there is no GPIO chip “\(chip)” on this machine"
    case .noPermission: return "\(place) may not be opened"
    case .noLine: return "the GPIO chip “\(chip)” has no \(line)"
    case .busy:
      let user = user.map { $0 == "?" ? "another program" : "“\($0)”" } ?? "another program"
      return "\(line) of “\(chip)” is in use by \(user)"
    case .vanished: return "the GPIO chip “\(chip)” has gone"
    case .other(let code): return "\(line) of “\(chip)” cannot be used: \(code)"
    }
  }

  /// What to do about it.
  public var remedy: String? {
    switch kind {
    case .noChip: "Is this the right board? See what there is: gpiodetect"
    case .noPermission:
      group.map { "Join its group and log in again: sudo usermod -aG \($0) $USER" }
        ?? "Run with sudo"
    case .noLine: "See what lines there are: gpioinfo; and name another in the board's file"
    case .busy: "End that program, or name another line in the board's file"
    case .vanished: "It is used again when it comes back"
    case .other: nil
    }
  }

  /// One or two sentences, without the last full stop.
  public var description: String {
    remedy.map { "\(reason). \($0)" } ?? reason
  }
}
