import BluetoothHost
import Testing

@testable import CoreBluetooth

/// How operations are carried out by the host's, and what is made of what the host finds.
@Suite("Operations on a link")
struct OperationTests {
  @Test("agrees on the smaller MTU, and never on less than 23")
  func exchangeMTU() {
    for (offered, agreed) in [(247, 247), (517, 517), (65_535, 517), (23, 23), (5, 23)] {
      let response = [0x03] + ScriptedRadio.little(UInt16(offered))
      let (requests, outcome) = perform(.exchangeMTU, [response])
      #expect(requests == [[0x02, 0x05, 0x02]])
      #expect(outcome == ATTMTU(agreed).map { .success(.mtu($0)) })
    }
  }

  @Test("finds all services, in as many requests as it takes")
  func allServices() {
    let (requests, outcome) = perform(
      .discoverServices(nil),
      [
        [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18, 0x06, 0x00, 0x09, 0x00, 0x01, 0x18],
        [0x11, 20, 0x10, 0x00, 0xFF, 0xFF]
          + [UInt8].written(upTo: 16) { longService.write(to: &$0) },
      ])
    #expect(
      requests == [
        [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], [0x10, 0x0A, 0x00, 0xFF, 0xFF, 0x00, 0x28],
      ])
    #expect(
      outcome
        == .success(
          .services([
            FoundService(uuid: .genericAccessService, range: range(1, 5)),
            FoundService(uuid: .genericAttributeService, range: range(6, 9)),
            FoundService(uuid: longService, range: range(0x10, 0xFFFF)),
          ])))
  }

  @Test("finds the services of one kind")
  func servicesByUUID() {
    let (requests, outcome) = perform(
      .discoverServices(BluetoothUUID(0x180A)),
      [[0x07, 0x10, 0x00, 0x15, 0x00], [0x01, 0x06, 0x16, 0x00, 0x0A]])
    #expect(
      requests == [
        [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0A, 0x18],
        [0x06, 0x16, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0A, 0x18],
      ])
    #expect(
      outcome
        == .success(
          .services([FoundService(uuid: BluetoothUUID(0x180A), range: range(0x10, 0x15))])))
  }

  @Test("finds characteristics, and where each of them ends")
  func characteristics() {
    let (requests, outcome) = perform(
      .discoverCharacteristics(range(0x10, 0x16)),
      [
        [0x09, 7, 0x11, 0x00, 0x02, 0x12, 0x00, 0x00, 0x2A],
        [0x09, 7, 0x14, 0x00, 0x12, 0x15, 0x00, 0x01, 0x2A],
        [0x01, 0x08, 0x16, 0x00, 0x0A],
      ])
    #expect(
      requests.map { Array($0[1...4]) } == [
        [0x10, 0x00, 0x16, 0x00], [0x13, 0x00, 0x16, 0x00], [0x16, 0x00, 0x16, 0x00],
      ])
    let name = FoundCharacteristic(
      uuid: .deviceName, properties: .read, declaration: handle(0x11), value: handle(0x12),
      end: handle(0x13))
    let appearance = FoundCharacteristic(
      uuid: .appearance, properties: .read | .notify, declaration: handle(0x14),
      value: handle(0x15), end: handle(0x16))
    #expect(outcome == .success(.characteristics([name, appearance])))
    #expect(name.descriptorRange == range(0x13, 0x13))
    #expect(appearance.descriptorRange == range(0x16, 0x16))
  }

  @Test("finds descriptors; a range of none takes no request")
  func descriptors() {
    let (requests, outcome) = perform(
      .discoverDescriptors(range(0x13, 0x14)),
      [[0x05, 1, 0x13, 0x00, 0x02, 0x29, 0x14, 0x00, 0x01, 0x29]])
    #expect(requests == [[0x04, 0x13, 0x00, 0x14, 0x00]])
    #expect(
      outcome
        == .success(
          .descriptors([
            RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: handle(0x13)),
            RemoteDescriptor(uuid: .characteristicUserDescription, handle: handle(0x14)),
          ])))
    let none = perform(.discoverDescriptors(range(5, 4)), [])
    #expect(none.requests == [])
    #expect(none.outcome == .success(.descriptors([])))
  }

  @Test("reads a long value part by part")
  func longRead() {
    let value = (0..<60).map { UInt8($0) }
    // 23 (MTU) − 1 (opcode) = 22 bytes a response; 60 = 22 + 22 + 16
    let (requests, outcome) = perform(
      .read(handle(7)),
      [[0x0B] + value[0..<22], [0x0D] + value[22..<44], [0x0D] + value[44..<60]])
    #expect(
      requests == [[0x0A, 7, 0], [0x0C, 7, 0, 22, 0], [0x0C, 7, 0, 44, 0]])
    #expect(outcome == .success(.value(value)))
  }

  @Test("prepares what does not fit, and executes it")
  func longWrite() {
    let value = (0..<40).map { UInt8($0) }
    // 23 (MTU) − 5 (opcode, handle, offset) = 18 bytes a part; 40 = 18 + 18 + 4
    let parts = [
      [7, 0, 0, 0] + value[0..<18], [7, 0, 18, 0] + value[18..<36], [7, 0, 36, 0] + value[36...],
    ]
    let (requests, outcome) = perform(
      .write(handle(7), value), parts.map { [0x17] + $0 } + [[0x19]])
    #expect(requests == parts.map { [0x16] + $0 } + [[0x18, 1]])
    #expect(outcome == .success(.written))
  }

  @Test("sends nothing that is too long")
  func tooLong() {
    let write = perform(.write(handle(7), [UInt8](repeating: 0, count: 513)), [])
    #expect(write.requests == [])
    #expect(write.outcome == .failure(.tooLong(limit: 512)))
    let command = perform(.writeWithoutResponse(handle(7), [UInt8](repeating: 0, count: 21)), [])
    #expect(command.requests == [])
    #expect(command.outcome == .failure(.tooLong(limit: 20)))
  }

  @Test("writes without response, and does not wait")
  func command() {
    let (requests, outcome) = perform(.writeWithoutResponse(handle(7), [1, 2]), [])
    #expect(requests == [[0x52, 7, 0, 1, 2]])
    #expect(outcome == .success(.written))
  }

  @Test("subscribes by writing the configuration")
  func subscribe() {
    for (configuration, value) in [
      (ClientConfiguration.notification, UInt8(1)), (.indication, 2), (.none, 0),
    ] {
      let (requests, outcome) = perform(.subscribe(handle(9), configuration), [[0x13]])
      #expect(requests == [[0x12, 9, 0, value, 0]])
      #expect(outcome == .success(.written))
    }
  }

  @Test("passes on why a server refused")
  func refused() {
    let operations: [(CentralOperation, UInt8)] = [
      (.exchangeMTU, 0x02), (.discoverServices(nil), 0x10),
      (.discoverServices(.genericAccessService), 0x06),
      (.discoverCharacteristics(range(1, 9)), 0x08), (.discoverDescriptors(range(1, 9)), 0x04),
      (.read(handle(7)), 0x0A), (.write(handle(7), []), 0x12), (.subscribe(handle(7), .none), 0x12),
    ]
    for (operation, opcode) in operations {
      let (_, outcome) = perform(operation, [[0x01, opcode, 7, 0, 0x05]])
      #expect(outcome?.error == .refused(opcode, 7, .insufficientAuthentication))
    }
  }

  @Test("operations are carried out in order, one request at a time")
  func order() {
    let (central, radio, link) = connectedDevice()
    var requests: [[UInt8]] = []
    radio.peer = {
      requests.append($0)
      return []
    }
    let ids = (1...3).map { central.perform(.read(handle($0)), on: link) }
    radio.run()
    for number in 1...3 as ClosedRange<UInt8> {
      #expect(requests.count == Int(number))
      radio.givePDU([0x0B, number])
    }
    #expect(
      radio.takeEvents()
        == zip(ids, 1...3).map { .completed($0, link, .success(.value([$1]))) })
  }
}

extension Result<OperationOutput, OperationError> {
  fileprivate var error: OperationError? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension OperationError {
  fileprivate static func refused(
    _ request: UInt8, _ handle: UInt16, _ code: ATTErrorCode
  ) -> OperationError {
    .refused(
      ErrorResponse(
        request: ATTOpcode(rawValue: request), handle: AttributeHandle(rawValue: handle),
        code: code))
  }
}
