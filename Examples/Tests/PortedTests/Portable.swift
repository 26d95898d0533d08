import class CoreBluetooth.CBUUID
import CoreBluetooth
import Dispatch

#if canImport(os)
  import os
#endif

/// A log for both: `os` is Apple's. Elsewhere, swift-log is the usual replacement.
enum Log {
  #if canImport(os)
    private static let logger = Logger(subsystem: "app", category: "bluetooth")
    static func note(_ text: String) { logger.notice("\(text)") }
  #else
    static func note(_ text: String) { print(text) }
  #endif
}

/// Wraps a delegate, as a mock does.
final class Forwarder: NSObject, CBPeripheralDelegate {
  weak var next: (any CBPeripheralDelegate)?

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
    #if canImport(ObjectiveC)
      next?.peripheralDidUpdateName?(peripheral)
    #else
      next?.peripheralDidUpdateName(peripheral)
    #endif
  }
}

/// A delegate for subclasses. Each method that a subclass overrides is declared here, even if it does
/// nothing.
class Connector: NSObject, CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {}
}

final class LoggingConnector: Connector {
  override func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral,
    error: (any Error)?
  ) {
    Log.note("Lost \(peripheral.name ?? "a peripheral").")
  }
}

/// A time limit with a closure instead of `#selector`, and its age without `DispatchTime.distance`.
final class Deadline {
  private let beginning = DispatchTime.now()
  private let timer: Timer

  init(seconds: TimeInterval, _ action: @escaping @Sendable () -> Void) {
    // With `fire`: on Linux, `Timer(timeInterval:repeats:block:)` fires at once.
    timer = Timer(
      fire: Date(timeIntervalSinceNow: seconds), interval: seconds, repeats: false
    ) { _ in action() }
    RunLoop.current.add(timer, forMode: .default)
  }

  /// How long it has run, in seconds. The literal replaces `NSEC_PER_SEC`.
  var age: Double {
    Double(DispatchTime.now().uptimeNanoseconds - beginning.uptimeNanoseconds) / 1_000_000_000
  }

  func cancel() { timer.invalidate() }
}

extension DispatchTime {
  /// This many seconds later. `DispatchTimeInterval` replaces `NSEC_PER_SEC` here.
  func advanced(bySeconds seconds: Int) -> DispatchTime { self + .seconds(seconds) }
}
