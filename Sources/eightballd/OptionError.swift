import BluetoothHost
import EightBall
import Linux
import LinuxPort

/// What is wrong with the command line.
struct OptionError: Error {
  /// Kinds of faults.
  enum Cause {
    case argument(ArgumentError.Cause)
    case answers
    case security
    /// Authentication requires a user who compares numbers.
    case authenticated
    /// `--pairing-window` without pairing.
    case openPairingWindow
    case idleLimit
    case address(AddressChoiceError)
    /// The address of EIGHTBALL_ADDRESS is wrong.
    case environment(AddressChoiceError)
    case radio(RadioAddressError)
    case setting(BoardSettingError)
    case tooManySettings
    /// Both `--quiet` and `--json`.
    case quietJSON
    case emptyName
    case longName
    /// The name is not UTF-8.
    case wrongName
  }

  /// What is wrong.
  var cause: Cause
  /// The wrong argument or value.
  var text: ProgramText

  init(_ cause: Cause, _ text: ProgramText) {
    self.cause = cause
    self.text = text
  }

  init(_ error: ArgumentError) {
    self.init(.argument(error.cause), error.text)
  }

  /// Writes what is wrong and what was expected.
  func write(to writer: inout ByteWriter) {
    switch cause {
    case .argument(let fault): ArgumentError(fault, text).write(to: &writer)
    case .answers:
      writeInvalid(.answers, to: &writer)
      writer.write(text: ". Please provide one of 'text' and 'slugs'.")
    case .security:
      writeInvalid(.security, to: &writer)
      writer.write(text: ". Please provide one of 'none', 'encrypted' and 'authenticated'.")
    case .authenticated:
      writer.write(
        text: """
          --security authenticated shows a number and takes yes or no, and a service has no terminal for \
          that: give --security encrypted, or use eightball run.
          """)
    case .openPairingWindow:
      writer.write(
        text: """
          --pairing-window keeps pairing open, and a ball pairs only with --security encrypted: add that.
          """)
    case .idleLimit: quote("--idle-limit takes 0 to 1440 minutes, not ", ".", to: &writer)
    case .address(let error):
      writeInvalid(.address, to: &writer)
      writer.write(text: ": ")
      error.write(to: &writer, of: text.span)
    case .environment(let error):
      writer.write(text: "EIGHTBALL_ADDRESS: ")
      error.write(to: &writer, of: text.span)
      writer.write(text: ".")
    case .radio(let error):
      writeInvalid(.radio, to: &writer)
      writer.write(text: ": ")
      error.write(to: &writer, of: text.span)
    case .setting(let error):
      writeInvalid(.set, to: &writer)
      writer.write(text: ": ")
      error.write(to: &writer, of: text.span)
    case .tooManySettings:
      quote("--set ", ": at most 32 settings are taken.", to: &writer)
    case .quietJSON:
      writer.write(text: "--quiet and --json exclude each other: give one of them.")
    case .emptyName: writer.write(text: "A ball must have a name: give --name 1 to 29 bytes.")
    case .longName:
      quote("The name “", "” is ", to: &writer)
      writer.write(decimal: text.count)
      writer.write(
        text: " bytes long in UTF-8; an advertisement holds at most 29. Shorten --name.")
    case .wrongName: quote("The name “", "” is not UTF-8.", to: &writer)
    }
  }

  @inline(never)
  private func quote(
    _ before: StaticString, _ after: StaticString, to writer: inout ByteWriter
  ) {
    writer.write(text: before)
    writer.write(shown: text)
    writer.write(text: after)
  }

  @inline(never)
  private func writeInvalid(_ option: CommandOption, to writer: inout ByteWriter) {
    ArgumentError(.wrongValue(option.row), text).write(to: &writer)
  }
}

extension ByteWriter {
  /// Writes a text of the user without what a terminal would obey.
  @_lifetime(self: copy self)
  @inline(never)
  mutating func write(shown text: ProgramText) {
    writeShown(text.span)
  }
}
