import ArgumentParser
import EightBall

@main
struct EightBallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eightball",
    abstract: "A Magic 8-Ball for Bluetooth LE: it answers yes-or-no questions.",
    discussion: """
      Without a subcommand it runs a ball. Without a Bluetooth adapter it uses \
      the virtual air of this machine, so that you can try it in two terminals:

        eightball run
        eightball ask "Will it rain?"

      RADIOS
        virtual               Bluetooth in software, for one user's programs: the
                              first program hosts the air, later ones join it
        hci0, hci-socket:0    an adapter of this machine; needs CAP_NET_ADMIN
        unix:PATH[,user=USER] a controller behind a UNIX socket, speaking H4; the
                              socket must belong to you, root or the named user
        tcp-client:HOST:PORT  a controller that listens on TCP, speaking H4
        tcp-server:HOST:PORT  listens on TCP for a controller, speaking H4
        serial:DEVICE[,BAUD]  a controller on a serial line, speaking H4;
                              default: 1000000 baud

      Without --radio: the board's radio (run), or else the first usable
      adapter, or else virtual.

      ENVIRONMENT
        EIGHTBALL_ADDRESS     the address that run, ask and scan use, in the form of
                              --address; a fixed one lets peers recognise it
        EIGHTBALL_AIR         the socket of the virtual air; default:
                              eightball-air.sock in the user's runtime directory
        EIGHTBALL_CONTROL     the control socket of the ball; default:
                              eightball-control.sock in the user's runtime directory
      """,
    version: "\(EightBallProfile.version)",
    subcommands: [
      Run.self, Ask.self, ListDevices.self, Bonds.self, RunSwarm.self, HostAir.self,
      Boards.self, Wiring.self,
      Press.self, Lights.self, Events.self, ShowPanel.self, Metrics.self, Doctor.self,
    ],
    defaultSubcommand: Run.self)
}
