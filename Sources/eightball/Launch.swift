import ArgumentParser
import LinuxBoard

/// Reads the command line.
enum Launch {
  /// What a command line asks for.
  enum Request {
    case command(any ParsableCommand)
    /// A text for standard output: help, the version, a script for a shell.
    case text(String)
    /// It is wrong, for this reason.
    case mistake(String)
  }

  /// The names of the commands.
  static let commands = EightBallCommand.configuration.subcommands.map { $0._commandName }

  /// The arguments of this process, without the program's name; `nil` for each that is not UTF-8,
  /// which Swift's own would repair.
  static func arguments() -> [String?] {
    (1..<max(1, Int(CommandLine.argc))).map { index in
      unsafe CommandLine.unsafeArgv[index].flatMap { unsafe String(validatingCString: $0) }
    }
  }

  /// Reads the arguments, without the program's name.
  static func read(_ texts: [String?]) -> Request {
    let arguments = texts.compactMap { $0 }
    if let index = texts.firstIndex(of: nil) {
      return .mistake("Argument \(index + 1) is not valid UTF-8: type it in UTF-8.")
    }
    if let mistake = unknownCommand(arguments) { return .mistake(mistake) }
    do {
      return .command(try EightBallCommand.parseAsRoot(arguments))
    } catch {
      let joined = joiningNegativeNumbers(arguments)
      guard joined != arguments, EightBallCommand.message(for: error).hasPrefix("Missing value")
      else { return request(of: error, arguments) }
      do {
        return .command(try EightBallCommand.parseAsRoot(joined))
      } catch {
        return request(of: error, arguments)
      }
    }
  }

  /// What an error of ArgumentParser asks for, or which mistake it reports.
  static func request(of error: any Error, _ arguments: [String]) -> Request {
    guard EightBallCommand.exitCode(for: error) != .success else {
      return .text(EightBallCommand.fullMessage(for: error))
    }
    let name = arguments.first.flatMap { commands.contains($0) ? $0 : nil } ?? Run._commandName
    return .mistake(
      "\(EightBallCommand.message(for: error))\nSee eightball \(name) --help.")
  }

  /// What is wrong with the name of the command; `nil` if there is none, or a known one.
  private static func unknownCommand(_ arguments: [String]) -> String? {
    var names = arguments[...]
    if names.first == "help" { names.removeFirst() }
    guard let name = names.first, !name.hasPrefix("-"), name != "help", !commands.contains(name)
    else { return nil }
    let shown = printable(name)
    guard !name.hasSuffix("?") else {
      return "There is no command “\(shown)”. To ask a ball: eightball ask \"\(shown)\"\n"
        + "See eightball --help."
    }
    let hint = nearestName(to: name, among: commands).map { " Did you mean \($0)?" } ?? ""
    return "There is no command “\(shown)”.\(hint)\n"
      + "The commands are \(commands.joined(separator: ", ")). See eightball --help."
  }

  /// Joins an option and the negative number after it, which ArgumentParser takes for an option: it
  /// then reads the number as the value, and says what is wrong with it.
  private static func joiningNegativeNumbers(_ arguments: [String]) -> [String] {
    var joined: [String] = []
    for argument in arguments {
      let isNegative = argument.first == "-" && argument.dropFirst().first?.isNumber == true
      if isNegative, let last = joined.last, last.hasPrefix("--"), !last.contains("=") {
        joined[joined.count - 1] = "\(last)=\(argument)"
      } else {
        joined.append(argument)
      }
    }
    return joined
  }
}

extension EightBallCommand {
  /// Runs the command of the command line.
  static func main() {
    Terminal.reserveStandardStreams()
    let arguments = Launch.arguments()
    var status = ExitCode.success
    switch Launch.read(arguments) {
    case .command(var command):
      do {
        try command.run()
      } catch let code as ExitCode {
        status = code
      } catch {
        status = finish(Launch.request(of: error, arguments.map { $0 ?? "" }))
      }
    case let request: status = finish(request)
    }
    if status == .success, Terminal.hasLostOutput { status = ExitStatus.output }
    exit(withError: status)
  }

  /// Prints a text or a mistake. Returns the exit status.
  private static func finish(_ request: Launch.Request) -> ExitCode {
    switch request {
    case .command: return .success
    case .text(let text):
      Terminal.print(text)
      return .success
    case .mistake(let text):
      Terminal.note("Error: \(text)")
      return ExitStatus.usage
    }
  }
}
