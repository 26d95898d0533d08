import BluetoothHost
import Testing

@Suite("The links of a client")
struct ClientLinkTests {
  @Test("cuts requests to the size of the controller's buffers, and waits for free ones")
  func fragments() {
    let central = ScriptedCentral<1>.connected { $0.buffers = (27, 2) }
    central.peer = { _ in [[0x03, 0x05, 0x02]] }
    central.perform(.exchangeMTU)
    central.forgetWhatWasSent()
    central.completesPackets = false
    let value = [UInt8](counting: 100)
    central.perform(.write(handle(7), byteCount: 100), writing: value)
    // 4 (header) + 3 (opcode, handle) + 100 = 107 = 27 + 27 + 27 + 26; two buffers
    #expect(central.aclPackets.count == 2)
    central.receive(Events.completedPackets(of: central.lastHandle))
    #expect(central.aclPackets.count == 3)
    central.receive(Events.completedPackets(of: central.lastHandle, count: 9))
    // 5 (ACL header) of each, and the boundary flag in its second handle byte
    #expect(central.aclPackets.map { $0.count - 5 } == [27, 27, 27, 26])
    #expect(central.aclPackets.map { $0[2] >> 4 } == [0, 1, 1, 1])
    #expect(central.pdus == [[0x12, 7, 0] + value])
  }

  @Test("links take turns")
  func turns() {
    let central = ScriptedCentral<2>.connected { $0.buffers = (251, 1) }
    central.connect(to: .numbered(3))
    central.completesPackets = false
    _ = central.host.perform(.writeWithoutResponse(handle(7), byteCount: 1), at: 0)
    _ = central.host.perform(.writeWithoutResponse(handle(7), byteCount: 1), at: 1)
    central.run()
    for link: UInt16 in [0x40, 0x41, 0x40, 0x41] {
      _ = central.host.perform(
        .writeWithoutResponse(handle(7), byteCount: 1), at: Int(link - 0x40))
      central.receive(Events.completedPackets(of: link))
    }
    #expect(central.aclPackets.map { $0[1] } == [0x40, 0x41, 0x40, 0x41, 0x40])
  }

  @Test("writes without response go out in order as buffers become free")
  func commands() {
    let central = ScriptedCentral<1>.connected { $0.buffers = (251, 2) }
    central.completesPackets = false
    var endings = 0
    for number in UInt8(0)..<100 {
      #expect(
        central.perform(.writeWithoutResponse(handle(3), byteCount: 1), writing: [number]))
      endings += central.takeEvents().endings.count
      // Two are in the controller; the third has begun, and ends when it has room.
      if number == 1 { #expect(endings == 2) }
      if number >= 2 {
        #expect(endings == number)
        central.receive(Events.completedPackets(of: central.lastHandle))
        endings += central.takeEvents().endings.count
      }
    }
    #expect(central.pdus.map { $0.last } == (0..<100).map { UInt8($0) })
    #expect(endings == 100)
  }

  @Test("reassembles responses from fragments of every length")
  func reassembly() {
    let value = [UInt8](counting: 200)
    for length in 1...50 {
      let central = ScriptedCentral<1>.connected { $0.fragmentLength = length }
      central.peer = { $0[0] == 0x02 ? [[0x03, 0x05, 0x02]] : [[0x0B] + value] }
      central.perform(.exchangeMTU)
      central.perform(.read(handle(7)))
      #expect(central.takeEvents().value == value)
    }
  }

