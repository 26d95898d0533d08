import BluetoothHost
import LinuxRadio
import LinuxSystem

/// Sends each packet of a ball's radio, with its layers, to the programs that want packets.
package final class ControlPackets: PacketSink {
  private let socket: ControlSocket
  private let microseconds: () -> Int64
  /// The layers since a program first wanted packets; `nil` while none wants them.
  private var layers: PacketLayers?

  /// - Parameter microseconds: The time since 1970 for the packets' time stamps.
  package init(
    _ socket: ControlSocket, microseconds: @escaping () -> Int64 = { WallClock.microseconds }
  ) {
    self.socket = socket
    self.microseconds = microseconds
  }

  /// Sends the packet as a line, if a program wants it.
  package func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    guard socket.hasPacketListeners else {
      layers = nil
      return
    }
    let layers = self.layers ?? PacketLayers()
    self.layers = layers
    let line = PacketLine(
      microseconds: microseconds(), direction: direction, packet: packet.indices.map { packet[$0] })
    var text = line.text(layers.layers(of: packet, direction))
    text.append(UInt8(ascii: "\n"))
    socket.send(packet: text.span)
  }
}
