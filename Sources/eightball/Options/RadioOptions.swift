import ArgumentParser
import LinuxRadio

/// Which radio.
struct RadioChoiceOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The Bluetooth controller to use: see the radios in eightball --help.", valueName: "radio"),
    transform: { try RadioName($0) })
  var radio: RadioName?
}

/// Which radio, and where to record its packets.
struct RadioOptions: ParsableArguments {
  @OptionGroup var choice: RadioChoiceOptions

  @Flag(name: .long, help: "Print every packet between host and controller on stderr.")
  var verbose = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Record every packet in this file, for Wireshark and btmon -r.", valueName: "file"),
    completion: .file())
  var capture: String?
}

/// The program's own Bluetooth address.
struct AddressOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      public: the controller's own address; random: a new random one; or a static random one \
      such as C0:00:00:00:00:01, which peers recognise later. Default: EIGHTBALL_ADDRESS, or else \
      the controller's own if it has one.
      """,
      valueName: "address"),
    transform: { try AddressChoice($0) })
  var address: AddressChoice?

  func validate() throws {
    _ = try choice
  }

  /// The address that the command line or the environment names.
  var choice: AddressChoice {
    get throws {
      if let address { return address }
      do throws(AddressChoiceError) {
        return try .fromEnvironment()
      } catch {
        throw ValidationError("EIGHTBALL_ADDRESS: \(error.description).")
      }
    }
  }
}

/// Whether to print for people or for programs.
struct OutputOptions: ParsableArguments {
  @Flag(name: .long, help: "Print one JSON object a line, on stdout.")
  var json = false
}
