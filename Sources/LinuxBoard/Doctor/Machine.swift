import EightBall
import Linux
import LinuxAir
import LinuxRadio

/// The facts about a machine that matter for a ball. `Checkup` evaluates them.
public struct Machine: Equatable, Sendable {
  /// The name of the ball's service.
  public static let serviceName = "eightball.service"

  /// The Bluetooth adapters, or why they cannot be listed.
  var adapters: Result<[Adapter], SystemError>
  /// Whether this program may configure adapters.
  var mayConfigureAdapters: Bool
  /// The programs that may hold adapters, without the system's service, as far as this user sees.
  var holders: [ProcessTable.Entry]
  /// The system's Bluetooth service, if it runs.
  var bluetoothd: ProcessTable.Entry?
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
  public static func here(for board: BoardDescription?) -> Machine {
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
    return Machine(
      adapters: Adapter.found(), mayConfigureAdapters: CurrentProcess.mayConfigureAdapters,
      holders: processes.holdersOfAdapterSockets.filter { $0.name != daemon },
      bluetoothd: processes.entries.first { $0.name == daemon }, lines: lines,
      parts: parts, service: .find(serviceName))
  }

  /// The radio that a ball uses if none is named.
  public var defaultRadio: DefaultRadio {
    .choose(from: adapters, mayConfigure: mayConfigureAdapters)
  }

  /// Opens a radio and closes it again, unless it is an adapter.
  public mutating func checkRadio(_ radio: RadioAddress) {
    if case .adapter = radio.way { return }
    do {
      let loop = try EventLoop()
      var port = RadioSourcePort(radio, loop: loop, air: SharedAir(loop: loop))
      defer { port.close() }
      try port.open(in: loop)
    } catch let error as RadioError {
      radioError = error
    } catch {
      radioError = RadioError("\(error)")
    }
  }
}
