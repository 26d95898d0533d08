import Dispatch

@testable import CoreBluetooth

extension RadioEngine {
  /// Waits until there is no thread; `false` if there is one after `seconds`.
  func waitForEnd(seconds: Int) -> Bool {
    life.wait(timeout: .now() + .seconds(seconds)) == .success
  }
}
