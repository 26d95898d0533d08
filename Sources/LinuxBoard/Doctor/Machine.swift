import Boards
import LinuxRadio
import LinuxSystem

/// What a machine has that a ball wants: facts as they were found, and no judgement.
public struct Machine: Equatable, Sendable {
  /// What the ball's service is called.
  public static let serviceName = "eightball.service"

  /// The Bluetooth adapters, or why they cannot be listed.
  var adapters: Result<[Adapter], SystemError>
  /// Whether this program may configure adapters.
  var mayConfigureAdapters: Bool
  /// The programs that may be those that hold adapters, the system's own left out, as far as this
  /// user can see.
  var holders: [ProcessTable.Entry]
  /// The system's own Bluetooth service, if it runs.
  var bluetoothd: ProcessTable.Entry?
  /// The lines of the board; `nil` if it has none on a chip of this machine.
  var lines: Result<ChipSurvey, LineError>?
  /// The ball's own service.
  var service: SystemService
  /// Why the radio cannot be opened, as far as that was tried: an adapter never is, for to try is
  /// to take it away from whoever uses it.
  var radioFailure: RadioError?

  /// Looks at this machine, and changes nothing.
  ///
  /// - Parameter board: whose lines to look for.
  public static func here(for board: BoardDescription?) -> Machine {
    let processes = ProcessTable()
    let daemon = "bluetoothd"
    var lines: Result<ChipSurvey, LineError>?
    if let board, board.hasLines, !board.isVirtual {
      do throws(LineError) {
        lines = .success(try ChipLines(board).survey())
      } catch {
        lines = .failure(error)
      }
    }
    return Machine(
      adapters: Adapter.found(), mayConfigureAdapters: Process.mayConfigureAdapters,
      holders: processes.holdersOfAdapterSockets.filter { $0.name != daemon },
      bluetoothd: processes.entries.first { $0.name == daemon }, lines: lines,
      service: .find(serviceName))
  }

  /// The radio that is used on it unless one is named.
  public var usualRadio: DefaultRadio {
    .choose(from: adapters, mayConfigure: mayConfigureAdapters)
  }

  /// Opens a radio and closes it again, unless it is an adapter.
  public mutating func `try`(_ radio: RadioName) {
    if case .adapter = radio { return }
    do {
      let loop = try EventLoop()
      var port = RadioSourcePort(radio, loop: loop)
      defer { port.close() }
      try port.open(in: loop)
    } catch let error as RadioError {
      radioFailure = error
    } catch {
      radioFailure = RadioError("\(error)")
    }
  }
}
