import BallControl
import BluetoothHost
import EightBall
import LinuxPort
import LinuxRadio

// The rows of the options that only the commands of eightball have.
extension OptionRow {
  /// The radio of a command.
  static var radio: OptionRow {
    OptionRow(
      "--radio", "<radio>",
      "The Bluetooth controller to use: see the radios in eightball --help.")
  }

  /// The radio of a command that serves a peripheral of a file.
  static var peripheralRadio: OptionRow {
    OptionRow(
      "--radio", "<radio>",
      "The Bluetooth controller to use: see the radios in eightball --help. Default: virtual.")
  }

  /// Prints packets.
  static var verbose: OptionRow {
    OptionRow("--verbose", "Print every packet between host and controller on stderr.")
  }

  /// Records packets.
  static var capture: OptionRow {
    OptionRow(
      "--capture", "<file>", "Record every packet in this file, for Wireshark and btmon -r.")
  }

  /// The board of a command.
  static var board: OptionRow {
    OptionRow(
      "--board", "<name|file>",
      """
      The board with the ball's buttons and lights: see eightball boards. Default: the board for the \
      model in the device tree, if any. none means no board, or one that --set alone describes.
      """)
  }

  /// The control socket of a running ball.
  static var control: OptionRow {
    OptionRow(
      "--control", "<path>",
      """
      The control socket of the ball. Default: $EIGHTBALL_CONTROL, or else your own ball's, or else \
      the service's.
      """)
  }

  /// Serves metrics.
  static var metrics: OptionRow {
    OptionRow(
      "--metrics", "<host:port>",
      """
      Serve metrics for Prometheus at http://HOST:PORT/metrics: PORT, on this machine only, or \
      HOST:PORT, where _ means all addresses; port 0 takes a free one.
      """)
  }

  /// How the ball advertises.
  static var advertise: OptionRow {
    OptionRow(
      "--advertise", "<legacy|extended|both>",
      """
      What to advertise with: legacy, which every device receives; extended, of Bluetooth 5, with \
      names of up to 200 bytes; or both at once. Default: legacy.
      """)
  }

  /// The PHY of extended advertising.
  static var phy: OptionRow {
    OptionRow(
      "--phy", "<1m|2m|coded>",
      "The PHY of extended advertising and of its links; coded has the longest range. Default: 1m.")
  }

  /// Uses private addresses.
  static var privacy: OptionRow {
    OptionRow(
      "--private",
      """
      Use private addresses, a new one every 15 minutes: only bonded peers recognise the ball. \
      Requires --security.
      """)
  }
}

/// The name of a ball: UTF-8 that an advertisement holds.
struct BallName {
  /// The longest name of extended advertising, in bytes: beside 3 of flags and 18 of a service, with 2
  /// of its own, it leaves room in the 245 of a connectable set.
  static let extendedCapacity = 200

  /// The default name.
  static let usual = BallName(text: "Magic 8-Ball")

  var text: String

  /// - Parameter isExtended: Whether extended advertising has it.
  /// - Throws: Why no ball can have this name.
  func validate(isExtended: Bool = false) throws(UsageError) {
    let count = text.utf8.count
    let capacity = isExtended ? Self.extendedCapacity : DeviceName.capacity
    guard count > 0 else {
      throw UsageError("A ball must have a name: give --name 1 to \(capacity) bytes.")
    }
    guard count <= capacity else {
      let advertisement = isExtended ? "an extended advertisement" : "an advertisement"
      throw UsageError(
        "The name “\(printable(text))” is \(count) bytes long in UTF-8; \(advertisement) holds at "
          + "most \(capacity). Shorten --name.")
    }
  }
}

/// What a ball advertises with, as `--advertise` names it.
enum AdvertisingChoice: String, CaseIterable {
  /// Legacy PDUs, which every central receives.
  case legacy
  /// Extended advertising of Bluetooth 5 alone.
  case extended
  /// Both at once.
  case both
}

/// The PHY of extended advertising, as `--phy` names it.
enum PHYChoice: String, CaseIterable {
  case le1M = "1m"
  case le2M = "2m"
  case coded

  var phy: PHY {
    switch self {
    case .le1M: .le1M
    case .le2M: .le2M
    case .coded: .leCoded
    }
  }
}

/// Which radio, and where to record its packets.
struct RadioOptions {
  /// The radio; `nil` for the default one.
  var radio: RadioAddress?
  /// Whether to print every packet.
  var verbose = false
  /// The file to record every packet in; `nil` for none.
  var capture: String?
  /// Whether to print every packet as an event.
  var hasPacketEvents = false
}

/// The program's own Bluetooth address.
struct AddressOptions {
  /// The address of the command line; `nil` if it names none.
  var address: AddressChoice?
  /// The value of EIGHTBALL_ADDRESS.
  var environment = CurrentProcess.environment("EIGHTBALL_ADDRESS")

  /// - Throws: What is wrong with EIGHTBALL_ADDRESS, or that `radio` has no address of the program's choice.
  func validate(on radio: RadioAddress?) throws(UsageError) {
    guard try choice != .automatic, let radio, radio.isBesideDaemon else { return }
    let source = address == nil ? "EIGHTBALL_ADDRESS" : "--address"
    throw UsageError(
      "With --radio \(radio), bluetoothd chooses the address: leave \(source) out.")
  }

