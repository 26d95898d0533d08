import BluetoothHost

/// How a radio is reached.
public enum RadioKind: Equatable, Sendable {
  /// An adapter of this machine.
  case adapter
  /// An adapter of this machine that bluetoothd drives.
  case bluez
  /// A UNIX socket.
  case unix
  /// A controller that listens on TCP.
  case tcpClient
  /// A controller that connects to us by TCP.
  case tcpServer
  /// A serial line.
  case serial
}

/// Why a radio cannot be used, where the kernel's text is not clear.
public enum RadioAccessError: Equatable, Sendable {
  /// The kernel could not set the adapter up, or has not finished.
  case notSetUp
  /// rfkill blocks the adapter.
  case switchedOff
  /// The program may not configure adapters.
  case notPermitted
  /// Another program has the adapter's user channel.
  case held
  /// The kernel does not release the adapter.
  case usedBySystem
  /// The adapter was removed.
  case gone
  /// There is no such adapter.
  case noAdapter
  /// The kernel has no Bluetooth.
  case noBluetooth
  /// This program does not use a radio that bluetoothd drives.
  case noSharing
  /// The system has no message bus.
  case noBus
  /// The bus is silent, refuses this program, or does not send D-Bus's messages.
  case busFailed
  /// The address of the bus is not the path of a socket.
  case busAddress
  /// The bus's configuration does not let this user reach bluetoothd.
  case busDenied
  /// A policy lets only authorised users reach bluetoothd.
  case notAuthorized
  /// bluetoothd does not run, or has stopped.
  case noDaemon
  /// bluetoothd has not answered.
  case daemonSilent
  /// bluetoothd has switched the adapter off.
  case poweredOff
  /// bluetoothd offers no services of programs on this adapter.
  case noServices
  /// bluetoothd or the adapter has no room for another advertisement.
  case noAdvertisement
  /// The advertisement is too long beside what bluetoothd adds.
  case longAdvertisement
  /// bluetoothd could not advertise.
  case notAdvertised
  /// bluetoothd has refused a request for a reason that only its log has.
  case daemonRefused
  /// Nothing listens on the UNIX socket.
  case noSocket
  /// The path of the UNIX socket is another file's.
  case notASocket
  /// The UNIX socket may not be used.
  case socketDenied
  /// The UNIX socket is of a user who is not trusted.
  case socketNotTrusted
  /// Nothing listens on the TCP port.
  case noListener
  /// Another program listens on the TCP port.
  case portTaken
  /// The TCP port is for root.
  case portDenied
  /// There is no such serial line.
  case noLine
  /// The serial line may not be opened.
  case lineDenied
  /// Another program has the serial line.
  case lineHeld
  /// The device is not a serial line.
  case notALine

