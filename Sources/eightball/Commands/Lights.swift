#if Tools
import ArgumentParser

/// Shows the lights of a virtual board.
struct Lights: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the lights of the ball that runs on the virtual board.",
    discussion: """
      Each light is on or off at this moment; one that blinks is now this and now that. One that \
      the board does not have is none, and left out of JSON.

      EXAMPLES
        eightball lights
        eightball lights --json

      EXIT STATUS
        0   they are shown
        1   something unexpected
        64  the command line is wrong
        69  no ball runs on the virtual board
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    let words = try askBoard("lights") { answer in
      // status on answer off
      let words = answer.split(separator: " ").map { printable(String($0)) }
      return words.count == 4 && words[0] == "status" && words[2] == "answer" ? words : nil
    }
    guard output.json else {
      Terminal.print("status: \(words[1])")
      Terminal.print("answer: \(words[3])")
      return
    }
    var line = JSONLine(event: "lights")
    for (name, state) in [(words[0], words[1]), (words[2], words[3])] where state != "none" {
      line.add(name, state == "on")
    }
    line.print()
  }
}
#endif
