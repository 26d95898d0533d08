import BallRunner
import BluetoothHost
import EightBall
import LinuxPort

/// The texts of the help: from the pages of the commands, and the rows of their options.
enum HelpText {
  /// The version.
  static var version: String { "\(EightBallProfile.version)" }

  private static let abstract = "A Magic 8-Ball for Bluetooth LE: it answers yes-or-no questions."
  private static let discussion = """
    Without a subcommand it runs a ball. Without a Bluetooth adapter it uses the virtual air of this machine, so that you can try it in two terminals:

      eightball run
      eightball ask "Will it rain?"

    RADIOS
      virtual               Bluetooth in software, for one user's programs: the
                            first program hosts the air, later ones join it
      hci0, hci-socket:0    an adapter of this machine; needs CAP_NET_ADMIN
      bluez:hci0            the same, shared with bluetoothd
      unix:PATH[,user=USER] a controller behind a UNIX socket, speaking H4; the
                            socket must belong to you, root or the named user
      tcp-client:HOST:PORT  a controller that listens on TCP, speaking H4
      tcp-server:HOST:PORT  listens on TCP for a controller, speaking H4
      serial:DEVICE[,BAUD]  a controller on a serial line, speaking H4;
                            default: 1000000 baud

    Without --radio: the board's radio (run), or else the first usable adapter, or else virtual.

    ENVIRONMENT
      EIGHTBALL_ADDRESS     the address of the commands with --address, in the form
                            of that option; a fixed one lets peers recognise it
      EIGHTBALL_AIR         the socket of the virtual air; default:
                            eightball-air.sock in the user's runtime directory
      EIGHTBALL_CONTROL     the control socket of the ball; default:
                            eightball-control.sock in the user's runtime directory
    """

  /// The help of the program.
  static var whole: String {
    var text = "OVERVIEW: \(abstract)\n\n\(wrapped(discussion))\n\n"
    text += "USAGE: eightball <subcommand>\n\nOPTIONS:\n"
    for row in [OptionRow.version, .help] { text += entry(term(row), row.help) }
    text += "\nSUBCOMMANDS:\n"
    for command in EightBallProgram.commands {
      let name = command.name == Run.name ? "run (default)" : command.name
      text += entry(name, command.page.abstract)
    }
    return text + "\n  See 'eightball help <subcommand>' for detailed help."
  }

  /// The help of a command.
  static func text(of command: any Command.Type) -> String {
    func text<Asked: Command>(_ type: Asked.Type) -> String {
      let page = type.page
      var text = "OVERVIEW: \(page.abstract)\n\n\(wrapped("\(page.discussion)"))\n\n"
      text += usage(type)
      if let argument = page.argument {
        text += "\nARGUMENTS:\n" + entry("<\(argument.name)>", argument.help)
        if let rest = page.rest { text += entry("<\(rest.name)> ...", rest.help) }
      }
      text += "\n"
      OptionHelp.write(type) { text += String(decoding: [UInt8]($0), as: UTF8.self) }
      text.removeLast()
      return text
    }
    return text(command)
  }

  private static func usage<Asked: Command>(_ command: Asked.Type) -> String {
    var words = ["eightball \(command.name)"]
    for row in command.rows where !row.isCommon {
      let form = form(row) + (row.isRepeatable ? " ..." : "")
      words.append(row.isRequired(by: command.page) ? form : "[\(form)]")
    }
    if let argument = command.page.argument {
      words.append(argument.isOptional ? "[<\(argument.name)>]" : "<\(argument.name)>")
    }
    if let rest = command.page.rest { words.append("[<\(rest.name)> ...]") }
    return "USAGE: \(words.joined(separator: " "))\n"
  }

  private static func form(_ row: OptionRow) -> String {
    String(writing: { row.writeForm(to: &$0) })
  }

  /// A term of the help: "-h, --help".
  private static func term(_ row: OptionRow) -> String {
    row.nameText == "--help" ? "-h, --help" : form(row)
  }

  /// A term and its meaning in two columns.
  private static func entry(_ term: String, _ meaning: StaticString) -> String {
    let meaning = ProgramText(meaning)
    var text = ""
    OptionHelp.write(Array(term.utf8).span, meaning.span) {
      text += String(decoding: [UInt8]($0), as: UTF8.self)
    }
    return text
  }

  /// A text whose paragraphs have lines of at most 80 columns; indented lines stay as they are.
  private static func wrapped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map {
        $0.hasPrefix(" ") ? String($0) : lines(of: String($0), width: 80).joined(separator: "\n")
      }
      .joined(separator: "\n")
  }

  private static func lines(of text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  // MARK: For programs

  /// All commands with their options, as JSON: for the manual and for tests.
  static var dump: String {
    let help = "{\(member("commandName", "help"))}"
    let commands = (EightBallProgram.commands.map { dump(of: $0) } + [help])
      .joined(separator: ",")
    return "{\"command\":{\(member("commandName", "eightball")),\(member("abstract", abstract)),"
      + "\(member("discussion", discussion)),\"subcommands\":[\(commands)]}}"
  }

  private static func dump(of command: any Command.Type) -> String {
    let page = command.page
    var arguments = command.rows.map { dump(of: $0, isOptional: !$0.isRequired(by: page)) }
    for argument in [page.rest, page.argument].compactMap({ $0 }) {
      arguments.insert(
        "{\"kind\":\"positional\",\(member("valueName", "\(argument.name)")),"
          + "\"isOptional\":\(argument.isOptional),\"shouldDisplay\":true,"
          + "\(member("abstract", "\(argument.help)"))}", at: 0)
    }
    return "{\(member("commandName", command.name)),\(member("abstract", "\(page.abstract)")),"
      + "\(member("discussion", "\(page.discussion)")),"
      + "\"arguments\":[\(arguments.joined(separator: ","))]}"
  }

  private static func dump(of row: OptionRow, isOptional: Bool) -> String {
    let name = String(row.nameText.dropFirst(2))
    let long = "{\"kind\":\"long\",\(member("name", name))}"
    let names = name == "help" ? "{\"kind\":\"short\",\"name\":\"h\"},\(long)" : long
    let value = row.takesValue ? String("\(row.value)".filter { !"<>[]".contains($0) }) : name
    return "{\"kind\":\"\(row.takesValue ? "option" : "flag")\",\"names\":[\(names)],"
      + "\"preferredName\":\(long),\(member("valueName", value)),\"isOptional\":\(isOptional),"
      + "\"shouldDisplay\":true,\(member("abstract", "\(row.help)"))}"
  }

  private static func member(_ name: String, _ text: String) -> String {
    "\"\(name)\":\"\(String(escaped: text))\""
  }
}

extension OptionRow {
  /// Whether the command of this page has to be given the option.
  fileprivate func isRequired(by page: CommandPage) -> Bool {
    nameText == "\(page.requiredOption)"
  }
}
