import BallRunner
import BluetoothHost
import LinuxRadio

/// Describes each layer of a controller's packets, and their meaning.
///
/// Give it every packet in order, so that it can assemble fragments and match responses. It may
/// begin at any packet and takes any bytes: it describes malformed or unknown ones as such. It
/// shows no key, only its length.
public final class PacketLayers {
  private let names: AttributeNames
  private var links: [ConnectionHandle: LinkLayers] = [:]

  /// More links than any controller of a ball has. Above that it drops the state of all.
  private static let mostLinks = 64

  /// Describes packets from the first one on.
  ///
  /// - Parameter ofBall: Whether the attributes are those of a ball, which it knows by their handles.
  public init(ofBall: Bool = true) { names = AttributeNames(ofBall: ofBall) }

  /// The layers of the next packet, H4's type byte first.
  public func layers(of packet: Span<UInt8>, _ direction: PacketDirection) -> LayeredPacket {
    var stack = LayerStack()
    var kind: LayeredPacket.Kind?
    switch HCIPacket(packet) {
    case .command(let opcode, let parameters)?:
      stack.add(.hci, packet.count, PacketDescription.commandText(opcode, parameters))
      kind = opcode.isSetup ? .setup : nil
      addMeaning(of: opcode, parameters, to: &stack)
    case .event(let code, let parameters)?:
      stack.add(.hci, packet.count, PacketDescription.eventText(code, parameters))
      kind = code.kind(parameters)
      addMeaning(of: code, parameters, to: &stack)
    case .acl(let header, let data)?:
      let link = PacketDescription.hexadecimal(header.handle.rawValue)
      stack.add(.hci, packet.count - data.count, "ACL data, link \(link)")
      if links.count > Self.mostLinks { links.removeAll() }
      links[header.handle, default: LinkLayers()]
        .add(data, begins: header.boundary != .continuing, direction, names, to: &stack)
    case nil:
      stack.add(.hci, packet.count, Self.noPacket(packet))
    }
    return LayeredPacket(layers: stack.layers, kind: kind)
  }

  private static func noPacket(_ bytes: Span<UInt8>) -> String {
    var reader = ByteReader(bytes)
    guard let type = reader.readUInt8() else { return "no bytes" }
    let length = PacketDescription.length(bytes.count)
    switch HCIPacketType(rawValue: type) {
    case .command: return "command of another length than it states" + length
    case .acl: return "ACL data of another length than it states" + length
    case .event: return "event of another length than it states" + length
    case .sco: return "SCO data" + length
    case .iso: return "ISO data" + length
    default: return "no HCI packet: unknown type \(PacketDescription.hexadecimal(type))" + length
    }
  }

  // MARK: The meaning for the ball

  private func addMeaning(
    of opcode: HCIOpcode, _ parameters: Span<UInt8>, to stack: inout LayerStack
  ) {
    var reader = ByteReader(parameters)
    switch opcode {
    case .reset:
      links.removeAll()
    case .leSetAdvertisingEnable:
      guard let command = LESetAdvertisingEnable(&reader) else { return }
      stack.add(.ball, 0, command.isEnabled ? "advertises" : "stops advertising")
    case .disconnect:
      guard let command = Disconnect(&reader) else { return }
      stack.add(.ball, 0, "disconnects \(peer(on: command.handle))")
    default: return
    }
  }

  private func addMeaning(
    of code: HCIEventCode, _ parameters: Span<UInt8>, to stack: inout LayerStack
  ) {
    switch code {
    case .leMeta:
      addMeaning(ofLE: parameters, to: &stack)
    case .disconnectionComplete:
      guard let event = DisconnectionComplete(parameters: parameters), event.status == .success
      else { return }
      let ending = String(writing: { event.reason.writeEnding(to: &$0) })
      stack.add(.ball, 0, "\(peer(on: event.handle)) disconnects, \(ending)")
      links[event.handle] = nil
    case .encryptionChange:
      guard let event = EncryptionChange(parameters: parameters), event.status == .success
      else { return }
      stack.add(
        .ball, 0, event.enabled == 0 ? "the link is not encrypted" : "the link is encrypted")
    case .hardwareError:
      links.removeAll()
      stack.add(.ball, 0, "the radio has failed")
    default: return
    }
  }

  private func addMeaning(ofLE parameters: Span<UInt8>, to stack: inout LayerStack) {
    var reader = ByteReader(parameters)
    guard let code = reader.readUInt8() else { return }
    let subevent = LEMetaSubevent(rawValue: code)
    guard subevent == .connectionComplete || subevent == .enhancedConnectionComplete,
      let event = LEConnectionComplete(
        &reader, enhanced: subevent == .enhancedConnectionComplete),
      event.status == .success
    else { return }
    links[event.handle] = LinkLayers(isCentral: event.role == .central)
    let address = String(writing: { $0.write(event.peer) })
    stack.add(
      .ball, 0,
      event.role == .central
        ? "a link to a peripheral: \(address)" : "a central connects: \(address)")
  }

  private func peer(on handle: ConnectionHandle) -> String {
    links[handle]?.isCentral == true ? "the peripheral" : "the central"
  }
}

extension HCIOpcode {
  /// Whether the command configures or queries the controller. The others are of interest to a
  /// reader: they start advertising, end a link or encrypt one.
  fileprivate var isSetup: Bool {
    switch self {
    case .leSetAdvertisingEnable, .disconnect, .leEnableEncryption, .leLongTermKeyRequestReply,
      .leLongTermKeyRequestNegativeReply:
      false
    default: true
    }
  }
}

extension HCIEventCode {
  fileprivate func kind(_ parameters: Span<UInt8>) -> LayeredPacket.Kind? {
    switch self {
    case .commandComplete:
      guard let event = CommandComplete(parameters: parameters) else { return nil }
      return event.opcode.isSetup ? .setup : nil
    case .commandStatus:
      guard let event = CommandStatus(parameters: parameters) else { return nil }
      return event.opcode.isSetup ? .setup : nil
    case .numberOfCompletedPackets: return .credit
    default: return nil
    }
  }
}

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
  /// `nil` for link events, advertising, and bytes that are not a packet.
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
