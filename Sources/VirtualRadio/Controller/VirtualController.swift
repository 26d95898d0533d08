import BluetoothHost

/// A virtual Bluetooth LE controller. It takes commands and ACL packets from its host, gives it
/// events and ACL packets, and its advertisements reach the other controllers of its air.
///
/// `VirtualAir.addController` creates it. Packets are whole and begin with H4's type byte. It
/// handles a host's packet at once, at the air's `now`. No packet of a host can stop the program: a
/// wrong one is answered with an error, or dropped and counted.
///
/// It does not retain its air: without an owner of the air, it acts as if it had vanished.
public final class VirtualController: Scheduled {
  /// The longest packet that `nextPacket(into:)` writes, in bytes.
  public var maximumPacketLength: Int {
    max(3 + 255, ACLHeader.packetHeaderLength + Int(configuration.aclDataLength))
  }

  /// Its number in the order of arrival, from 1.
  public let number: Int
  /// Its public address.
  public let address: DeviceAddress
  /// Its properties.
  public let configuration: ControllerConfiguration
  /// The faults to inject.
  public var faults = Faults()
  /// Its counters.
  public package(set) var counters = ControllerCounters()
  /// Its signal strength at the others, in dBm, unless the air overrides it for a pair.
  public var signalStrength: Int8 = -50

  weak var air: VirtualAir?
  /// Whether it has not left its air. To read a weak reference takes longer.
  private(set) var isOnAir = true
  var state = HostSettings()
  var links: [LinkEnd] = []
  var outgoing = PacketQueue()
  var random: SplitMix64
  /// The error with which it refuses every command, if any.
  package var refusal: HCIErrorCode?
  /// Called for each new packet for the host.
  package var onPacket: (() -> Void)?
  /// Called with each command that it does not know, and its parameters. Returns whether it was for the
  /// owner of the air; otherwise it is refused.
  package var onUnknownCommand: ((HCIOpcode, Span<UInt8>) -> Bool)?

  // The air's state of it.
  /// Its index in the air's schedule, if it is there.
  package var scheduleIndex: Int?
  /// The air's count of changes when it was last checked whether its sets have receivers.
  var audienceSeen = 0

  /// Decides the faults of its connections; `nil` before the first one.
  var fates: SplitMix64?
  /// When it hears and is heard again; `nil` if it is.
  var silenceEnd: Instant?

  /// Decides where it stands.
  let placeSeed: UInt64

  private(set) var nextHandle: UInt16
  /// Whether the first packet has been delivered once, and a fault delivers it again.
  private var isSecondTime = false

  init(
    air: VirtualAir, number: Int, address: DeviceAddress, configuration: ControllerConfiguration,
    seed: UInt64
  ) {
    self.air = air
    self.number = number
    self.address = address
    self.configuration = configuration
    let ownSeed = seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9
    random = SplitMix64(seed: ownSeed)
    placeSeed = ~ownSeed
    // Each controller starts at another handle, so that one side's handle does not work on the
    // other side by accident.
    nextHandle = UInt16(truncatingIfNeeded: number % 0xE0) * 0x10
  }

  /// The random address that its host has set; `nil` before that.
  public var randomAddress: DeviceAddress? { state.randomAddress }

  /// Whether it is scanning.
  public var isScanning: Bool { state.scan != nil }

  /// The handles of its links, the oldest first.
  public var connectionHandles: [ConnectionHandle] { links.map(\.handle) }

  /// Whether the link is encrypted; `nil` for an unknown handle.
  public func isEncrypted(_ handle: ConnectionHandle) -> Bool? { link(handle)?.isEncrypted }

  // MARK: The host's side

  /// Takes one whole packet from the host.
  public func send(_ packet: Span<UInt8>) {
    guard air != nil else {
      counters.packetsAfterRemoval += 1
      return
    }
    guard let packet = HCIPacket(packet) else {
      counters.malformedPackets += 1
      return
    }
    switch packet {
    case .command(let opcode, let parameters): receiveCommand(opcode, parameters)
    case .acl(let header, let data): receiveACL(header, data)
    case .event: counters.malformedPackets += 1
    }
  }

