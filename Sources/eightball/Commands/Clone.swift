import LinuxPort
import LinuxRadio

/// Prints a peripheral as a file that `eightball peripheral` serves.
struct Clone: RadioCommand {
  static let page = CommandPage(
    name: "clone",
    abstract: "Print any peripheral as a file for eightball peripheral.",
    discussion: """
      Connects, discovers all attributes, reads what may be read, and prints a file with the same \
      handles, the same Database Hash and the same advertising. Values that need a paired link are \
      read with --pair; without it the file says how they are protected, but not their values. The \
      pairing is new, and no bond is kept.

      --from reads the device from a capture instead of the air: of a central that discovered it, or of \
      the device itself. Captures are btsnoop files, of --capture, of btmon -w and of Android. With \
      several devices in it, name one. Only what the capture shows is in the file.

      A central cannot see how a device answers writes, or when its values change: add that to the \
      file. Comments name the characteristics that it may protect from writes or subscriptions, which \
      a central cannot see either. Warnings go to stderr.

      EXAMPLES
        eightball clone Thermometer > thermometer.conf
        eightball clone C0:00:00:00:00:01 --pair --radio hci0 > device.conf
        eightball clone --from btsnoop_hci.log > device.conf

      EXIT STATUS
        0   the file is printed
        1   an unexpected failure, such as a lost connection
        64  the command line is wrong, or the file is not a capture
        65  the device refused to be discovered
        66  the device was not found, or not in the capture
        67  the device could not be reached, or did not answer in time
        69  the radio cannot be used
        74  the file cannot be written
        130 stopped by SIGINT, SIGTERM or SIGHUP
      """,
    argument: .init(
      name: "device", isOptional: true,
      help: "The name of the device, or its address: eightball scan lists both."))

  static var options: [ToolOption<Clone>] {
    [
      .value(OptionRow("--from", "<file>", "Read the device from this capture.")) {
        $0.from = try $1.path()
      },
      .value(.connectionTimeout) { $0.timeout = try $1.time(upTo: TimeOption.hour) },
      .flag(OptionRow("--pair", "Pair to read what needs a protected link.")) { $0.pair = true },
      .value(.bearers) { $0.bearerCount = try $1.bearerCount() },
    ] + radioRows
  }

  var device: String?
  var from: String?
  var timeout: TimeOption?
  var pair = false
  var bearerCount = 0
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()

  mutating func take(_ argument: String) throws(UsageError) {
    guard device == nil else {
      throw UsageError("Unexpected argument '\(printable(argument))': clone takes one device")
    }
    device = argument
  }

  func validate() throws(UsageError) {
    if from != nil {
      guard timeout == nil, !pair, bearerCount == 0, addressOptions.address == nil,
        radioOptions.radio == nil, radioOptions.capture == nil, !radioOptions.verbose
      else {
        throw UsageError("--from reads a capture, without a radio: leave the other options out.")
      }
    } else {
      try CentralTarget.check(device)
    }
    try addressOptions.validate(on: radioOptions.radio)
  }

  func run() throws {
    let printer = GATTPrinter(isJSON: false)
    let copy = try from.map { try captured(in: $0, printer) } ?? heard(printer)
    let description = copy.description
    let hidden = copy.protected.keys.filter { copy.values[$0] == nil }.count
    if hidden > 0 {
      printer.note(
        "Warning: \(hidden == 1 ? "1 value is" : "\(hidden) values are") missing, for lack of a "
          + "protected link\(pair || from != nil ? "." : ": give --pair.")")
    }
    for fault in copy.faults(of: description) { printer.note("Warning: \(fault)") }
    let file = copy.comments(on: description) + description.fileText
    for fault in PeripheralFile.faults(of: file) { printer.note("Warning: \(fault)") }
    Terminal.print(String(file.dropLast()))
  }

  /// What the device shows to a central.
  private func heard(_ printer: GATTPrinter) throws -> DeviceCopy {
    try runGATT(
      CentralTarget(device ?? ""), [.readAll], timeout: timeout, pairs: pair,
      address: try addressOptions.choice, radioOptions, printer, bearerCount: bearerCount,
      keepsBonds: false)
  }

  /// What a capture shows of the device.
  private func captured(in path: String, _ printer: GATTPrinter) throws -> DeviceCopy {
    var transcript = Transcript()
    try reportingErrors(with: printer.failed) { transcript = try Transcript.read(path) }
    if let warning = transcript.warning(about: "attributes and values") {
      printer.note("Warning: \(warning)")
    }
    var copies = transcript.copies
    let target = device.map { CentralTarget($0) }
    copies.removeAll { copy in copy.device.map { target?.matches($0) == false } ?? true }
    if copies.count == 1 { return copies[0] }
    let names = copies.compactMap(\.device).map { $0.name.map(printable) ?? $0.address.text }
    printer.failed(
      copies.isEmpty
        ? "The capture does not show how a client discovers \(target?.text ?? "a device"): it has to "
          + "begin before a first connection, since a client that knows a device does not ask again."
        : "The capture has \(copies.count) devices. Name one: \(names.joined(separator: ", ")).",
      reason: "not found")
    throw ExitStatus.noBall
  }
}
