import BluetoothHost
import EightBall
import LinuxPort
import LinuxRadio

/// Serves a peripheral that a file describes.
struct RunPeripheral: RadioCommand {
  static let page = CommandPage(
    name: "peripheral",
    abstract: "Be the peripheral that a file describes.",
    discussion: """
      A file has a line for each service, characteristic and value: see Examples/peripherals/README.md. \
      Values change as time passes, writes are answered, and faults happen, as the file says. It \
      runs until SIGINT, SIGTERM or SIGHUP. If it loses its radio, it keeps retrying.

      --check reads the file without a radio, and prints the database, or every wrong line.

      EXAMPLES
        eightball peripheral heart-rate.conf
        eightball peripheral --check heart-rate.conf
        eightball peripheral thermometer.conf --radio hci0 --json
        eightball peripheral thermometer.conf --seed 8 --capture thermometer.btsnoop
        eightball peripheral lock.conf --bonds lock.bonds

      EXIT STATUS
        0   ended by SIGINT, SIGTERM or SIGHUP; with --check, the file is right
        1   an unexpected failure
        64  the command line is wrong
        69  the radio cannot be used
        74  the output cannot be written
        78  the file is wrong, or cannot be read
      """,
    argument: .init(name: "file", isOptional: false, help: "The file of the peripheral."))

  static var radioRow: OptionRow { .peripheralRadio }

  static var options: [ToolOption<RunPeripheral>] {
    [
      .flag(OptionRow("--check", "Read the file, and print the database or what is wrong.")) {
        $0.checks = true
      },
      .value(
        OptionRow(
          "--seed", "<number>", "The seed of random walks. Default: a different one each time.")
      ) { $0.seed = try $1.seed() },
      .value(
        OptionRow(
          "--bonds", "<file>",
          """
          Keep the bonds with centrals in this file, and the address that they know. Default: they end \
          with the program.
          """)
      ) { $0.bonds = try $1.path() },
    ] + radioRows + [.flag(.json) { $0.isJSON = true }]
  }

  var file: String?
  var checks = false
  var seed: UInt64?
  var bonds: String?
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  mutating func take(_ argument: String) throws(UsageError) {
    guard file == nil else { throw UsageError("Unexpected argument '\(printable(argument))'") }
    file = argument
  }

  func validate() throws(UsageError) {
    guard let file, !file.isEmpty else {
      throw UsageError("No file given: eightball peripheral heart-rate.conf.")
    }
    if let radio = radioOptions.radio, radio.isBesideDaemon, bonds != nil {
      throw UsageError("With --radio \(radio), bluetoothd keeps the bonds: leave --bonds out.")
    }
    try addressOptions.validate(on: radioOptions.radio)
  }

  func run() throws {
    let loaded = try LoadedPeripheral.reportingErrors(of: file ?? "", isJSON: isJSON)
    guard !checks else {
      let summary = PeripheralSummary(loaded.peripheral)
      if isJSON {
        summary.json.print()
      } else {
        for line in summary.lines { Terminal.print(line) }
      }
      return
    }
    try Self.serve(radioOptions, isJSON: isJSON) { printer, time in
      PeripheralProgram(
        loaded,
        address: try addressOptions.choice(for: loaded.peripheral, on: radioOptions.radio),
        seed: seed, printer: printer,
        bonds: try KeptBonds.ofPeripheral(at: bonds, on: radioOptions.radio), time: time)
    }
  }

  /// Serves a peripheral until its program ends.
  ///
  /// - Parameters:
  ///   - makeProgram: Makes the program, which prints with this printer, and has this time on its radio.
  ///   - ended: Called with both at the end.
  /// - Throws: An exit status, once it has printed why.
  static func serve(
    _ radioOptions: RadioOptions, isJSON: Bool,
    _ makeProgram: (PeripheralPrinter, AirTime) throws -> PeripheralProgram,
    ended: (PeripheralProgram, PeripheralPrinter) -> Void = { _, _ in }
  ) throws {
    try reportingErrors(with: { printError($0, reason: $1, isJSON: isJSON) }) {
      let chosen = ChosenRadio(radioOptions.radio ?? .virtual)
      var radio = try ToolRadio(chosen.name, radioOptions)
      let output = try LineOutput(loop: radio.loop) {
        PeripheralPrinter.loss(of: $0, isJSON: isJSON)
      }
      // It goes on without a reader.
      let printer = PeripheralPrinter(
        isJSON: isJSON, print: { output.print($0) }, flush: { _ = output.flush() })
      printer.begins(chosen)
      var program = try makeProgram(printer, radio.time)
      try radio.run(&program)
      if let failure = program.failure { throw failure }
      if let failure = program.bonds.failure { throw failure }
      ended(program, printer)
      _ = output.flush()
    }
  }
}
