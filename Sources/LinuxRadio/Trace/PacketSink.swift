import BluetoothHost

/// What sees the packets of a radio: a capture file, a trace on the terminal.
public protocol PacketSink: AnyObject {
  /// A whole packet passes, H4's type byte first.
  func note(_ packet: Span<UInt8>, _ direction: PacketDirection)
}
