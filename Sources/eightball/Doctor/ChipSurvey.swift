import CGPIOD
import EightBall
import Glibc
import Linux
import LinuxPort
import LinuxRadio

/// The state of a board's lines, found without requesting them.
struct ChipSurvey: Equatable, Sendable {
  /// A line of the board.
  struct Line: Equatable, Sendable {
    /// The part of the board that uses it: "shake".
    var part: String
    /// Its name on the board: "GPIO5".
    var name: String
    /// Its offset on the chip; `nil` if the chip has no such line.
    var offset: Int?
    /// Its consumer, "?" for one without a name; `nil` if the line is free.
    var user: String?
  }

  /// The chip's path.
  var path: String
  /// The lines: the buttons', the lights', and then the motion sensor's.
  var lines: [Line]
}

extension ChipSurvey {
  /// Finds the lines of `board` and their users, without requesting any line.
  ///
  /// - Parameter directory: The directory of the chips.
  /// - Throws: Why there is no such chip, or why it cannot be read.
  init(of board: BoardDescription, directory: String = "/dev") throws(LineError) {
    let wanted = BoardPart.allCases.compactMap { part in board[part].map { (part, $0) } }
    let label = board.chip?.description ?? ""
    let names = unsafe wanted.map { unsafe strdup($0.1.name.description) }
    defer { unsafe names.forEach { unsafe free($0) } }
    let settings = unsafe zip(wanted, names).map { wanted, name in
      unsafe wanted.1.settings(isOutput: wanted.0.isLight, name: name)
    }
    var failure = cgpiod_error()
    var states = [cgpiod_line_state](repeating: cgpiod_line_state(), count: wanted.count)
    let result = unsafe cgpiod_survey(
      directory, label, settings, settings.count, &states, &failure)
    let path = unsafe withUnsafeBytes(of: failure.chip) { unsafe Self.text($0) }
    guard result == 0 else {
      let user = unsafe withUnsafeBytes(of: failure.user) { unsafe Self.text($0) }
      let number = path.map { unsafe clinux_group($0) } ?? 0
      let group =
        number == 0 ? nil : String(writing: { GroupFile.writeName(of: number, to: &$0) })
      let index = Int(failure.line)
      let cause = LineAccessError(failure, wasThere: false, hasGroup: group != nil)
      throw LineError(
        cause, chip: label, path: path,
        line: wanted.indices.contains(index) ? wanted[index].1.name.description : nil, user: user,
        group: group, code: cause == .other ? ErrorNumber(rawValue: failure.code) : nil)
    }
    self.path = path ?? directory
    lines = zip(wanted, states).map { wanted, state in
      Line(
        part: "\(wanted.0)", name: "\(wanted.1.name)",
        offset: state.offset < 0 ? nil : Int(state.offset),
        user: unsafe withUnsafeBytes(of: state.user) { unsafe Self.text($0) })
    }
  }

  /// The text up to its zero byte; `nil` if it is empty.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    let text = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
