import CGPIOD
import EightBall
import Glibc
import Linux
import LinuxPort
import LinuxRadio

/// The state of a board's lines, found without requesting them.
public struct ChipSurvey: Equatable, Sendable {
  /// A line of the board.
  public struct Line: Equatable, Sendable {
    /// The part of the board that uses it: "shake".
    public var part: String
    /// Its name on the board: "GPIO5".
    public var name: String
    /// Its offset on the chip; `nil` if the chip has no such line.
    public var offset: Int?
    /// Its consumer, "?" for one without a name; `nil` if the line is free.
    public var user: String?

    /// A line with this state.
    public init(part: String, name: String, offset: Int?, user: String? = nil) {
      self.part = part
      self.name = name
      self.offset = offset
      self.user = user
    }
  }

  /// The chip's path.
  public var path: String
  /// The lines: the buttons', the lights', and then the motion sensor's.
  public var lines: [Line]

  /// The chip at `path`, with these of its lines.
  public init(path: String, lines: [Line]) {
    self.path = path
    self.lines = lines
  }
}

extension ChipSurvey {
  /// Finds the lines of `board` and their users, without requesting any line.
  ///
  /// - Parameter directory: The directory of the chips.
  /// - Throws: Why there is no such chip, or why it cannot be read.
  public init(of board: BoardDescription, directory: String = "/dev") throws(LineError) {
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
      let group = path.flatMap { Files.group(of: $0) }
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
