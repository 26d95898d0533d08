import BluetoothHost
import Testing

@testable import BluetoothCentral

/// An operation with a response that is right for its first request.
struct Exchange: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let operation: BluetoothCentral.Operation
  let response: [UInt8]

  init(_ name: String, _ operation: BluetoothCentral.Operation, _ response: [UInt8]) {
    testDescription = name
    self.operation = operation
    self.response = response
  }

  static let all = [
    Exchange("MTU", .exchangeMTU(.maximum), [0x03, 0x05, 0x02]),
    Exchange(
      "services", .discoverServices(nil), [0x11, 6, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x18]),
    Exchange(
      "services of one kind", .discoverServices(.genericAccessService),
      [0x07, 0x01, 0x00, 0xFF, 0xFF]),
    Exchange(
      "characteristics", .discoverCharacteristics(range(1, 3)),
      [0x09, 7, 0x02, 0x00, 0x02, 0x03, 0x00, 0x00, 0x2A]),
    Exchange(
      "descriptors", .discoverDescriptors(range(4, 4)), [0x05, 1, 0x04, 0x00, 0x02, 0x29]),
    Exchange("write", .write(AttributeHandle(rawValue: 7), [1]), [0x13]),
    Exchange("subscription", .subscribe(AttributeHandle(rawValue: 7), .none), [0x13]),
    Exchange("error", .read(AttributeHandle(rawValue: 7)), [0x01, 0x0A, 0x07, 0x00, 0x02]),
  ]
}

@Suite("Peers that lie")
struct LyingPeerTests {
  /// How an operation ended whose request is given this answer, and nothing after it.
  private func outcome(
    of operation: BluetoothCentral.Operation, _ answers: [[UInt8]]
  ) -> (Result<OperationOutput, OperationError>?, isConnected: Bool) {
    let (central, radio, link) = connectedCentral()
    var remaining = answers[...]
    radio.peer = { _ in remaining.popFirst().map { [$0] } ?? [] }
    let id = central.perform(operation, on: link)
    radio.run()
    var result: Result<OperationOutput, OperationError>?
    for case .completed(id, link, let outcome) in central.takeEvents() { result = outcome }
    return (result, !central.links.isEmpty)
  }

  @Test("a response cut short anywhere, or one byte too long, is a fault", arguments: Exchange.all)
  func truncated(exchange: Exchange) {
    let right = outcome(of: exchange.operation, [exchange.response])
    #expect(right.0 != nil)
    let lengths = Array(1..<exchange.response.count) + [exchange.response.count + 1]
    for length in lengths {
      let response = Array((exchange.response + [0]).prefix(length))
      let (result, isConnected) = outcome(of: exchange.operation, [response])
      let opcode = ATTOpcode(rawValue: exchange.response[0])
      #expect(result == .failure(.wrongResponse(.malformed(opcode))), "length \(length)")
      #expect(isConnected)
    }
  }

  @Test("an empty PDU is ignored", arguments: Exchange.all)
  func empty(exchange: Exchange) {
    #expect(outcome(of: exchange.operation, [[]]).0 == nil)
  }

  @Test("the answer to another question is a fault, and ends the link", arguments: Exchange.all)
  func unexpected(exchange: Exchange) {
    let (result, isConnected) = outcome(of: exchange.operation, [[0x0D, 1, 2, 3]])
    guard case .failure(.wrongResponse(.unexpected(.readBlobResponse, _))) = result else {
      Issue.record("\(String(describing: result))")
      return
    }
    #expect(!isConnected)
  }

  @Test("an error about another question is a fault, and ends the link")
  func unexpectedError() {
    let (result, isConnected) = outcome(
      of: .read(AttributeHandle(rawValue: 7)), [[0x01, 0x12, 7, 0, 0x0E]])
    #expect(
      result
        == .failure(.wrongResponse(.unexpected(.writeResponse, awaited: .readResponse))))
    #expect(!isConnected)
  }

  @Test("a response that nobody asked for is ignored")
  func unasked() {
    let (central, radio, _) = connectedCentral()
    for exchange in Exchange.all { radio.givePDU(exchange.response) }
    #expect(central.takeEvents() == [])
    #expect(central.links.count == 1)
  }

  @Test("services that do not advance are ended")
  func services() {
    let first: [UInt8] = [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18]
    for liar in [
      first,  // the same again
      [0x11, 6, 0x06, 0x00, 0x05, 0x00, 0x00, 0x18],  // ends before it begins
      [0x11, 6, 0x00, 0x00, 0x07, 0x00, 0x00, 0x18],  // handle 0
    ] as [[UInt8]] {
      let (result, _) = outcome(of: .discoverServices(nil), [first, liar])
      let start = AttributeHandle(rawValue: UInt16(liar[2]))
      #expect(result == .failure(.wrongResponse(.outOfOrder(start))))
    }
    let (result, _) = outcome(
      of: .discoverServices(.genericAccessService),
      [[0x07, 0x05, 0x00, 0x09, 0x00, 0x08, 0x00, 0x0A, 0x00]])
    #expect(result == .failure(.wrongResponse(.outOfOrder(AttributeHandle(rawValue: 8)))))
  }

  @Test("a service's UUID is of 2 or 16 bytes")
  func serviceUUID() {
    let (result, _) = outcome(
      of: .discoverServices(nil), [[0x11, 8, 0x01, 0x00, 0x05, 0x00, 1, 2, 3, 4]])
    #expect(result == .failure(.wrongResponse(.malformed(.readByGroupTypeResponse))))
  }

  @Test("characteristics that do not advance, or lie outside of their service, are ended")
  func characteristics() {
    for (declaration, value, culprit) in [
      (0x0F, 0x11, 0x0F),  // before the service
      (0x17, 0x18, 0x17),  // after it
      (0x11, 0x11, 0x11),  // its value is where its declaration is
      (0x11, 0x17, 0x17),  // its value is outside
      (0x00, 0x01, 0x00),
    ] as [(UInt8, UInt8, UInt16)] {
      let (result, _) = outcome(
        of: .discoverCharacteristics(range(0x10, 0x16)),
        [[0x09, 7, declaration, 0, 2, value, 0, 0, 0x2A]])
      #expect(
        result == .failure(.wrongResponse(.outOfOrder(AttributeHandle(rawValue: culprit)))))
    }
    let same: [UInt8] = [0x09, 7, 0x11, 0, 2, 0x12, 0, 0, 0x2A]
    let (result, _) = outcome(of: .discoverCharacteristics(range(0x10, 0x16)), [same, same])
    #expect(result == .failure(.wrongResponse(.outOfOrder(AttributeHandle(rawValue: 0x11)))))
  }

  @Test("descriptors that do not advance are ended")
  func descriptors() {
    let same: [UInt8] = [0x05, 1, 0x12, 0x00, 0x02, 0x29]
    let (result, _) = outcome(of: .discoverDescriptors(range(0x12, 0x16)), [same, same])
    #expect(result == .failure(.wrongResponse(.outOfOrder(AttributeHandle(rawValue: 0x12)))))
  }

  @Test("the last handle there is ends a discovery")
  func lastHandle() {
    let (result, _) = outcome(
      of: .discoverDescriptors(range(0xFFFF, 0xFFFF)), [[0x05, 1, 0xFF, 0xFF, 0x02, 0x29]])
    #expect(
      result
        == .success(
          .descriptors([
            RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: .last)
          ])))
  }
}
