import EightBall
import Expectations
import Linux
import LinuxPort
import LinuxTestSupport

@testable import eightballd

@Suite("Options of eightballd")
struct OptionsTests {
  @Test("Options have defaults")
  func defaults() throws {
    let options = try Options(arguments([]))
    expect(options.task, is: .run)
    expect(options.name == nil)
    expect(options.style, is: .text)
    expect(options.seed, is: nil)
    expect(options.idleLimit, is: 5)
    expect(options.address == nil && options.radio == nil && options.board == nil)
    expect(options.settingCount, is: 0)
    expect(!options.isJSON)
  }

  @Test("A value follows = or is the next argument; the last option counts")
  func values() throws {
    let options = try Options(
      arguments([
        "--name=Tom = Jerry", "--name", "Küche", "--answers=slugs", "--seed",
        "18446744073709551615",
        "--idle-limit=0", "--address", "random", "--radio=hci3", "--board", "pi-5", "--json",
        "--set", "shake.line=GPIO23", "--set=answer=none",
      ]))
    expect(options.name.map { $0.string }, is: "Küche")
    expect(options.style, is: .slug)
    expect(options.seed, is: .max)
    expect(options.idleLimit, is: 0)
    expect(options.address, is: .random)
    expect(options.radio?.way, is: .adapter(3))
    expect(options.board.map { $0.string }, is: "pi-5")
    expect(options.isJSON)
    expect(options.settingCount, is: 2)
    expect(options.settings[1]?.string, is: "answer=none")
  }

  @Test("--security sets the protection of links, and --pairing-window keeps pairing open with it")
  func security() throws {
    for form in [[], ["--security", "none"], ["--security", "none", "--json"]] {
      expect(try !Options(arguments(form)).isProtected)
    }
    let protected = try Options(arguments(["--security=encrypted"]))
    expect(protected.isProtected && !protected.keepsPairingOpen)
    for form in [
      ["--security", "encrypted", "--pairing-window"],
      ["--pairing-window", "--security=encrypted"],
    ] { expect(try Options(arguments(form)).keepsPairingOpen) }
  }

  @Test("The path of the control socket may be left out")
  func control() throws {
    expect(try Options(arguments(["--allow-remote-buttons"])).allowsRemoteButtons)
    for form in [["--control"], ["--control", "--json"]] {
      let options = try Options(arguments(form))
      expect(options.control == nil && !options.allowsRemoteButtons)
    }
    for form in [["--control", "/run/x"], ["--control=/run/x", "--quiet"]] {
      expect(try Options(arguments(form)).control?.string, is: "/run/x")
    }
  }

  @Test("Help and version take effect before later errors")
  func tasks() throws {
    expect(try Options(arguments(["-h", "--wrong"])).task, is: .showHelp)
    expect(try Options(arguments(["--name", "", "--help"])).task, is: .showHelp)
    expect(try Options(arguments(["--version"])).task, is: .showVersion)
  }

  /// Command lines, with '' for an empty argument, and a part of the explanation.
  static let mistakes = table(
    """
    --wrong | Unknown option '--wrong'
    --names=x | Unknown option '--names=x'
    -x | Unknown option '-x'
    run | Unexpected argument 'run'
    --name | Missing value for '--name <name>'
    --control= | Missing value for '--control [<path>]'
    --allow-remote-buttons=yes | The option '--allow-remote-buttons' does not take any value, but 'yes' was \
    specified.
    --pairing-window | --pairing-window keeps pairing open, and a ball pairs only with --security encrypted: \
    add that.
    --pairing-window --security none | --pairing-window keeps pairing open
    --name= | Missing value for '--name <name>'
    --seed -1 | The value '-1' is invalid for '--seed <number>'
    --seed --json | Missing value for '--seed <number>'
    -- --json | Unexpected argument '--json'
    --seed=-1 | The value '-1' is invalid for '--seed <number>'
    --seed 18446744073709551616 | is invalid for '--seed <number>'
    --json=yes | The option '--json' does not take any value, but 'yes' was specified.
    --answers Text | Please provide one of 'text' and 'slugs'.
    --idle-limit 1441 | --idle-limit takes 0 to 1440 minutes, not 1441.
    --idle-limit soon | The value 'soon' is invalid for '--idle-limit <minutes>'
    --security yes | The value 'yes' is invalid for '--security <none|encrypted|authenticated>'. Please \
    provide one of 'none', 'encrypted' and 'authenticated'.
    --security=authenticated | a service has no terminal for that: give --security encrypted
    --name '' | A ball must have a name: give --name 1 to 29 bytes.
    --name 123456789012345678901234567890 | The name “123456789012345678901234567890” is 30 bytes long in \
    UTF-8; an advertisement holds at most 29. Shorten --name.
    --address here | unknown address "here": expected public
    --radio usb:0 | unknown radio "usb:0": expected unix:PATH
    --set shake | The value 'shake' is invalid for '--set <field=value>': expected NAME=
    --set=a\u{1B}=1 | unknown field "a\u{FFFD}"
    """)

  @Test("An error says what is wrong", arguments: mistakes)
  func wrong(row: [String]) {
    expect(complaint(about: words(row[0]), choosesBoard: false).contains(row[1]))
  }

  @Test("At most 32 settings are taken")
  func manySettings() {
    let list = [String](repeating: "--set=answer=none", count: 33)
    expect(complaint(about: list, choosesBoard: false).contains("at most 32 settings"))
    expect(complaint(about: list.dropLast(), choosesBoard: false), is: "")
  }
}