  /// What the error `code` means for a radio of this kind; `nil` if the kernel's text is clear.
  public init?(_ kind: RadioKind, _ code: ErrorNumber) {
    switch (kind, code) {
    case (.adapter, .notPermitted), (.adapter, .accessDenied): self = .notPermitted
    case (.adapter, .busy): self = .usedBySystem
    case (.adapter, .notSetUp): self = .notSetUp
    case (.adapter, .tooManyUsers): self = .held
    case (.adapter, .brokenPipe): self = .gone
    case (.adapter, .noSuchDevice): self = .noAdapter
    case (.adapter, .blockedByRfkill): self = .switchedOff
    case (.adapter, .addressFamilyNotSupported), (.adapter, .protocolNotSupported):
      self = .noBluetooth
    case (.bluez, .noSuchFile), (.bluez, .connectionRefused), (.bluez, .connectionReset),
      (.bluez, .brokenPipe):
      self = .noBus
    case (.bluez, .remoteInputOutput): self = .busFailed
    case (.bluez, .protocolNotSupported): self = .noSharing
    case (.bluez, .invalidArgument): self = .busAddress
    case (.bluez, .accessDenied), (.bluez, .notPermitted): self = .busDenied
    case (.bluez, .noKey): self = .notAuthorized
    case (.bluez, .protocolError): self = .daemonRefused
    case (.bluez, .hostDown): self = .noDaemon
    // Too many calls have no reply yet.
    case (.bluez, .timedOut), (.bluez, .tooManyUsers): self = .daemonSilent
    case (.bluez, .noSuchDevice): self = .noAdapter
    case (.bluez, .networkDown): self = .poweredOff
    case (.bluez, .notSupported): self = .noServices
    case (.bluez, .noSpace): self = .noAdvertisement
    case (.bluez, .messageTooLong): self = .longAdvertisement
    case (.bluez, .inputOutput): self = .notAdvertised
    case (.unix, .noSuchFile), (.unix, .connectionRefused): self = .noSocket
    case (.unix, .notASocket): self = .notASocket
    case (.unix, .accessDenied): self = .socketDenied
    case (.unix, .notPermitted): self = .socketNotTrusted
    case (.tcpClient, .connectionRefused): self = .noListener
    case (.tcpServer, .addressInUse): self = .portTaken
    case (.tcpServer, .accessDenied): self = .portDenied
    case (.serial, .noSuchFile), (.serial, .noSuchDevice): self = .noLine
    case (.serial, .accessDenied), (.serial, .notPermitted): self = .lineDenied
    case (.serial, .busy): self = .lineHeld
    case (.serial, .notATerminal): self = .notALine
    default: return nil
    }
  }

  /// What is wrong, without a full stop.
  ///
  /// Fields: %s is the adapter's name, the socket's path, HOST:PORT or the device; %f is the failed
  /// call as a sentence.
  public var reason: MessageTemplate {
    switch self {
    case .notSetUp: MessageTemplate("the kernel has not set up %s")
    case .switchedOff: MessageTemplate("%s is switched off")
    case .notPermitted:
      MessageTemplate("%s may only be driven by a program with the right to configure adapters")
    case .held: MessageTemplate("another program holds %s")
    case .usedBySystem: MessageTemplate("%s is in use by the system")
    case .gone: MessageTemplate("%s is gone")
    case .noAdapter: MessageTemplate("there is no adapter %s")
    case .noBluetooth: MessageTemplate("this system's kernel has no Bluetooth")
    case .noBus: MessageTemplate("the system's message bus (D-Bus) does not run")
    case .busFailed: MessageTemplate("the system's message bus (D-Bus) does not work")
    case .noSharing: MessageTemplate("this program does not share %s with bluetoothd")
    case .busAddress:
      MessageTemplate("the address of the system's message bus is not unix:path=PATH")
    case .busDenied: MessageTemplate("this user may not use bluetoothd")
    case .notAuthorized: MessageTemplate("bluetoothd requires an administrator's permission")
    case .noDaemon: MessageTemplate("bluetoothd does not run")
    case .daemonSilent: MessageTemplate("bluetoothd does not answer")
    case .poweredOff: MessageTemplate("bluetoothd has switched %s off")
    case .noServices: MessageTemplate("bluetoothd takes no services for %s")
    case .noAdvertisement: MessageTemplate("bluetoothd has no room on %s for another advertisement")
    case .longAdvertisement: MessageTemplate("the advertisement is too long for %s")
    case .notAdvertised: MessageTemplate("bluetoothd could not advertise on %s")
    case .daemonRefused: MessageTemplate("bluetoothd refused a request")
    case .noSocket, .noListener: MessageTemplate("no controller listens at %s")
    case .notASocket: MessageTemplate("%s is not a socket")
    case .socketDenied: MessageTemplate("the socket %s is another user's")
    case .socketNotTrusted, .portDenied: MessageTemplate("%f")
    case .portTaken: MessageTemplate("another program listens at %s")
    case .noLine: MessageTemplate("there is no serial port %s")
    case .lineDenied: MessageTemplate("%s may not be opened")
    case .lineHeld: MessageTemplate("another program holds %s")
    case .notALine: MessageTemplate("%s is not a serial port")
    }
  }

