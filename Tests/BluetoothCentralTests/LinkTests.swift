import BluetoothHost
import Testing

@testable import BluetoothCentral

@Suite("What a link carries")
struct LinkTests {
  private let handle = AttributeHandle(rawValue: 7)

  @Test("cuts frames to the controller's buffers, and waits for them to be free")
  func fragments() {
    let (central, radio, link) = connectedCentral(radio: {
      $0.aclLength = 27
      $0.aclCount = 2
    })
    radio.peer = { _ in [[0x03, 0x05, 0x02]] }
    central.perform(.exchangeMTU(.maximum), on: link)
    radio.run()
    radio.completesPackets = false
    let value = [UInt8](repeating: 0x41, count: 100)
    central.perform(.write(handle, value), on: link)
    radio.run()
    // 4 (header) + 3 (opcode, handle) + 100 = 107 = 27 + 27 + 27 + 26; two buffers
    #expect(radio.aclPackets.count == 1 + 2)
    radio.give(ScriptedRadio.completed(ConnectionHandle(rawValue: radio.lastHandle)))
    radio.run()
    #expect(radio.aclPackets.count == 1 + 3)
    radio.give(ScriptedRadio.completed(ConnectionHandle(rawValue: radio.lastHandle), 9))
    radio.run()
    // 5 (ACL header) of each, and the boundary flag in its second handle byte
    #expect(radio.aclPackets.dropFirst().map { $0.count - 5 } == [27, 27, 27, 26])
    #expect(radio.aclPackets.dropFirst().map { $0[2] >> 4 } == [0, 1, 1, 1])
    #expect(radio.frames.last?.payload == [0x12, 7, 0] + value)
  }

  @Test("a disconnected link gives its buffers back")
  func buffersOfLostLink() {
    let (central, radio, link) = connectedCentral(radio: { $0.aclCount = 1 })
    let other = central.connect(to: .numbered(3), at: radio.now)
    radio.run()
    radio.completesPackets = false
    central.perform(.read(handle), on: link)
    radio.run()
    central.perform(.read(handle), on: other)
    radio.run()
    #expect(radio.frames.count == 1)
    // The first link has the number before that of the last.
    radio.give(ScriptedRadio.disconnected(radio.lastHandle - 1, 0x08))
    radio.run()
    #expect(radio.frames.count == 2)
  }

  @Test("links take turns")
  func turns() {
    let (central, radio, link) = connectedCentral(radio: { $0.aclLength = 27 })
    let other = central.connect(to: .numbered(3), at: radio.now)
    radio.run()
    for id in [link, other] {
      for _ in 0..<3 {
        central.perform(.writeWithoutResponse(handle, [UInt8](repeating: 0, count: 20)), on: id)
      }
    }
    radio.run()
    #expect(radio.aclPackets.map { $0[1] } == [0x40, 0x41, 0x40, 0x41, 0x40, 0x41])
  }

  @Test("puts responses together from fragments of every length")
  func reassembly() {
    let value = (0..<200).map { UInt8($0) }
    for length in 1...50 {
      let (central, radio, link) = connectedCentral(radio: { $0.fragmentLength = length })
      radio.peer = { $0[0] == 0x02 ? [[0x03, 0x05, 0x02]] : [[0x0B] + value] }
      central.perform(.exchangeMTU(.maximum), on: link)
      let id = central.perform(.read(handle), on: link)
      radio.run()
      #expect(central.takeEvents().last == .completed(id, link, .success(.value(value))))
    }
  }

