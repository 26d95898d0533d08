/// The part of each Bluetooth layer in one packet.
public struct LayeredPacket: Equatable, Sendable {
  /// Packets that a reader may want to hide.
  public enum Kind: String, Sendable {
    /// A command that configures or queries the controller, or its answer.
    case setup
    /// The controller has room for more data: Number Of Completed Packets.
    case credit
  }

  /// The layers, from the controller up. Their bytes, joined, are the packet's.
  public var layers: [PacketLayer]
  /// `nil` for link events, advertising, and bytes that are no packet.
  public var kind: Kind?
}

/// One layer's part of a packet.
public struct PacketLayer: Equatable, Sendable {
  /// The layers, with the names that are shown.
  public enum Name: String, Sendable {
    /// The Host Controller Interface: Core Specification, Vol 4, Part E.
    case hci = "HCI"
    /// Logical Link Control and Adaptation: Vol 3, Part A.
    case l2cap = "L2CAP"
    /// The Attribute Protocol: Vol 3, Part F.
    case att = "ATT"
    /// The Security Manager Protocol: Vol 3, Part H.
    case smp = "SMP"
    /// The Generic Attribute Profile, Vol 3, Part G: which attribute the PDU concerns.
    case gatt = "GATT"
    /// What the packet means to the ball.
    case ball = "Ball"
  }

  /// Which layer.
  public var name: Name
  /// Which bytes of the packet are this layer's; possibly none.
  public var bytes: Range<Int>
  /// What they mean, in plain English, without a full stop.
  public var text: String
}

/// The layers of a packet or frame under construction, each after the one before.
struct LayerStack {
  private(set) var layers: [PacketLayer] = []
  /// Where the next layer begins.
  private(set) var end = 0

  /// Adds a layer of the next `length` bytes.
  mutating func add(_ name: PacketLayer.Name, _ length: Int, _ text: String) {
    layers.append(PacketLayer(name: name, bytes: end..<end + length, text: text))
    end += length
  }

  /// Adds the layers of a frame whose `count` bytes from `first` on are in this packet. Bytes in
  /// other packets are left out.
  mutating func add(_ frame: LayerStack, from first: Int, count: Int) {
    let base = end
    for layer in frame.layers {
      let lower = min(max(layer.bytes.lowerBound - first, 0), count)
      let upper = min(max(layer.bytes.upperBound - first, 0), count)
      layers.append(
        PacketLayer(name: layer.name, bytes: base + lower..<base + upper, text: layer.text))
    }
    end = base + count
  }
}
