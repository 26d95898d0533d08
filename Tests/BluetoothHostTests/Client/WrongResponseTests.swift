import BluetoothHost
import Expectations

/// An operation, a valid response to its first request, and the other lengths at which it is valid.
private typealias ValidResponse = (
  operation: ClientOperation, response: [UInt8], validLengths: Set<Int>
)

private let validResponses: [Row<ValidResponse>] = [
  Row("MTU", (.exchangeMTU, [0x03, 0x05, 0x02], [])),
  Row("services", (.discoverServices, [0x11, 6, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x18], [])),
  Row(
    "services of one kind",
    (.discoverServicesByUUID(.genericAccessService), [0x07, 0x01, 0x00, 0xFF, 0xFF], [])),
  Row(
    "included services",
    (
      .discoverIncludedServices(range(0x11, 0x11)),
      [0x09, 8, 0x11, 0x00, 0x30, 0x00, 0x35, 0x00, 0x0A, 0x18], []
    )),
  Row(
    "characteristics",
    (
      .discoverCharacteristics(range(1, 3)), [0x09, 7, 0x02, 0x00, 0x02, 0x03, 0x00, 0x00, 0x2A], []
    )),
  Row("descriptors", (.discoverDescriptors(range(4, 4)), [0x05, 1, 0x04, 0x00, 0x02, 0x29], [])),
  Row("value of a type", (.readByUUID(.deviceName), [0x09, 3, 0x03, 0x00, 0x41], [])),
  Row("write", (.write(handle(7), byteCount: 1), [0x13], [])),
  Row("subscription", (.subscribe(handle(7), .none), [0x13], [])),
  Row("error", (.read(handle(7)), [0x01, 0x0A, 0x07, 0x00, 0x02], [])),
  // A value can have each of these lengths.
  Row("value", (.read(handle(7)), [0x0B, 1, 2, 3], [1, 2, 3, 5])),
  Row(
    "several values", (.readMultiple(byteCount: 4, isVariable: false), [0x0F, 1, 2], [1, 2, 4])),
]

private func outOfOrder(_ rawValue: UInt16) -> OperationError {
  .wrongResponse(.outOfOrder(handle(rawValue)))
}

private let letters = [UInt8](repeating: 0x41, count: 40)
private let firstService: [UInt8] = [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18]
private let characteristic: [UInt8] = [0x09, 7, 0x11, 0, 2, 0x12, 0, 0, 0x2A]
private let descriptor: [UInt8] = [0x05, 1, 0x12, 0x00, 0x02, 0x29]

private let wrongResponses: [OperationCase] = [
  OperationCase(
    "the same service again", .discoverServices, gets: [firstService, firstService],
    fails: outOfOrder(1)),
  OperationCase(
    "a service that ends before it begins", .discoverServices,
    gets: [firstService, [0x11, 6, 0x06, 0x00, 0x05, 0x00, 0x00, 0x18]], fails: outOfOrder(6)),
  OperationCase(
    "a service at handle 0", .discoverServices,
    gets: [firstService, [0x11, 6, 0x00, 0x00, 0x07, 0x00, 0x00, 0x18]], fails: outOfOrder(0)),
  OperationCase(
    "overlapping services of one kind", .discoverServicesByUUID(.genericAccessService),
    gets: [[0x07, 0x05, 0x00, 0x09, 0x00, 0x08, 0x00, 0x0A, 0x00]], fails: outOfOrder(8)),
  OperationCase(
    "a service's UUID of 4 bytes", .discoverServices,
    gets: [[0x11, 8, 0x01, 0x00, 0x05, 0x00, 1, 2, 3, 4]],
    fails: .wrongResponse(.malformed(.readByGroupTypeResponse))),
  OperationCase(
    "the same characteristic again", .discoverCharacteristics(range(0x10, 0x16)),
    gets: [characteristic, characteristic], fails: outOfOrder(0x11)),
  // No handle is left for a value after 0xFFFF.
  OperationCase(
    "a characteristic at handle 0xFFFF", .discoverCharacteristics(range(0x10, 0xFFFF)),
    gets: [[0x09, 7, 0xFF, 0xFF, 2, 0, 0, 0, 0x2A]], fails: .wrongResponse(.outOfOrder(.none))),
  OperationCase(
    "the same descriptor again", .discoverDescriptors(range(0x12, 0x16)),
    gets: [descriptor, descriptor], fails: outOfOrder(0x12)),
  OperationCase(
    "a response to Execute Write with a parameter", .write(handle(7), byteCount: 21),
    writing: Array(letters[..<21]),
    gets: [
      [0x17, 7, 0, 0, 0] + letters[..<18], [0x17, 7, 0, 18, 0] + letters[18..<21], [0x19, 0],
    ], fails: .wrongResponse(.malformed(.executeWriteResponse))),
]

