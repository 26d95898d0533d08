import LinuxPort

/// Lists the advertising devices.
struct ListDevices: Command {
  static let page = CommandPage(
    name: "scan",
    abstract: "List the devices that advertise nearby, and which of them are balls.",
    discussion: """
      Prints a device as soon as its name is known, or else at the end.

      EXAMPLES
        eightball scan
        eightball scan --radio hci0 --timeout 10s
        eightball scan --json

      EXIT STATUS
        0   the scan is over
        1   an unexpected failure
        64  the command line is wrong
        69  the radio cannot be used
        74  the list cannot be written
      """)

  static var options: [ToolOption<ListDevices>] {
    [
      .value(
        OptionRow(
          "--timeout", "<time>", "How long to listen, such as 10s or 500ms; default: 5s.")
      ) { $0.timeout = try $1.time(upTo: TimeOption.hour) },
      .value(.address) { $0.addressOptions.address = try $1.address() },
      .value(.radio) { $0.radioOptions.radio = try $1.radio() },
      .flag(.verbose) { $0.radioOptions.verbose = true },
      .value(.capture) { $0.radioOptions.capture = $1.text },
      .flag(.json) { $0.isJSON = true },
    ]
  }

  var timeout = TimeOption(milliseconds: 5_000)
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  func validate() throws(UsageError) { try addressOptions.validate() }

  func run() throws {
    let printer = ScanPrinter(isJSON: isJSON)
    try reportingErrors(with: printer.failed) {
      let chosen = ChosenRadio(radioOptions.radio)
      let sinks = try radioOptions.sinks()
      printer.begins(chosen)
      var program = ScanProgram(
        duration: timeout.milliseconds, address: try addressOptions.choice.own, printer: printer)
      var radio = try ToolRadio(chosen.name, watchedBy: sinks)
      try radio.run(&program)
      if let failure = program.failure { throw failure }
      program.printEnd()
      warn(ofFailuresOf: sinks)
    }
  }
}
