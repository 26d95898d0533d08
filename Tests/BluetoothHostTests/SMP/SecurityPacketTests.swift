import BallTestSupport
import Expectations

@testable import BluetoothHost

/// A link, which can be passed on.
private final class Link {
  var connection: Connection

  init(_ index: Int) {
    connection = Connection(index: index)
    connection.handle = ConnectionHandle(rawValue: 0x40 + UInt16(index))
  }

  var isSending: Bool { connection.sending == .security }
}

/// The PDUs of the manager as packets of a link: Core Specification, Vol 3, Part A, 3.1.
@Suite("Packets of the Security Manager")
struct SecurityPacketTests {
  private let central = SecurityStation(
    PairingPolicy(ioCapability: .displayYesNo), identity: initiatorIdentity, seed: 1)
  private let peripheral = SecurityStation(
    PairingPolicy(ioCapability: .displayYesNo), identity: responderIdentity, seed: 2)

  /// The next packet of a link with at most `length` bytes of data.
  private func packet(_ link: Link, length: Int = 27) -> [UInt8] {
    var isWritten = false
    let packet = written {
      isWritten = central.manager.writePacket(
        for: &link.connection, length: length, at: central.now, to: &$0)
    }
    expect(isWritten != packet.isEmpty)
    return packet
  }

  private func hasPacket(_ link: Link) -> Bool { central.manager.hasPacket(for: link.connection) }

  /// The central has its public key to send, a PDU of 65 bytes.
  private func begin() {
    central.connect(to: peripheral)
    expect(central.pair())
    _ = central.takePDUs()
    central.receive([0x02, 1, 0, 0x0D, 16, 0, 0])
    while central.manager.needsStep { central.manager.step(at: central.now) }
  }

  @Test("A PDU is sent in packets of the controller's length, one after another")
  func fragments() {
    begin()
    let link = Link(0)
    expect(hasPacket(link))
    // 4 (L2CAP header) + 65 = 69 bytes: 27 + 27 + 15.
    let packets = (0..<3).map { _ in packet(link) }
    expect(packets.map { $0.count - 5 }, is: [27, 27, 15])
    expect(packets.map { $0[2] & 0x30 }, is: [0x00, 0x10, 0x10])
    let frame = packets.flatMap { $0.dropFirst(5) }
    expect(frame.prefix(5), is: [65, 0, 0x06, 0, 0x0C])
    expect(!hasPacket(link))
    expect(packet(link), is: [])
  }

  @Test("While a PDU is sent in parts, its link is busy, and other links wait")
  func busy() {
    begin()
    let link = Link(0)
    let other = Link(1)
    central.manager.opened(
      PairingLink(role: .responder, ownAddress: .zero, peerAddress: initiatorAddress), at: 1)
    central.receive([0x03], at: 1)
    expect(hasPacket(other))
    expect(packet(link).count, is: 32)
    expect(link.isSending && hasPacket(link))
    expect(packet(other), is: [])
    expect(packet(link).count, is: 32)
    expect(packet(other), is: [])
    expect(packet(link).count, is: 20)
    expect(!link.isSending && !hasPacket(link))
    expect(packet(other).suffix(2), is: [0x05, 0x07])
    expect(!other.isSending && !hasPacket(other))
  }

  @Test("A link that closes in the middle of its PDU leaves no part of it", arguments: [0, 1])
  func closed(index: Int) {
    begin()
    let link = Link(0)
    expect(packet(link).count, is: 32)
    central.manager.opened(
      PairingLink(role: .responder, ownAddress: .zero, peerAddress: initiatorAddress), at: 1)
    central.receive([0x03], at: 1)
    central.manager.closed(at: index)
    let other = Link(1)
    if index == 0 {
      // The next PDU is that of the other link.
      expect(!hasPacket(link))
      expect(packet(link), is: [])
      expect(packet(other).suffix(2), is: [0x05, 0x07])
    } else {
      expect(!hasPacket(other))
      expect(packet(link).count, is: 32, "the PDU continues")
    }
  }
}
