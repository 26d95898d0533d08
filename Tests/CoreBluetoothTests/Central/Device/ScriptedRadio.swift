import BluetoothHost

@testable import CoreBluetooth

/// A controller and, behind it, peers: bytes in, bytes out, and every answer can be changed.
final class ScriptedRadio {
  /// The device that it serves.
  let host: DeviceRunner
  /// The time that the host is told.
  var now = Instant(rawValue: 1_000)
  /// The commands that the host sent, in order.
  private(set) var commands: [HCIOpcode] = []
  /// The ACL packets that the host sent, in order.
  private(set) var aclPackets: [[UInt8]] = []
  /// The frames that the host sent, in order.
  private(set) var frames: [(channel: L2CAPChannel, payload: [UInt8])] = []

  /// Answers a command in another way than the ordinary; `nil` for the ordinary way, nothing for
  /// silence.
  var script: (HCIOpcode, [UInt8]) -> [[UInt8]]? = { _, _ in nil }
  /// What a peer sends back for an ATT PDU.
  var peer: (_ pdu: [UInt8]) -> [[UInt8]] = { _ in [] }
  /// What becomes of a packet on its way to the host, when it is an answer to one of the host's.
  var fault: (_ packet: [UInt8]) -> [[UInt8]] = { [$0] }
  /// Whether packets are told to be completed at once.
  var completesPackets = true
  /// The most bytes of a frame in one packet to the host.
  var fragmentLength = 251

  var aclLength: UInt16 = 251
  var aclCount: UInt8 = 8
  var address: [UInt8] = [1, 0, 0, 0, 0, 0xF0]
  private(set) var lastHandle: UInt16 = 0x003F
  private var parameters = ScanParameters()
  /// The scan that is on; `nil` if none is.
  private(set) var scan: ScanParameters?
  private var frame: [UInt8] = []
  /// The link of the last frame.
  private var frameHandle: UInt16 = 0

  init(_ host: DeviceRunner) {
    self.host = host
    // What is behind this controller does not pair.
    host.device.pairing.settings.withLock { $0 = .refused }
    host.device.updatePolicy()
  }

  /// Lets both sides talk until neither has anything to say.
  func run() {
    var packetsLeft = 10_000
    while packetsLeft > 0, let packet = takePacket() {
      packetsLeft -= 1
      for answer in answers(to: packet) {
        for packet in fault(answer) { give(packet) }
      }
    }
  }

  /// Takes one packet from the host.
  func takePacket() -> [UInt8]? {
    var isWritten = false
    let packet = [UInt8].written(upTo: 1_024) {
      isWritten = host.nextPacket(into: &$0, at: now)
    }
    return isWritten ? packet : nil
  }

  /// Gives the host a packet.
  func give(_ packet: [UInt8]) {
    host.receive(packet.span, at: now)
  }

  /// Has the peer answer the last frame once more, and runs.
  func answerLast() {
    guard let frame = frames.last else { return }
    for pdu in peer(frame.payload) {
      for packet in fragments(pdu, frame.channel, frameHandle) { give(packet) }
    }
    run()
  }

  /// Gives the host an ATT PDU of the peer on the last link, and runs.
  func givePDU(_ pdu: [UInt8]) {
    giveFrame(pdu, on: .att)
  }

  /// Gives the host a frame of the peer on the last link, and runs.
  func giveFrame(_ payload: [UInt8], on channel: L2CAPChannel) {
    for packet in fragments(payload, channel, lastHandle) { give(packet) }
    run()
  }

  /// Lets the time pass, telling the host at each of its deadlines on the way.
  func pass(_ milliseconds: UInt32) {
    let end = now.advanced(by: milliseconds)
    while let deadline = host.deadline, deadline <= end {
      now = max(now, deadline)
      host.advance(to: now)
      run()
    }
    now = end
    host.advance(to: now)
    run()
  }

  private func answers(to packet: [UInt8]) -> [[UInt8]] {
    switch HCIPacket(packet.span) {
    case .command(let opcode, let parameters):
      commands.append(opcode)
      note(opcode, [UInt8](parameters))
      return script(opcode, [UInt8](parameters)) ?? ordinary(opcode, [UInt8](parameters))
    case .acl(let header, let data):
      aclPackets.append(packet)
      let completed = completesPackets ? [Self.completed(header.handle)] : []
      if header.boundary != .continuing { frame = [] }
      frame += [UInt8](data)
      // 2 bytes of length, 2 of channel.
      guard frame.count == 4 + Int(frame[0]) + Int(frame[1]) << 8 else { return completed }
      let channel = L2CAPChannel(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
      let payload = Array(frame.dropFirst(4))
      frames.append((channel, payload))
      frameHandle = header.handle.rawValue
      guard channel == .att else { return completed }
      let pdus = peer(payload)
      return completed + pdus.flatMap { fragments($0, .att, header.handle.rawValue) }
    default:
      return []
    }
  }

  /// Remembers what a command to scan asks for, as if it always succeeded.
  private func note(_ opcode: HCIOpcode, _ parameters: [UInt8]) {
    switch opcode {
    case .leSetScanParameters: self.parameters.isActive = parameters[0] == 1
    case .leSetScanEnable:
      self.parameters.filtersDuplicates = parameters[1] == 1
      scan = parameters[0] == 1 ? self.parameters : nil
    default: break
    }
  }

  private func ordinary(_ opcode: HCIOpcode, _ parameters: [UInt8]) -> [[UInt8]] {
    switch opcode {
    case .readBDADDR:
      return [Self.complete(opcode, [0] + address)]
    case .leReadBufferSize:
      return [Self.complete(opcode, [0] + Self.little(aclLength) + [aclCount])]
    case .leReadLocalSupportedFeatures:
      return [Self.complete(opcode, [UInt8](repeating: 0, count: 9))]
    case .leCreateConnection:
      lastHandle += 1
      return [Self.status(opcode), connected(lastHandle, to: parameters)]
    case .leCreateConnectionCancel:
      return [Self.complete(opcode, [0]), Self.connectionFailed(0x02)]
    case .disconnect:
      let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
      return [Self.status(opcode), Self.disconnected(handle, 0x16)]
    case .leConnectionUpdate:
      return [Self.status(opcode)]
    default:
      return [Self.complete(opcode, [0])]
    }
  }

  /// The event for a link to the peer that these parameters of LE Create Connection ask for.
  func connected(_ handle: UInt16, to parameters: [UInt8]) -> [UInt8] {
    // 2 (scan interval) + 2 (window) + 1 (policy), then the peer.
    var reader = ByteReader(parameters.span)
    _ = reader.readBytes(5)
    let peer = DeviceAddress(&reader) ?? .zero
    return Self.connected(handle, to: peer)
  }

  private func fragments(
    _ payload: [UInt8], _ channel: L2CAPChannel, _ handle: UInt16
  ) -> [[UInt8]] {
    let frame = Self.little(UInt16(payload.count)) + Self.little(channel.rawValue) + payload
    return stride(from: 0, to: frame.count, by: fragmentLength).map { offset in
      let header = ACLHeader(
        handle: ConnectionHandle(rawValue: handle),
        boundary: offset == 0 ? .firstFlushable : .continuing)
      let end = min(frame.count, offset + fragmentLength)
      return [UInt8].written(upTo: 1_024) {
        header.writePacket(frame.span.extracting(offset..<end), to: &$0)
      }
    }
  }
}

/// A service with a UUID of 128 bits.
let longService = BluetoothUUID(high: 0x8E38_140A_27BE_4090, low: 0x8955_4FC4_B569_8D1E)
