import Expectations

@testable import BluetoothHost

/// Checks that a PDU is written as its bytes and read back from them, and is not read from fewer or
/// more bytes, or from another command. A list of CIDs may also be of the lengths in `others`.
private func pdu<PDU: SignallingPDU>(
  _ label: String, _ value: PDU, _ code: UInt8, _ data: [UInt8], others: [Int] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) -> Check {
  Check(label) {
    let bytes = [code, 0x09, UInt8(data.count), 0] + data
    expect(
      written { value.write(identifier: 0x09, to: &$0) }, is: bytes, sourceLocation: sourceLocation)
    expect(value.dataLength, is: data.count, sourceLocation: sourceLocation)
    func read(_ bytes: [UInt8]) -> PDU? {
      guard let command = SignallingCommand(bytes.span) else { return nil }
      return PDU(command)
    }
    expect(read(bytes), is: value, sourceLocation: sourceLocation)
    for cut in truncations(of: bytes) {
      expect(read(cut), is: nil, "\(cut.count) bytes", sourceLocation: sourceLocation)
    }
    for cut in truncations(of: data) {
      // The header states the actual length, which is too short.
      let short = [code, 0x09, UInt8(cut.count), 0] + cut
      expect(
        read(short) == nil, is: !others.contains(cut.count), "\(cut.count) bytes of data",
        sourceLocation: sourceLocation)
    }
    let long = [code, 0x09, UInt8(data.count + 1), 0] + data + [0]
    expect(read(long), is: nil, "one byte too long", sourceLocation: sourceLocation)
    expect(read(bytes + [0]), is: nil, "one byte after it", sourceLocation: sourceLocation)
    expect(read([code ^ 0x40] + bytes[1...]), is: nil, sourceLocation: sourceLocation)
  }
}

private let pdus = [
  // SPSM 0x0080, CID 0x0041, MTU 512, MPS 0x00F7, credits 5.
  pdu(
    "LE Credit Based Connection Request",
    LECreditBasedConnectionRequest(
      spsm: 0x0080, sourceCID: L2CAPChannel(rawValue: 0x0041), mtu: 512, mps: 247,
      initialCredits: 5),
    0x14, [0x80, 0x00, 0x41, 0x00, 0x00, 0x02, 0xF7, 0x00, 0x05, 0x00]),
  pdu(
    "LE Credit Based Connection Response",
    LECreditBasedConnectionResponse(
      destinationCID: L2CAPChannel(rawValue: 0x0042), mtu: 65_535, mps: 65_533, initialCredits: 258),
    0x15, [0x42, 0x00, 0xFF, 0xFF, 0xFD, 0xFF, 0x02, 0x01, 0x00, 0x00]),
  pdu(
    "LE Credit Based Connection Response that refuses",
    LECreditBasedConnectionResponse(error: .sourceCIDAlreadyAllocated),
    0x15, [0, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0x00]),
  pdu(
    "Flow Control Credit Indication",
    FlowControlCreditIndication(cid: L2CAPChannel(rawValue: 0x0043), credits: 0x1234),
    0x16, [0x43, 0x00, 0x34, 0x12]),
  pdu(
    "Disconnection Request",
    DisconnectionRequest(
      destinationCID: L2CAPChannel(rawValue: 0x0044), sourceCID: L2CAPChannel(rawValue: 0x007F)),
    0x06, [0x44, 0x00, 0x7F, 0x00]),
  pdu(
    "Disconnection Response",
    DisconnectionResponse(
      destinationCID: L2CAPChannel(rawValue: 0x0045), sourceCID: L2CAPChannel(rawValue: 0x007E)),
    0x07, [0x45, 0x00, 0x7E, 0x00]),
  // SPSM 0x0027, MTU 517, MPS 498, credits 3, CIDs 0x0041 and 0x0042.
  pdu(
    "Credit Based Connection Request",
    CreditBasedConnectionRequest(
      spsm: 0x0027, mtu: 517, mps: 498, initialCredits: 3, sourceCIDs: cids(0x0041, 0x0042)),
    0x17, [0x27, 0, 0x05, 0x02, 0xF2, 0x01, 3, 0, 0x41, 0, 0x42, 0], others: [10]),
  pdu(
    "Credit Based Connection Request for five channels",
    CreditBasedConnectionRequest(
      spsm: 1, mtu: 64, mps: 64, initialCredits: 1,
      sourceCIDs: cids(0x0040, 0x0041, 0x0042, 0x0043, 0x0044)),
    0x17, words(1, 64, 64, 1, 0x40, 0x41, 0x42, 0x43, 0x44), others: [10, 12, 14, 16]),
  pdu(
    "Credit Based Connection Response that opens one of two",
    CreditBasedConnectionResponse(
      mtu: 517, mps: 498, initialCredits: 258, result: .noResourcesAvailable,
      destinationCIDs: cids(0x007F, 0)),
    0x18, [0x05, 0x02, 0xF2, 0x01, 0x02, 0x01, 0x04, 0, 0x7F, 0, 0, 0], others: [8, 10]),
  pdu(
    "Credit Based Connection Response that refuses all",
    CreditBasedConnectionResponse(error: .insufficientEncryption, count: 2), 0x18,
    words(0, 0, 0, 8, 0, 0), others: [8, 10]),
  pdu(
    "Credit Based Connection Response without a CID",
    CreditBasedConnectionResponse(error: .invalidParameters, count: 0), 0x18, words(0, 0, 0, 12)),
  pdu(
    "Credit Based Reconfigure Request",
    CreditBasedReconfigureRequest(mtu: 600, mps: 100, destinationCIDs: cids(0x0041, 0x0044)), 0x19,
    words(600, 100, 0x41, 0x44), others: [6]),
  pdu(
    "Credit Based Reconfigure Response",
    CreditBasedReconfigureResponse(result: .mpsReduction), 0x1A, [2, 0]),
]

