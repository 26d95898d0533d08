import BluetoothHost
import Expectations

/// An operation, and a valid response to its first request.
private struct ValidResponse: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let operation: ClientOperation
  let response: [UInt8]
  /// The other lengths at which the response is valid.
  let validLengths: Set<Int>

  init(
    _ name: String, _ operation: ClientOperation, _ response: [UInt8], validLengths: Set<Int> = []
  ) {
    testDescription = name
    self.operation = operation
    self.response = response
    self.validLengths = validLengths
  }

  static let all = [
    ValidResponse("MTU", .exchangeMTU, [0x03, 0x05, 0x02]),
    ValidResponse("services", .discoverServices, [0x11, 6, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x18]),
    ValidResponse(
      "services of one kind", .discoverServicesByUUID(.genericAccessService),
      [0x07, 0x01, 0x00, 0xFF, 0xFF]),
    ValidResponse(
      "included services", .discoverIncludedServices(range(0x11, 0x11)),
      [0x09, 8, 0x11, 0x00, 0x30, 0x00, 0x35, 0x00, 0x0A, 0x18]),
    ValidResponse(
      "characteristics", .discoverCharacteristics(range(1, 3)),
      [0x09, 7, 0x02, 0x00, 0x02, 0x03, 0x00, 0x00, 0x2A]),
    ValidResponse(
      "descriptors", .discoverDescriptors(range(4, 4)), [0x05, 1, 0x04, 0x00, 0x02, 0x29]),
    ValidResponse("value of a type", .readByUUID(.deviceName), [0x09, 3, 0x03, 0x00, 0x41]),
    ValidResponse("write", .write(handle(7), byteCount: 1), [0x13]),
    ValidResponse("subscription", .subscribe(handle(7), .none), [0x13]),
    ValidResponse("error", .read(handle(7)), [0x01, 0x0A, 0x07, 0x00, 0x02]),
    // A value can have each of these lengths.
    ValidResponse("value", .read(handle(7)), [0x0B, 1, 2, 3], validLengths: [1, 2, 3, 5]),
    ValidResponse(
      "several values", .readMultiple(byteCount: 4, isVariable: false), [0x0F, 1, 2],
      validLengths: [1, 2, 4]),
  ]
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

  @Test("a response of a wrong length is an error", arguments: ValidResponse.all)
  private func truncated(valid: ValidResponse) {
    expect(outcome(of: valid.operation, [valid.response]).endings.count, is: 1)
    for length in Array(1..<valid.response.count) + [valid.response.count + 1] {
      let response = Array((valid.response + [0]).prefix(length))
      let (endings, isConnected) = outcome(of: valid.operation, [response])
      let opcode = ATTOpcode(rawValue: valid.response[0])
      let expected: OperationError? =
        valid.validLengths.contains(length) ? nil : .wrongResponse(.malformed(opcode))
      expect(endings, is: [expected], "length \(length)")
      expect(isConnected)
    }
  }

  @Test("a Prepare Write Response of a wrong length cancels the long write")
  func truncatedEcho() {
    let echo: [UInt8] = [0x17, 7, 0, 0, 0] + [UInt8](repeating: 0x41, count: 18)
    for length in 1..<echo.count + 2 where length != echo.count {
      let central = ScriptedCentral<1>.connected()
      central.respond(with: [Array((echo + [0]).prefix(length)), [0x19]])
      central.perform(
        .write(handle(7), byteCount: 40), writing: [UInt8](repeating: 0x41, count: 40))
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
    let value = [UInt8](repeating: 0x41, count: 40)
    central.respond(with: [
      [0x17, 7, 0, 0, 0] + value[0..<18], [0x01, 0x16, 7], [0x01, 0x18],
    ])
    central.perform(.write(handle(7), byteCount: 40), writing: value)
    expect(central.pdus().last, is: [0x18, 0])
    expect(central.takeEvents().endings, is: [.wrongResponse(.malformed(.errorResponse))])
  }

  @Test("a response to Execute Write with a parameter is an error")
  func longExecution() {
    let value = [UInt8](repeating: 0x41, count: 21)
    let parts: [[UInt8]] = [
      [0x17, 7, 0, 0, 0] + value[..<18], [0x17, 7, 0, 18, 0] + value[18...],
    ]
    let (endings, _) = outcome(
      of: .write(handle(7), byteCount: 21), parts + [[0x19, 0]], writing: value)
    expect(endings, is: [.wrongResponse(.malformed(.executeWriteResponse))])
  }

  @Test("an empty PDU is ignored", arguments: ValidResponse.all)
  private func empty(valid: ValidResponse) {
    expect(outcome(of: valid.operation, [[]]).endings.isEmpty)
  }

  @Test(
    "the response to another request is an error, and ends the link", arguments: ValidResponse.all)
  private func unexpected(valid: ValidResponse) {
    let (endings, isConnected) = outcome(of: valid.operation, [[0x0D, 1, 2, 3]])
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
    for valid in ValidResponse.all { central.send(valid.response) }
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
    central.perform(.write(handle(7), byteCount: 40), writing: [UInt8](repeating: 0x41, count: 40))
    _ = central.takeEvents()
    central.send([0x13])
    expect(central.takeEvents(), is: [])
    central.completesPackets = true
    central.peer = { _ in [[0x13]] }
    central.receive(Events.completedPackets(of: central.lastHandle))
    expect(central.takeEvents().endings, is: [nil])
  }

  @Test("a discovery of services ends if the handles do not advance")
  func services() {
    let first: [UInt8] = [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18]
    for wrong in [
      first,  // the same again
      [0x11, 6, 0x06, 0x00, 0x05, 0x00, 0x00, 0x18],  // ends before it begins
      [0x11, 6, 0x00, 0x00, 0x07, 0x00, 0x00, 0x18],  // handle 0
    ] as [[UInt8]] {
      let (endings, _) = outcome(of: .discoverServices, [first, wrong])
      expect(endings, is: [.wrongResponse(.outOfOrder(handle(UInt16(wrong[2]))))])
    }
    let (endings, _) = outcome(
      of: .discoverServicesByUUID(.genericAccessService),
      [[0x07, 0x05, 0x00, 0x09, 0x00, 0x08, 0x00, 0x0A, 0x00]])
    expect(endings, is: [.wrongResponse(.outOfOrder(handle(8)))])
  }

  @Test("a service's UUID has 2 or 16 bytes")
  func serviceUUID() {
    let (endings, _) = outcome(
      of: .discoverServices, [[0x11, 8, 0x01, 0x00, 0x05, 0x00, 1, 2, 3, 4]])
    expect(endings, is: [.wrongResponse(.malformed(.readByGroupTypeResponse))])
  }

  @Test(
    "a discovery of characteristics ends if the handles do not advance, or lie outside the service")
  func characteristics() {
    for (declaration, value, culprit) in [
      (0x0F, 0x11, 0x0F),  // before the service
      (0x17, 0x18, 0x17),  // after it
      (0x11, 0x11, 0x11),  // its value is where its declaration is
      (0x11, 0x17, 0x17),  // its value is outside
      (0x16, 0x16, 0x16),  // its declaration is at the end
      (0x00, 0x01, 0x00),
    ] as [(UInt8, UInt8, UInt16)] {
      let (endings, _) = outcome(
        of: .discoverCharacteristics(range(0x10, 0x16)),
        [[0x09, 7, declaration, 0, 2, value, 0, 0, 0x2A]])
      expect(endings, is: [.wrongResponse(.outOfOrder(handle(culprit)))])
    }
    let same: [UInt8] = [0x09, 7, 0x11, 0, 2, 0x12, 0, 0, 0x2A]
    let (endings, _) = outcome(of: .discoverCharacteristics(range(0x10, 0x16)), [same, same])
    expect(endings, is: [.wrongResponse(.outOfOrder(handle(0x11)))])
    // No handle is left for a value after 0xFFFF.
    let (last, _) = outcome(
      of: .discoverCharacteristics(range(0x10, 0xFFFF)), [[0x09, 7, 0xFF, 0xFF, 2, 0, 0, 0, 0x2A]])
    expect(last, is: [.wrongResponse(.outOfOrder(.none))])
  }

  @Test("a discovery of descriptors ends if the handles do not advance")
  func descriptors() {
    let same: [UInt8] = [0x05, 1, 0x12, 0x00, 0x02, 0x29]
    let (endings, _) = outcome(of: .discoverDescriptors(range(0x12, 0x16)), [same, same])
    expect(endings, is: [.wrongResponse(.outOfOrder(handle(0x12)))])
  }

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

  @Test("handle 0xFFFF ends a discovery")
  func lastHandle() {
    let (requests, events) = perform(
      .discoverDescriptors(range(0xFFFF, 0xFFFF)), [[0x05, 1, 0xFF, 0xFF, 0x02, 0x29]])
    expect(requests.count, is: 1)
    expect(
      events.descriptors,
      is: [
        RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: .last)
      ])
    expect(events.endings, is: [nil])
  }
}