  /// Whether a packet for the host is waiting.
  public var hasPacket: Bool { outgoing.count > 0 }

  /// Writes the next whole packet for the host; `false` without one, or if it does not fit into
  /// `writer` (`maximumPacketLength` always fits).
  public func nextPacket(into writer: inout ByteWriter) -> Bool {
    // Each property is read once: every access to one is checked at run time.
    while let (length, type) = outgoing.head {
      guard length <= writer.freeCapacity else { return false }
      let start = writer.count
      let wasRepeated = isSecondTime
      let change = wasRepeated ? nil : faults.takePacketChange(type)
      let isRepeated = change == .duplicate
      if isRepeated != wasRepeated { isSecondTime = isRepeated }
      switch change {
      case nil, .duplicate: writer.write(outgoing.first)
      case .cut(let length):
        writer.writePrefix(of: outgoing.first.extracting(first: max(0, length)))
      case .misstateLength(let difference):
        writer.write(outgoing.first)
        writer.misstateLength(by: difference, type: type, at: start)
      case .lose: break
      case .loseLink:
        writer.write(outgoing.first)
        loseLink(of: outgoing.first)
      case .dropLink:
        writer.write(outgoing.first)
        dropLink(Self.link(of: outgoing.first))
      case .fallSilent(let milliseconds):
        writer.write(outgoing.first)
        fallSilent(for: milliseconds)
      }
      if !isRepeated, let end = outgoing.removeFirst() { end.controller?.complete(end) }
      if writer.count > start { return true }
    }
    return false
  }

  /// Breaks the contact on the link of an ACL packet to the host.
  @inline(never) private func loseLink(of packet: Span<UInt8>) {
    guard let air, let handle = Self.link(of: packet) else { return }
    link(handle)?.breakContact(at: air.now)
  }

  /// The link of an ACL packet; `nil` for another packet.
  private static func link(of packet: Span<UInt8>) -> ConnectionHandle? {
    guard case .acl(let header, _)? = HCIPacket(packet) else { return nil }
    return header.handle
  }

  /// Adds a packet of the air's owner to those for the host, without a call of `onPacket`.
  package func add(_ packet: Span<UInt8>) { outgoing.append(packet, isReport: false) }

  // MARK: Immediate faults

  /// Loses all state, as by Reset, and reports it with a Hardware Error event; without a
  /// `hardwareCode`, reports nothing.
  public func fail(hardwareCode: UInt8?) {
    resetState()
    guard let hardwareCode else { return }
    emit(HardwareError(hardwareCode: hardwareCode))
  }

  /// Reports a Hardware Error to the host, and keeps its state.
  public func reportHardwareError(_ hardwareCode: UInt8) {
    emit(HardwareError(hardwareCode: hardwareCode))
  }

  /// Leaves the air as if it lost power; see `VirtualAir.Removal.vanishing`.
  public func vanish() { air?.remove(self, .vanishing) }

  // MARK: State

  /// Sets the state after Reset: no links, no packets, default settings.
  func resetState() {
    stopActivities()
    loseLinks()
    outgoing.removeAll()
    isSecondTime = false
    state = HostSettings()
  }

  func leaveAir() {
    state = HostSettings()
    outgoing.removeAll()
    air = nil
    isOnAir = false
  }

  /// A handle that is unused in this controller.
  func makeHandle() -> ConnectionHandle {
    repeat {
      nextHandle = nextHandle >= 0x0EFF ? 1 : nextHandle + 1
    } while links.contains { $0.handle.rawValue == nextHandle }
    return ConnectionHandle(rawValue: nextHandle)
  }

  func link(_ handle: ConnectionHandle) -> LinkEnd? { links.first { $0.handle == handle } }
}

extension ByteWriter {
  /// Changes the length field of the packet that begins at `offset`.
  @_lifetime(self: copy self) fileprivate mutating func misstateLength(
    by difference: Int, type: UInt8, at offset: Int
  ) {
    let length = count - offset
    if type == HCIPacketType.acl.rawValue {
      patch(UInt16(truncatingIfNeeded: length - 5 + difference), at: offset + 3)
    } else {
      patch(UInt8(truncatingIfNeeded: length - 3 + difference), at: offset + 2)
    }
  }
}
