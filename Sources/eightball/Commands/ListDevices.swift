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

  enum Option: UInt8, OptionTable {
    case timeout, address, radio, verbose, capture, json, version, help

    var row: OptionRow {
      switch self {
      case .timeout:
        OptionRow(
          "--timeout", "<time>", "How long to listen, such as 10s or 500ms; default: 5s.")
      case .address: .address
      case .radio: .radio
      case .verbose: .verbose
      case .capture: .capture
      case .json: .json
      case .version: .version
      case .help: .help
      }
    }
  }

  var timeout = TimeOption(milliseconds: 5_000)
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  mutating func set(_ option: Option, _ value: OptionValue) throws(UsageError) {
    switch option {
    case .timeout: timeout = try value.time(upTo: TimeOption.hour)
    case .address: addressOptions.address = try value.address()
    case .radio: radioOptions.radio = try value.radio()
    case .verbose: radioOptions.verbose = true
    case .capture: radioOptions.capture = value.text
    case .json: isJSON = true
    case .version, .help: break
    }
  }

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
