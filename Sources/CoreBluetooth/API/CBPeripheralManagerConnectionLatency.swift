import BluetoothHost

/// How quickly a central should be able to reach this device.
///
/// Apple's `CBPeripheralManagerConnectionLatency`, with the same numbers.
@nonexhaustive(warn)
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  /// Quickly: an interval of 15 to 30 ms.
  case low = 0
  /// In between: 30 to 50 ms.
  case medium = 1
  /// Slowly, which saves power: 100 to 125 ms.
  case high = 2
}

extension CBPeripheralManagerConnectionLatency {
  /// Vol 3, Part C, Appendix A, and what Apple's accessories may ask for.
  var parameters: ConnectionParameters {
    switch self {
    case .low:
      ConnectionParameters(
        minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 400)
    case .medium: .responsive
    case .high:
      ConnectionParameters(
        minimumInterval: 80, maximumInterval: 100, latency: 0, supervisionTimeout: 600)
    }
  }
}
