import BluetoothHost
import EightBall
import Expectations
import Linux
import LinuxRadio
import LinuxTestSupport

@testable import eightball

extension Machine {
  /// A machine without adapters, lines and services.
  static var bare: Machine {
    Machine(
      adapters: .success([]), mayConfigureAdapters: false, holders: [],
      service: .eightball(isInstalled: false))
  }

  /// A Raspberry Pi whose lines are free.
  static var pi: Machine {
    var machine = bare
    machine.adapters = .success([.pi()])
    machine.lines = .success(.pi())
    return machine
  }
}

extension Adapter {
  /// The adapter of a Raspberry Pi, which the system uses.
  static func pi(isRaw: Bool = false, isHeld: Bool = false, block: Block = .none) -> Adapter {
    Adapter(
      number: 0, isUp: true, isRaw: isRaw, isHeld: isHeld, bus: 3,
      address: DeviceAddress(kind: .public, bytes: [3, 2, 1, 0xEB, 0x27, 0xB8]), block: block)
  }
}

extension ChipSurvey {
  /// The lines of a Raspberry Pi 4: all free, or all in use by `user`.
  static func pi(user: String? = nil) -> ChipSurvey {
    ChipSurvey(
      path: "/dev/gpiochip0",
      lines: [
        Line(part: "shake", name: "GPIO18", offset: 18, user: user),
        Line(part: "clear", name: "GPIO25", offset: 25, user: user),
        Line(part: "status", name: "GPIO12", offset: 12, user: user),
        Line(part: "answer", name: "GPIO16", offset: 16, user: user),
      ])
  }
}

extension SystemService {
  /// The ball's service on a system that has systemd.
  static func eightball(
    isInstalled: Bool, isEnabled: Bool = false, processes: [Int] = []
  ) -> SystemService {
    SystemService(
      name: Machine.serviceName, hasSystemd: true, isInstalled: isInstalled,
      isEnabled: isEnabled, processes: processes)
  }
}

extension BoardDescription {
  static var pi: BoardDescription {
    BoardDescription(
      name: "pi-4b", chip: "pinctrl-bcm2711", shake: .button(18), clear: .button(25),
      status: .light(12), answer: .light(16),
      radio: "hci0")
  }

  static var virtual: BoardDescription {
    BoardDescription(
      name: "virtual", chip: "virtual", shake: .button(18), clear: .button(25),
      status: .light(12), answer: .light(16), radio: "virtual")
  }
}

/// Compares the whole report about a machine, with the radio that `eightball run` chooses.
func expect(
  _ machine: Machine, radio: RadioAddress? = nil, board: BoardDescription?, reason: String? = nil,
  _ expected: String, _ location: SourceLocation = #_sourceLocation
) {
  let chosen = ChosenRadio(radio, board: board, defaultRadio: machine.defaultRadio)
  let checkup = Checkup(
    of: machine,
    radio: Checkup.CheckedRadio(chosen.name, reason: chosen.reason, isDefault: chosen.isDefault),
    board: Checkup.CheckedBoard(.success(board), reason: reason))
  compare(checkup, expected, location)
}

/// Compares the whole report of `checkup`.
func compare(
  _ checkup: Checkup, _ expected: String, _ location: SourceLocation = #_sourceLocation
) {
  let lines = Doctor.lines(checkup)
  expect(lines.joined(separator: "\n"), is: expected, sourceLocation: location)
  expect(checkup.isWell, is: !lines.contains { $0.hasPrefix("wrong") }, sourceLocation: location)
}

/// Parts of several reports.
enum Report {
  /// The four lines of a Raspberry Pi.
  static func lines(_ state: String) -> String {
    [("shake", 18), ("clear", 25), ("status", 12), ("answer", 16)].map { part, number in
      let column = part + String(repeating: " ", count: 12 - part.count)
      return "ok     \(column)line GPIO\(number) (at \(number)) is \(state)"
    }.joined(separator: "\n")
  }

  static let noBoard = """
    note   board       none
                       --board chooses one: see eightball boards
    """
  static let notInstalled = """
    note   service     eightball.service is not installed
                       To start a ball at boot: scripts/install
    """
  static let noAdapter = """
    note   adapter     there is no Bluetooth adapter
                       Plug one in so that phones find the ball
    ok     permission  not needed without an adapter
    ok     bluetoothd  it does not run, and is not needed
    """
  static let mayConfigure = """
    ok     permission  this program may configure adapters (CAP_NET_ADMIN)
    ok     bluetoothd  it does not run, and is not needed
    """
  static let service = """
    ok     permission  this program may not configure adapters, but eightball.service may
    ok     bluetoothd  it does not run, and is not needed
    """
  static let pi = """
    ok     board       pi-4b
    ok     chip        “pinctrl-bcm2711” is /dev/gpiochip0
    """
}
