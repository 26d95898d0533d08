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
    expectRead(
      [0x02, 0x01, 0x04, 0x03, 0x00, 0x28, 9, 8], as: [9, 8] as [UInt8],
      shorter: [6: [], 7: [9]]
    ) { bytes in
      guard let request = FindByTypeValueRequest(ByteReader(bytes.span)) else { return nil }
      return Array(request.value)
    }
  }

  @Test("Find By Type Value Response has whole pairs of handles")
  func findByTypeValueResponse() {
    expectRead(
      [0x01, 0x00, 0x03, 0x00, 0x04, 0x00, 0xFF, 0xFF], as: [0x0003, 0xFFFF] as [UInt16],
      shorter: [4: [0x0003]]
    ) { bytes in
      guard var response = FindByTypeValueResponse(ByteReader(bytes.span)) else { return nil }
      var ends: [UInt16] = []
      while let found = response.next() { ends.append(found.end.rawValue) }
      return ends
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
    expectRead(
      short, as: [.primaryService, .characteristic], shorter: [5: [.primaryService]], by: types)
    expectRead(long, as: [.testText], by: types)
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
    expectRead(bytes, as: [[0xA1], [0xA2]], shorter: [4: [[0xA1]]], by: values)
    expect(values([2, 0x01, 0x00]), is: [[]])
    for length: UInt8 in [0, 1, 7] { expect(values([length] + bytes[1...3]), is: nil) }
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
    expectRead(bytes, as: [[0x00, 0x18]], by: groups)
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
    expectRead([0x02, 0x01, 9, 8], as: value, shorter: [2: [], 3: [9]]) { bytes in
      guard let attribute = AttributeValue(ByteReader(bytes.span)) else { return nil }
      return Array(attribute.value)
    }
  }

  @Test("Prepare Write has a handle, an offset and a part; its response is the same")
  func prepareWrite() {
    let value: [UInt8] = [9, 8]
    let parameters: [UInt8] = [0x02, 0x01, 0x04, 0x03, 9, 8]
    for opcode in [ATTOpcode.prepareWriteRequest, .prepareWriteResponse] {
      let pdu = written {
        PrepareWrite(handle: handle, offset: 0x0304, value: value.span).write(opcode, to: &$0)
      }
      expect(pdu, is: [opcode.rawValue] + parameters)
    }
    expectRead(parameters, as: value, shorter: [4: [], 5: [9]]) { bytes in
      guard let part = PrepareWrite(ByteReader(bytes.span)) else { return nil }
      return Array(part.value)
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
