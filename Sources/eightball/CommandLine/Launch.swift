import LinuxPort

/// The program: reads the command line, and runs the command.
@main
enum EightBallProgram {
  /// The commands, in the order of the help. Without a name it is the first one.
  static var commands: [any Command.Type] {
    [
      Run.self, Ask.self, ListDevices.self, GATT.self, Clone.self, Bonds.self, RunSwarm.self,
      RunPeripheral.self, Record.self, Replay.self, HostAir.self, Boards.self, Wiring.self,
      Press.self, Lights.self,
      Events.self, ShowPanel.self, Metrics.self, Doctor.self,
    ]
  }

  /// The names of the commands.
  static var names: [String] { commands.map { $0.name } }

  static func main() {
    Terminal.reserveStandardStreams()
    var status = ExitStatus.success
    switch Launch.read() {
    case .command(let command):
      do {
        try command.run()
      } catch let error as ExitStatus {
        status = error
      } catch let error as UsageError {
        status = explain(Launch.mistake(error, in: type(of: command)))
      } catch {
        Terminal.note("Error: \(sentence("\(error)"))")
        status = .unexpected
      }
    case .text(let text): Terminal.print(text)
    case .mistake(let text): status = explain(text)
    }
    if status == .success, Terminal.hasLostOutput { status = .output }
    Terminal.exit(status)
  }

  private static func explain(_ mistake: String) -> ExitStatus {
    Terminal.note("Error: \(mistake)")
    return .usage
  }
}

extension Command {
  /// Its name.
  static var name: String { "\(page.name)" }
}

/// What a command line asks for.
enum Launch {
  /// A command, with its options.
  case command(any Command)
  /// A text for standard output: help, the version, a script for a shell.
  case text(String)
  /// It is wrong, for this reason.
  case mistake(String)

  /// Reads the arguments of this process.
  static func read() -> Launch {
    unsafe read(
      UnsafeRawPointer(CommandLine.unsafeArgv).assumingMemoryBound(
        to: UnsafePointer<CChar>?.self))
  }

  /// Reads arguments, the program's name first and a null pointer last. They must last until the
  /// program ends.
  @unsafe
  static func read(_ arguments: UnsafePointer<UnsafePointer<CChar>?>?) -> Launch {
    var list = unsafe ArgumentList(arguments)
    var texts: [String] = []
    var rest = list
    while let text = rest.next() {
      guard let utf8 = String(validating: [UInt8](text.span), as: UTF8.self) else {
        return .mistake("Argument \(texts.count + 1) is not valid UTF-8: type it in UTF-8.")
      }
      texts.append(utf8)
    }
    switch texts.first {
    case "help": return help(texts.dropFirst())
    case "--experimental-dump-help": return .text(HelpText.dump)
    case "--generate-completion-script": return completionScript(texts.dropFirst().first)
    case Completion.option: return .text(Completion.offers(for: texts.dropFirst()))
    case let text? where text.hasPrefix("--generate-completion-script="):
      return completionScript(text.split(separator: "=").dropFirst().joined(separator: "="))
    case let name? where !name.hasPrefix("-"):
      guard let command = EightBallProgram.commands.first(where: { $0.name == name }) else {
        return .mistake(unknown(name))
      }
      _ = list.next()
      return read(command, list)
    default:
      // Without a command, the help is that of the program.
      if let first = texts.first, first == "--help" || first == "-h" {
        return .text(HelpText.whole)
      }
      return read(Run.self, list)
    }
  }

  private static func read<Asked: Command>(_ type: Asked.Type, _ arguments: ArgumentList) -> Launch
  {
    var asked: OptionRow?
    do throws(UsageError) {
      if let command = try Asked(arguments, asks: { asked = $0 }) { return .command(command) }
    } catch {
      return .mistake(mistake(error, in: type))
    }
    return .text(asked?.nameText == "--version" ? HelpText.version : HelpText.text(of: type))
  }

  /// What is wrong, and where the help is.
  static func mistake(_ error: UsageError, in command: any Command.Type) -> String {
    "\(error.text)\nSee eightball \(command.name) --help."
  }

  private static func help(_ names: ArraySlice<String>) -> Launch {
    guard let name = names.first, name != "help", name != "--help", name != "-h" else {
      return .text(HelpText.whole)
    }
    guard let command = EightBallProgram.commands.first(where: { $0.name == name }) else {
      return .mistake(unknown(name))
    }
    return .text(HelpText.text(of: command))
  }

  private static func completionScript(_ shell: String?) -> Launch {
    guard let script = Completion.script(for: shell ?? "") else {
      return .mistake(
        "--generate-completion-script takes bash, zsh or fish.\nSee eightball --help.")
    }
    return .text(script)
  }

  /// What is wrong with the name of the command.
  private static func unknown(_ name: String) -> String {
    let shown = printable(name)
    guard !name.hasSuffix("?") else {
      return "There is no command “\(shown)”. To ask a ball: eightball ask \"\(shown)\"\n"
        + "See eightball --help."
    }
    let names = EightBallProgram.names
    let hint = nearestName(to: name, among: names).map { " Did you mean \($0)?" } ?? ""
    return "There is no command “\(shown)”.\(hint)\n"
      + "The commands are \(names.joined(separator: ", ")). See eightball --help."
  }
}

/// The exit statuses. Those that sysexits(3) defines have its numbers. A command throws one after it
/// has printed why.
enum ExitStatus: Int32, Error {
  case success = 0
  /// An unexpected failure.
  case unexpected = 1
  /// The command line, or a question, is wrong: EX_USAGE.
  case usage = 64
  /// The ball refused: not a question. Or a device refused a command.
  case refused = 65
  /// No ball or device was found, or it lacks the service or the attribute.
  case noBall = 66
  /// The ball could not be reached, or did not answer in time.
  case timedOut = 67
  /// The radio, the ball or what the command asks for is unavailable: EX_UNAVAILABLE.
  case unavailable = 69
  /// Standard output cannot be written: EX_IOERR.
  case output = 74
  /// A board's file or a `--set` is wrong: EX_CONFIG.
  case board = 78
  /// SIGINT, SIGTERM or SIGHUP stopped the command: 130, the shells' number for SIGINT.
  case interrupted = 130
}
