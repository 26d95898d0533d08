import Glibc
import LinuxBoard

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
    let lines =
      switch picture.content {
      case .pixels(let bytes): Self.braille(bytes)
      case .characters(let lines): lines
      }
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

  /// The pixels of eight rows and 128 columns a page, as lines of characters with 2×4 pixels each.
  ///
  /// The Unicode Standard, Braille Patterns: U+2800 and the dots 1, 2, 3 and 7 on the left, 4, 5, 6 and 8 on the right.
  private static func braille(_ bytes: [UInt8]) -> [String] {
    let left: [UInt32] = [0x01, 0x02, 0x04, 0x40]
    func dots(_ byte: UInt8) -> UInt32 {
      left.indices.reduce(0) { $0 | (byte >> UInt8($1) & 1 == 1 ? left[$1] : 0) }
    }
    func character(_ first: UInt8, _ second: UInt8) -> Unicode.Scalar {
      // The right dots are those on the left, three bits further, but for the last.
      let right = dots(second)
      let bits = dots(first) | (right & 0x07) << 3 | (right & 0x40) << 1
      // Fonts show the pattern without dots in several ways.
      return bits == 0 ? " " : Unicode.Scalar(0x2800 + bits) ?? " "
    }
    return stride(from: 0, to: bytes.count, by: DisplayPicture.width).flatMap { start in
      [UInt8(0), 4].map { shift in
        var line = String.UnicodeScalarView()
        for column in stride(from: start, to: start + DisplayPicture.width, by: 2) {
          line.append(character(bytes[column] >> shift, bytes[column + 1] >> shift))
        }
        return String(line)
      }
    }
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
