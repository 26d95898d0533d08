import BluetoothHost
import LinuxRadio

/// The layers above HCI on one link, in both directions.
struct LinkLayers {
  /// Whether this device is the link's central.
  let isCentral: Bool

  private var sent = FrameAssembly()
  private var received = FrameAssembly()
  private var attributes = AttributeLayers()
  private var channels = ChannelLayers()

  /// A link without frames so far.
  init(isCentral: Bool = false) {
    self.isCentral = isCentral
  }

  /// Adds the layers of the next fragment, the rest of the packet.
  mutating func add(
    _ fragment: Span<UInt8>, begins: Bool, _ direction: PacketDirection, _ names: AttributeNames,
    to stack: inout LayerStack
  ) {
    let progress: FrameAssembly.Progress
    let assembly: FrameAssembly
    switch direction {
    case .sent:
      progress = sent.take(fragment, begins: begins)
      assembly = sent
    case .received:
      progress = received.take(fragment, begins: begins)
      assembly = received
    }
    let channel = assembly.channel.map(Self.name) ?? "a frame"
    let count = fragment.count
    switch progress {
    case .stray:
      stack.add(
        .l2cap, count,
        "the rest of a frame that was not seen" + PacketDescription.length(count))
    case .partial(nil):
      stack.add(.l2cap, count, "the start of a frame" + PacketDescription.length(count))
    case .partial(let total?):
      stack.add(.l2cap, count, "\(channel), \(assembly.frame.count) of \(total) bytes")
    case .overlong(let excess):
      let bytes = excess == 1 ? "1 byte" : "\(excess) bytes"
      stack.add(.l2cap, count, "\(channel), \(bytes) too many")
    case .whole(let first):
      let last = "the last \(count) of \(assembly.frame.count) bytes"
      let text = first == 0 ? channel : "\(channel), \(last)"
      stack.add(frame(assembly, text, direction, names), from: first, count: count)
    }
  }

  /// The layers of a whole frame.
  private mutating func frame(
    _ assembly: FrameAssembly, _ text: String, _ direction: PacketDirection, _ names: AttributeNames
  ) -> LayerStack {
    var layers = LayerStack()
    let frame = assembly.frame.span
    let payload = frame.extracting(droppingFirst: FrameAssembly.headerLength)
    switch assembly.channel {
    case .att:
      layers.add(.l2cap, FrameAssembly.headerLength, text)
      attributes.add(payload, direction, names, to: &layers)
    case .securityManager:
      layers.add(.l2cap, FrameAssembly.headerLength, text)
      layers.add(.smp, payload.count, Self.securityText(payload))
    case .leSignalling:
      let command = channels.signalling(payload, direction)
      layers.add(.l2cap, frame.count, "\(text), \(command)")
    case let channel? where channel.isDynamic:
      let part = channels.part(payload, of: channel, direction)
      layers.add(.l2cap, frame.count, "\(text), \(part)")
    default:
      layers.add(.l2cap, frame.count, "\(text), unknown")
    }
    return layers
  }

  private static func name(_ channel: L2CAPChannel) -> String {
    switch channel {
    case .att: "channel 4: ATT"
    case .leSignalling: "channel 5: signalling"
    case .securityManager: "channel 6: SMP"
    default: "channel \(PacketDescription.hexadecimal(channel.rawValue))"
    }
  }

  /// The command and its length. The content may be a key, so it is not shown.
  private static func securityText(_ pdu: Span<UInt8>) -> String {
    var reader = ByteReader(pdu)
    guard let code = reader.readUInt8() else { return "no command: the frame is empty" }
    let name = PacketDescription.securityName(code)
    if SMPCode(rawValue: code) == .pairingFailed, let reason = reader.readUInt8() {
      return "\(name), reason \(PacketDescription.hexadecimal(reason))"
    }
    return name + PacketDescription.length(reader.count)
  }
}