/// The declaration, the value and the refused handle of a characteristic of the range 0x10 to 0x16.
private let misplaced: [OperationCase] =
  ([
    (0x0F, 0x11, 0x0F, "before the service"), (0x17, 0x18, 0x17, "after the service"),
    (0x11, 0x11, 0x11, "with its value where its declaration is"),
    (0x11, 0x17, 0x17, "with its value outside"), (0x16, 0x16, 0x16, "at the end"),
    (0x00, 0x01, 0x00, "at handle 0"),
  ] as [(UInt8, UInt8, UInt16, String)]).map { declaration, value, culprit, label in
    OperationCase(
      "a characteristic \(label)", .discoverCharacteristics(range(0x10, 0x16)),
      gets: [[0x09, 7, declaration, 0, 2, value, 0, 0, 0x2A]], fails: outOfOrder(culprit))
  }

@Suite("Servers with wrong responses")
struct WrongResponseTests {
  /// How an operation ends whose requests get these responses, and then none.
  private func outcome(
    of operation: ClientOperation, _ responses: [[UInt8]], writing value: [UInt8] = [0x41]
  ) -> (endings: [OperationError?], isConnected: Bool) {
    let central = ScriptedCentral<1>.connected()
    central.respond(with: responses)
    central.perform(operation, writing: value)
    return (central.takeEvents().endings, central.connectionCount > 0)
  }

  @Test("a response of a wrong length is an error", arguments: validResponses)
  fileprivate func truncated(row: Row<ValidResponse>) {
    let (operation, response, validLengths) = row.value
    expect(outcome(of: operation, [response]).endings.count, is: 1)
    for length in Array(1..<response.count) + [response.count + 1] {
      let (endings, isConnected) = outcome(of: operation, [Array((response + [0]).prefix(length))])
      let opcode = ATTOpcode(rawValue: response[0])
      let expected: OperationError? =
        validLengths.contains(length) ? nil : .wrongResponse(.malformed(opcode))
      expect(endings, is: [expected], "length \(length)")
      expect(isConnected)
    }
  }

  @Test("a Prepare Write Response of a wrong length cancels the long write")
  func truncatedEcho() {
    let echo = [0x17, 7, 0, 0, 0] + letters[..<18]
    for length in 1..<echo.count + 2 where length != echo.count {
      let central = ScriptedCentral<1>.connected()
      central.respond(with: [Array((echo + [0]).prefix(length)), [0x19]])
      central.perform(.write(handle(7), byteCount: 40), writing: letters)
      expect(central.pdus().last, is: [0x18, 0])
      let fault: ResponseError =
        length < 5 ? .malformed(.prepareWriteResponse) : .echoDiffers(offset: 0)
      expect(central.takeEvents().endings, is: [.wrongResponse(fault)], "length \(length)")
    }
  }

  /// Otherwise, the next long write would also write the parts that the server has queued.
  @Test("a malformed error cancels a long write")
  func malformedErrorInLongWrite() {
    let central = ScriptedCentral<1>.connected()
    central.respond(with: [[0x17, 7, 0, 0, 0] + letters[..<18], [0x01, 0x16, 7], [0x01, 0x18]])
    central.perform(.write(handle(7), byteCount: 40), writing: letters)
    expect(central.pdus().last, is: [0x18, 0])
    expect(central.takeEvents().endings, is: [.wrongResponse(.malformed(.errorResponse))])
  }

