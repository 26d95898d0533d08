import BluetoothHost
import Expectations

private let range = AttributeHandleRange(
  start: AttributeHandle(rawValue: 0x0102), end: AttributeHandle(rawValue: 0x0304))
private let handle = AttributeHandle(rawValue: 0x0102)

/// A PDU of one length.
private protocol FixedPDU: Equatable, Sendable {
  init?(_ reader: inout ByteReader)
  func write(to writer: inout ByteWriter)
}

extension ErrorResponse: FixedPDU {}
extension ExchangeMTURequest: FixedPDU {}
extension ExchangeMTUResponse: FixedPDU {}
extension FindInformationRequest: FixedPDU {}
extension ReadByTypeRequest: FixedPDU {}
extension ReadByGroupTypeRequest: FixedPDU {}
extension ReadRequest: FixedPDU {}
extension ReadBlobRequest: FixedPDU {}
extension ExecuteWriteRequest: FixedPDU {}

extension Check {
  /// A PDU and its bytes. With `validLength` parameter bytes it is another valid PDU.
  fileprivate static func pdu<PDU: FixedPDU>(
    _ pdu: PDU, _ bytes: [UInt8], validLength: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Check {
    Check("\(PDU.self), \(bytes.count) bytes") {
      expect(written { pdu.write(to: &$0) }, is: bytes, sourceLocation: sourceLocation)
      let parameters = Array(bytes[1...])
      for cut in truncations(of: parameters) + [parameters + [0xFF]]
      where cut.count != validLength {
        var reader = ByteReader(cut.span)
        expect(PDU(&reader), is: nil, "\(cut.count) bytes", sourceLocation: sourceLocation)
      }
      var reader = ByteReader(parameters.span)
      expect(PDU(&reader), is: pdu, sourceLocation: sourceLocation)
    }
  }
}

private let pdus: [Check] = [
  .pdu(
    ErrorResponse(request: .readRequest, handle: handle, code: .invalidOffset),
    [0x01, 0x0A, 0x02, 0x01, 0x07]),
  .pdu(ExchangeMTURequest(clientReceiveMTU: 0x0205), [0x02, 0x05, 0x02]),
  .pdu(ExchangeMTUResponse(serverReceiveMTU: 0x0205), [0x03, 0x05, 0x02]),
  .pdu(FindInformationRequest(range: range), [0x04, 0x02, 0x01, 0x04, 0x03]),
  .pdu(
    ReadByTypeRequest(range: range, type: .characteristic),
    [0x08, 0x02, 0x01, 0x04, 0x03, 0x03, 0x28]),
  // With 4 (range) + 2 = 6 bytes it is a request for a 16-bit type.
  .pdu(
    ReadByTypeRequest(range: range, type: .testText),
    [0x08, 0x02, 0x01, 0x04, 0x03] + testTextBytes, validLength: 6),
  .pdu(
    ReadByGroupTypeRequest(range: range, type: .primaryService),
    [0x10, 0x02, 0x01, 0x04, 0x03, 0x00, 0x28]),
  .pdu(ReadRequest(handle: handle), [0x0A, 0x02, 0x01]),
  .pdu(ReadBlobRequest(handle: handle, offset: 0x0304), [0x0C, 0x02, 0x01, 0x04, 0x03]),
  .pdu(ExecuteWriteRequest(writes: true), [0x18, 0x01]),
  .pdu(ExecuteWriteRequest(writes: false), [0x18, 0x00]),
]

@Suite("ATT PDUs")
struct PDUTests {
  @Test("A PDU of one length is written, read, and refused at every other length", arguments: pdus)
  func fixed(pdu: Check) { pdu.value() }

  @Test("Execute Write refuses flags other than 0x00 and 0x01", arguments: 2...255)
  func executeFlags(flags: UInt8) {
    let bytes = [flags]
    var reader = ByteReader(bytes.span)
    expect(ExecuteWriteRequest(&reader), is: nil)
  }

  @Test("Find By Type Value Request has 6 bytes, then a value of any length")
  func findByTypeValue() {
    let value: [UInt8] = [9, 8, 7]
    let bytes = [0x02, 0x01, 0x04, 0x03, 0x00, 0x28] + value
    for length in 0...9 {
      let cut = Array(bytes[..<length])
      let read: [UInt8]? =
        if let request = FindByTypeValueRequest(ByteReader(cut.span)) {
          Array(request.value)
        } else { nil }
      expect(read, is: length < 6 ? nil : Array(value[..<(length - 6)]))
    }
  }

  @Test("Find By Type Value Response has whole pairs of handles")
  func findByTypeValueResponse() {
    let bytes: [UInt8] = [0x01, 0x00, 0x03, 0x00, 0x04, 0x00, 0xFF, 0xFF]
    for length in 0...8 {
      let cut = Array(bytes[..<length])
      guard var response = FindByTypeValueResponse(ByteReader(cut.span)) else {
        expect(length == 0 || length % 4 != 0)
        continue
      }
      var ends: [UInt16] = []
      while let found = response.next() { ends.append(found.end.rawValue) }
      expect(ends, is: Array([0x0003, 0xFFFF][..<(length / 4)]))
    }
  }

