/// The rows of options that several commands have.
extension OptionRow {
  // MARK: A ball

  /// The name of a ball.
  public static var name: OptionRow {
    OptionRow(
      "--name", "<name>",
      "The name of the ball: 1 to 29 bytes of UTF-8. (default: Magic 8-Ball)")
  }

  /// How answers are worded.
  public static var answers: OptionRow {
    OptionRow(
      "--answers", "<text|slugs>",
      """
      text: English, for any app; slugs: SLUG-ANSWER-00 to -19, for apps that translate them. \
      (default: text)
      """)
  }

  /// What decides the answers.
  public static var seed: OptionRow {
    OptionRow(
      "--seed", "<number>",
      "Decides all answers: the same seed gives the same answers. Default: random.")
  }

  /// When silent centrals are dropped.
  public static var idleLimit: OptionRow {
    OptionRow(
      "--idle-limit", "<minutes>",
      """
      When four centrals are connected, drop one that has sent nothing for this long, to make room: \
      1 to 1440 minutes; 0 keeps every central. (default: 5)
      """)
  }

  /// What a ball requires of links.
  public static var security: OptionRow {
    OptionRow(
      "--security", "<none|encrypted|authenticated>",
      """
      Protection required to ask: none; encrypted: an encrypted link; authenticated: one that was \
      paired by comparing a number on both sides, which needs a terminal. (default: none)
      """)
  }

  /// How long pairing stays open.
  public static var pairingWindow: OptionRow {
    OptionRow(
      "--pairing-window",
      """
      Keep pairing open for the whole minute, so that several centrals can pair. Requires --security.
      """)
  }

  /// The control socket of a ball that runs.
  public static var ballControl: OptionRow {
    OptionRow(
      "--control", "[<path>]",
      """
      The control socket, where programs watch the ball and press its buttons. Default: \
      $EIGHTBALL_CONTROL, control.sock in $RUNTIME_DIRECTORY, eightball-control.sock in \
      $XDG_RUNTIME_DIR, or else /tmp/eightball-control-UID.sock.
      """)
  }

  /// Whether programs press the buttons.
  public static var allowRemoteButtons: OptionRow {
    OptionRow(
      "--allow-remote-buttons",
      "Let programs press the buttons of a real board: eightball press, eightball panel.")
  }

  /// The address of a device.
  public static var address: OptionRow {
    OptionRow(
      "--address", "<address>",
      """
      public: the controller's own address; random: a new random one; or a static random one such as \
      C0:00:00:00:00:01, which peers recognise later. Default: EIGHTBALL_ADDRESS, or else the \
      controller's own if it has one.
      """)
  }

  /// Fields of a board.
  public static var set: OptionRow {
    OptionRow(
      "--set", "<field=value>", isRepeatable: true,
      """
      Overrides one field of the board, such as shake.line=GPIO23; answer=none removes that light. \
      May be given several times.
      """)
  }

  // MARK: The output

  /// For programs.
  public static var json: OptionRow {
    OptionRow("--json", "Print one JSON object per line, on stdout.")
  }

  /// Less output.
  public static var quiet: OptionRow {
    OptionRow("--quiet", "Print only warnings and errors.")
  }

  // MARK: Every command

  /// The version.
  public static var version: OptionRow { OptionRow("--version", "Show the version.") }

  /// The help.
  public static var help: OptionRow { OptionRow("--help", "Show help information.") }
}
