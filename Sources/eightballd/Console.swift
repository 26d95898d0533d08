import BallRunner
import BluetoothHost
import Linux
import LinuxPort

/// The output before there is a ball.
enum Console {
  /// Writes all of a text to standard output.
  static func print(_ text: StaticString) {
    write(ProgramText(text).span, to: 1)
  }

  /// Writes the help.
  static func printHelp() {
    print(Help.overview)
    OptionHelp.writeUsage(of: "eightballd", CommandOption.self) { write($0, to: 1) }
    print("\n")
    OptionHelp.write(CommandOption.self) { write($0, to: 1) }
    print(Help.rest)
  }

  /// Writes what is wrong with the command line.
  static func complain(_ error: OptionError) {
    var message = ByteBuffer<1_024>()
    message.write {
      $0.write(text: "Error: ")
      error.write(to: &$0)
      $0.write(text: "\n")
    }
    write(message.span, to: 2)
    OptionHelp.writeUsage(of: "eightballd", CommandOption.self) { write($0, to: 2) }
    write(ProgramText("  See 'eightballd --help' for more information.\n").span, to: 2)
  }

  /// Writes why the ball cannot start: for people on standard error, for programs on standard
  /// output.
  static func fail(
    kind: StaticString, isJSON: Bool, _ reason: (inout ByteWriter) -> Void
  ) {
    var detail = ByteBuffer<1_024>()
    detail.write(reason)
    var line = ByteBuffer<2_048>()
    line.write {
      $0.writeFailure(detail.span, kind: kind, isJSON: isJSON)
      $0.write(text: "\n")
    }
    write(line.span, to: isJSON ? 1 : 2)
  }

  private static func write(_ bytes: Span<UInt8>, to stream: Int32) {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBufferPointer {
        unsafe clinux_write(stream, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return }
      rest = rest.extracting(droppingFirst: Int(truncatingIfNeeded: count))
    }
  }
}
