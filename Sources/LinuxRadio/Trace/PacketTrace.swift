import BluetoothHost

/// Says in a line of text what each packet is.
public final class PacketTrace: PacketSink {
  private let print: (String) -> Void

  /// - Parameter print: Takes each line, without its end.
  public init(print: @escaping (String) -> Void) {
    self.print = print
  }

  /// Names the packet.
  public func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    print((direction == .sent ? "→ " : "← ") + PacketDescription.text(of: packet))
  }
}
