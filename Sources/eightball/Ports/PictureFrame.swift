import Glibc
import VirtualBoard

/// The virtual display as a terminal shows it, in a frame:
///
///     ┌────────────────┐
///     │  Magic 8-Ball  │
///     │     Ask me     │
///     └────────────────┘
///
/// 128×64 pixels are 16 rows of 64 Braille characters.
struct PictureFrame: Equatable {
  /// How many rows the terminal needs beside those of the frame, for lines and the status line.
  private static let otherRows = 8

  /// The rows with their frame, all equally wide.
  let rows: [String]
  /// The width of each row, in columns.
  let columns: Int

  /// A picture in its frame.
  init(_ picture: DisplayPicture) {
    // Fonts show the pattern without dots in several ways. `replacing(_:with:)` would bring the parser of regular
    // expressions into the program, 1.3 MB.
    let lines = picture.lines.map { String($0.map { $0 == "\u{2800}" ? " " : $0 }) }
    let width = lines.first?.count ?? 0
    let edge = String(repeating: "─", count: width)
    // Faint, and neither bold nor faint: ECMA-48, 8.3.117.
    let (start, end) = picture.brightness == .dim ? ("\u{1B}[2m", "\u{1B}[22m") : ("", "")
    rows = ["┌\(edge)┐"] + lines.map { "│\(start)\($0)\(end)│" } + ["└\(edge)┘"]
    columns = width + 2
  }

  /// Whether a terminal of this size has room for it and for the lines of the ball.
  func fits(_ size: TerminalSize) -> Bool {
    size.rows >= rows.count + Self.otherRows && size.columns > columns
  }
}

/// The size of a terminal.
struct TerminalSize: Equatable {
  /// Its height.
  var rows: Int
  /// Its width, in characters.
  var columns: Int

  /// That of the terminal at standard output; 24 rows of 80 characters if it does not know.
  static var ofOutput: TerminalSize {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else {
      return TerminalSize(rows: 24, columns: 80)
    }
    return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }
}
