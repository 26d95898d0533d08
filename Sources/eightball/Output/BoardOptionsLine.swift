import Boards
import LinuxBoard

/// One line of options that describe a board to a program without board files: for a command line,
/// and for `EIGHTBALL_OPTIONS="…"` in the file of the service's settings.
struct BoardOptionsLine {
  /// The line, such as "--board none --set chip=pinctrl-bcm2711 --set shake.line=GPIO18 …".
  let text: String

  /// - Throws: `BoardError` if a shell or systemd would misread a value of the board.
  init(_ board: BoardDescription) throws(BoardError) {
    // The names of chips and lines have none of these.
    if let radio = board.radio?.description, radio.unicodeScalars.contains(where: Self.isMisread) {
      throw BoardError(
        "\(board.name)", field: "radio",
        "an option cannot hold a double quote, a backslash or a control character: change the radio"
      )
    }
    let options = board.settings.map { " --set \(Self.quoted($0))" }
    text = "--board \(BoardDescription.noBoard)" + options.joined()
  }

  private static func isMisread(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || scalar.value == 0x7F || scalar == "\"" || scalar == "\\"
  }

  /// `word` quoted as one word: for the POSIX shell (XCU, 2.2), and within double quotes in a file
  /// of settings (systemd.exec(5), EnvironmentFile=), whose value systemd splits by the same quotes
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
    guard !isPlain else { return word }
    let parts = word.split(separator: "'" as Character, omittingEmptySubsequences: false)
    return "'\(parts.joined(separator: "'\\''"))'"
  }
}