  /// The address for the peripheral of a file: beside bluetoothd it is the adapter's.
  ///
  /// - Parameter note: Prints a line to standard error.
  func choice(
    for peripheral: PeripheralDescription, on radio: RadioAddress?,
    note: (String) -> Void = Terminal.note
  ) throws(UsageError) -> AddressChoice {
    guard let radio, radio.isBesideDaemon else { return try choice }
    if peripheral.address != .automatic {
      note("With --radio \(radio), bluetoothd chooses the address: the file's is not used.")
    }
    return .public
  }

  /// The address that the command line or the environment names.
  var choice: AddressChoice {
    get throws(UsageError) {
      if let address { return address }
      guard let environment else { return .automatic }
      do throws(AddressTextError) {
        return try AddressChoice(environment)
      } catch {
        throw UsageError("EIGHTBALL_ADDRESS: \(error.description).")
      }
    }
  }
}

/// A command on a radio.
protocol RadioCommand: Command {
  /// The row of `--radio`.
  static var radioRow: OptionRow { get }
  var addressOptions: AddressOptions { get set }
  var radioOptions: RadioOptions { get set }
}

extension RadioCommand {
  static var radioRow: OptionRow { .radio }

  /// The options of the address, the radio and its packets.
  static var radioRows: [ToolOption<Self>] {
    [
      .value(.address) { $0.addressOptions.address = try $1.address() },
      .value(radioRow) { $0.radioOptions.radio = try $1.radio() },
      .flag(.verbose) { $0.radioOptions.verbose = true },
      .value(.capture) { $0.radioOptions.capture = try $1.path() },
    ]
  }
}

extension OptionValue {
  /// The value as the name of a radio.
  func radio() throws(UsageError) -> RadioAddress {
    do throws(RadioTextError) {
      return try RadioAddress(text)
    } catch {
      throw invalid(": \(error.description)")
    }
  }

  /// The value as an address.
  func address() throws(UsageError) -> AddressChoice {
    do throws(AddressTextError) {
      return try AddressChoice(text)
    } catch {
      throw invalid(": \(error.description)")
    }
  }
}

/// The radio that the command line or the board names, or else the default one.
struct ChosenRadio {
  var name: RadioAddress
  /// Why this one; `nil` if the command line named it.
  var reason: String?
  /// Whether it is the default radio, which neither the command line nor the board named.
  var isDefault = false

  /// - Parameters:
  ///   - board: Its file may name the radio.
  ///   - defaultRadio: The radio if neither names one.
  init(
    _ option: RadioAddress?, board: BoardDescription? = nil,
    defaultRadio: @autoclosure () -> DefaultRadio = .choose()
  ) {
    if let name = option {
      self.name = name
    } else if let name = board?.radioName {
      self.name = name
      reason = "the board says so"
    } else {
      let choice = defaultRadio()
      isDefault = true
      name = choice.name
      reason = choice.reason
    }
  }

  /// Which radio, and why, as a line.
  var sentence: String {
    let because = reason.map { " (\($0))" } ?? ""
    switch name.way {
    case .virtual:
      return "Radio: the virtual air\(because); other programs join with --radio virtual."
    case .tcpServer:
      return "Radio: \(name); waiting for a controller to connect."
    default:
      return "Radio: \(name)\(because)."
    }
  }
}

extension RadioOptions {
  /// The sinks that `--capture` and `--verbose` ask for.
  ///
  /// - Parameters:
  ///   - time: The time on the radio, for the time stamps of a capture if it is simulated.
  ///   - note: Prints a line to standard error.
  func sinks(
    at time: AirTime, note: @escaping (String) -> Void = Terminal.note
  ) throws -> [any PacketSink] {
    var sinks: [any PacketSink] = []
    if let capture {
      do throws(SystemError) {
        sinks.append(
          try Capture(
            path: capture,
            microseconds: {
              time.airTime.map { Int64($0.rawValue) * 1_000 } ?? WallClock.microseconds
            },
            onFirstLoss: { failure in
              note(
                "Warning: packets are missing in the capture: \(sentence(failure.description))")
            }))
      } catch {
        throw SystemError(
          error.code, "write the capture file", capture,
          explanation:
            "\(error.explanation ?? error.code.description). Give --capture a file in a folder "
            + "that exists and that you may write to")
      }
    }
    if verbose { sinks.append(PacketTrace(print: note)) }
    if hasPacketEvents { sinks.append(PacketEvents()) }
    return sinks
  }
}

/// Prints each packet as the event `packet` of a control socket.
private final class PacketEvents: PacketSink {
  func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    let line = PacketLine(
      microseconds: WallClock.microseconds, direction: direction, packet: [UInt8](packet))
    Terminal.print(String(decoding: line.text(), as: UTF8.self))
  }
}

extension SystemError {
  /// The same failure of reading a file that the command line names, with what to do.
  var ofInput: SystemError {
    // `Files.bytes(ofRegular:limit:)` has found a pipe, a socket or a device there.
    let isOther = code == .invalidArgument && explanation != nil
    return SystemError(
      code, operation, subject,
      explanation: "\(explanation ?? code.description). "
        + (isOther
          ? "Copy the content to a file, and give its path"
          : "Give the path of a file that exists and that you may read"))
  }
}