  @Test("tells notifications, and tells and confirms indications")
  func values() {
    let (central, radio, link) = connectedCentral()
    radio.givePDU([0x1B, 7, 0, 1, 2])
    #expect(radio.frames.isEmpty)
    radio.givePDU([0x1D, 8, 0])
    #expect(radio.frames.map(\.payload) == [[0x1E]])
    #expect(
      central.takeEvents() == [
        .notified(link, handle: handle, value: [1, 2]),
        .notified(link, handle: AttributeHandle(rawValue: 8), value: []),
      ])
  }

  @Test("a notification without a handle is ignored", arguments: [0x1B, 0x1D] as [UInt8])
  func truncatedValues(opcode: UInt8) {
    let (central, radio, _) = connectedCentral()
    radio.givePDU([opcode])
    radio.givePDU([opcode, 7])
    #expect(central.takeEvents() == [])
    #expect(radio.frames.isEmpty)
  }

  @Test("a notification does not answer a request")
  func notificationWhileWaiting() {
    let (central, radio, link) = connectedCentral()
    let id = central.perform(.read(handle), on: link)
    radio.run()
    radio.givePDU([0x1B, 7, 0, 1])
    radio.givePDU([0x0B, 9])
    #expect(
      central.takeEvents() == [
        .notified(link, handle: handle, value: [1]),
        .completed(id, link, .success(.value([9]))),
      ])
  }

  @Test("a server that does not answer loses its link")
  func transactionTimeout() {
    let (central, radio, link) = connectedCentral()
    let ids = (1...2).map { _ in central.perform(.read(handle), on: link) }
    radio.run()
    radio.pass(29_999)
    #expect(central.takeEvents() == [])
    radio.pass(1)
    #expect(
      central.takeEvents() == [
        .completed(ids[0], link, .failure(.timedOut)),
        .completed(ids[1], link, .failure(.disconnected)),
        .disconnected(link, .controller(.connectionTerminatedByLocalHost)),
      ])
  }

  @Test("every operation of a link that ends is completed")
  func disconnected() {
    let (central, radio, link) = connectedCentral()
    let ids = (1...3).map { _ in central.perform(.read(handle), on: link) }
    radio.run()
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x08))
    #expect(
      central.takeEvents()
        == ids.map { .completed($0, link, .failure(.disconnected)) } + [
          .disconnected(link, .controller(.connectionTimeout))
        ])
  }

  @Test("the peer's requests are refused, and its commands ignored")
  func peerClient() {
    let (_, radio, _) = connectedCentral()
    for opcode in [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x16, 0x18, 0x20, 0x3F]
      as [UInt8]
    {
      radio.givePDU([opcode, 1, 2, 3, 4])
      #expect(radio.frames.last?.payload == [0x01, opcode, 0, 0, 0x06])
    }
    let count = radio.frames.count
    for opcode in [0x52, 0xD2, 0x7F, 0x1E, 0x23] as [UInt8] { radio.givePDU([opcode, 1, 2]) }
    #expect(radio.frames.count == count)
  }

  @Test("a peer that floods gets no more than it can be answered")
  func flood() {
    let (central, radio, _) = connectedCentral()
    radio.completesPackets = false
    for _ in 0..<1_000 { radio.givePDU([0x02, 0x17, 0x00]) }
    #expect(radio.frames.count == 8)
    #expect(central.links.allSatisfy { $0.outbox.count <= 16 })
  }

  @Test("pairing is refused, never with silence")
  func pairing() {
    let (_, radio, _) = connectedCentral()
    for (frame, answer) in [
      ([0x0B, 0x00], [0x05, 0x05]), ([0x01, 3, 0, 0, 16, 0, 0], [0x05, 0x05]),
      ([0x0C], [0x05, 0x07]),
    ] as [([UInt8], [UInt8])] {
      radio.giveFrame(frame, on: .securityManager)
      #expect(radio.frames.last?.payload == answer)
      #expect(radio.frames.last?.channel == .securityManager)
    }
    let count = radio.frames.count
    radio.giveFrame([0x05, 0x05], on: .securityManager)
    radio.giveFrame([], on: .securityManager)
    #expect(radio.frames.count == count)
  }

  @Test("frames of other channels are ignored")
  func otherChannels() {
    let (central, radio, _) = connectedCentral()
    radio.giveFrame([1, 2, 3, 4], on: L2CAPChannel(rawValue: 0x0040))
    #expect(radio.frames.isEmpty)
    #expect(central.takeEvents() == [])
  }
}
