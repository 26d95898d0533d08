@testable import CoreBluetooth

extension LocalDevice {
  /// Sets how the device pairs from now on.
  func setPairing(_ pairing: CBPairing) {
    self.pairing.settings.withLock { $0 = pairing }
    updatePolicy()
  }
}
