import ArgumentParser
import EightBall

@main
struct EightBallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eightball",
    abstract: "A Magic 8-Ball for Bluetooth LE: it answers yes-or-no questions.",
    discussion: """
      Without a subcommand it runs a ball. Without a Bluetooth adapter it runs on \
      the virtual air of this machine, so the whole of it can be tried in two \
      terminals:

        eightball run
        eightball ask "Will it rain?"

      RADIOS
        virtual               Bluetooth in software, for one user's programs: the
                              first hosts the air, the next ones join it
        hci0, hci-socket:0    an adapter of this machine; takes CAP_NET_ADMIN
        unix:PATH[,user=USER] a controller behind a UNIX socket, speaking H4; the
                              socket is yours, root's, or the named user's
        tcp-client:HOST:PORT  a controller that listens on TCP, speaking H4
        tcp-server:HOST:PORT  a controller that connects to us by TCP
        serial:DEVICE[,BAUD]  a controller on a serial line, speaking H4;
                              1000000 baud unless given

      Unless --radio names one, it is the first adapter that may be used, or else \
      virtual.

      ENVIRONMENT
        EIGHTBALL_ADDRESS     the address that run, ask and scan go by, as --address
                              has it: the same each time, so that peers know it
        EIGHTBALL_AIR         the socket of the virtual air, which usually is
                              eightball-air.sock in the user's runtime directory
        EIGHTBALL_BOARD       the socket of the virtual board, which usually is
                              eightball-board.sock in the user's runtime directory
      """,
    version: "\(BallProfile.version)",
    subcommands: [
      Run.self, Ask.self, Scan.self, Bonds.self, HostAir.self, Boards.self, Wiring.self,
      Press.self, Lights.self, Doctor.self,
    ],
    defaultSubcommand: Run.self)
}
