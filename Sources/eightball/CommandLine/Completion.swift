import LinuxPort
import LinuxRadio

/// What a shell offers while a command line is typed. The scripts ask the program itself.
enum Completion {
  /// The option by which the scripts ask. The typed words follow, the unfinished one last.
  static let option = "---completion"
  /// Offered instead of words where a file is expected.
  private static let files = ":files"

  /// What may follow the typed words: a word on each line, or `:files`.
  static func offers(for words: ArraySlice<String>) -> String {
    let typed = words.last ?? ""
    return candidates(words.dropLast(), typed)
      .filter { $0 == files || $0.hasPrefix(typed) }.joined(separator: "\n")
  }

  private static func candidates(_ words: ArraySlice<String>, _ typed: String) -> [String] {
    guard let name = words.first else {
      return EightBallProgram.names + ["help"] + options(of: Run.self)
    }
    if name == "help" { return words.count == 1 ? EightBallProgram.names : [] }
    let command = EightBallProgram.commands.first { $0.name == name } ?? Run.self
    if let last = words.last, let row = command.rows.first(where: { $0.nameText == last }),
      row.takesValue
    {
      return values(of: row, typed)
    }
    if typed.hasPrefix("-") { return options(of: command) }
    switch command.page.argument.map({ "\($0.name)" }) {
    case "button": return ["shake", "clear"]
    case "name": return boards(typed)
    case "file", "capture": return [files]
    case "device" where command.page.rest != nil && words.count > 1:
      return GATTCommand.names + options(of: command)
    default: return options(of: command)
    }
  }

  private static func options(of command: any Command.Type) -> [String] {
    command.rows.map(\.nameText)
  }

  /// What may be the value of an option: by its form.
  private static func values(of row: OptionRow, _ typed: String) -> [String] {
    let form = "\(row.value)".filter { !"<>[]".contains($0) }
    switch form {
    case "file", "path": return [files]
    case "name|file": return boards(typed)
    case "address|all", "host:port": return []
    default:
      let words = form.split(separator: "|" as Character).map { String($0) }
      return words.count > 1 ? words : []
    }
  }

  /// The known boards, and board files.
  private static func boards(_ typed: String) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let found = Files.names(in: folder.isEmpty ? "." : folder).map { folder + $0 }
    let known = KnownBoard.shipped.map(\.name) + ["none"]
    return known.sorted() + found.filter { $0.hasSuffix(".conf") }
  }

  /// The script for a shell; `nil` for an unknown one.
  static func script(for shell: String) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  private static let bash = """
    #!/bin/bash
    _eightball() {
      local offers
      COMPREPLY=()
      offers=$("${COMP_WORDS[0]}" \(option) "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
      if [ "$offers" = "\(files)" ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
      elif [ -n "$offers" ]; then
        mapfile -t COMPREPLY <<<"$offers"
      fi
    }
    complete -F _eightball eightball
    """

  private static let zsh = """
    #compdef eightball
    _eightball() {
      local -a offers
      offers=("${(@f)$("${words[1]}" \(option) "${(@)words[2,CURRENT]}" 2>/dev/null)}")
      if [[ "${offers[1]}" == "\(files)" ]]; then
        _files
      else
        compadd -a offers
      fi
    }
    if [[ "${funcstack[1]}" == _eightball ]]; then
      _eightball "$@"
    else
      compdef _eightball eightball
    fi
    """

  private static let fish = """
    function __eightball_offers
      set -l words (commandline -opc) (commandline -ct)
      set -l offers (command $words[1] \(option) $words[2..-1] 2>/dev/null)
      if test "$offers" = "\(files)"
        __fish_complete_path (commandline -ct)
      else
        printf '%s\\n' $offers
      end
    end
    complete -c eightball -f -a '(__eightball_offers)'
    """
}
