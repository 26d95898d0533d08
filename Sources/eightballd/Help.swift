import LinuxPort

/// The texts of `--help`.
enum Help {
  /// The usage.
  static var form: StaticString {
    """
    eightballd [--name <name>] [--answers <text|slugs>] [--seed <number>] [--idle-limit <minutes>] \
    [--security <none|encrypted|authenticated>] [--pairing-window] [--control [<path>]] [--allow-presses] [--address <address>] [--board <name>] [--set <field=value> ...] [--radio <radio>] [--json] [--quiet]

    """
  }

  /// The text before the usage.
  static var overview: StaticString {
    """
    OVERVIEW: A Magic 8-Ball for Bluetooth LE: advertises, takes questions, answers them.

    This is the program for a service and for small machines. It has the functions
    of eightball run, without the virtual air, the virtual board, board files,
    captures and host names. It serves four centrals at once, and runs until SIGINT,
    SIGTERM or SIGHUP. If it loses its radio, it keeps retrying. Each central causes
    at most 500 lines at once, then 20 a second; a line says how many were left out.
    If the reader is slow, lines are dropped and counted.

    eightball events, lights, press, panel and metrics use its control socket.

    With --security encrypted a central may pair for a minute after shake was held for
    3 s, and from the start of a ball that has no bonds; the first that pairs ends the
    minute. Clear, held for 10 s, forgets the bonds. They are in ball.bonds, in $STATE_DIRECTORY, or else in the folder
    eightball of $XDG_STATE_HOME, which is ~/.local/state unless set.

    USAGE: \

    """
  }

  /// The text after the usage.
  static var options: StaticString {
    """

    OPTIONS:
      --name <name>           The name of the ball: 1 to 29 bytes of UTF-8.
                              (default: Magic 8-Ball)
      --answers <text|slugs>  text: in English, for any app; slugs: SLUG-ANSWER-00
                              to -19, for apps that translate them.
                              (default: text)
      --seed <number>         Decides all answers: the same seed gives the same
                              answers. (default: random)
      --idle-limit <minutes>  When four centrals are connected, drop the one that
                              has sent nothing for this long, to make room: 1 to
                              1440; 0 keeps every central. (default: 5)
      --security <none|encrypted|authenticated>
                              What a link must be for a question. none: open;
                              encrypted: encrypted by pairing; authenticated needs
                              a terminal: use eightball run. (default: none)
      --pairing-window        Keep pairing open for the whole minute, so that several
                              centrals can pair. Requires --security encrypted.
      --control [<path>]      The path of the UNIX socket where programs of this user
                              and of root listen to the ball. Default:
                              $EIGHTBALL_CONTROL, control.sock in $RUNTIME_DIRECTORY,
                              eightball-control.sock in $XDG_RUNTIME_DIR, or else
                              /tmp/eightball-control-UID.sock.
      --allow-presses         Let those programs press the buttons of the board.
      --address <address>     public: the controller's own address; random: a new
                              random one; or a static random one such as
                              C0:00:00:00:00:01, which peers recognise later.
                              Default: EIGHTBALL_ADDRESS, or else the controller's
                              own if it has one.
      --board <name>          The board with the ball's buttons and lights, one of
                              those that eightball boards lists, or none. Default:
                              the board of the model in the device tree. For a
                              board file of your own, give the options that
                              eightball boards --options FILE prints.
      --set <field=value>     Overrides one field of the board, such as
                              shake.line=GPIO23; answer=none removes that light.
                              May be given up to 32 times.
      --radio <radio>         The Bluetooth controller to use. Default: the
                              board's, or else hci0.
      --json                  Print one JSON object a line, on stdout.
      --quiet                 Print only warnings and errors.
      --version               Show the version.
      -h, --help              Show help information.

    RADIOS
      hci0, hci-socket:0      an adapter of this machine; needs CAP_NET_ADMIN
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
