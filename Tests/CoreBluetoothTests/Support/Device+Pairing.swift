@testable import CoreBluetooth

extension Device {
  /// Sets how the device pairs from now on.
  func setPairing(_ pairing: CBPairing) {
    self.pairing.settings.withLock { $0 = pairing }
    updatePolicy()
  }
}
