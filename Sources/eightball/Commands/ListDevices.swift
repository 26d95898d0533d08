import BluetoothHost
import LinuxPort
import LinuxRadio

/// Lists the advertising devices, or follows the periodic advertising of one.
struct ListDevices: RadioCommand {
  static let page = CommandPage(
    name: "scan",
    abstract: "List the devices that advertise nearby, and which of them are balls.",
    discussion: """
      Prints a device as soon as its name is known, or else at the end; and again when its periodic \
      advertising is found.

      --follow prints each packet of a device's periodic advertising instead, without a connection, until \
      Control-C. `periodic` in the list marks the devices that have it.

      EXAMPLES
        eightball scan
        eightball scan --radio hci0 --timeout 10s
        eightball scan --json
        eightball scan --follow "Weather station"

      EXIT STATUS
        0   the scan is over
        1   an unexpected failure
        64  the command line is wrong
        66  the device to follow was not found
        69  the radio cannot be used
        74  the list cannot be written
      """)

  static var options: [ToolOption<ListDevices>] {
    [
      .value(
        OptionRow(
          "--timeout", "<time>",
          "How long to listen, such as 10s or 500ms. Default: 5s; with --follow, until Control-C.")
      ) {
        $0.timeout = try $1.time(upTo: TimeOption.hour)
        $0.hasTimeout = true
      },
      .value(
        OptionRow(
          "--follow", "<device>",
          "Follow the periodic advertising of the device with this name or address.")
      ) { $0.device = $1.text },
    ] + radioRows + [.flag(.json) { $0.isJSON = true }]
  }

  var timeout = TimeOption(milliseconds: 5_000)
  private var hasTimeout = false
  var device: String?
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  func validate() throws(UsageError) {
    guard device != "" else { throw UsageError("--follow is empty: give a name or an address.") }
    try addressOptions.validate(on: radioOptions.radio)
  }

  func run() throws {
    let printer = ScanPrinter(isJSON: isJSON)
    try reportingErrors(with: printer.failed) {
      let chosen = ChosenRadio(radioOptions.radio)
      var radio = try ToolRadio(chosen.name, radioOptions)
      printer.begins(chosen)
      let target = device.map { CentralTarget($0) }
      var program = ScanProgram(
        duration: target == nil || hasTimeout ? timeout.milliseconds : nil,
        address: try addressOptions.choice.own, printer: printer,
        follower: target.map { TrainFollower(of: $0, isJSON: isJSON) })
      try radio.run(&program)
      if let failure = program.failure { throw failure }
      program.printEnd()
      if let target, !program.hasFollowed {
        printer.failed(
          "\(target.text) was not found with periodic advertising. eightball scan lists what "
            + "advertises.", reason: "not found")
        throw ExitStatus.noBall
      }
    }
  }
}
