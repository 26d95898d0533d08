import CoreBluetooth
import Dispatch
import EightBallKit
import LinuxRadio

/// Scans for advertising devices for a while, with the SDK.
struct ScanProgram: Sendable {
  private enum Signal: Sendable {
    case event(NearbyDevices.Event)
    case radioFailed(RadioError)
    case timeIsUp
  }

  /// How long to listen, in seconds from when the radio is ready.
  let duration: Double
  let radio: CBRadio

  /// Scans until the time is up or a termination signal comes.
  ///
  /// - Throws: `RadioError` if the radio fails first.
  func run(_ printer: ScanPrinter) async throws {
    let radio = radio
    let (signals, signal) = AsyncStream.makeStream(of: Signal.self)
    radio.onTrouble { signal.yield(.radioFailed($0)) }
    let devices = NearbyDevices(
      queue: DispatchQueue(label: "eightball.scan"),
      makeManager: { CBCentralManager(delegate: $0, queue: $1, options: nil, radio: radio) })
    let interruption = Interruption { signal.yield(.timeIsUp) }
    defer { interruption.cancel() }
    let forwarding = Task { for await event in devices.events { signal.yield(.event(event)) } }
    var timer: Task<Void, any Error>?
    defer {
      forwarding.cancel()
      timer?.cancel()
      devices.stop()
    }
    for await next in signals {
      switch next {
      case .event(.heard(let device)):
        printer.heard(device)
      case .event(.stateUpdated(isPoweredOn: true)) where timer == nil:
        timer = Task { [duration] in
          try await Task.sleep(for: .seconds(duration))
          signal.yield(.timeIsUp)
        }
      case .event(.stateUpdated):
        continue
      case .radioFailed(let error):
        throw error
      case .timeIsUp:
        return
      }
    }
  }
}
