#if Tools
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

/// Which radio, and who looks on at its packets.
struct RadioOptions: ParsableArguments {
  @OptionGroup var choice: RadioChoiceOptions

  @Flag(name: .long, help: "Tell of every packet between host and controller, on stderr.")
  var verbose = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Keep every packet in this file, which Wireshark and btmon -r read.", valueName: "file"))
  var capture: String?
}

/// Whether to print for people or for programs.
struct OutputOptions: ParsableArguments {
  @Flag(name: .long, help: "Print one JSON object a line, on stdout.")
  var json = false
}
#endif
