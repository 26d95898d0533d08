import Boards
import LinuxBoard

/// The options that describe a board to a program that reads no board files, in one line: for a command
/// line, and for `EIGHTBALL_OPTIONS="…"` in the file of the service's settings.
struct BoardOptionsLine {
  /// The line, such as "--board none --set chip=pinctrl-bcm2711 --set shake.line=GPIO18 …".
  let text: String

  /// - Throws: If the board has a text that not every reader of the line would read as it is.
  init(_ board: BoardDescription) throws(BoardError) {
    // The names of chips and lines have none of these.
    if let radio = board.radio?.description, radio.unicodeScalars.contains(where: Self.isMisread) {
      throw BoardError(
        "\(board.name)", field: "radio",
        "expected a radio without quotes, backslashes and line breaks, to write it as an option")
    }
    let options = board.settings.map { " --set \(Self.quoted($0))" }
    text = "--board \(BoardDescription.noBoard)" + options.joined()
  }

  private static func isMisread(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\"" || scalar == "\\"
  }

  /// `word` as one word: for the POSIX shell (XCU, 2.2), and within double quotes in a file of settings
  /// (systemd.exec(5), EnvironmentFile=), whose value systemd splits by the same quotes
  /// (systemd.service(5), "Command lines").
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      switch UInt8($0) {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: "+,-./:=@_".utf8.contains($0)
      }
    }
    return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
