import BluetoothHost

/// Prints a line of text for each packet.
public final class PacketTrace: PacketSink {
  private let print: (String) -> Void

  /// - Parameter print: Takes each line, without a line feed.
  public init(print: @escaping (String) -> Void) {
    self.print = print
  }

  /// Prints the packet.
  public func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    print((direction == .sent ? "→ " : "← ") + PacketDescription.text(of: packet))
  }
}
