import LinuxPort

/// The texts of `--help`.
enum Help {
  /// The usage.
  static var form: StaticString {
    """
    eightballd [--name <name>] [--answers <text|slugs>] [--seed <number>] [--idle-limit <minutes>] \
    [--security <none|encrypted|authenticated>] [--control [<path>]] [--allow-presses] [--address <address>] [--board <name>] [--set <field=value> ...] [--radio <radio>] [--json] [--quiet]

    """
  }

  /// The text before the usage.
  static var overview: StaticString {
    """
    OVERVIEW: A Magic 8-Ball for Bluetooth LE: advertises, takes questions, answers them.

    This is the program for a service and for small machines. It does what eightball
    run does, without the virtual air, the virtual board, board files, captures and
    names that have to be looked up. It serves four centrals at once, and runs until
    SIGINT, SIGTERM or SIGHUP. A radio that is lost is waited for. The lines of one
    central are limited to 500 at once, and then 20 a second; a line says how many
    were left out. A reader that does not read loses lines, and gets their number.

    With --security encrypted, --control or --allow-presses it is the program
    eightballd-full, beside this one. That has a control socket in any case: eightball
    events, lights, press, panel and metrics use it.

    With --security encrypted a central may pair for a minute after shake was held for
    3 s, and from the start of a ball that has no bonds. Clear, held for 10 s, forgets
    the bonds. They are in ball.bonds, in $STATE_DIRECTORY, or else in the folder
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
                              to -19, for apps that word them. (default: text)
      --seed <number>         Decides all answers: the same number, the same
                              answers. A random one unless given.
      --idle-limit <minutes>  When all four places are taken, a central that has
                              sent nothing for so long makes room for another: 1 to
                              1440; 0 keeps every central. (default: 5)
      --security <none|encrypted|authenticated>
                              What a central must have to ask: none, or a link that is
                              encrypted, for which it pairs; authenticated takes a
                              terminal: use eightball run. (default: none)
      --control [<path>]      Let programs of this user and of root listen to the
                              ball, at a UNIX socket. Without a path it is that of
                              $EIGHTBALL_CONTROL, control.sock in $RUNTIME_DIRECTORY,
                              eightball-control.sock in $XDG_RUNTIME_DIR, or else
                              /tmp/eightball-control-UID.sock.
      --allow-presses         Let those programs press the buttons of the board.
      --address <address>     public: the controller's own address; random: a new
                              random one; or a static random one such as
                              C0:00:00:00:00:01, to be known again. Unless given,
                              that of EIGHTBALL_ADDRESS, or else the controller's
                              own if it has one.
      --board <name>          The board with the ball's buttons and lights, one of
                              those that eightball boards lists, or none. Unless
                              given, the one of the model in the device tree. For a
                              board file of your own, give the options that
                              eightball boards --options FILE prints.
      --set <field=value>     Overrides one field of the board, such as
                              shake.line=GPIO23; answer=none is for no such light.
                              May be given up to 32 times.
      --radio <radio>         The Bluetooth controller to use. Unless given, the
                              board's, or else hci0.
      --json                  Print one JSON object a line, on stdout.
      --quiet                 Print only what goes wrong.
      --version               Show the version.
      -h, --help              Show help information.

    RADIOS
      hci0, hci-socket:0      an adapter of this machine; takes CAP_NET_ADMIN
      unix:PATH[,user=NUMBER] a controller behind a UNIX socket, speaking H4; the
                              socket is yours, root's, or of the user with that
                              number
      tcp-client:HOST:PORT    a controller that listens on TCP, speaking H4; HOST is
                              an IPv4 or IPv6 address, or localhost
      tcp-server:HOST:PORT    a controller that connects to us by TCP
      serial:DEVICE[,BAUD]    a controller on a serial line, speaking H4;
                              1000000 baud unless given

    EXIT STATUS
      0   ended by SIGINT, SIGTERM or SIGHUP
      1   something unexpected
      64  the command line is wrong
      69  the radio, or --control, cannot be used
      78  the board is wrong, or there is none of the name

    """
  }
}
