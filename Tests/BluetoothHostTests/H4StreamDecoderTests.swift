import BluetoothHost
import Expectations

/// One packet of each type. The headers state lengths of 3, 4, 2, 1 and 2.
private let packets: [[UInt8]] = [
  [0x01, 0x03, 0x0C, 0x03, 0xA0, 0xA1, 0xA2],  // command
  [0x02, 0x40, 0x20, 0x04, 0x00, 0xB0, 0xB1, 0xB2, 0xB3],  // ACL
  [0x03, 0x41, 0x00, 0x02, 0xC0, 0xC1],  // SCO
  [0x04, 0x13, 0x01, 0xD0],  // event
  [0x05, 0x42, 0x00, 0x02, 0xC0, 0xE0, 0xE1],  // ISO, with the two reserved bits set
  [0x04, 0x10, 0x00],  // an event without parameters
]

@Suite("H4 stream decoder")
struct H4StreamDecoderTests {
  @Test("A sequence of packets is decoded when cut in two at any position")
  func cutInTwo() {
    let stream = packets.flatMap { $0 }
    for cut in 0...stream.count {
      var decoder = H4StreamDecoder<16>()
      var result = elements(of: Array(stream[..<cut]), &decoder)
      result += elements(of: Array(stream[cut...]), &decoder)
      expect(result, is: packets.map { .packet($0) }, "cut at \(cut)")
      expect(decoder.isBetweenPackets, is: true)
    }
  }

  @Test("A sequence of packets is decoded in pieces of any length", arguments: 1...12)
  func pieces(of length: Int) {
    let stream = packets.flatMap { $0 }
    var decoder = H4StreamDecoder<16>()
    var result: [Element] = []
    for start in stride(from: 0, to: stream.count, by: length) {
      result += elements(of: Array(stream[start..<min(start + length, stream.count)]), &decoder)
    }
    expect(result, is: packets.map { .packet($0) })
  }

  @Test("A decoder reports that it is within a packet", arguments: 1...8)
  func endsWithin(length: Int) {
    var decoder = H4StreamDecoder<16>()
    expect(elements(of: Array(packets[1].prefix(length)), &decoder), is: [])
    expect(decoder.isBetweenPackets, is: false)
  }

  @Test("A packet of the decoder's capacity is decoded; one byte more is too long")
  func capacity() {
    // 1 (type) + 2 (handle) + 2 (length) + 11 = 16
    let fits: [UInt8] = [0x02, 0x40, 0x00, 11, 0] + Array(repeating: 0xAA, count: 11)
    let exceeds: [UInt8] = [0x02, 0x40, 0x00, 12, 0] + Array(repeating: 0xAA, count: 12)
    var decoder = H4StreamDecoder<16>()
    expect(
      elements(of: fits + exceeds + fits, &decoder),
      is: [
        .packet(fits), .tooLong(0x02, 17), .packet(fits),
      ])
  }

  @Test("A packet that is too long is skipped, cut at any position")
  func skipsInPieces() {
    let exceeds: [UInt8] = [0x02, 0x40, 0x00, 0x2C, 0x01] + Array(repeating: 0x04, count: 300)
    let stream = exceeds + packets[3]
    for cut in 0...stream.count {
      var decoder = H4StreamDecoder<16>()
      var result = elements(of: Array(stream[..<cut]), &decoder)
      result += elements(of: Array(stream[cut...]), &decoder)
      expect(result, is: [.tooLong(0x02, 305), .packet(packets[3])], "cut at \(cut)")
    }
  }

  @Test(
    "An invalid packet type stops the decoder until it is reset", arguments: [0x00, 0x06, 0xFF])
  func lostSync(byte: UInt8) {
    var decoder = H4StreamDecoder<16>()
    expect(
      elements(of: packets[3] + [byte] + packets[3], &decoder),
      is: [
        .packet(packets[3]), .lostSync(byte),
      ])
    expect(elements(of: packets[3], &decoder), is: [.lostSync(byte)])
    decoder.reset()
    expect(elements(of: packets[3], &decoder), is: [.packet(packets[3])])
  }

  @Test("A reset within a packet discards it")
  func reset() {
    var decoder = H4StreamDecoder<16>()
    expect(elements(of: [0x02, 0x40], &decoder), is: [])
    decoder.reset()
    expect(elements(of: packets[0], &decoder), is: [.packet(packets[0])])
  }
}

/// A copy of a result of the decoder.
private enum Element: Equatable {
  case packet([UInt8])
  case tooLong(UInt8, Int)
  case lostSync(UInt8)
}

private func elements(of bytes: [UInt8], _ decoder: inout H4StreamDecoder<16>) -> [Element] {
  var input = ByteReader(bytes.span)
  var result: [Element] = []
  while true {
    switch decoder.next(from: &input) {
    case .packet(let packet): result.append(.packet(packet.indices.map { packet[$0] }))
    case .tooLong(let type, let length): result.append(.tooLong(type.rawValue, length))
    case .lostSync(let byte): result.append(.lostSync(byte))
    case .incomplete: return result
    }
  }
}
