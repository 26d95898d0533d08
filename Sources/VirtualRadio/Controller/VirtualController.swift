import BluetoothHost

/// A Bluetooth LE controller in software: commands and ACL packets from its host go in, events
/// and ACL packets for its host come out, and the other controllers of its air hear it.
///
/// Made by `VirtualAir.addController`. Packets are whole and begin with H4's type byte. What a
/// host sends is dealt with at once, at the air's `now`. Nothing that a host sends can stop the
/// program: what cannot be understood is answered with an error, or dropped and counted.
///
/// It does not keep its air: without an owner for that, it is as if it had vanished.
public final class VirtualController {
  /// The longest packet that `nextPacket(into:)` writes, in bytes.
  public var maximumPacketLength: Int {
    max(3 + 255, ACLHeader.packetHeaderLength + Int(configuration.aclDataLength))
  }

  /// Counts from 1 in the order of arrival.
  public let number: Int
  /// Its public address.
  public let address: DeviceAddress
  /// What kind of controller it is.
  public let configuration: ControllerConfiguration
  /// What is to go wrong.
  public var faults = Faults()
  /// What has been dropped or delivered.
  public internal(set) var counters = ControllerCounters()
  /// How strongly the others hear it, in dBm, unless the air says otherwise for a pair.
  public var signalStrength: Int8 = -50

  weak var air: VirtualAir?
  var state = ControllerState()
  var links: [LinkEnd] = []
  var outgoing = PacketQueue()
  var random: SplitMix64
  /// With what every command is refused, if it is.
  var refusal: HCIErrorCode?
  /// Called, if set, whenever a packet for the host has come.
  var onPacket: (() -> Void)?

  // What the air keeps of it.
  /// Its place in the air's schedule, if it is there.
  var scheduleIndex: Int?
  /// Whether anything would come of an advertisement of its own, as was last found.
  var isHeard = false
  /// The air's count of changes when that was.
  var audienceSeen = 0

  private var nextHandle: UInt16
  /// The first packet has been given once, and is given again on request of a fault.
  private var isSecondTime = false

  init(
    air: VirtualAir, number: Int, address: DeviceAddress, configuration: ControllerConfiguration,
    seed: UInt64
  ) {
    self.air = air
    self.number = number
    self.address = address
    self.configuration = configuration
    random = SplitMix64(state: seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9)
    // Each controller counts from a place of its own, so that a handle of the one side that
    // is taken for the other's does not work by luck.
    nextHandle = UInt16(truncatingIfNeeded: number % 0xE0) * 0x10
  }

  /// The random address that its host has set; `nil` if none.
  public var randomAddress: DeviceAddress? { state.randomAddress }

  /// Whether it is advertising.
  public var isAdvertising: Bool { state.advertising != nil }

  /// Whether it is scanning.
  public var isScanning: Bool { state.scan != nil }

  /// The handles of its links, the oldest first.
  public var connectionHandles: [ConnectionHandle] { links.map(\.handle) }

  /// Whether the link is encrypted; `nil` if there is none.
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

  /// Whether the host has something to read.
  public var hasPacket: Bool { outgoing.count > 0 }

  /// Writes the next whole packet for the host; `false` if there is none, or if `writer` has less
  /// room than it needs (`maximumPacketLength` is always enough).
  public func nextPacket(into writer: inout ByteWriter) -> Bool {
    while outgoing.count > 0 {
      let length = outgoing.first.count
      guard length <= writer.freeCapacity else { return false }
      let start = writer.count
      let type = outgoing.first[0]
      let change = isSecondTime ? nil : faults.takePacketChange(type)
      isSecondTime = change == .duplicate
      switch change {
      case nil, .duplicate:
        writer.write(outgoing.first)
      case .cut(let length):
        writer.writePrefix(of: outgoing.first.extracting(first: max(0, length)))
      case .misstateLength(let difference):
        writer.write(outgoing.first)
        writer.misstateLength(by: difference, type: type, at: start)
      case .lose:
        break
      case .loseLink:
        writer.write(outgoing.first)
        loseLink(of: outgoing.first)
      }
      if !isSecondTime, let end = outgoing.removeFirst() { end.controller?.complete(end) }
      if writer.count > start { return true }
    }
    return false
  }

  /// Breaks the contact on the link of an ACL packet to the host.
  private func loseLink(of packet: Span<UInt8>) {
    guard let air, case .acl(let header, _)? = HCIPacket(packet) else { return }
    link(header.handle)?.breakContact(at: air.now)
  }

  // MARK: Faults that happen at once

  /// Loses all state, as Reset does but without being asked, and says so with a Hardware Error
  /// event; with no `hardwareCode`, says nothing.
  public func fail(hardwareCode: UInt8?) {
    resetState()
    guard let hardwareCode else { return }
    emit(HardwareError(hardwareCode: hardwareCode))
  }

  /// Tells the host of a Hardware Error, and loses nothing.
  public func reportHardwareError(_ hardwareCode: UInt8) {
    emit(HardwareError(hardwareCode: hardwareCode))
  }

  /// Leaves the air as when its power is lost; see `VirtualAir.Removal.vanishing`.
  public func vanish() {
    air?.remove(self, .vanishing)
  }

  // MARK: Life

  /// Everything as it is after Reset: no links, no packets, nothing set.
  func resetState() {
    fallSilent()
    loseLinks()
    outgoing.removeAll()
    isSecondTime = false
    state = ControllerState()
  }

  func leaveAir() {
    state = ControllerState()
    outgoing.removeAll()
    air = nil
  }

  /// A handle that no link of this controller has.
  func makeHandle() -> ConnectionHandle {
    repeat {
      nextHandle = nextHandle >= 0x0EFF ? 1 : nextHandle + 1
    } while links.contains { $0.handle.rawValue == nextHandle }
    return ConnectionHandle(rawValue: nextHandle)
  }

  func link(_ handle: ConnectionHandle) -> LinkEnd? {
    links.first { $0.handle == handle }
  }
}

extension ByteWriter {
  /// Changes what the packet that begins at `offset` says of its own length.
  @_lifetime(self: copy self)
  fileprivate mutating func misstateLength(by difference: Int, type: UInt8, at offset: Int) {
    let length = count - offset
    if type == HCIPacketType.acl.rawValue {
      patch(UInt16(truncatingIfNeeded: length - 5 + difference), at: offset + 3)
    } else {
      patch(UInt8(truncatingIfNeeded: length - 3 + difference), at: offset + 2)
    }
  }
}
