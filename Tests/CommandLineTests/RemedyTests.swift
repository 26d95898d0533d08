import BallControl
import Expectations
import Linux
import LinuxPort
import LinuxRadio

@testable import eightball

/// A remedy that the program refuses is none.
@Suite("Remedies of eightball")
struct RemedyTests {
  /// The commands of this program in a text, and options without a command as those of `run`.
  static func commands(in text: String) -> [[String]] {
    let ends: Set<Character> = [".", ",", ":", ";", ")", "("]
    let words = text.split(separator: " ").map { word in
      String(word.reversed().drop { ends.contains($0) }.reversed().drop { ends.contains($0) })
    }
    var found: [[String]] = []
    for index in words.indices where words[index].hasPrefix("--") {
      let next = index + 1 < words.count ? words[index + 1] : ""
      // `usermod -aG`, `systemctl enable --now`.
      guard index == 0 || !["enable", "usermod"].contains(words[index - 1]) else { continue }
      let command = words[..<index].lastIndex(of: "eightball").map { words[$0 + 1] } ?? "run"
      found.append([command, words[index], next])
    }
    return found
  }

  private func expectTaken(_ text: String) {
    for command in Self.commands(in: text) {
      // An option alone, such as "with --set", has no value.
      guard let complaint = Launch.mistake(in: command) else { continue }
      expect(
        !complaint.contains("Unknown option") && !complaint.contains("unknown radio"),
        "\(text): \(complaint)")
    }
  }

  @Test("Each error of each radio has a remedy that this program takes")
  func radios() throws {
    for name in [
      "hci0", "unix:/air", "tcp-client:localhost:1", "tcp-server:_:1", "serial:/dev/x", "virtual",
    ] {
      for number in CInt(1)...133 {
        let error = RadioError(
          try RadioAddress(name), SystemError(ErrorNumber(rawValue: number), "open", "/air"))
        if let remedy = error.remedy { expectTaken(remedy) }
      }
    }
    expect(
      Self.commands(in: "Plug it in, name another (ls /x), or use --radio virtual"),
      is: [["run", "--radio", "virtual"]])
    expect(Launch.mistake(in: ["run", "--nothing"]) != nil)
  }

  @Test("A path that is no regular file has a remedy of its own")
  func input() throws {
    for (path, remedy) in [
      ("/dev/null", "not a regular file. Copy the content to a file, and give its path"),
      ("/nowhere/x", "Give the path of a file that exists and that you may read"),
    ] {
      do throws(SystemError) {
        _ = try Files.bytes(ofRegular: path, limit: 8)
        expect(path.isEmpty)
      } catch {
        let text = error.ofInput.description
        expect(text.hasSuffix(remedy), "\(text)")
      }
    }
  }

  @Test("Each error of the lines has a remedy that this program takes")
  func lines() {
    for trouble in LineAccessError.allCases {
      if let remedy = trouble.remedy?.text({ _ in "x" }) { expectTaken(remedy) }
    }
  }

  @Test("Each error of a motion sensor or a display has a remedy that this program takes")
  func parts() {
    for trouble in PartAccessError.allCases {
      if let remedy = trouble.remedy?.text({ _ in "x" }) { expectTaken(remedy) }
    }
  }
}
