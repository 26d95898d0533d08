import BluetoothHost
import EightBall
import Expectations
import Linux
import LinuxRadio
import LinuxTestSupport

@testable import eightball

@Suite("doctor's report about a machine")
struct DoctorTests {
  @Test("Without Bluetooth, a board and systemd, a ball runs on the virtual air")
  func nothing() {
    var machine = Machine.bare
    machine.adapters = .failure(
      SystemError(.addressFamilyNotSupported, "look for", "Bluetooth adapters"))
    machine.service.hasSystemd = false
    expect(
      machine, board: nil, reason: "no device tree",
      """
      ok     radio       the virtual air (this system's kernel has no Bluetooth)
      note   adapter     this system's kernel has no Bluetooth
                         Load it, if there is a module: sudo modprobe bluetooth; or use --radio virtual
      ok     permission  not needed without an adapter
      ok     bluetoothd  it does not run, and is not needed
      note   board       none (no device tree)
                         --board chooses one: see eightball boards
      note   service     this system does not run systemd, so the ball has no service
      All is well: eightball run uses the virtual air, and no buttons or lights.
      """)
  }

  @Test("Without an adapter the report is well on the virtual air, with a note")
  func noAdapter() {
    expect(
      .bare, board: .virtual,
      """
      ok     radio       the virtual air (the board says so)
      \(Report.noAdapter)
      ok     board       virtual
      ok     chip        simulated by the program
      \(Report.notInstalled)
      All is well: eightball run uses the virtual air, and the board virtual.
      """)
  }

  @Test("A Raspberry Pi is ready, and the system's Bluetooth service runs")
  func well() {
    var machine = Machine.pi
    machine.bluetoothd = ProcessTable.Entry(number: 612, name: "bluetoothd")
    machine.mayConfigureAdapters = true
    expect(
      machine, board: .pi, reason: "this is a Raspberry Pi 4 Model B Rev 1.4",
      """
      ok     radio       hci0 (the board says so)
      ok     adapter     hci0 (B8:27:EB:01:02:03, UART) is up: the system has it, and releases it for \
      a ball
      ok     permission  this program may configure adapters (CAP_NET_ADMIN)
      ok     bluetoothd  it runs (process 612), and works without an adapter while a ball uses it
      ok     board       pi-4b (this is a Raspberry Pi 4 Model B Rev 1.4)
      ok     chip        “pinctrl-bcm2711” is /dev/gpiochip0
      \(Report.lines("free"))
      \(Report.notInstalled)
      All is well: eightball run uses hci0, and the board pi-4b.
      """)
  }

  @Test("An adapter with connections: they end if a ball takes it, and stay if it shares it")
  func connections() {
    var machine = Machine.pi
    machine.bluetoothd = ProcessTable.Entry(number: 612, name: "bluetoothd")
    machine.mayConfigureAdapters = true
    machine.connections = [0: 2]
    let report = { (radio: String, permission: String, daemon: String, summary: String) in
      """
      ok     radio       \(radio)
      ok     adapter     hci0 (B8:27:EB:01:02:03, UART) is up: the system has it, and releases it for \
      a ball
      ok     permission  \(permission)
      \(daemon)
      \(Report.noBoard)
      \(Report.notInstalled)
      All is well: eightball run uses \(summary), and no buttons or lights.
      """
    }
    expect(
      machine, radio: .adapter(0), board: nil,
      report(
        "hci0", "this program may configure adapters (CAP_NET_ADMIN)",
        """
        note   bluetoothd  it runs (process 612), and hci0 has 2 connections, which end when a ball takes \
        the adapter
                           To keep what is connected, share the adapter: --radio bluez:hci0
        """, "hci0"))
    let shared = RadioAddress(.bluez(0), at: Span())
    for readsBatteries in [false, true] {
      machine.readsBatteries = readsBatteries
      machine.mayConfigureAdapters = false
      expect(
        machine, radio: shared, board: nil,
        report(
          "bluez:hci0", "not needed: bluetoothd drives the adapter",
          readsBatteries
            ? """
            note   bluetoothd  it runs (process 612), and shares hci0; its battery plugin makes iPhones ask \
            their users to pair
                               Leave that plugin out: sudo systemctl edit bluetooth, and add -P battery to \
            ExecStart
            """ : "ok     bluetoothd  it runs (process 612), and shares hci0", "bluez:hci0"))
    }
  }

  @Test(
    "bluetoothd reads batteries unless its command line says otherwise",
    arguments: [
      ([], true), (["-n"], true), (["-P", "battery"], false), (["--noplugin=sap,battery"], false),
      (["--noplugin", "sap"], true), (["-P"], true), (["-P", "batteries"], true),
    ])
  func plugins(_ arguments: [String], _ reads: Bool) {
    expect(Machine.readsBatteries(["/usr/libexec/bluetooth/bluetoothd"] + arguments), is: reads)
  }

  @Test("The kernel's folder shows the connections of each adapter")
  func kernelConnections() {
    expect(
      Machine.connections(among: [
        "hci0", "hci0:64", "hci0:3585", "hci1", "hci1:", "hcix:1", "power",
      ]),
      is: [0: 2])
  }

