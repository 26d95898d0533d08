import LinuxPort
import LinuxRadio

/// Serves a peripheral as it was in a recorded session.
struct Replay: RadioCommand {
  static let page = CommandPage(
    name: "replay",
    abstract: "Be the peripheral of a recorded session.",
    discussion: """
      The file is one of eightball record. One central at a time has what the central of the session \
      had: each read the next value that was read, each write the response or the error, and the \
      notifications and indications after the same time. A line names each difference: another \
      value, another order, a step that the session does not have, steps that are missing. After the \
      session's last connection the next one is the first again. It runs until SIGINT, SIGTERM or \
      SIGHUP. See docs/testing-apps.md.

      EXAMPLES
        eightball replay session.conf
        eightball replay session.conf --radio hci0 --json
        eightball replay session.conf --strict

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP
        1   with --strict, a central did otherwise; an unexpected failure
        64  the command line is wrong
        69  the radio cannot be used
        74  the output cannot be written
        78  the file is wrong, or cannot be read
      """,
    argument: .init(name: "file", isOptional: false, help: "The file of the session."))

  static var radioRow: OptionRow { .peripheralRadio }

  static var options: [ToolOption<Replay>] {
    [
      .flag(OptionRow("--strict", "Exit with 1 if a central did otherwise.")) {
        $0.isStrict = true
      }
    ] + radioRows + [.flag(.json) { $0.isJSON = true }]
  }

  var file: String?
  var isStrict = false
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  mutating func take(_ argument: String) throws(UsageError) {
    guard file == nil else { throw UsageError("Unexpected argument '\(printable(argument))'") }
    file = argument
  }

  func validate() throws(UsageError) {
    guard let file, !file.isEmpty else {
      throw UsageError("No file given: eightball replay session.conf.")
    }
    try addressOptions.validate(on: radioOptions.radio)
  }

  func run() throws {
    let path = file ?? ""
    let loaded = try LoadedPeripheral.reportingErrors(of: path, isJSON: isJSON)
    guard !loaded.peripheral.steps.isEmpty else {
      printError(
        "\(printable(path)): the file has no steps. eightball record prints one with steps; "
          + "eightball peripheral serves one without.", reason: "file", isJSON: isJSON)
      throw ExitStatus.board
    }
    var hasDifferences = false
    try RunPeripheral.serve(radioOptions, isJSON: isJSON) { printer, time in
      // The session is that of one central.
      PeripheralProgram(
        loaded,
        address: try addressOptions.choice(for: loaded.peripheral, on: radioOptions.radio),
        seed: 0, printer: printer, connections: 1, replays: true,
        bonds: try KeptBonds.ofPeripheral(at: nil, on: radioOptions.radio), time: time)
    } ended: { program, printer in
      guard let script = program.script else { return }
      printer.replayed(script)
      hasDifferences = script.hasDifferences
    }
    if isStrict, hasDifferences { throw ExitStatus.unexpected }
  }
}
