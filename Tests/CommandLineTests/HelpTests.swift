import BluetoothHost
import EightBall
import Expectations
import LinuxPort

@testable import eightball
@testable import eightballd

@Suite("The help")
struct HelpTests {
  private static func text(_ arguments: [String]) throws -> String {
    try #require(Launch.text(for: arguments))
  }

  /// The options of a help: the lines of each, by its name.
  private static func options(_ help: String) -> [String: String] {
    var options: [String: String] = [:]
    var name = ""
    let part = help.split(separator: "OPTIONS:\n", maxSplits: 1).last ?? ""
    for line in part.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("  ") else { break }
      if line.hasPrefix("  -") {
        name = line.split(separator: " ").first { $0.hasPrefix("--") }.map { String($0) } ?? ""
      }
      options[name, default: ""] += line + "\n"
    }
    return options
  }

  /// The help of eightballd, as it prints it.
  private static func helpOfService() -> String {
    var bytes: [UInt8] = []
    OptionHelp.write(CommandOption.self) { text in
      for index in text.indices { bytes.append(text[index]) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("eightball run and eightballd have the same options, from the same rows")
  func service() throws {
    let tool = Self.options(try Self.text(["run", "--help"]))
    let service = Self.options(Self.helpOfService())
    // A terminal, a virtual air, files and extended advertising are of the tool alone.
    let ofTool: Set = ["--private", "--verbose", "--capture", "--metrics", "--advertise", "--phy"]
    // The boards are files or names here, and names there; the default radio differs.
    let different: Set = ["--board", "--radio"]
    expect(Set(tool.keys), is: Set(service.keys).union(ofTool))
    expect(Set(service.keys).isDisjoint(with: ofTool))
    for name in service.keys.sorted() where !different.contains(name) {
      expect(tool[name], is: service[name], "\(name)")
    }
    for name in different { expect(tool[name] != service[name], "\(name)") }
  }

  @Test("No line of a help is longer than 80 columns, but for the usage and examples")
  func width() throws {
    let names = EightBallProgram.names.map { ["help", $0] } + [["--help"]]
    let helps = try names.map { try Self.text($0) } + [Self.helpOfService()]
    for help in helps {
      for line in help.split(separator: "\n") where !line.hasPrefix("USAGE") {
        expect(line.count <= 80 || line.hasPrefix("  eightball "), "\(line)")
        expect(line.last != " ", "\(line)")
      }
    }
  }

  @Test("An option that a command needs has no brackets in its usage")
  func required() throws {
    let help = try Self.text(["metrics", "--help"])
    let usage = "USAGE: eightball metrics --listen <host:port> [--control <path> ...] [--json]\n"
    expect(help.contains(usage), "\(help)")
    expect(HelpText.dump.contains(#""valueName":"host:port","isOptional":false"#))
    expect(
      Launch.mistake(in: ["metrics"])?
        .hasPrefix("Missing expected argument '--listen <host:port>'") == true)
  }

  @Test("A long option has a line of its own; the meanings begin in column 26")
  func layout() {
    let help = Self.options(Self.helpOfService())
    expect(
      help["--seed"],
      is: """
          --seed <number>         Decides all answers: the same seed gives the same
                                  answers. Default: random.

        """)
    expect(
      help["--security"]?.hasPrefix(
        """
          --security <none|encrypted|authenticated>
                                  Protection required to ask:
        """), is: true)
    expect(help["--help"], is: "  -h, --help              Show help information.\n")
  }

  @Test("--help, -h and help COMMAND are the same; each command has --version")
  func forms() throws {
    for name in EightBallProgram.names {
      let help = try Self.text([name, "--help"])
      expect(try Self.text([name, "-h"]), is: help)
      expect(try Self.text(["help", name]), is: help)
      expect(try Self.text([name, "--version"]), is: "\(EightBallProfile.version)")
      expect(help.contains("USAGE: eightball \(name)"))
    }
    expect(try Self.text(["--version"]).isEmpty, is: false)
    expect(try Self.text(["--help"]).isEmpty, is: false)
    expect(try Self.text(["help"]) == Self.text(["--help"]))
    expect(try Self.text(["help", "help"]) == Self.text(["--help"]))
  }

  @Test("Every row has a name, a meaning and a form")
  func rows() {
    for command in EightBallProgram.commands {
      let names = command.rows.map(\.nameText)
      expect(Set(names).count, is: names.count)
      expect(names.suffix(2), is: ["--version", "--help"])
      for row in command.rows {
        let end = "\(row.help)".last
        expect(row.nameText.hasPrefix("--") && (end == "." || end == ")"), "\(row.nameText)")
      }
    }
  }
}

@Suite("Completion")
struct CompletionTests {
  private func offers(_ words: String...) -> [String] {
    Completion.offers(for: words[...]).split(separator: "\n").map { String($0) }
  }

  @Test("Commands, options, values, boards and files are offered")
  func candidates() {
    expect(offers("ru"), is: ["run"])
    expect(offers("help", "wi"), is: ["wiring"])
    expect(offers("press", "s"), is: ["shake"])
    expect(offers("run", "--se"), is: ["--seed", "--security", "--set"])
    expect(offers("run", "--security", "enc"), is: ["encrypted"])
    expect(offers("run", "--board", "pi-4"), is: ["pi-400", "pi-4b"])
    expect(offers("wiring", "vir"), is: ["virtual"])
    expect(offers("run", "--capture", "x"), is: [":files"])
    expect(offers("events", "--control", ""), is: [":files"])
    expect(offers("run", "--seed", "").isEmpty)
  }

  @Test("Each shell has a script; others have none", arguments: ["bash", "zsh", "fish"])
  func scripts(shell: String) throws {
    let script = try #require(Launch.text(for: ["--generate-completion-script", shell]))
    expect(script.contains("eightball") && script.contains(Completion.option))
    expect(Launch.mistake(in: ["--generate-completion-script", "dash"]) != nil)
  }
}