  @Test("Everything is there, but this user has no permissions")
  func forbidden() {
    var machine = Machine.pi
    machine.adapters = .success([.pi(block: .soft)])
    machine.lines = .failure(
      LineError(.notInGroup, chip: "pinctrl-bcm2711", path: "/dev/gpiochip0", group: "gpio"))
    expect(
      machine, board: .pi,
      """
      note   radio       hci0 (the board says so)
      wrong  adapter     hci0 is switched off
                         Switch it on: rfkill unblock bluetooth, or the switch on the machine
      wrong  permission  hci0 may only be driven by a program with the right to configure adapters
                         Run with sudo, give the program CAP_NET_ADMIN (sudo setcap \
      cap_net_admin+ep \(CurrentProcess.programPath)), or have the ball run as a service \
      (scripts/install)
      ok     bluetoothd  it does not run, and is not needed
      ok     board       pi-4b
      wrong  chip        /dev/gpiochip0 may not be opened
                         Join its group and log in again: sudo usermod -aG gpio $USER
      \(Report.notInstalled)
      3 problems found.
      """)
  }

  @Test("The running service holds the adapter and the lines: nothing is wrong")
  func service() {
    var machine = Machine.pi
    machine.adapters = .success([.pi(isHeld: true)])
    machine.lines = .success(.pi(user: "eightball"))
    machine.service = .eightball(isInstalled: true, isEnabled: true, processes: [812])
    let lines = { (holder: String) in
      """
      ok     radio       hci0 (the board says so)
      ok     adapter     hci0 (B8:27:EB:01:02:03, UART) is held by eightball.service\(holder)
      \(Report.service)
      \(Report.pi)
      \(Report.lines("held by eightball.service"))
      ok     service     eightball.service runs, and starts at boot
      All is well: eightball.service runs a ball.
      """
    }
    // First as a user who cannot see other users' processes, then as root.
    expect(machine, board: .pi, lines(""))
    machine.holders = [ProcessTable.Entry(number: 812, name: "eightball")]
    expect(machine, board: .pi, lines(" (process 812)"))
  }

  @Test("The service runs, and this user may not look at its lines: nothing is wrong")
  func serviceUnseen() {
    var machine = Machine.pi
    machine.adapters = .success([.pi(isHeld: true)])
    machine.lines = .failure(
      LineError(.noPermission, chip: "pinctrl-bcm2711", path: "/dev/gpiochip0"))
    machine.service = .eightball(isInstalled: true, isEnabled: true, processes: [812])
    expect(
      machine, board: .pi,
      """
      ok     radio       hci0 (the board says so)
      ok     adapter     hci0 (B8:27:EB:01:02:03, UART) is held by eightball.service
      \(Report.service)
      ok     board       pi-4b
      note   chip        /dev/gpiochip0 may not be opened
                         Run with sudo
      ok     service     eightball.service runs, and starts at boot
      All is well: eightball.service runs a ball.
      """)
  }

  @Test("Other programs hold the adapter and lines, and one line is missing")
  func held() {
    var machine = Machine.pi
    machine.adapters = .success([.pi(isHeld: true)])
    machine.mayConfigureAdapters = true
    machine.holders = [ProcessTable.Entry(number: 900, name: "nimble")]
    machine.lines = .success(
      ChipSurvey(
        path: "/dev/gpiochip0",
        lines: [
          ChipSurvey.Line(part: "shake", name: "GPIO18", offset: 18, user: "gpio-keys"),
          ChipSurvey.Line(part: "clear", name: "GPIO25", offset: 25, user: "?"),
          ChipSurvey.Line(part: "status", name: "GPIO99", offset: nil),
          ChipSurvey.Line(part: "answer", name: "GPIO16", offset: 16, user: "eightball"),
        ]))
    machine.service = .eightball(isInstalled: true, isEnabled: true)
    expect(
      machine, board: .pi,
      """
      note   radio       hci0 (the board says so)
      wrong  adapter     another program holds hci0: nimble, process 900
                         End that program first
      \(Report.mayConfigure)
      \(Report.pi)
      wrong  shake       line GPIO18 of “pinctrl-bcm2711” is in use by “gpio-keys”
                         End that program, or name another line with --set
      wrong  clear       line GPIO25 of “pinctrl-bcm2711” is in use by another program
                         End that program, or name another line with --set
      wrong  status      the GPIO chip “pinctrl-bcm2711” has no line GPIO99
                         See what lines there are: gpioinfo; and name another with --set
      wrong  answer      line GPIO16 of “pinctrl-bcm2711” is in use by “eightball”
                         End that program, or name another line with --set
      wrong  service     eightball.service starts at boot, but does not run
                         See why: journalctl -u eightball.service; then start it: sudo systemctl start \
      eightball.service
      6 problems found.
      """)
  }