  @Test("an empty PDU is ignored", arguments: validResponses)
  fileprivate func empty(row: Row<ValidResponse>) {
    expect(outcome(of: row.value.operation, [[]]).endings.isEmpty)
  }

  @Test("the response to another request is an error, and ends the link", arguments: validResponses)
  fileprivate func unexpected(row: Row<ValidResponse>) {
    let (endings, isConnected) = outcome(of: row.value.operation, [[0x0D, 1, 2, 3]])
    guard case .wrongResponse(.unexpected(.readBlobResponse, _)) = endings.first else {
      Issue.record("\(endings)")
      return
    }
    expect(endings.count, is: 1)
    expect(!isConnected)
  }

  @Test("an error about another request is an error, and ends the link")
  func unexpectedError() {
    let (endings, isConnected) = outcome(of: .read(handle(7)), [[0x01, 0x12, 7, 0, 0x0E]])
    expect(endings, is: [.wrongResponse(.unexpected(.writeResponse, awaited: .readResponse))])
    expect(!isConnected)
  }

  @Test("a link that ends because of a wrong response accepts no more operations")
  func endingLink() {
    let central = ScriptedCentral<1>.connected()
    central.completesDisconnections = false
    central.peer = { _ in [[0x13]] }
    central.perform(.read(handle(7)))
    expect(central.commands.last, is: .disconnect)
    expect(!central.perform(.read(handle(7))))
    expect(central.pdus().count, is: 1)
  }

  @Test("an unexpected response is ignored")
  func unasked() {
    let central = ScriptedCentral<1>.connected()
    for row in validResponses { central.send(row.value.response) }
    central.send([0x21, 1, 0, 0x41])
    expect(central.takeEvents(), is: [])
    expect(central.connectionCount, is: 1)
    expect(central.pdus(), is: [])
  }

  @Test("a response before its request has been sent is ignored")
  func early() {
    let central = ScriptedCentral<1>.connected { $0.leBuffers = (27, 1) }
    central.peer = { _ in [[0x03, 0x05, 0x02]] }
    central.perform(.exchangeMTU)
    central.completesPackets = false
    // 4 (header) + 3 (opcode, handle) + 40 = 47 bytes: two packets for one buffer.
    central.perform(.write(handle(7), byteCount: 40), writing: letters)
    _ = central.takeEvents()
    central.send([0x13])
    expect(central.takeEvents(), is: [])
    central.completesPackets = true
    central.peer = { _ in [[0x13]] }
    central.receive(Events.completedPackets(of: central.lastHandle))
    expect(central.takeEvents().endings, is: [nil])
  }

  @Test(
    "a malformed response, or handles that do not advance, are an error",
    arguments: wrongResponses + misplaced)
  func wrong(operation: OperationCase) { operation.run() }

  @Test(
    "an invalid included service is an error",
    arguments: [
      // It ends before it begins, or begins at 0.
      [0x09, 6, 0x12, 0x00, 0x45, 0x00, 0x40, 0x00], [0x09, 6, 0x12, 0x00, 0x00, 0x00, 0x40, 0x00],
      // It has one byte of a UUID, or half a range.
      [0x09, 7, 0x12, 0x00, 0x40, 0x00, 0x45, 0x00, 0x0F], [0x09, 4, 0x12, 0x00, 0x40, 0x00],
      // It is outside of the service.
      [0x09, 6, 0x21, 0x00, 0x40, 0x00, 0x45, 0x00], [0x09, 6, 0x0F, 0x00, 0x40, 0x00, 0x45, 0x00],
    ] as [[UInt8]])
  func references(response: [UInt8]) {
    let (endings, _) = outcome(of: .discoverIncludedServices(range(0x10, 0x20)), [response])
    guard case .wrongResponse = endings.first else {
      Issue.record("\(endings)")
      return
    }
  }
}
