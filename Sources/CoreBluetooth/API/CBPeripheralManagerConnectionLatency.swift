import BluetoothHost

/// The connection interval that this device asks a central for.
///
/// Apple's `CBPeripheralManagerConnectionLatency`, with the same numbers.
@nonexhaustive(warn)
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
  /// 15 to 30 ms.
  case low = 0
  /// 30 to 50 ms.
  case medium = 1
  /// 100 to 125 ms, which saves power.
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
