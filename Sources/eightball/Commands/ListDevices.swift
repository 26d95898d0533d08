import ArgumentParser
import CoreBluetooth

/// Lists the advertising devices.
struct ListDevices: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
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

  @Option(
    name: .long,
    help: ArgumentHelp(
      "How long to listen, such as 10s or 500ms; default: 5s.", valueName: "time"),
    transform: { try TimeOption($0, upTo: TimeOption.hour) })
  var timeout = TimeOption(milliseconds: 5_000)

  @OptionGroup var addressOptions: AddressOptions
  @OptionGroup var radioOptions: RadioOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let printer = ScanPrinter(isJSON: output.json)
    try reportingErrors(with: printer.failed) {
      let chosen = ChosenRadio(radioOptions.choice)
      let sinks = try radioOptions.sinks()
      printer.begins(chosen)
      let radio = CBRadio(
        chosen.name, address: try addressOptions.choice, watchedBy: sinks)
      defer { radio.close() }
      let program = ScanProgram(duration: timeout.seconds, radio: radio)
      try runBlocking { try await program.run(printer) }
      printer.ends()
      warn(ofFailuresOf: sinks)
    }
  }
}
