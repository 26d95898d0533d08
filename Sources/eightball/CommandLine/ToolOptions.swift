import LinuxPort

// The rows of the options that only the commands of eightball have.
extension OptionRow {
  /// The radio of a command.
  static var radio: OptionRow {
    OptionRow(
      "--radio", "<radio>",
      "The Bluetooth controller to use: see the radios in eightball --help.")
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
