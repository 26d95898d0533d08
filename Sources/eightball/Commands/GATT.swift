import BluetoothHost
import LinuxPort
import LinuxRadio

/// Performs commands on the attributes of any peripheral.
struct GATT: RadioCommand {
  static let page = CommandPage(
    name: "gatt",
    abstract: "Connect to any peripheral: discover, read, write and subscribe.",
    discussion: """
      Values go to stdout, progress to stderr. A comma, as a word of its own, separates commands; \
      the first one that fails ends the program. Without a command each line of standard input is \
      one, and a failure ends only its command.

      COMMANDS
        discover                        list services, characteristics, descriptors
        read ATTRIBUTE                  read a value
        read-all                        read every value that can be read
        write ATTRIBUTE VALUE           write a value, and wait for the response
        write-command ATTRIBUTE VALUE   write a value without a response
        subscribe ATTRIBUTE [COUNT] [for TIME]
                                        print the values that the device sends
        unsubscribe ATTRIBUTE           end a subscription
        channel PSM [COUNT] [for TIME] [VALUE]
                                        open a channel, send VALUE, print SDUs
        mtu                             print the MTU in bytes
        rssi                            print the signal strength
        subrate FACTOR [CONTINUATION]   use one connection event in FACTOR, and
                                        CONTINUATION more after data
        pair                            pair with the device; needs --pair
        disconnect                      end the connection, and the program

      ATTRIBUTE is a UUID such as 2A19, its name such as battery-level, or a handle such as 0x0012. \
      VALUE is text "Hello", hex 01 FF, or a number such as uint8 100 or sint16e-2 21.5. With COUNT \
      and TIME a subscription ends; it fails if fewer values come, or none for 30 s. Without both it \
      lasts until a signal, or the end of standard input, ends the program. PSM is a number such as \
      0x0080; a channel ends as a subscription does, and each value is one SDU.

      --eatt opens enhanced bearers beside the link's own, if the device has them: read-all then reads \
      several values at once. They need an encrypted link, so give --pair too.

      If the device refuses an attribute for lack of encryption, --pair pairs and repeats the \
      command. Bonds are kept in ask.bonds, as those of eightball ask.

      EXAMPLES
        eightball gatt Thermometer
        eightball gatt C0:00:00:00:00:01 discover
        eightball gatt "My Device" read 2A19 , write 2A00 text "Kitchen"
        eightball gatt "My Device" subscribe battery-level 3 --json
        eightball gatt "My Device" channel 0x0080 1 text "Hello"
        eightball gatt "My Device" --pair read 0x0012 < /dev/null
        eightball gatt "My Device" --pair --eatt 4 read-all

      EXIT STATUS
        0   every command succeeded
        1   an unexpected failure, such as a lost connection
        64  the command line, or a command, is wrong
        65  the device refused a command
        66  the device, or an attribute, was not found
        67  the device could not be reached, or did not answer in time
        69  the radio cannot be used
        74  the output cannot be written
        130 stopped by SIGINT, SIGTERM or SIGHUP
      """,
    argument: .device,
    rest: .init(
      name: "command", isOptional: true,
      help: "What to do; without it, each line of standard input is a command."))

  static var options: [ToolOption<GATT>] {
    [
      .value(.connectionTimeout) { $0.timeout = try $1.time(upTo: TimeOption.hour) },
      .flag(OptionRow("--pair", "Pair if the device requires it, and keep the bond.")) {
        $0.pair = true
      },
      .value(.bearers) { $0.bearerCount = try $1.bearerCount() },
    ] + radioRows + [
      .flag(.json) { $0.isJSON = true },
      .flag(
        OptionRow("--packets", "With --json, print each packet as the event of a control socket.")
      ) { $0.radioOptions.hasPacketEvents = true },
    ]
  }

  var device: String?
  var arguments: [String] = []
  var timeout: TimeOption?
  var pair = false
  var bearerCount = 0
  var addressOptions = AddressOptions()
  var radioOptions = RadioOptions()
  var isJSON = false

  mutating func take(_ argument: String) {
    if device == nil { device = argument } else { arguments.append(argument) }
  }

  func validate() throws(UsageError) {
    try CentralTarget.check(device)
    if try commands().contains(.pair), !pair {
      throw UsageError("The command pair needs --pair, which allows to pair and keeps the bond.")
    }
    guard isJSON || !radioOptions.hasPacketEvents else {
      throw UsageError("--packets needs --json; --verbose prints packets for people.")
    }
    try addressOptions.validate(on: radioOptions.radio)
  }

  private func commands() throws(UsageError) -> [GATTCommand] {
    arguments.isEmpty ? [] : try GATTCommand.commands(arguments)
  }

