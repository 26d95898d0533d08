import Expectations
import LinuxTestSupport

@testable import eightball

@Suite("Command lines that are refused")
struct RefusalTests {
  /// Command lines, with '' for an empty argument, and a part of the explanation.
  static let refusals = table(
    """
    ask Will it rain? | put it in quotes, such as eightball ask "Will it rain?"
    ask '' | The question is empty
    ask --stay --pair | pair first
    press | button
    run --nam x | Unknown option '--nam'. Did you mean '--name'?
    run --seed -1 | The value '-1' is invalid for '--seed <number>'
    run --seed x | The value 'x' is invalid for '--seed <number>'
    run --answers x | is invalid for '--answers <text|slugs>'. Please provide one of 'text' and 'slugs'.
    run x | Unexpected argument 'x'
    scan --address FF:FF:FF:FF:FF:FF | at least one must be 0
    metrics | Missing expected argument '--listen <host:port>'
    run --security secret | The value 'secret' is invalid for '--security <none|encrypted|authenticated>'
    run --security authenticated --quiet | there is none with --quiet
    run --pairing-window | add --security
    run --pairing-window --security none | add --security
    run --private | add --security
    run --private --security encrypted --address random | exclude each other
    ask --random --radio bluez:hci0 --address random | bluetoothd chooses the address: leave --address out
    scan --radio bluez:hci1 --address C0:00:00:00:00:07 | With --radio bluez:hci1, bluetoothd chooses the address
    peripheral lock.conf --radio bluez:hci0 --bonds lock.bonds | bluetoothd keeps the bonds: leave --bonds out
    replay session.conf --radio bluez:hci0 --address random | bluetoothd chooses the address: leave --address out
    clone Thermometer --radio bluez:hci0 --address random | bluetoothd chooses the address: leave --address out
    clone --from '' | --from is empty: give a path.
    scan --capture '' | --capture is empty: give a path.
    run --control '' | --control is empty: give a path.
    events --control '' | --control is empty: give a path.
    swarm --peripheral '' | --peripheral is empty: give a path.
    peripheral lock.conf --bonds '' | --bonds is empty: give a path.
    bonds --file '' | --file is empty: give a path.
    clone --from log.btsnoop --pair | leave the other options out.
    clone --from log.btsnoop --radio hci0 | leave the other options out.
    peripheral '' | No file given
    replay '' | No file given
    record '' | No capture given
    record log.btsnoop --peer x | expected an address such as C0:00:00:00:00:01
    run --radio bluez:hci0 --address public | bluetoothd chooses the address: leave --address out
    run --radio bluez:hci0 --security encrypted --private | bluetoothd chooses the address and pairs
    swarm --count -5 | --count takes 1 to 10000 balls, not -5.
    swarm --count 0 | --count takes 1 to 10000 balls, not 0.
    swarm --count 10001 | --count takes 1 to 10000 balls, not 10001.
    swarm --connections 0 | --connections takes 1 to 4 centrals, not 0.
    swarm --name '' | A ball must have a name: give --name 1 to 29 bytes.
    swarm --name 1234567890123456789012345678 --connections 5 | centrals, not 5.
    swarm --name 12345678901234567890123456789%d | is 30 bytes long in UTF-8
    swarm --name %x | write %d for the number of the ball
    swarm --drop 101 | give 100 or less together
    swarm --drop 51 --vanish 50 | give 100 or less together
    swarm --drop 5 --radio unix:/tmp/air | give them to the eightball radio that hosts unix:/tmp/air
    radio --drop 51 --vanish 50 | give 100 or less together
    swarm --drop-every 2h | expected a time such as 3s or 250ms, up to 3600s
    swarm --radio hci0 | hci0 is one controller, and each ball takes one of its own
    swarm --quiet --json | --quiet and --json exclude each other: give one of them.
    """)

