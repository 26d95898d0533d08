import Expectations

@testable import BluetoothHost

/// A reassembler of frames of at most 16 bytes: 4 of header and 12 of payload.
private struct Reassembly: ~Copyable {
  private var reassembler = L2CAPReassembler<16>()

  mutating func reset() { reassembler.reset() }

  /// The frame that a fragment completes: channel and payload.
  mutating func receive(_ fragment: some Sequence<UInt8>, starts: Bool) -> [UInt8]? {
    let bytes = Array(fragment)
    var received: [UInt8]?
    reassembler.receive(bytes.span, startsFrame: starts) { frame in
      expect(frame.isComplete, is: true)
      let payload = frame.payload
      received = Array(little: frame.channel.rawValue) + Array(payload)
    }
    return received
  }
}

/// Length 6, ATT.
private let frame: [UInt8] = [6, 0, 0x04, 0x00, 10, 11, 12, 13, 14, 15]
private let result = Array(frame[2...])

@Suite("L2CAP: frames from fragments")
struct L2CAPReassemblerTests {
  @Test("A frame is reassembled from any fragments", arguments: 0..<512)
  func everySplit(cuts: Int) {
    // Bit n of `cuts`: a fragment ends after byte n. 10 bytes can be cut in 9 places: 2⁹ = 512.
    var fragments: [[UInt8]] = [[]]
    for (index, byte) in frame.enumerated() {
      fragments[fragments.count - 1].append(byte)
      if index < 9, cuts & 1 << index != 0 { fragments.append([]) }
    }
    var reassembly = Reassembly()
    var received: [[UInt8]] = []
    for (index, fragment) in fragments.enumerated() {
      let given = reassembly.receive(fragment, starts: index == 0)
      expect((given != nil), is: index == fragments.count - 1)
      if let given { received.append(given) }
    }
    expect(received, is: [result])
  }

  @Test("Empty fragments change nothing")
  func emptyFragments() {
    var reassembly = Reassembly()
    expect(reassembly.receive([], starts: true), is: nil)
    expect(reassembly.receive(frame[..<3], starts: false), is: nil)
    expect(reassembly.receive([], starts: false), is: nil)
    expect(reassembly.receive(frame[3...], starts: false), is: result)
    expect(reassembly.receive([], starts: false), is: nil)
  }

  @Test("After a reset, the rest of a frame is dropped")
  func reset() {
    var reassembly = Reassembly()
    expect(reassembly.receive(frame[..<3], starts: true), is: nil)
    reassembly.reset()
    expect(reassembly.receive(frame, starts: false), is: nil)
    expect(reassembly.receive(frame, starts: true), is: result)
  }

  @Test("A continuation without a start is dropped")
  func continuationAlone() {
    var reassembly = Reassembly()
    expect(reassembly.receive(frame, starts: false), is: nil)
    expect(reassembly.receive(frame, starts: true), is: result)
    expect(reassembly.receive(frame[4...], starts: false), is: nil)
    expect(reassembly.receive(frame[..<5], starts: true), is: nil)
    expect(reassembly.receive(frame[5...], starts: false), is: result)
  }

  @Test("A new start discards a frame that was not finished", arguments: 0..<10)
  func newStart(length: Int) {
    var reassembly = Reassembly()
    expect(reassembly.receive(frame[..<length], starts: true), is: nil)
    let other: [UInt8] = [3, 0, 0x06, 0x00, 1, 2, 3]
    expect(reassembly.receive(other[..<5], starts: true), is: nil)
    expect(reassembly.receive(other[5...], starts: false), is: [0x06, 0x00, 1, 2, 3])
  }

  @Test(
    "No payload and the longest one, 12 bytes, are accepted in pieces of any length",
    arguments: [0, 12] as [UInt8], 1...16)
  func limits(count: UInt8, length: Int) {
    let frame: [UInt8] = [count, 0, 0x04, 0x00] + Array(0..<count)
    var reassembly = Reassembly()
    var received: [UInt8]?
    for start in stride(from: 0, to: frame.count, by: length) {
      received = reassembly.receive(
        frame[start..<min(start + length, frame.count)], starts: start == 0)
    }
    expect(received, is: Array(frame[2...]))
  }

  @Test("A payload of 13 bytes is skipped in pieces of any length", arguments: 1...17)
  func tooLong(length: Int) {
    let tooLong: [UInt8] = [13, 0, 0x04, 0x00] + Array(0..<13)
    var reassembly = Reassembly()
    for start in stride(from: 0, to: 17, by: length) {
      expect(
        reassembly.receive(tooLong[start..<min(start + length, 17)], starts: start == 0), is: nil)
    }
    expect(reassembly.receive(frame, starts: true), is: result)
  }

  @Test("A frame with more bytes than it states is dropped", arguments: 1...9)
  func moreThanStated(length: Int) {
    var reassembly = Reassembly()
    expect(reassembly.receive(frame + [0xFF], starts: true), is: nil)
    expect(reassembly.receive(frame[..<length], starts: true), is: nil)
    expect(reassembly.receive(frame[length...] + [0xFF], starts: false), is: nil)
    expect(reassembly.receive([0xFF], starts: false), is: nil)
    expect(reassembly.receive(frame, starts: true), is: result)
  }

  @Test("Frames of several links are reassembled separately")
  func severalLinks() {
    let controller = ScriptedPeripheral<2>()
    controller.connect(0x40)
    controller.connect(0x41)
    let read: [UInt8] = [3, 0, 0x04, 0x00, 0x0A, 0x16, 0x00]
    let blob: [UInt8] = [5, 0, 0x04, 0x00, 0x0C, 0x03, 0x00, 0x01, 0x00]
    controller.receive(controller.acl(Array(read[..<5]), on: 0x40))
    controller.receive(controller.acl(Array(blob[..<6]), on: 0x41))
    controller.receive(controller.acl(Array(read[5...]), on: 0x40, boundary: 0b01))
    controller.receive(controller.acl(Array(blob[6...]), on: 0x41, boundary: 0b01))
    expect(controller.pdus(on: 0x40), is: [[0x0B, 0x64]])
    expect(controller.pdus(on: 0x41), is: [[0x0D] + Array("est".utf8)])
  }

  @Test(
    "Frames on unknown channels are ignored",
    arguments: [0x0000, 0x0001, 0x0002, 0x0003, 0x0007, 0x001F, 0x0040, 0xFFFF])
  func unknownChannel(channel: UInt16) {
    let controller = ScriptedPeripheral<1>()
    controller.connect()
    controller.send([0x0A, 0x03, 0x00], channel: channel)
    expect(controller.frames, is: [])
  }

  @Test("The longest ATT PDU is accepted; a longer frame is skipped")
  func longestPDU() {
    let controller = connectedController(mtu: 517)
    controller.forgetWhatWasSent()
    // 1 (opcode) + 516 = 517: the value is too long, but the PDU gets a response.
    controller.send([0x12, 0x0D, 0x00] + [UInt8](repeating: 0, count: 514))
    expect(controller.pdus(), is: [error(0x12, 0x0D, .invalidAttributeValueLength)])
    controller.forgetWhatWasSent()
    let tooLong = [0x06, 0x02, 0x04, 0x00, 0x12, 0x0D, 0x00] + [UInt8](repeating: 0, count: 515)
    controller.receive(controller.acl(tooLong))
    controller.receive(controller.acl(Array(tooLong[..<300])))
    controller.receive(controller.acl(Array(tooLong[300...]), boundary: 0b01))
    expect(controller.pdus(), is: [])
  }
}
