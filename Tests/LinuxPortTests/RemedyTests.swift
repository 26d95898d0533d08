import BluetoothHost
import Expectations

@testable import Linux
@testable import LinuxPort
@testable import eightballd

/// A remedy that eightballd refuses is none: its service would stay failed.
@Suite("Remedies of eightballd")
struct RemedyTests {
  /// The options in a text: those before which no other program is named.
  static func options(in text: String) -> [[String]] {
    let ends: Set<Character> = [".", ",", ":", ";", ")", "(", "\"", "'"]
    let words = text.split(separator: " ").map { word in
      String(word.reversed().drop { ends.contains($0) }.reversed().drop { ends.contains($0) })
    }
    // eightball and sudo take options of their own.
    let programs: Set<String> = ["eightball", "sudo", "usermod", "systemctl"]
    return words.indices.filter { index in
      words[index].hasPrefix("--")
        && !words[max(0, index - 3)..<index].contains { programs.contains($0) }
    }.map { index in
      let next = index + 1 < words.count ? words[index + 1] : ""
      return [words[index], next]
    }
  }

  /// Whether eightballd takes an option, with the next word as its value if it needs one.
  static func takes(_ option: [String]) -> Bool {
    let name = option[0].prefix { $0 != "=" }
    let rows = (0..<64).compactMap { CommandOption.row(at: $0) }
    guard let row = rows.first(where: { "\($0.name)" == name }) else { return false }
    guard row.takesValue, !option[0].contains("=") else { return true }
    // A remedy may name an option without a value: "name one with --board".
    guard let value = ["virtual", "encrypted"].first(where: { $0 == option[1] }) else {
      return true
    }
    return (try? Options(arguments([option[0], value]))) != nil
  }

  @Test("A remedy for the radio has no option that eightballd refuses")
  func radios() {
    for trouble in RadioAccessError.allCases {
      let remedy = text { writer in
        trouble.remedy(hasVirtualAir: false)?.write(to: &writer) { $1.write($0) }
      }
      for option in Self.options(in: remedy) { expect(Self.takes(option), "\(remedy)") }
      expect(!remedy.contains("--radio virtual"), "\(remedy)")
    }
    let here = text { writer in
      RadioAccessError.noBluetooth.remedy(hasVirtualAir: true)?.write(to: &writer) { $1.write($0) }
    }
    expect(Self.options(in: here), is: [["--radio", "virtual"]])
    expect(!Self.takes(["--radio", "virtual"]))
  }

  // Symptom: without Bluetooth eightballd advised `--radio virtual`, which it refuses with status 64.
  @Test("Each error of each radio is written without an option that eightballd refuses")
  func written() throws {
    for name in ["hci0", "unix:/air", "tcp-client:localhost:1", "tcp-server:_:1", "serial:/dev/x"] {
      for number in Int32(1)...133 {
        var radio = PortRadio(try RadioAddress(Array(name.utf8).span))
        radio.failure = SystemCallError(
          code: ErrorNumber(rawValue: number), operation: .open, explanation: .owner(1_001))
        let trouble = text { radio.writeError(to: &$0) }
        for option in Self.options(in: trouble) { expect(Self.takes(option), "\(trouble)") }
        // A radio that it names is one that it takes.
        if let start = trouble.range(of: "unix:/air,")?.lowerBound {
          let radio = Array(trouble[start...].utf8)
          #expect(throws: Never.self) { try RadioAddress(radio.span) }
        }
      }
    }
  }

  @Test("A remedy for lines has no option that eightballd refuses")
  func lines() {
    for trouble in LineAccessError.allCases {
      let remedy = text { writer in trouble.remedy?.write(to: &writer) { $1.write($0) } }
      for option in Self.options(in: remedy) { expect(Self.takes(option), "\(remedy)") }
      expect(!remedy.contains("board's file"), "It reads none: \(remedy)")
    }
  }

  @Test("A remedy for a motion sensor or a display has no option that eightballd refuses")
  func parts() {
    for trouble in PartAccessError.allCases {
      let remedy = text { writer in trouble.remedy?.write(to: &writer) { $1.write($0) } }
      for option in Self.options(in: remedy) { expect(Self.takes(option), "\(remedy)") }
    }
  }

  @Test("A remedy for a lost radio has no option that eightballd refuses")
  func losses() {
    for loss in [TransportError.port, .closed, .lostSync(0x99), .silent, .airIsFull] {
      let remedy = text { writer in loss.remedy?.writePrefix(to: &writer) }
      for option in Self.options(in: remedy) { expect(Self.takes(option), "\(remedy)") }
    }
  }

  @Test(
    "A complaint about the command line has no option that eightballd refuses",
    arguments: [
      ["--name", ""], ["--name", "123456789012345678901234567890"], ["--radio", "virtual"],
      ["--radio", "usb:0"], ["--radio", "tcp-client:a.b:1"], ["--security", "authenticated"],
      ["--idle-limit", "9999"], ["--quiet", "--json"], ["--set", "shake"], ["--set", "shake=x"],
      ["--address", "x"], ["--answers", "x"], ["--board", "pi-9"], ["--board", "./b.conf"],
      ["--board", "virtual"], ["--set", "answer=none"], ["--board=none", "--set=shake.line=X"],
      ["--board=none", "--set=shake.line=GPIO1"], ["--board=pi-5", "--set=shake.line=X"],
    ])
  func complaints(list: [String]) {
    let shown = complaint(about: list)
    expect(!shown.isEmpty)
    // What the user wrote is not a remedy.
    let own = Self.options(in: shown).filter { !(list.contains($0[0]) && list.contains($0[1])) }
    for option in own { expect(Self.takes(option), "\(shown)") }
  }
}