  @Test(
    "What is wrong is explained once, without the usage, and with the help", arguments: refusals)
  func refused(row: [String]) throws {
    let arguments = words(row[0])
    let text = try #require(Launch.mistake(in: arguments))
    expect(text.contains(row[1]), "\(text)")
    expect(!text.contains("Usage:"))
    expect(text.hasSuffix("\nSee eightball \(arguments[0]) --help."))
  }

  private static let times = [
    "s", "ms", "2 s", "2m", "2S", "two", "0", "0ms", "0.0009", "-1s", "nan", "inf", "infs",
  ]

  /// Values of an option that are refused for the same reason, which ends the explanation.
  static let values: [(option: [String], values: [String], words: String)] = [
    (
      ["radio", "--listen"],
      ["foo", "", "virtual", "hci0", "tcp-client:127.0.0.1:7300", "unix:", "tcp-server:x"],
      "--listen takes unix:PATH or tcp-server:HOST:PORT."
    ),
    (["radio", "--limit"], ["0"], "--limit takes 1 to 10000 radios, not 0."),
    (["radio", "--limit"], ["-1"], "--limit takes 1 to 10000 radios, not -1."),
    (["radio", "--limit"], ["10001"], "--limit takes 1 to 10000 radios, not 10001."),
    (["radio", "--vhci"], ["65"], "--vhci takes up to 64 adapters, the limit of the air, not 65."),
    (
      ["radio", "--time", "simulated", "--vhci"], ["1"],
      "--vhci needs --time real: the kernel has a clock of its own."
    ),
    (["radio", "--time"], ["fast"], "--time takes real or simulated."),
    (["radio", "--radios"], ["2"], "--radios needs --time simulated."),
    (
      ["radio", "--time", "simulated", "--radios"], ["65"],
      "--radios takes 1 to 64 radios, the limit of the air, not 65."
    ),
    (
      ["swarm", "--seed"], ["-1", "x", "", "+1", "18446744073709551616"],
      "expected a whole number from 0 to 18446744073709551615"
    ),
    (["run", "--idle-limit"], ["soon", "-1", "65536"], "expected 0 to 1440 minutes"),
    (["swarm", "--drop"], ["-1", "half"], "expected 0 to 100 percent"),
    (["swarm", "--count"], ["many", "1e3"], "expected 1 to 10000 balls"),
    (["swarm", "--connections"], ["1.5"], "expected 1 to 4 centrals"),
    (["radio", "--limit"], ["many"], "expected 1 to 10000 radios"),
    (["radio", "--area"], ["wide"], "expected 1 to 10000 metres"),
    (["panel", "--port"], ["65536", "-1", "http"], "expected a port from 0 to 65535"),
    (["gatt", "X", "--eatt"], ["some"], "expected 1 to 5"),
    (["radio", "--loss"], ["101"], "--loss takes 0 to 100 percent, not 101."),
    (["radio", "--area"], ["0"], "--area takes 1 to 10000 metres, not 0."),
    (
      ["run", "--metrics"], ["", "x", "65536", "host:"],
      "expected PORT or HOST:PORT, such as 9888 or 127.0.0.1:9888"
    ),
    // A command waits an hour at most; a button is held for a minute at most.
    (
      ["ask", "Is it?", "--timeout"], times + ["3600.001", "-2s"],
      "expected a time such as 3s or 250ms, up to 3600s"
    ),
    (
      ["scan", "--timeout"], times + ["3600001ms"],
      "expected a time such as 3s or 250ms, up to 3600s"
    ),
    (
      ["press", "shake", "--hold"], times + ["60001ms"],
      "expected a time such as 3s or 250ms, up to 60s"
    ),
  ]

  @Test("A value is refused with the right form", arguments: values)
  func refused(option: [String], values: [String], words: String) throws {
    for value in values {
      let text = try #require(Launch.mistake(in: option + [value]))
      expect(text.hasSuffix("\(words)\nSee eightball \(option[0]) --help."), "\(text)")
      // Other radios are not offered.
      expect(!text.contains("hciN"))
    }
  }
}
