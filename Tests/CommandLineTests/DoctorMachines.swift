import Linux
import Boards
import BluetoothHost
import LinuxRadio
import LinuxSystem

@testable import LinuxBoard
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
  static func pi(
    isRaw: Bool = false, isHeld: Bool = false, block: Block = .none
  ) -> Adapter {
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
  private static func line(_ name: LineName, _ offset: Int) -> LineDescription {
    LineDescription(
      name: name, offset: offset, activeLow: false, bias: .none, debounceMilliseconds: 0)
  }

  static var pi: BoardDescription {
    BoardDescription(
      name: "pi-4b", chip: "pinctrl-bcm2711", shake: line("GPIO18", 18),
      clear: line("GPIO25", 25), status: line("GPIO12", 12), answer: line("GPIO16", 16),
      radio: "hci0")
  }

  static var virtual: BoardDescription {
    BoardDescription(
      name: "virtual", chip: "virtual", shake: line("GPIO18", 18), clear: line("GPIO25", 25),
      status: line("GPIO12", 12), answer: line("GPIO16", 16), radio: "virtual")
  }
}
