import LinuxPort
import LinuxRadio

/// Why a board's lines cannot be used, and what to do.
struct LineError: Error, Equatable, CustomStringConvertible {
  /// What is wrong.
  var cause: LineAccessError
  /// The label of the chip.
  var chip: String
  /// The chip's path, if it was found.
  var path: String?
  /// The line's name, if the error is about one line.
  var line: String?
  /// The consumer of the line, if known.
  var user: String?
  /// The group that may open the chip, if there is one to join.
  var group: String?
  /// The kernel's reason, if the words of `cause` use it.
  var code: ErrorNumber?

  /// An error of this kind.
  init(
    _ cause: LineAccessError, chip: String, path: String? = nil, line: String? = nil,
    user: String? = nil, group: String? = nil, code: ErrorNumber? = nil
  ) {
    self.cause = cause
    self.chip = chip
    self.path = path
    self.line = line
    self.user = user
    self.group = group
    self.code = code
  }

  /// What is wrong.
  var reason: String { cause.reason.text(field) }

  /// What to do about it.
  var remedy: String? { cause.remedy?.text(field) }

  /// The field of a wording.
  private func field(_ letter: UInt8) -> String {
    switch letter {
    case UInt8(ascii: "c"): return chip
    case UInt8(ascii: "p"): return path ?? "the GPIO chip"
    case UInt8(ascii: "l"): return line.map { "line \($0)" } ?? "a line"
    case UInt8(ascii: "u"):
      guard let user, user != "?" else { return "another program" }
      return "“\(user)”"
    case UInt8(ascii: "g"): return group ?? ""
    case UInt8(ascii: "f"): return code?.description ?? ""
    default: return ""
    }
  }

  /// One or two sentences, without the last full stop.
  var description: String {
    remedy.map { "\(reason). \($0)" } ?? reason
  }
}
