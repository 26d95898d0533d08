import BluetoothHost

/// Receives the packets of a radio: a capture file, a trace on the terminal.
public protocol PacketSink: AnyObject {
  /// Takes a whole packet, which begins with H4's type byte.
  func note(_ packet: Span<UInt8>, _ direction: PacketDirection)
}
