import LinuxPort
import LinuxRadio

/// Prints a peripheral as a file that `eightball peripheral` serves.
struct Clone: Command {
  static let page = CommandPage(
    name: "clone",
    abstract: "Print any peripheral as a file for eightball peripheral.",
    discussion: """
      Connects, discovers all attributes, reads what may be read, and prints a file with the same \
      handles, the same Database Hash and the same advertising. Values that need a paired link are \
      read with --pair; without it the file says how they are protected, but not their values. The \
      pairing is new, and no bond is kept.

      A central cannot see how a device answers writes, or when its values change: add that to the \
      file. Warnings go to stderr.

      EXAMPLES
        eightball clone Thermometer > thermometer.conf
        eightball clone C0:00:00:00:00:01 --pair --radio hci0 > device.conf

      EXIT STATUS
        0   the file is printed
        1   an unexpected failure, such as a lost connection
        64  the command line is wrong
        65  the device refused to be discovered
        66  the device was not found
        67  the device could not be reached, or did not answer in time
        69  the radio cannot be used
        74  the file cannot be written
        130 stopped by SIGINT, SIGTERM or SIGHUP
      """,
    argument: .device)

  static var options: [ToolOption<Clone>] {
    [
      .value(.connectionTimeout) { $0.timeout = try $1.time(upTo: TimeOption.hour) },
      .flag(OptionRow("--pair", "Pair to read what needs a protected link.")) { $0.pair = true },
      .value(.address) { $0.addressOptions.address = try $1.address() },
      .value(.radio) { $0.radioOptions.radio = try $1.radio() },
      .flag(.verbose) { $0.radioOptions.verbose = true },
      .value(.capture) { $0.radioOptions.capture = $1.text },
    ]
  }

  var device: String?
  var timeout: TimeOption?
  var pair = false
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()

  mutating func take(_ argument: String) throws(UsageError) {
    guard device == nil else {
      throw UsageError("Unexpected argument '\(printable(argument))': clone takes one device")
    }
    device = argument
  }

  func validate() throws(UsageError) {
    try CentralTarget.check(device)
    try addressOptions.validate()
  }

  func run() throws {
    let printer = GATTPrinter(isJSON: false)
    let copy = try runGATT(
      CentralTarget(device ?? ""), [.readAll], timeout: timeout, pairs: pair,
      address: try addressOptions.choice, radioOptions, printer, keepsBonds: false)
    let description = copy.description
    let hidden = copy.protected.keys.filter { copy.values[$0] == nil }.count
    if hidden > 0 {
      printer.note(
        "Warning: \(hidden == 1 ? "1 value is" : "\(hidden) values are") missing, for lack of a "
          + "protected link\(pair ? "." : ": give --pair.")")
    }
    for fault in copy.faults(of: description) { printer.note("Warning: \(fault)") }
    Terminal.print(String(description.fileText.dropLast()))
  }
}
