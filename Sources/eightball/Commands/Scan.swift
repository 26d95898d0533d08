import ArgumentParser
import BluetoothCentral
import BluetoothHost
import LinuxBoard
import LinuxRadio
import LinuxSystem

/// Lists what advertises.
struct Scan: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the devices that advertise nearby, and which of them are balls.",
    discussion: """
      A device is printed as soon as its name is known, or else at the end.

      EXAMPLES
        eightball scan
        eightball scan --radio hci0 --timeout 10
        eightball scan --json

      EXIT STATUS
        0   the scan is over
        64  the command line is wrong
        69  the radio cannot be used
      """)

  @Option(
    name: .long,
    help: ArgumentHelp("How long to listen; 5 unless given.", valueName: "seconds"),
    transform: { try Seconds($0) })
  var timeout = Seconds(milliseconds: 5_000)

  @OptionGroup var radioOptions: RadioOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let printer = ScanPrinter(isJSON: output.json)
    try endingWell(complain: printer.failed) {
      let radio = ChosenRadio(radioOptions.choice)
      let sinks = try radioOptions.sinks()
      printer.begins(radio)
      var program = ScanProgram(duration: timeout.milliseconds, printer: printer)
      try runOnRadio(&program, radio.name, watchedBy: sinks)
      if let failure = program.failure { throw failure }
      printer.ends()
    }
  }
}
