import BluetoothHost
import Testing

/// An operation with a response that is right for its first request.
private struct Answered: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let operation: ClientOperation
  let response: [UInt8]
  /// The lengths at which a shorter response is right too.
  let rightLengths: Set<Int>

  init(
    _ name: String, _ operation: ClientOperation, _ response: [UInt8], rightLengths: Set<Int> = []
  ) {
    testDescription = name
    self.operation = operation
    self.response = response
    self.rightLengths = rightLengths
  }

  static let all = [
    Answered("MTU", .exchangeMTU, [0x03, 0x05, 0x02]),
    Answered("services", .discoverServices, [0x11, 6, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x18]),
    Answered(
      "services of one kind", .discoverServicesByUUID(.genericAccessService),
      [0x07, 0x01, 0x00, 0xFF, 0xFF]),
    Answered(
      "included services", .discoverIncludedServices(range(0x11, 0x11)),
      [0x09, 8, 0x11, 0x00, 0x30, 0x00, 0x35, 0x00, 0x0A, 0x18]),
    Answered(
      "characteristics", .discoverCharacteristics(range(1, 3)),
      [0x09, 7, 0x02, 0x00, 0x02, 0x03, 0x00, 0x00, 0x2A]),
    Answered(
      "descriptors", .discoverDescriptors(range(4, 4)), [0x05, 1, 0x04, 0x00, 0x02, 0x29]),
    Answered("value of a type", .readByUUID(.deviceName), [0x09, 3, 0x03, 0x00, 0x41]),
    Answered("write", .write(handle(7), byteCount: 1), [0x13]),
    Answered("subscription", .subscribe(handle(7), .none), [0x13]),
    Answered("error", .read(handle(7)), [0x01, 0x0A, 0x07, 0x00, 0x02]),
    // Each length up to the whole value is that of some value.
    Answered("value", .read(handle(7)), [0x0B, 1, 2, 3], rightLengths: [1, 2, 3, 5]),
    Answered(
      "several values", .readMultiple(byteCount: 4, isVariable: false), [0x0F, 1, 2],
      rightLengths: [1, 2, 4]),
  ]
}

@Suite("Servers that lie")
struct LyingServerTests {
  /// How an operation ended whose requests get these responses, and nothing after them.
  private func outcome(
    of operation: ClientOperation, _ responses: [[UInt8]], writing value: [UInt8] = [0x41]
  ) -> (endings: [OperationError?], isConnected: Bool) {
    let central = ScriptedCentral<1>.connected()
    var remaining = responses[...]
    central.peer = { _ in remaining.popFirst().map { [$0] } ?? [] }
    central.perform(operation, writing: value)
    return (central.takeEvents().endings, central.connectionCount > 0)
  }

  @Test("a response cut short anywhere, or one byte too long, is an error", arguments: Answered.all)
  private func truncated(answered: Answered) {
    #expect(outcome(of: answered.operation, [answered.response]).endings.count == 1)
    for length in Array(1..<answered.response.count) + [answered.response.count + 1] {
      let response = Array((answered.response + [0]).prefix(length))
      let (endings, isConnected) = outcome(of: answered.operation, [response])
      let opcode = ATTOpcode(rawValue: answered.response[0])
      let expected: OperationError? =
        answered.rightLengths.contains(length) ? nil : .wrongResponse(.malformed(opcode))
      #expect(endings == [expected], "length \(length)")
      #expect(isConnected)
    }
  }

  @Test("a response to a part that is cut short anywhere cancels the long write")
  func truncatedEcho() {
    let echo: [UInt8] = [0x17, 7, 0, 0, 0] + [UInt8](repeating: 0x41, count: 18)
    for length in 1..<echo.count + 2 where length != echo.count {
      let central = ScriptedCentral<1>.connected()
      let responses: [[UInt8]] = [Array((echo + [0]).prefix(length)), [0x19]]
      var remaining = responses[...]
      central.peer = { _ in remaining.popFirst().map { [$0] } ?? [] }
      central.perform(
        .write(handle(7), byteCount: 40), writing: [UInt8](repeating: 0x41, count: 40))
      #expect(central.pdus.last == [0x18, 0])
      let fault: ResponseFault =
        length < 5 ? .malformed(.prepareWriteResponse) : .echoDiffers(offset: 0)
      #expect(central.takeEvents().endings == [.wrongResponse(fault)], "length \(length)")
    }
  }

  /// An Error Response is malformed while parts of a value are prepared: the next long write would
  /// write them too, if the server kept them.
  @Test("a malformed error cancels a long write")
  func malformedErrorInLongWrite() {
    let central = ScriptedCentral<1>.connected()
    let value = [UInt8](repeating: 0x41, count: 40)
    let responses: [[UInt8]] = [
      [0x17, 7, 0, 0, 0] + value[0..<18], [0x01, 0x16, 7], [0x01, 0x18],
    ]
    var remaining = responses[...]
    central.peer = { _ in remaining.popFirst().map { [$0] } ?? [] }
    central.perform(.write(handle(7), byteCount: 40), writing: value)
    #expect(central.pdus.last == [0x18, 0])
    #expect(central.takeEvents().endings == [.wrongResponse(.malformed(.errorResponse))])
  }

  @Test("a response to Execute Write with a parameter is an error")
  func longExecution() {
    let value = [UInt8](repeating: 0x41, count: 21)
    let parts: [[UInt8]] = [
      [0x17, 7, 0, 0, 0] + value[..<18], [0x17, 7, 0, 18, 0] + value[18...],
    ]
    let (endings, _) = outcome(
      of: .write(handle(7), byteCount: 21), parts + [[0x19, 0]], writing: value)
    #expect(endings == [.wrongResponse(.malformed(.executeWriteResponse))])
  }