  /// What to do, without a full stop; `nil` if no remedy is known. The program takes each option in
  /// it.
  ///
  /// Fields: those of `reason`; %p is the path of the program, and %u the user who is not trusted.
  ///
  /// - Parameter hasVirtualAir: Whether the program takes `--radio virtual`.
  public func remedy(hasVirtualAir: Bool) -> MessageTemplate? {
    switch self {
    case .notSetUp: MessageTemplate("See why: sudo dmesg | grep -i bluetooth")
    case .switchedOff:
      MessageTemplate("Switch it on: rfkill unblock bluetooth, or the switch on the machine")
    case .notPermitted:
      MessageTemplate(
        """
        Run with sudo, give the program CAP_NET_ADMIN (sudo setcap cap_net_admin+ep %p), or have \
        the ball run as a service (scripts/install)
        """)
    case .held: MessageTemplate("End that program first; sudo eightball doctor names it")
    case .usedBySystem:
      MessageTemplate(
        "If it stays so, stop the system's Bluetooth service: sudo systemctl stop bluetooth")
    case .gone, .notALine: nil
    case .noAdapter where hasVirtualAir:
      MessageTemplate("Plug it in, name another (ls /sys/class/bluetooth), or use --radio virtual")
    case .noAdapter: MessageTemplate("Plug it in, or name another: ls /sys/class/bluetooth")
    case .noBluetooth where hasVirtualAir:
      MessageTemplate(
        "Load it, if there is a module: sudo modprobe bluetooth; or use --radio virtual")
    case .noBluetooth: MessageTemplate("Load it, if there is a module: sudo modprobe bluetooth")
    case .noBus: MessageTemplate("Start it: sudo systemctl start dbus")
    case .busFailed:
      MessageTemplate(
        "See why: journalctl -u dbus; or correct DBUS_SYSTEM_BUS_ADDRESS, if it is set")
    case .noSharing: MessageTemplate("Have the adapter for it alone: --radio %s")
    case .busAddress: MessageTemplate("Correct DBUS_SYSTEM_BUS_ADDRESS, or unset it")
    case .busDenied:
      MessageTemplate("Join its group and log in again: sudo usermod -aG bluetooth $USER")
    case .notAuthorized: MessageTemplate("Allow it by a rule of polkit, or run with sudo")
    case .noDaemon:
      MessageTemplate(
        "Start it: sudo systemctl start bluetooth; or have the adapter for the ball alone: --radio %s"
      )
    case .daemonSilent: MessageTemplate("Restart it: sudo systemctl restart bluetooth")
    case .poweredOff: MessageTemplate("Switch it on: bluetoothctl power on")
    case .noServices:
      MessageTemplate("It needs BlueZ 5.48 or later, and an adapter with Bluetooth LE")
    case .noAdvertisement: MessageTemplate("End another program that advertises: bluetoothctl show")
    case .longAdvertisement: MessageTemplate("Shorten the name: --name")
    case .notAdvertised, .daemonRefused: MessageTemplate("See why: journalctl -u bluetooth")
    case .noSocket: MessageTemplate("Start it first, such as: eightball radio --listen unix:%s")
    case .notASocket:
      MessageTemplate(
        "Give the path of one, such as that of eightball radio --listen unix:/tmp/air")
    case .socketDenied: MessageTemplate("Run as that user")
    case .socketNotTrusted:
      MessageTemplate("Run as that user, or say whom you trust: unix:%s,user=%u")
    case .noListener:
      MessageTemplate("Start it first, such as: eightball radio --listen tcp-server:%s")
    case .portTaken: MessageTemplate("Choose another port")
    case .portDenied: MessageTemplate("Choose a port above 1023")
    case .noLine: MessageTemplate("Is the controller plugged in?")
    case .lineDenied:
      MessageTemplate("Join its group and log in again: sudo usermod -aG dialout $USER")
    case .lineHeld: MessageTemplate("End that program first")
    }
  }
}

#if !hasFeature(Embedded)
  // For tests: a program without a heap has no arrays.
  extension RadioKind: CaseIterable {}
  extension RadioAccessError: CaseIterable {}
#endif
