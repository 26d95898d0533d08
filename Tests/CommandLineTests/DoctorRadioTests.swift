import EightBall
import Expectations
import Linux
import LinuxRadio

@testable import eightball

@Suite("doctor's findings about radios and impossible choices")
struct DoctorRadioTests {
  @Test("An adapter that an unknown program holds is wrong; the remedy names sudo")
  func heldByUnknown() {
    var machine = Machine.bare
    machine.adapters = .success([.pi(isHeld: true)])
    machine.mayConfigureAdapters = true
    expect(
      machine, board: nil,
      """
      note   radio       the virtual air (another program holds hci0)
      wrong  adapter     another program holds hci0
                         End that program first; sudo eightball doctor names it
      \(Report.mayConfigure)
      \(Report.noBoard)
      \(Report.notInstalled)
      1 problem found.
      """)
  }

  @Test("A problem of one adapter is a note while another one is usable")
  func twoAdapters() {
    var machine = Machine.bare
    machine.adapters = .success([
      .pi(isRaw: true),
      Adapter(number: 1, isUp: false, isRaw: false, bus: 99, address: .zero, block: .none),
    ])
    machine.mayConfigureAdapters = true
    machine.service = .eightball(isInstalled: true)
    expect(
      machine, board: nil,
      """
      ok     radio       hci1 (hci1 is the first usable adapter)
      note   adapter     the kernel has not set up hci0
                         See why: sudo dmesg | grep -i bluetooth
      ok     adapter     hci1 is down, and free
      \(Report.mayConfigure)
      \(Report.noBoard)
      note   service     eightball.service is installed, but does not run
                         To start it now and at boot: sudo systemctl enable --now eightball.service
      All is well: eightball run uses hci1, and no buttons or lights.
      """)
  }

  @Test("The named adapter is missing, and the board has no lines")
  func missingAdapter() {
    var machine = Machine.bare
    machine.adapters = .success([.pi(block: .hard)])
    machine.service = .eightball(isInstalled: true, processes: [5])
    expect(
      machine, radio: .adapter(3), board: BoardDescription(name: "plain"),
      """
      note   radio       hci3
      note   adapter     hci0 is switched off
                         Switch it on: rfkill unblock bluetooth, or the switch on the machine
      wrong  adapter     there is no adapter hci3
                         Plug it in, name another (ls /sys/class/bluetooth), or use --radio virtual
      \(Report.service)
      ok     board       plain
      note   lines       the board has no buttons or lights
      note   service     eightball.service runs, but does not start at boot
                         To start it at boot: sudo systemctl enable eightball.service
      1 problem found.
      """)
  }

  @Test("A missing right is wrong for the named adapter, whichever it is")
  func noRights() {
    var machine = Machine.bare
    machine.adapters = .success([
      .pi(block: .soft),
      Adapter(number: 1, isUp: true, isRaw: false, bus: 1, address: .zero, block: .none),
    ])
    let asked: [(RadioAddress, Finding.Verdict, wrong: Int)] = [
      // The other adapter's problem does not matter for this one.
      (.adapter(1), .wrong, wrong: 1), (.adapter(0), .wrong, wrong: 2), (.virtual, .note, wrong: 0),
    ]
    for (radio, verdict, wrong) in asked {
      let checkup = Checkup(
        of: machine, radio: Checkup.CheckedRadio(radio, reason: nil, isDefault: false),
        board: Checkup.CheckedBoard(.success(nil), reason: nil))
      let finding = checkup.findings.first { $0.subject == "permission" }
      let name = radio == .adapter(1) ? "hci1" : "hci0"
      expect(finding?.verdict, is: verdict)
      expect(
        finding?.text,
        is: "\(name) may only be driven by a program with the right to configure adapters")
      expect(checkup.findings.count { $0.verdict == .wrong }, is: wrong)
    }
  }

  @Test("The radio cannot be opened, and the board is wrong")
  func wrongChoices() throws {
    var machine = Machine.bare
    machine.radioError = RadioError(
      "there is no serial port /dev/ttyX", remedy: "Is the controller plugged in?")
    let checkup = Checkup(
      of: machine,
      radio: Checkup.CheckedRadio(
        try RadioAddress("serial:/dev/ttyX,9600"), reason: nil, isDefault: false),
      board: Checkup.CheckedBoard(
        .failure(BoardError("b.yml", line: 7, field: "radio", "expected \u{1B}[31m")),
        reason: nil))
    compare(
      checkup,
      """
      wrong  radio       there is no serial port /dev/ttyX
                         Is the controller plugged in?
      \(Report.noAdapter)
      wrong  board       b.yml:7: radio: expected \u{FFFD}[31m
      \(Report.notInstalled)
      2 problems found.
      """)
  }

  @Test("A radio of bluetoothd needs bluetoothd, which does not run")
  func missingDaemon() throws {
    let radio = try RadioAddress("bluez:hci0")
    var machine = Machine.bare
    machine.radioError = RadioError(radio, SystemError(.hostDown, "open", "hci0"))
    let checkup = Checkup(
      of: machine, radio: Checkup.CheckedRadio(radio, reason: nil, isDefault: false),
      board: Checkup.CheckedBoard(.success(nil), reason: nil))
    expect(
      checkup.findings.first { $0.subject == "bluetoothd" },
      is: Finding(.note, "bluetoothd", "it does not run, and bluez:hci0 needs it"))
    expect(checkup.findings.count { $0.verdict == .wrong }, is: 1)
  }

  @Test("A radio in use may be in use by a running ball")
  func radioInUse() throws {
    var machine = Machine.bare
    machine.radioError = RadioError(
      "another program listens at 127.0.0.1:7300", remedy: "Choose another port")
    machine.radioError?.isInUse = true
    expect(
      machine, radio: .tcpServer(host: "127.0.0.1", port: 7_300), board: nil,
      """
      note   radio       another program listens at 127.0.0.1:7300, perhaps the ball itself
                         If not: choose another port
      \(Report.noAdapter)
      \(Report.noBoard)
      \(Report.notInstalled)
      All is well: eightball run uses tcp-server:127.0.0.1:7300, and no buttons or lights.
      """)
  }
}