  @Test("Each missing button and light gets a note")
  func missingLines() {
    var machine = Machine.bare
    machine.lines = .success(
      ChipSurvey(
        path: "/dev/gpiochip0",
        lines: [ChipSurvey.Line(part: "shake", name: "GPIO18", offset: 18)]))
    var board = BoardDescription.pi
    board.radio = "virtual"
    (board.clear, board.status, board.answer) = (nil, nil, nil)
    expect(
      machine, board: board,
      """
      ok     radio       the virtual air (the board says so)
      \(Report.noAdapter)
      \(Report.pi)
      ok     shake       line GPIO18 (at 18) is free
      note   clear       the board has none
      note   status      the board has none
      note   answer      the board has none
      \(Report.notInstalled)
      All is well: eightball run uses the virtual air, and the board pi-4b.
      """)

    board = .virtual
    board.clear = nil
    let checkup = Checkup(
      of: .bare, radio: Checkup.CheckedRadio(.virtual, reason: nil, isDefault: false),
      board: Checkup.CheckedBoard(.success(board), reason: nil))
    expect(checkup.findings.contains(Finding(.note, "clear", "the board has none")))
  }

  @Test("A motion sensor and a display are asked; each error has its cause and its remedy")
  func parts() {
    var board = BoardDescription.pi
    board.motion = MotionDescription(BusPart(.lis3dh, bus: 1), line: .light(17))
    board.display = BusPart(.ssd1306, bus: 1)
    let sensor = BusPart(.lis3dh, bus: 1, address: 0x18)
    let display = BusPart(.ssd1306, bus: 1, address: 0x3C)
    func report(_ sensorError: PartError?, _ displayError: PartError?, isOurs: Bool = false)
      -> [String]
    {
      var machine = Machine.pi
      if isOurs {
        machine.service = .eightball(isInstalled: true, isEnabled: true, processes: [812])
      }
      machine.parts = [
        PartSurvey(sensor, error: sensorError), PartSurvey(display, error: displayError),
      ]
      let checkup = Checkup(
        of: machine, radio: Checkup.CheckedRadio(.virtual, reason: nil, isDefault: false),
        board: Checkup.CheckedBoard(.success(board), reason: nil))
      return Array(Doctor.lines(checkup).drop { !$0.contains("motion ") }.prefix(4))
    }
    expect(
      report(nil, nil).prefix(2),
      is: [
        "ok     motion      lis3dh answers at 0x18 on i2c-1",
        "ok     display     ssd1306 answers at 0x3C on i2c-1",
      ])
    expect(
      report(.wrongIdentity(0x68), .bus(.notAcknowledged)),
      is: [
        "wrong  motion      the motion sensor lis3dh at 0x18 on i2c-1 is something else: its identity is 0x68",
        "                   Name the part that is there, or its address, with --set",
        "wrong  display     the display ssd1306 at 0x3C on i2c-1 does not answer",
        "                   Check its wires and its address. See what answers: i2cdetect -y 1",
      ])
    // ENOENT, and EACCES, which the running service need not have.
    let missing = report(.bus(.unavailable(code: 2)), .bus(.unavailable(code: 13)), isOurs: true)
    expect(missing[0], is: "wrong  motion      /dev/i2c-1 is missing")
    expect(missing[2], is: "note   display     /dev/i2c-1 may not be opened")
    // The machine of the tests has no bus with this number.
    board = BoardDescription(name: "b", display: BusPart(.ssd1306, bus: 255))
    expect(
      Machine.here(for: board).parts,
      is: [
        PartSurvey(
          BusPart(.ssd1306, bus: 255, address: 0x3C), error: .bus(.unavailable(code: 2)))
      ])
    board = .virtual
    board.display = BusPart(.ssd1306, bus: 255)
    expect(
      machineLines(board),
      is: ["ok     display     simulated by the program"])
  }

  /// The lines of a report about the display of `board`.
  private func machineLines(_ board: BoardDescription) -> [String] {
    let checkup = Checkup(
      of: Machine.here(for: board),
      radio: Checkup.CheckedRadio(.virtual, reason: nil, isDefault: false),
      board: Checkup.CheckedBoard(.success(board), reason: nil))
    return Doctor.lines(checkup).filter { $0.contains("display ") }
  }

  @Test("docs/troubleshooting.md shows what is printed")
  func troubleshooting() throws {
    let lines = try Repository.text(of: "docs/troubleshooting.md")
      .split(separator: "\n", omittingEmptySubsequences: false)
    let shown = lines.drop { $0 != "$ eightball doctor --radio hci1" }.dropFirst()
      .prefix { $0 != "```" }.joined(separator: "\n")

    func adapter(_ number: UInt16, isHeld: Bool, _ last: [2 of UInt8]) -> Adapter {
      let address: InlineArray<6, UInt8> = [last[0], 0, last[1], 1, 0xAA, 0]
      return Adapter(
        number: number, isUp: isHeld, isRaw: false, isHeld: isHeld, bus: 0,
        address: DeviceAddress(kind: .public, bytes: address), block: .none)
    }
    var machine = Machine.bare
    machine.mayConfigureAdapters = true
    machine.adapters = .success([
      adapter(0, isHeld: false, [0, 0]), adapter(1, isHeld: true, [1, 1]),
    ])
    machine.holders = [ProcessTable.Entry(number: 188, name: "eightball")]
    expect(machine, radio: .adapter(1), board: nil, reason: "no device tree", shown)
  }
}