/// A list of CIDs.
private func cids(_ values: UInt16...) -> ChannelList {
  var list = ChannelList()
  for value in values { list.append(L2CAPChannel(rawValue: value)) }
  return list
}

@Suite("Channels: PDUs and numbers")
struct ChannelPDUTests {
  @Test(
    "PDUs have the specification's bytes, and are refused at every other length", arguments: pdus)
  func bytes(pdu: Check) { pdu.value() }

  @Test("Each result of the response has the specification's number")
  func results() {
    let results: [LECreditBasedConnectionResult] = [
      .success, .spsmNotSupported, .noResourcesAvailable, .insufficientAuthentication,
      .insufficientAuthorization, .encryptionKeySizeTooShort, .insufficientEncryption,
      .invalidSourceCID, .sourceCIDAlreadyAllocated, .unacceptableParameters, .invalidParameters,
    ]
    expect(results.map(\.rawValue), is: [0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    let changes: [CreditBasedReconfigureResult] = [
      .success, .mtuReduction, .mpsReduction, .invalidDestinationCID, .unacceptableParameters,
    ]
    expect(changes.map(\.rawValue), is: [0, 1, 2, 3, 4])
  }

  @Test("An SPSM is 0x0001 to 0x00FF, and dynamic from 0x0080")
  func spsm() {
    expect([0, 0x0100, 0xFFFF].allSatisfy { SPSM($0) == nil })
    expect(SPSM(0x0001)?.isDynamic, is: false)
    expect(SPSM(0x007F)?.isDynamic, is: false)
    expect(SPSM(0x0080), is: .firstDynamic)
    expect(SPSM(0x00FF)?.isDynamic, is: true)
  }

  @Test("An MTU is at least 23; an MPS is 23 to 65,533")
  func sizes() {
    expect(ChannelMTU(22), is: nil)
    expect(ChannelMTU(23), is: .minimum)
    expect(ChannelMTU(65_535)?.byteCount, is: 65_535)
    expect(ChannelMPS(22), is: nil)
    expect(ChannelMPS(23), is: .minimum)
    expect(ChannelMPS(498), is: .twoPackets)
    expect(ChannelMPS(65_533)?.byteCount, is: 65_533)
    expect(ChannelMPS(65_534), is: nil)
  }

  @Test("A CID is dynamic from 0x0040 to 0x007F")
  func channelIdentifiers() {
    let dynamic = (0...0xFFFF).filter { L2CAPChannel(rawValue: $0).isDynamic }
    expect(dynamic, is: Array(0x0040...0x007F))
  }
}
