import Linux
import LinuxPort

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