  func run() throws {
    // A terminal on both sides edits the lines.
    let isEdited = arguments.isEmpty && !isJSON && PairingUser.hasTerminal && Terminal.takesEscapes
    let editor = isEdited ? LineEditor() : nil
    var printer = GATTPrinter(isJSON: isJSON)
    if let editor {
      printer.print = { text in editor.print { Terminal.print(text) } }
      printer.note = { text in editor.print { Terminal.note(text) } }
    }
    _ = try runGATT(
      CentralTarget(device ?? ""), try commands(), timeout: timeout, pairs: pair,
      address: try addressOptions.choice, radioOptions, printer, bearerCount: bearerCount,
      editor: editor)
  }
}

extension CommandPage.Argument {
  /// The peripheral of a command.
  static var device: Self {
    Self(
      name: "device", isOptional: false,
      help: "The name of the device, or its address: eightball scan lists both.")
  }
}

extension OptionRow {
  /// How long to look for a peripheral and to connect to it.
  static var connectionTimeout: OptionRow {
    OptionRow(
      "--timeout", "<time>",
      """
      How long to look for the device, and again to connect to it, such as 5s or 500ms. Default: \
      5s and 10s. Each request to the device may take 30s.
      """)
  }
}

extension OptionRow {
  /// How many enhanced bearers to open.
  static var bearers: OptionRow {
    OptionRow(
      "--eatt", "<number>",
      "Open 1 to 5 enhanced bearers, for as many reads at once. Default: none.")
  }
}

extension OptionValue {
  /// The value as a number of enhanced bearers.
  func bearerCount() throws(UsageError) -> Int {
    let count: Int = try number("1 to 5")
    guard (1...5).contains(count) else { throw invalid(": expected 1 to 5") }
    return count
  }
}

extension CentralTarget {
  /// - Throws: If `text` names no device.
  static func check(_ text: String?) throws(UsageError) {
    guard let text, !text.isEmpty else {
      throw UsageError("No device given: name one that eightball scan lists, or give its address.")
    }
  }
}

/// Connects to a device, and performs commands on its attributes.
///
/// - Parameters:
///   - bearerCount: How many enhanced bearers to open; 0 for none.
///   - keepsBonds: Whether it uses known bonds and keeps a new one.
///   - editor: Edits the lines of a terminal; `nil` to read them as they are.
/// - Returns: The device, and what was found, read and refused.
/// - Throws: The exit status, after it has printed why; or `UsageError`.
func runGATT(
  _ target: CentralTarget, _ commands: [GATTCommand], timeout: TimeOption?, pairs: Bool,
  address: AddressChoice, _ radioOptions: RadioOptions, _ printer: GATTPrinter,
  bearerCount: Int = 0, keepsBonds: Bool = true, editor: LineEditor? = nil
) throws -> DeviceCopy {
  var limits = CentralLimits()
  if let time = timeout?.milliseconds {
    limits.search = time
    limits.preparation = time
  }
  var copy = DeviceCopy()
  try reportingErrors(with: printer.failed) {
    let chosen = ChosenRadio(radioOptions.radio)
    var radio = try ToolRadio(chosen.name, radioOptions, pairs: pairs)
    printer.progress(chosen.sentence)
    var program = GATTProgram(
      target, commands, limits: limits, pairs: pairs, address: address,
      bonds: try KeptBonds.ofCentral(pairs: pairs, on: chosen.name, keeps: keepsBonds),
      time: radio.time, bearerCount: bearerCount, printer: printer)
    if let editor { try radio.edit(with: editor) }
    try radio.run(&program)
    if let failure = program.session.bonds.failure { throw failure }
    let outcome = program.outcome ?? .cancelled
    if case .radioFailed(let error) = outcome { throw error }
    if outcome != .inputEnded {
      printer.failed(
        outcome.explanation(of: target, mayLackBond: program.mayLackBond),
        reason: outcome == .notFound ? "not found" : outcome.word)
    }
    if let status = outcome.exitStatus ?? program.status { throw status }
    copy = DeviceCopy(program)
  }
  return copy
}

extension CentralOutcome {
  /// What happened and what may help, for people.
  ///
  /// - Parameter mayLackBond: See `GATTProgram.mayLackBond`.
  func explanation(of target: CentralTarget, mayLackBond: Bool) -> String {
    switch self {
    case .notFound:
      "\(target.text) was not found. Does it advertise, on the same radio, and near? eightball scan "
        + "lists what does."
    case .failed(.keys):
      "The device does not accept the bond: it has lost its key, or another device has its address. "
        + "Forget the bond with eightball bonds --of-ask --remove all, then pair again with --pair."
    case .timedOut:
      "The device left a request unanswered for 30 s, which ends a connection. Connect again"
        + (mayLackBond
          ? ". If the device requires a bond, give --pair, and if it has a button for pairing, use it."
          : ".")
    default: explanation(noun: "device")
    }
  }
}
