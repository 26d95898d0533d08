import BallRunner
import BluetoothHost

/// The JSON line for a packet at a ball's control socket.
///
/// Its members are in this order, without spaces: `event`, `time`, `direction`, `bytes`, and, if
/// known, `layers` and `kind`. So a reader can add the layers to a line without a JSON parser.
public struct PacketLine: Equatable, Sendable {
  /// When the packet passed, in microseconds since 1970.
  public var microseconds: Int64
  /// `in` is `received`: from the controller. `out` is `sent`.
  public var direction: PacketDirection
  /// The whole packet, H4's type byte first.
  public var packet: [UInt8]

  /// A line for a packet.
  public init(microseconds: Int64, direction: PacketDirection, packet: [UInt8]) {
    self.microseconds = microseconds
    self.direction = direction
    self.packet = packet
  }

  /// Reads a line without its end; `nil` unless it is a packet without layers in exactly this form.
  public init?(_ line: [UInt8]) {
    var rest = line[...]
    guard rest.drop(Self.start), let time = rest.dropNumber(), rest.drop(Self.directionName)
    else { return nil }
    if rest.drop("in") {
      direction = .received
    } else if rest.drop("out") {
      direction = .sent
    } else {
      return nil
    }
    guard rest.drop(Self.bytesName), let bytes = rest.dropHexadecimal(), rest.drop("\"}"),
      rest.isEmpty
    else { return nil }
    microseconds = time
    packet = bytes
  }

  private static let start = "{\"event\":\"packet\",\"time\":"
  private static let directionName = ",\"direction\":\""
  private static let bytesName = "\",\"bytes\":\""

  /// The line in UTF-8, without its end.
  ///
  /// - Parameter layers: The layers of the packet; `nil` to omit them.
  public func text(_ layers: LayeredPacket? = nil) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(128 + 4 * packet.count + (layers?.layers.count ?? 0) * 96)
    text += Self.start.utf8
    text += "\(microseconds)".utf8
    text += Self.directionName.utf8
    text += (direction == .received ? "in" : "out").utf8
    text += Self.bytesName.utf8
    text.append(hexadecimal: packet[...])
    text += "\"".utf8
    if let layers {
      var separator = ",\"layers\":["
      for layer in layers.layers {
        text += separator.utf8
        text += "{\"layer\":\"\(layer.name.rawValue)\",\"bytes\":\"".utf8
        text.append(hexadecimal: packet[layer.bytes.clamped(to: packet.indices)])
        text += "\",\"text\":\"".utf8
        text += String(escaped: layer.text).utf8
        text += "\"}".utf8
        separator = ","
      }
      text += "]".utf8
      if let kind = layers.kind { text += ",\"kind\":\"\(kind.rawValue)\"".utf8 }
    }
    text += "}".utf8
    return text
  }
}

extension PacketLayers {
  /// A line of a control socket, with layers added if it is a packet without them.
  ///
  /// Give it every line of one connection, in order.
  ///
  /// - Parameter line: Without its end.
  public func addingLayers(to line: [UInt8]) -> [UInt8] {
    guard let packet = PacketLine(line) else { return line }
    return packet.text(layers(of: packet.packet.span, packet.direction))
  }
}

extension ArraySlice<UInt8> {
  /// Removes `text` from the front; `false`, and nothing is removed, if it is not there.
  fileprivate mutating func drop(_ text: String) -> Bool {
    guard starts(with: text.utf8) else { return false }
    removeFirst(text.utf8.count)
    return true
  }

  /// Removes a whole number of at most 18 digits from the front.
  fileprivate mutating func dropNumber() -> Int64? {
    var number: Int64 = 0
    var count = 0
    while let digit = first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") {
      guard count < 18 else { return nil }
      number = 10 * number + Int64(digit - UInt8(ascii: "0"))
      count += 1
      removeFirst()
    }
    return count > 0 ? number : nil
  }

  /// Removes bytes of two hexadecimal digits each from the front.
  fileprivate mutating func dropHexadecimal() -> [UInt8]? {
    var bytes: [UInt8] = []
    while let high = first?.hexadecimalValue {
      removeFirst()
      guard let low = first?.hexadecimalValue else { return nil }
      removeFirst()
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(hexadecimal bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      append(Self.digit(byte >> 4))
      append(Self.digit(byte & 0xF))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
