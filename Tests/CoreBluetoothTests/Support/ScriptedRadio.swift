import BluetoothHost
import Dispatch

@testable import CoreBluetooth

/// A controller and its peers: bytes in, bytes out. Each response can be changed.
final class ScriptedRadio {
  /// The device that it serves.
  let host: Seat
  let queue = DispatchQueue(label: "delegates")
  var now = Instant(rawValue: 1_000)
  /// The commands that the host sent, in order, and their parameters.
  private(set) var calls: [(opcode: HCIOpcode, parameters: [UInt8])] = []
  var commands: [HCIOpcode] { calls.map(\.opcode) }
  /// The frames that the host sent, in order.
  private(set) var frames: [(link: UInt16, channel: L2CAPChannel, payload: [UInt8])] = []

  /// Replaces the usual response to a command; `nil` for the usual response, empty for none.
  var script: (HCIOpcode, [UInt8]) -> [[UInt8]]? = { _, _ in nil }
  /// The commands that get their Command Status, and no event after it.
  var held: [HCIOpcode] = []
  var refused: HCIOpcode?
  /// A peer's responses to an ATT PDU.
  var peer: (_ pdu: [UInt8]) -> [[UInt8]] = { _ in [] }
  /// A peer's responses on another channel than ATT, which are sent on that channel.
  var others: (_ channel: UInt16, _ payload: [UInt8]) -> [[UInt8]] = { _, _ in [] }
  /// Whether packets are reported as completed at once.
  var completesPackets = true
  var aclCount: UInt8 = 8
  private(set) var lastHandle: UInt16 = 0x003F
  private var parameters = ScanParameters()
  /// The scan that is on; `nil` if none is.
  private(set) var scan: ScanParameters?
  private var partial: [UInt16: [UInt8]] = [:]

  /// - Parameter pairs: Whether the device pairs.
  init(_ host: Seat, pairs: Bool = false) {
    self.host = host
    if !pairs { host.device.setPairing(.refused) }
  }

  /// Replaces the response to one command.
  func answer(_ command: HCIOpcode, _ answers: @escaping (HCIOpcode, [UInt8]) -> [[UInt8]]) {
    let others = script
    script = { $0 == command ? answers($0, $1) : others($0, $1) }
  }

  /// Carries packets until neither side has any.
  func run() {
    var packetsLeft = 10_000
    while packetsLeft > 0, let packet = takePacket() {
      packetsLeft -= 1
      for answer in answers(to: packet) { give(answer) }
    }
  }

  func forget() { (calls, frames) = ([], []) }

  func takePacket() -> [UInt8]? {
    var isWritten = false
    let packet = [UInt8].written(upTo: 1_024) {
      isWritten = host.nextPacket(into: &$0, at: now)
    }
    return isWritten ? packet : nil
  }

  func give(_ packet: [UInt8]) { host.receive(packet.span, at: now) }

  /// Makes the peer respond to the last frame again, and runs.
  func answerLast() {
    guard let frame = frames.last else { return }
    for pdu in peer(frame.payload) { give(packet(pdu, frame.link)) }
    run()
  }

  /// Gives the host an ATT PDU of the peer on the last link, and runs.
  func givePDU(_ pdu: [UInt8]) {
    give(packet(pdu, lastHandle))
    run()
  }

  /// Lets time pass, and advances the host at each deadline.
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
      calls.append((opcode, [UInt8](parameters)))
      note(opcode, [UInt8](parameters))
      if held.contains(opcode) { return [Self.status(opcode)] }
      if opcode == refused { return [Self.complete(opcode, [0x0C])] }
      return script(opcode, [UInt8](parameters)) ?? ordinary(opcode, [UInt8](parameters))
    case .acl(let header, let data):
      let completed = completesPackets ? [Self.completed(header.handle)] : []
      let link = header.handle.rawValue
      let frame = (partial.removeValue(forKey: link) ?? []) + [UInt8](data)
      // 2 bytes of length, 2 of channel.
      guard frame.count == 4 + Int(frame[0]) + Int(frame[1]) << 8 else {
        partial[link] = frame
        return completed
      }
      let channel = L2CAPChannel(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8)
      let payload = Array(frame.dropFirst(4))
      frames.append((link, channel, payload))
      let answers = channel == .att ? peer(payload) : others(channel.rawValue, payload)
      return completed + answers.map { self.packet($0, link, channel) }
    default: return []
    }
  }

  /// Records the parameters of a scan command, as if it always succeeded.
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
    case .readBDADDR: return [Self.complete(opcode, [0, 1, 0, 0, 0, 0, 0xF0])]
    case .leReadBufferSize: return [Self.complete(opcode, [0, 251, 0, aclCount])]
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
    case .leConnectionUpdate: return [Self.status(opcode)]
    default: return [Self.complete(opcode, [0])]
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

  /// The packet with a PDU of the peer: at most 247 bytes.
  func packet(_ pdu: [UInt8], _ handle: UInt16, _ channel: L2CAPChannel = .att) -> [UInt8] {
    let frame = little(UInt16(pdu.count)) + little(channel.rawValue) + pdu
    let header = ACLHeader(handle: ConnectionHandle(rawValue: handle), boundary: .firstFlushable)
    return [UInt8].written(upTo: 1_024) { header.writePacket(frame.span, to: &$0) }
  }
}

/// A service with a UUID of 128 bits.
let longService = BluetoothUUID(high: 0x8E38_140A_27BE_4090, low: 0x8955_4FC4_B569_8D1E)
