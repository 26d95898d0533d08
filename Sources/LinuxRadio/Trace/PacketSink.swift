import BluetoothHost

/// Which way a packet goes.
public enum PacketDirection: Equatable, Sendable {
  /// From the host to the controller.
  case sent
  /// From the controller to the host.
  case received
}

/// Whoever looks on at the packets of a radio: a capture file, a trace on the terminal.
public protocol PacketSink: AnyObject {
  /// A whole packet passes, H4's type byte first.
  func note(_ packet: Span<UInt8>, _ direction: PacketDirection)
}