  @Test("Find Information Response has whole pairs of one known format")
  func findInformationResponse() {
    func types(_ bytes: [UInt8]) -> [BluetoothUUID]? {
      guard var response = FindInformationResponse(ByteReader(bytes.span)) else { return nil }
      var result: [BluetoothUUID] = []
      while let found = response.next() { result.append(found.type) }
      return result
    }
    let short: [UInt8] = [1, 0x01, 0x00, 0x00, 0x28, 0x02, 0x00, 0x03, 0x28]
    let long: [UInt8] = [2, 0x01, 0x00] + testTextBytes
    for length in 0...short.count {
      expect(
        types(Array(short[..<length])),
        is: length == 5
          ? [.primaryService] : length == 9 ? [.primaryService, .characteristic] : nil)
    }
    for cut in truncations(of: long) { expect(types(cut), is: nil) }
    expect(types(long), is: [.testText])
    // Every other format is refused with whole pairs of 2 × (2 + 2) or of 2 + 16 bytes.
    for format in 0...255 as ClosedRange<UInt8> where format != 1 && format != 2 {
      expect(types([format] + short[1...]), is: nil)
      expect(types([format] + long[1...]), is: nil)
    }
  }

  @Test("Read By Type Response has whole entries of the stated length, 2 or more")
  func readByTypeResponse() {
    func values(_ bytes: [UInt8]) -> [[UInt8]]? {
      guard var response = ReadByTypeResponse(ByteReader(bytes.span)) else { return nil }
      var result: [[UInt8]] = []
      while let found = response.next() { result.append(Array(found.value)) }
      return result
    }
    let bytes: [UInt8] = [3, 0x01, 0x00, 0xA1, 0x02, 0x00, 0xA2]
    expect(values(bytes), is: [[0xA1], [0xA2]])
    for cut in truncations(of: bytes) { expect(values(cut), is: cut.count == 4 ? [[0xA1]] : nil) }
    expect(values([2, 0x01, 0x00]), is: [[]])
    expect(values([0, 0x01, 0x00]) == nil && values([1, 0x01, 0x00]) == nil)
    expect(values([7] + bytes[1...]), is: nil)
  }

  @Test("Read By Group Type Response has whole entries of the stated length, 4 or more")
  func readByGroupTypeResponse() {
    func groups(_ bytes: [UInt8]) -> [[UInt8]]? {
      guard var response = ReadByGroupTypeResponse(ByteReader(bytes.span)) else { return nil }
      var result: [[UInt8]] = []
      while let found = response.next() { result.append(Array(found.value)) }
      return result
    }
    let bytes: [UInt8] = [6, 0x01, 0x00, 0x03, 0x00, 0x00, 0x18]
    expect(groups(bytes), is: [[0x00, 0x18]])
    for cut in truncations(of: bytes) { expect(groups(cut), is: nil) }
    for length: UInt8 in 0...3 { expect(groups([length] + bytes[1...]), is: nil) }
  }

  @Test("Read Multiple Request has two or more whole handles", arguments: 0...9)
  func readMultiple(length: Int) {
    let bytes = [UInt8](counting: length)
    guard var request = ReadMultipleRequest(ByteReader(bytes.span)) else {
      expect(length < 4 || length % 2 == 1)
      return
    }
    var handles = 0
    while request.next() != nil { handles += 1 }
    expect(handles, is: length / 2)
  }

  @Test("Writes, commands and notifications have a handle and a value of any length")
  func attributeValue() {
    let value: [UInt8] = [9, 8]
    expect(
      written { WriteRequest(handle: handle, value: value.span).write(to: &$0) },
      is: [0x12, 0x02, 0x01, 9, 8])
    let bytes: [UInt8] = [0x02, 0x01, 9, 8]
    for length in 0...4 {
      let cut = Array(bytes[..<length])
      let read: [UInt8]? =
        if let attribute = AttributeValue(ByteReader(cut.span)) {
          Array(attribute.value)
        } else { nil }
      expect(read, is: length < 2 ? nil : Array(value[..<(length - 2)]))
    }
  }

  @Test("Prepare Write has a handle, an offset and a part; its response is the same")
  func prepareWrite() {
    let value: [UInt8] = [9, 8]
    for opcode in [ATTOpcode.prepareWriteRequest, .prepareWriteResponse] {
      let bytes = written {
        PrepareWrite(handle: handle, offset: 0x0304, value: value.span).write(opcode, to: &$0)
      }
      expect(bytes, is: [opcode.rawValue, 0x02, 0x01, 0x04, 0x03, 9, 8])
      for length in 0...6 {
        let cut = Array(bytes[1..<(1 + length)])
        let read: [UInt8]? =
          if let part = PrepareWrite(ByteReader(cut.span)) { Array(part.value) } else { nil }
        expect(read, is: length < 4 ? nil : Array(value[..<(length - 4)]))
      }
    }
  }

  @Test("An ATT_MTU is 23 to 517")
  func mtu() {
    expect(ATTMTU(22) == nil && ATTMTU(518) == nil && ATTMTU(-1) == nil)
    expect(ATTMTU(23) == .minimum && ATTMTU(517) == .maximum && ATTMTU.minimum < .maximum)
  }

  @Test("Equal MTUs compare as equal, and agree on their value", arguments: [23, 100, 517])
  func equalMTUs(byteCount: Int) throws {
    let mtu = try #require(ATTMTU(byteCount))
    let other = try #require(ATTMTU(byteCount))
    expect(mtu == other && mtu <= other && mtu >= other)
    expect(!(mtu < other) && !(mtu > other))
    expect(mtu.agreed(with: UInt16(byteCount)), is: mtu)
  }
}
