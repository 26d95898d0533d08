/// The start or the end of a peripheral's connection, by any program.
///
/// Apple's `CBConnectionEvent`, with the same numbers.
@nonexhaustive(warn)
public enum CBConnectionEvent: Int, Sendable {
  /// The peripheral is no longer connected.
  case peerDisconnected = 0
  /// The peripheral is connected.
  case peerConnected = 1
}

/// Which peripherals' connections are of interest.
public struct CBConnectionEventMatchingOption: RawRepresentable, Hashable, Sendable {
  /// The key.
  public let rawValue: String

  /// Any key, known or not.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Those with one of these identifiers: an array of `UUID`.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
  /// Those with one of these services: an array of `CBUUID`.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
}
