import BluetoothHost

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
    channel.name.map { "channel \(channel.rawValue): \($0)" }
      ?? "channel \(PacketDescription.hexadecimal(channel.rawValue))"
  }

  /// The command and its length. The content may be a key, so it is not shown.
  private static func securityText(_ pdu: Span<UInt8>) -> String {
    var reader = ByteReader(pdu)
    guard let byte = reader.readUInt8() else { return "no command: the frame is empty" }
    let code = SMPCode(rawValue: byte)
    let name = PacketDescription.name(of: code)
    if code == .pairingFailed, let reason = reader.readUInt8() {
      return "\(name), reason \(PacketDescription.hexadecimal(reason))"
    }
    return name + PacketDescription.length(reader.count)
  }
}

/// Assembles the L2CAP frames of one link and direction for a log.
///
/// Core Specification, Vol 3, Part A, 3.1 and 7.2. The host's reassembler keeps only the frames
/// that it needs; this one keeps each, up to 65,539 bytes, and reports its progress.
package struct FrameAssembly {
  /// The effect of a fragment.
  package enum Progress: Equatable {
    /// It continues no frame that was seen.
    case stray
    /// The frame is incomplete. `total` is its length with the header; `nil` while the header is
    /// incomplete.
    case partial(total: Int?)
    /// The frame is complete: `frame` contains it, and the fragment begins at `first`.
    case whole(first: Int)
    /// The fragment has this many bytes more than the frame's length.
    case overlong(Int)
  }

  /// The length of a frame's header: two bytes of length, two of channel.
  package static let headerLength = 4

  /// The bytes of the frame so far.
  package private(set) var frame: [UInt8] = []
  private var isUnfinished = false

  /// No frame.
  package init() {}

  /// Takes the next fragment.
  package mutating func take(_ fragment: Span<UInt8>, begins: Bool) -> Progress {
    if begins {
      frame.removeAll(keepingCapacity: true)
    } else if !isUnfinished {
      return .stray
    }
    let first = frame.count
    for index in fragment.indices { frame.append(fragment[index]) }
    isUnfinished = true
    guard let total else { return .partial(total: nil) }
    guard frame.count >= total else { return .partial(total: total) }
    isUnfinished = false
    return frame.count == total ? .whole(first: first) : .overlong(frame.count - total)
  }

  /// The channel, once it is known.
  package var channel: L2CAPChannel? {
    frame.count < Self.headerLength
      ? nil : L2CAPChannel(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
  }

  /// The length of the whole frame, once it is known.
  private var total: Int? {
    frame.count < Self.headerLength
      ? nil : Self.headerLength + (Int(frame[0]) | Int(frame[1]) << 8)
  }
}

/// The LE credit-based channels of one link, with the state of each SDU.
///
/// Core Specification, Vol 3, Part A, 3.4: the first K-frame of an SDU begins with the SDU's length.
struct ChannelLayers {
  /// A channel identifier at the device that receives its K-frames.
  private struct End: Hashable {
    var channel: UInt16
    var direction: PacketDirection
  }

  private struct SDU {
    var count: Int
    var total: Int
  }

  private var unfinished: [End: SDU] = [:]

  /// Describes the part of an SDU in this payload of a K-frame.
  mutating func part(
    _ payload: Span<UInt8>, of channel: L2CAPChannel, _ direction: PacketDirection
  ) -> String {
    let end = End(channel: channel.rawValue, direction: direction)
    var reader = ByteReader(payload)
    var sdu: SDU
    if let known = unfinished[end] {
      sdu = known
    } else {
      guard let total = reader.readUInt16() else {
        return "cut short" + PacketDescription.length(payload.count)
      }
      sdu = SDU(count: 0, total: Int(total))
    }
    let isFirst = sdu.count == 0
    sdu.count += reader.count
    guard sdu.count < sdu.total else {
      unfinished[end] = nil
      if sdu.count > sdu.total { return "more than an SDU of \(sdu.total) bytes" }
      return isFirst
        ? "an SDU" + PacketDescription.length(sdu.total)
        : "the last \(reader.count) of \(sdu.total) bytes of an SDU"
    }
    unfinished[end] = sdu
    return "\(sdu.count) of \(sdu.total) bytes of an SDU"
  }

  /// The name of a signalling command. A command that opens or closes a channel drops its
  /// unfinished SDU.
  mutating func signalling(_ payload: Span<UInt8>, _ direction: PacketDirection) -> String {
    guard let command = SignallingCommand(payload) else {
      return "cut short" + PacketDescription.length(payload.count)
    }
    let name = PacketDescription.name(of: command.code)
    guard command.isComplete else { return "\(name), cut short" }
    var reader = ByteReader(command.data)
    switch command.code {
    case .leCreditBasedConnectionRequest:
      if let request = LECreditBasedConnectionRequest(&reader) {
        forget(request.sourceCID, direction.opposite)
      }
    case .leCreditBasedConnectionResponse:
      if let response = LECreditBasedConnectionResponse(&reader) {
        forget(response.destinationCID, direction.opposite)
      }
    case .creditBasedConnectionRequest:
      if let request = CreditBasedConnectionRequest(&reader) {
        forget(request.sourceCIDs, direction.opposite)
        let psm = PacketDescription.hexadecimal(request.spsm)
        return "\(name), \(request.sourceCIDs.count) for PSM \(psm)"
      }
    case .creditBasedConnectionResponse:
      if let response = CreditBasedConnectionResponse(&reader) {
        forget(response.destinationCIDs, direction.opposite)
      }
    case .disconnectionRequest:
      if let request = DisconnectionRequest(&reader) {
        forget(request.destinationCID, direction)
        forget(request.sourceCID, direction.opposite)
      }
    case .flowControlCredit:
      if let indication = FlowControlCreditIndication(&reader) {
        let channel = PacketDescription.hexadecimal(indication.cid.rawValue)
        return "\(name), \(indication.credits) for channel \(channel)"
      }
    default: break
    }
    return name
  }

  private mutating func forget(_ channels: ChannelList, _ direction: PacketDirection) {
    for position in 0..<channels.count { forget(channels[position], direction) }
  }

  private mutating func forget(_ channel: L2CAPChannel, _ direction: PacketDirection) {
    unfinished[End(channel: channel.rawValue, direction: direction)] = nil
  }
}

extension PacketDirection {
  /// The direction of the response.
  var opposite: PacketDirection { self == .sent ? .received : .sent }
}