  @Test("delivers notifications and indications, and confirms indications")
  func values() {
    let central = ScriptedCentral<1>.connected()
    central.send([0x1B, 7, 0, 1, 2])
    #expect(central.frames.isEmpty)
    central.send([0x1D, 8, 0])
    #expect(central.pdus == [[0x1E]])
    #expect(
      central.takeEvents() == [.notified(handle(7), [1, 2]), .notified(handle(8), [])])
  }

  @Test("a notification without a handle is ignored", arguments: [0x1B, 0x1D] as [UInt8])
  func truncatedValues(opcode: UInt8) {
    let central = ScriptedCentral<1>.connected()
    central.send([opcode])
    central.send([opcode, 7])
    #expect(central.takeEvents() == [])
    #expect(central.frames.isEmpty)
  }

  @Test("PDUs with unknown opcodes are ignored")
  func unknownOpcodes() {
    let central = ScriptedCentral<1>.connected()
    central.perform(.read(handle(7)))
    central.forgetWhatWasSent()
    // 0x23: Multiple Handle Value Notification, which this client has not asked for.
    for opcode in [0x15, 0x1F, 0x23, 0x3F, 0x41, 0x53, 0xFF] as [UInt8] {
      central.send([opcode, 1, 0, 1, 0, 0x41])
    }
    #expect(central.takeEvents() == [])
    #expect(central.frames.isEmpty)
    #expect(central.connectionCount == 1)
  }

  @Test("a notification does not answer a request")
  func notificationWhileWaiting() {
    let central = ScriptedCentral<1>.connected()
    central.perform(.read(handle(7)))
    central.send([0x1B, 7, 0, 1])
    central.send([0x0B, 9])
    #expect(
      central.takeEvents() == [
        .notified(handle(7), [1]), .read([9], from: 0), .ended(.read(handle(7)), nil),
      ])
  }

  @Test("a confirmation precedes the next request, and is never sent within one")
  func confirmationFirst() {
    let central = ScriptedCentral<1>.connected { $0.buffers = (27, 1) }
    central.peer = { _ in [[0x03, 0x05, 0x02]] }
    central.perform(.exchangeMTU)
    central.peer = { _ in [] }
    central.forgetWhatWasSent()
    central.completesPackets = false
    central.perform(.write(handle(7), byteCount: 40), writing: [UInt8](counting: 40))
    central.send([0x1D, 8, 0, 1])
    central.completesPackets = true
    central.receive(Events.completedPackets(of: central.lastHandle))
    #expect(central.pdus == [[0x12, 7, 0] + [UInt8](counting: 40), [0x1E]])
    central.send([0x13])

    central.forgetWhatWasSent()
    central.completesPackets = false
    central.perform(.writeWithoutResponse(handle(7), byteCount: 0))
    central.perform(.read(handle(9)))
    central.send([0x1D, 8, 0, 1])
    central.completesPackets = true
    central.receive(Events.completedPackets(of: central.lastHandle))
    #expect(central.pdus == [[0x52, 7, 0], [0x1E], [0x0A, 9, 0]])
  }

  @Test("the peer's requests are refused, and its commands ignored")
  func peerClient() {
    let central = ScriptedCentral<1>.connected()
    for opcode in [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x16, 0x18, 0x20, 0x3E]
      as [UInt8]
    {
      central.send([opcode, 1, 2, 3, 4])
      #expect(central.pdus.last == [0x01, opcode, 0, 0, 0x06])
    }
    let count = central.frames.count
    for opcode in [0x52, 0xD2, 0x7E, 0x1E] as [UInt8] { central.send([opcode, 1, 2]) }
    #expect(central.frames.count == count)
  }

  @Test("a peer that floods gets as many responses as there is room for, and requests go out")
  func flood() {
    let central = ScriptedCentral<1>.connected { $0.buffers = (251, 1) }
    central.completesPackets = false
    for _ in 0..<1_000 { central.send([0x02, 0x17, 0x00]) }
    for _ in 0..<1_000 { central.send([0x1D, 0x03, 0x00, 0x01]) }
    #expect(central.frames.count == 1)
    central.perform(.read(handle(3)))
    central.completesPackets = true
    central.receive(Events.completedPackets(of: central.lastHandle))
    #expect(central.pdus.suffix(2) == [[0x1E], [0x0A, 0x03, 0x00]])
    // 1 that was in the controller, and 12 frames of 4 (header) + 5 = 9 bytes in room for 108
    #expect(central.pdus.count == 1 + 12 + 2)
  }

  @Test("pairing PDUs are answered with a refusal")
  func pairing() {
    let central = ScriptedCentral<1>.connected()
    for (frame, answer) in [
      ([0x0B, 0x00], [0x05, 0x05]), ([0x01, 3, 0, 0, 16, 0, 0], [0x05, 0x05]),
      ([0x0C], [0x05, 0x07]),
    ] as [([UInt8], [UInt8])] {
      central.send(frame, channel: 0x0006)
      #expect(central.frames.last?.payload == answer)
      #expect(central.frames.last?.channel == 0x0006)
    }
    let count = central.frames.count
    central.send([0x05, 0x05], channel: 0x0006)
    central.send([], channel: 0x0006)
    #expect(central.frames.count == count)
  }

  @Test("frames of other channels are ignored")
  func otherChannels() {
    let central = ScriptedCentral<1>.connected()
    central.send([1, 2, 3, 4], channel: 0x0040)
    #expect(central.frames.isEmpty)
    #expect(central.takeEvents() == [])
  }
}
