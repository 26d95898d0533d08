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
      $0.writeErrorLine(detail.span, kind: kind, isJSON: isJSON)
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

/// The texts of `--help`.
enum Help {
  /// The text before the usage.
  static var overview: StaticString {
    """
    OVERVIEW: A Magic 8-Ball for Bluetooth LE: advertises, takes questions, answers them.

    This is the program for a service and for small machines. It has the functions
    of eightball run, without the virtual air, the virtual board, captures and host
    names. It serves four centrals at once, and runs until SIGINT, SIGTERM or SIGHUP.
    If it loses its radio, it keeps retrying. Each central causes at most 500 lines
    at once, then 20 a second; a line says how many were left out. If the reader is
    slow, lines are dropped and counted.

    eightball events, lights, press, panel and metrics use its control socket.

    With --security encrypted a central may pair for a minute after shake was held for
    3 s, and from the start of a ball that has no bonds; the first that pairs ends the
    minute. Clear, held for 10 s, forgets the bonds. They are in ball.bonds, in $STATE_DIRECTORY, or else in the folder
    eightball of $XDG_STATE_HOME, which is ~/.local/state unless set.

    """
  }

  /// The text after the options.
  static var rest: StaticString {
    """

    RADIOS
      hci0, hci-socket:0      an adapter of this machine; needs CAP_NET_ADMIN
      bluez:hci0              the same, shared with bluetoothd
      unix:PATH[,user=NUMBER] a controller behind a UNIX socket, speaking H4; the
                              socket must belong to you, root or the user with
                              that number
      tcp-client:HOST:PORT    a controller that listens on TCP, speaking H4; HOST is
                              an IPv4 or IPv6 address, or localhost
      tcp-server:HOST:PORT    listens on TCP for a controller, speaking H4
      serial:DEVICE[,BAUD]    a controller on a serial line, speaking H4;
                              default: 1000000 baud

    EXIT STATUS
      0   ended by SIGINT, SIGTERM or SIGHUP
      1   an unexpected failure
      64  the command line is wrong
      69  the radio or the control socket cannot be used
      78  the board is wrong or unknown

    """
  }
}