  @Test("an empty PDU is ignored", arguments: Answered.all)
  private func empty(answered: Answered) {
    #expect(outcome(of: answered.operation, [[]]).endings.isEmpty)
  }

  @Test("the response to another request is an error, and ends the link", arguments: Answered.all)
  private func unexpected(answered: Answered) {
    let (endings, isConnected) = outcome(of: answered.operation, [[0x0D, 1, 2, 3]])
    guard case .wrongResponse(.unexpected(.readBlobResponse, _)) = endings.first else {
      Issue.record("\(endings)")
      return
    }
    #expect(endings.count == 1)
    #expect(!isConnected)
  }

  @Test("an error about another request is an error, and ends the link")
  func unexpectedError() {
    let (endings, isConnected) = outcome(of: .read(handle(7)), [[0x01, 0x12, 7, 0, 0x0E]])
    #expect(
      endings == [.wrongResponse(.unexpected(.writeResponse, awaited: .readResponse))])
    #expect(!isConnected)
  }

  @Test("a link that ends for a wrong response takes no more operations")
  func endingLink() {
    let central = ScriptedCentral<1>.connected()
    central.script = { opcode, _ in opcode == .disconnect ? [Events.status(opcode)] : nil }
    central.peer = { _ in [[0x13]] }
    central.perform(.read(handle(7)))
    #expect(central.commands.last == .disconnect)
    #expect(!central.perform(.read(handle(7))))
    #expect(central.pdus.count == 1)
  }

  @Test("a response that nothing waits for is ignored")
  func unasked() {
    let central = ScriptedCentral<1>.connected()
    for answered in Answered.all { central.send(answered.response) }
    central.send([0x21, 1, 0, 0x41])
    #expect(central.takeEvents() == [])
    #expect(central.connectionCount == 1)
    #expect(central.pdus == [])
  }

  @Test("a response that comes before its request has left is ignored")
  func early() {
    let central = ScriptedCentral<1>.connected { $0.buffers = (27, 1) }
    central.completesPackets = false
    // 4 (header) + 3 (opcode, handle) + 20 = 27 + … : two packets, and room for one.
    central.peer = { _ in [[0x03, 0x05, 0x02]] }
    central.completesPackets = true
    central.perform(.exchangeMTU)
    central.completesPackets = false
    central.perform(
      .write(handle(7), byteCount: 40), writing: [UInt8](repeating: 0x41, count: 40))
    _ = central.takeEvents()
    central.send([0x13])
    #expect(central.takeEvents() == [])
    central.completesPackets = true
    central.peer = { _ in [[0x13]] }
    central.receive(Events.completedPackets(of: central.lastHandle))
    #expect(central.takeEvents().endings == [nil])
  }

  @Test("services that do not advance are ended")
  func services() {
    let first: [UInt8] = [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18]
    for liar in [
      first,  // the same again
      [0x11, 6, 0x06, 0x00, 0x05, 0x00, 0x00, 0x18],  // ends before it begins
      [0x11, 6, 0x00, 0x00, 0x07, 0x00, 0x00, 0x18],  // handle 0
    ] as [[UInt8]] {
      let (endings, _) = outcome(of: .discoverServices, [first, liar])
      #expect(endings == [.wrongResponse(.outOfOrder(handle(UInt16(liar[2]))))])
    }
    let (endings, _) = outcome(
      of: .discoverServicesByUUID(.genericAccessService),
      [[0x07, 0x05, 0x00, 0x09, 0x00, 0x08, 0x00, 0x0A, 0x00]])
    #expect(endings == [.wrongResponse(.outOfOrder(handle(8)))])
  }

  @Test("a service's UUID is of 2 or 16 bytes")
  func serviceUUID() {
    let (endings, _) = outcome(
      of: .discoverServices, [[0x11, 8, 0x01, 0x00, 0x05, 0x00, 1, 2, 3, 4]])
    #expect(endings == [.wrongResponse(.malformed(.readByGroupTypeResponse))])
  }

  @Test("characteristics that do not advance, or lie outside of their service, are ended")
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
      #expect(endings == [.wrongResponse(.outOfOrder(handle(culprit)))])
    }
    let same: [UInt8] = [0x09, 7, 0x11, 0, 2, 0x12, 0, 0, 0x2A]
    let (endings, _) = outcome(of: .discoverCharacteristics(range(0x10, 0x16)), [same, same])
    #expect(endings == [.wrongResponse(.outOfOrder(handle(0x11)))])
    // At the last handle of all there is no room for a value.
    let (last, _) = outcome(
      of: .discoverCharacteristics(range(0x10, 0xFFFF)),
      [[0x09, 7, 0xFF, 0xFF, 2, 0, 0, 0, 0x2A]])
    #expect(last == [.wrongResponse(.outOfOrder(.none))])
  }

  @Test("descriptors that do not advance are ended")
  func descriptors() {
    let same: [UInt8] = [0x05, 1, 0x12, 0x00, 0x02, 0x29]
    let (endings, _) = outcome(of: .discoverDescriptors(range(0x12, 0x16)), [same, same])
    #expect(endings == [.wrongResponse(.outOfOrder(handle(0x12)))])
  }

  @Test(
    "a reference that makes no sense is an error",
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

  @Test("the last handle of all ends a discovery")
  func lastHandle() {
    let (requests, events) = perform(
      .discoverDescriptors(range(0xFFFF, 0xFFFF)), [[0x05, 1, 0xFF, 0xFF, 0x02, 0x29]])
    #expect(requests.count == 1)
    #expect(
      events.descriptors == [
        RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: .last)
      ])
    #expect(events.endings == [nil])
  }
}
