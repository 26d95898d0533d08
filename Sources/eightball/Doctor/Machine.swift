import BlueZ
import EightBall
import Linux
import LinuxAir
import LinuxRadio

/// The facts about a machine that matter for a ball. `Checkup` evaluates them.
struct Machine: Equatable, Sendable {
  /// The name of the ball's service.
  static let serviceName = "eightball.service"

  /// The Bluetooth adapters, or why they cannot be listed.
  var adapters: Result<[Adapter], SystemError>
  /// Whether this program may configure adapters.
  var mayConfigureAdapters: Bool
  /// The programs that may hold adapters, without the system's service, as far as this user sees.
  var holders: [ProcessTable.Entry]
  /// The system's Bluetooth service, if it runs.
  var bluetoothd: ProcessTable.Entry?
  /// Whether the plugin of the system's Bluetooth service that reads batteries runs. It reads a value that iPhones
  /// protect, so that they ask their users to pair.
  var readsBatteries = false
  /// The number of connections of each adapter that has some, by the adapter's number.
  var connections: [UInt16: Int] = [:]
  /// The lines of the board; `nil` if it has no lines on a chip of this machine.
  var lines: Result<ChipSurvey, LineError>?
  /// The parts on the board's I2C buses, of a board that is not virtual.
  var parts: [PartSurvey] = []
  /// The ball's own service.
  var service: SystemService
  /// Why the radio cannot be opened. An adapter is not tried: that would take it away from its
  /// user.
  var radioError: RadioError?

  /// Collects the facts of this machine, and changes nothing.
  ///
  /// - Parameter board: The board with the lines and parts to look for.
  static func here(for board: BoardDescription?) -> Machine {
    let processes = ProcessTable()
    let daemon = "bluetoothd"
    var lines: Result<ChipSurvey, LineError>?
    if let board, board.hasLines, !board.isVirtual {
      do throws(LineError) {
        lines = .success(try ChipSurvey(of: board))
      } catch {
        lines = .failure(error)
      }
    }
    let parts = BoardPart.allCases.compactMap { part in
      board.flatMap { $0.isVirtual ? nil : $0[onBus: part] }.map { PartSurvey(of: $0) }
    }
    let service = processes.entries.first { $0.name == daemon }
    return Machine(
      adapters: Adapter.found(), mayConfigureAdapters: CurrentProcess.mayConfigureAdapters,
      holders: processes.holdersOfAdapterSockets.filter { $0.name != daemon },
      bluetoothd: service,
      readsBatteries: service.map { readsBatteries(processes.arguments(of: $0)) } ?? false,
      connections: connections(among: Files.names(in: "/sys/class/bluetooth")), lines: lines,
      parts: parts, service: .find(serviceName))
  }

  /// Whether bluetoothd with these arguments has its plugin `battery`: bluetoothd(8), `--noplugin`.
  static func readsBatteries(_ arguments: [String]) -> Bool {
    for (index, argument) in arguments.enumerated() {
      let left: Substring
      if argument == "-P" || argument == "--noplugin" {
        left = arguments.dropFirst(index + 1).first.map { $0[...] } ?? ""
      } else if argument.hasPrefix("--noplugin=") {
        left = argument.dropFirst("--noplugin=".count)
      } else {
        continue
      }
      if left.split(separator: ",").contains("battery") { return false }
    }
    return true
  }

  /// The number of connections of each adapter, by the names in the kernel's folder: hci0:64 is one of hci0.
  static func connections(among names: [String]) -> [UInt16: Int] {
    var counts: [UInt16: Int] = [:]
    for name in names where name.hasPrefix("hci") {
      let parts = name.dropFirst(3).split(separator: ":")
      if parts.count == 2, let number = UInt16(parts[0]) { counts[number, default: 0] += 1 }
    }
    return counts
  }

  /// The radio that a ball uses if none is named.
  var defaultRadio: DefaultRadio {
    .choose(from: adapters, mayConfigure: mayConfigureAdapters)
  }

  /// Opens a radio and closes it again, unless it is an adapter.
  mutating func checkRadio(_ radio: RadioAddress) {
    if case .adapter = radio.way { return }
    do {
      let loop = try EventLoop()
      var port = RadioSourcePort(radio, loop: loop, air: SharedAir(loop: loop), sharing: .bluez)
      defer { port.close() }
      try port.open(in: loop)
    } catch let error as RadioError {
      radioError = error
    } catch {
      radioError = RadioError("\(error)")
    }
  }
}
