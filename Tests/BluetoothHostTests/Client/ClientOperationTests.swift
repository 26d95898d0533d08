import BluetoothHost
import Testing

@Suite("Operations of a GATT client")
struct ClientOperationTests {
  @Test("agrees on the smaller MTU, at least 23")
  func exchangeMTU() {
    for (offered, agreed) in [(247, 247), (517, 517), (65_535, 517), (23, 23), (5, 23)] {
      let central = ScriptedCentral<1>.connected()
      central.peer = { _ in [[0x03] + Array(little: UInt16(offered))] }
      central.perform(.exchangeMTU)
      #expect(central.pdus == [[0x02, 0x05, 0x02]])
      #expect(central.takeEvents() == [.ended(.exchangeMTU, nil)])
      #expect(central.mtu == agreed)
    }
  }

  @Test("exchanges the MTU once on a link: Vol 3, Part F, 3.4.2.1")
  func oneExchange() {
    let central = ScriptedCentral<1>.connected()
    central.peer = { _ in [[0x03, 0x64, 0x00]] }
    central.perform(.exchangeMTU)
    central.perform(.exchangeMTU)
    #expect(central.pdus == [[0x02, 0x05, 0x02]])
    #expect(central.takeEvents() == [.ended(.exchangeMTU, nil), .ended(.exchangeMTU, nil)])
    #expect(central.mtu == 100)
  }

  @Test("offers the MTU of its configuration")
  func offeredMTU() throws {
    var configuration = HostConfiguration.central
    configuration.mtu = try #require(ATTMTU(64))
    let central = ScriptedCentral<1>.connected(configuration)
    central.peer = { _ in [[0x03, 0x05, 0x02]] }
    central.perform(.exchangeMTU)
    #expect(central.pdus == [[0x02, 64, 0x00]])
    #expect(central.mtu == 64)
    // The next link offers the same.
    central.receive(Events.disconnected(central.lastHandle, reason: 0x13))
    central.connect(to: .numbered(3))
    central.perform(.exchangeMTU)
    #expect(central.pdus == [[0x02, 64, 0x00], [0x02, 64, 0x00]])
  }

  @Test("keeps an MTU of 23 if the server does not support the exchange")
  func noExchange() {
    let central = ScriptedCentral<1>.connected()
    central.peer = { _ in [[0x01, 0x02, 0x00, 0x00, 0x06]] }
    central.perform(.exchangeMTU)
    #expect(central.takeEvents() == [.ended(.exchangeMTU, nil)])
    #expect(central.mtu == 23)
  }

  @Test("reads a long value part by part")
  func longRead() {
    let value = (0..<60).map { UInt8($0) }
    // 23 (MTU) − 1 (opcode) = 22 bytes a response; 60 = 22 + 22 + 16
    let (requests, events) = perform(
      .read(handle(7)),
      [[0x0B] + value[0..<22], [0x0D] + value[22..<44], [0x0D] + value[44..<60]])
    #expect(requests == [[0x0A, 7, 0], [0x0C, 7, 0, 22, 0], [0x0C, 7, 0, 44, 0]])
    #expect(events.value == value)
    #expect(events.endings == [nil])
  }

  @Test("a value may end with a full response", arguments: [0x07, 0x0B])
  func readEnd(code: UInt8) {
    let value = [UInt8](repeating: 0x41, count: 22)
    let (_, events) = perform(.read(handle(7)), [[0x0B] + value, [0x01, 0x0C, 7, 0, code]])
    #expect(events.value == value)
    #expect(events.endings == [nil])
  }

  @Test("an empty value has one empty part")
  func emptyRead() {
    #expect(
      perform(.read(handle(7)), [[0x0B]]).events == [
        .read([], from: 0), .ended(.read(handle(7)), nil),
      ])
  }

  @Test("a value of 512 bytes is whole; a longer one is an error")
  func longestRead() {
    // 517 (MTU) − 1 (opcode) = 516 bytes a response
    let whole = [UInt8](repeating: 0x41, count: 512)
    let read = perform(.read(handle(7)), [[0x0B] + whole], mtu: 517).events
    #expect(read.value == whole)
    #expect(read.endings == [nil])
    let long = perform(.read(handle(7)), [[0x0B] + whole + [0]], mtu: 517).events
    #expect(long.value == nil)
    #expect(long.endings == [.wrongResponse(.valueTooLong)])
  }

  @Test("reading a value of more than 512 bytes fails")
  func endlessRead() {
    let part = [UInt8](repeating: 0x41, count: 22)
    let responses = [[0x0B] + part] + [[UInt8]](repeating: [0x0D] + part, count: 100)
    let (requests, events) = perform(.read(handle(7)), responses)
    #expect(events.endings == [.wrongResponse(.valueTooLong)])
    // 24 × 22 = 528 > 512 bytes
    #expect(requests.count == 24)
  }

  @Test("reads the first value of a type, up to the end of one response")
  func readByUUID() {
    let (requests, events) = perform(
      .readByUUID(.deviceName), [[0x09, 4, 3, 0, 0x41, 0x42, 9, 0, 0x43, 0x44]])
    #expect(requests == [[0x08, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x2A]])
    #expect(events == [.read([0x41, 0x42], from: 0), .ended(.readByUUID(.deviceName), nil)])
  }

  @Test("reads several values at once", arguments: [(false, UInt8(0x0E)), (true, 0x20)])
  func readMultiple(isVariable: Bool, opcode: UInt8) {
    let operation = ClientOperation.readMultiple(byteCount: 4, isVariable: isVariable)
    let (requests, events) = perform(
      operation, writing: [3, 0, 9, 0], [[opcode + 1, 1, 0, 0x41, 1, 0, 0x42]])
    #expect(requests == [[opcode, 3, 0, 9, 0]])
    #expect(events == [.read([1, 0, 0x41, 1, 0, 0x42], from: 0), .ended(operation, nil)])
  }

  @Test("writes a short value in one request")
  func write() {
    let value = [UInt8](repeating: 0x41, count: 20)
    let (requests, events) = perform(
      .write(handle(7), byteCount: 20), writing: value, [[0x13]])
    #expect(requests == [[0x12, 7, 0] + value])
    #expect(events.endings == [nil])
    #expect(perform(.write(handle(7), byteCount: 0), [[0x13]]).requests == [[0x12, 7, 0]])
  }

  @Test("writes a long value with Prepare Write and Execute Write")
  func longWrite() {
    let value = (0..<40).map { UInt8($0) }
    // 23 (MTU) − 5 (opcode, handle, offset) = 18 bytes a part; 40 = 18 + 18 + 4
    let parts = [
      [7, 0, 0, 0] + value[0..<18], [7, 0, 18, 0] + value[18..<36], [7, 0, 36, 0] + value[36...],
    ]
    let (requests, events) = perform(
      .write(handle(7), byteCount: 40), writing: value, parts.map { [0x17] + $0 } + [[0x19]])
    #expect(requests == parts.map { [0x16] + $0 } + [[0x18, 1]])
    #expect(events.endings == [nil])
  }

  @Test("cancels a long write whose echo differs")
  func echoDiffers() {
    let value = [UInt8](repeating: 0x41, count: 40)
    let good: [UInt8] = [0x17, 7, 0, 0, 0] + value[0..<18]
    for index in 1..<good.count {
      var echo = good
      echo[index] ^= 0x80
      let (requests, events) = perform(
        .write(handle(7), byteCount: 40), writing: value, [echo, [0x19]])
      #expect(requests.last == [0x18, 0])
      #expect(events.endings == [.wrongResponse(.echoDiffers(offset: 0))])
    }
  }

  @Test("cancels a long write that is refused half-way")
  func longWriteRefused() {
    let value = [UInt8](repeating: 0x41, count: 40)
    let echo: [UInt8] = [0x17, 7, 0, 0, 0] + value[0..<18]
    let (requests, events) = perform(
      .write(handle(7), byteCount: 40), writing: value,
      [echo, [0x01, 0x16, 7, 0, 0x09], [0x19]])
    #expect(requests.last == [0x18, 0])
    #expect(events.endings == [.refused(0x16, 7, .prepareQueueFull)])
  }

  @Test(
    "reports why a long write was cancelled, whatever the server responds to that",
    arguments: [[0x19], [0x19, 0], [0x01, 0x18, 7, 0, 0x0E], [0x01, 0x18, 7]] as [[UInt8]])
  func cancelAnswered(response: [UInt8]) {
    let value = [UInt8](repeating: 0x41, count: 40)
    let (_, events) = perform(
      .write(handle(7), byteCount: 40), writing: value,
      [[0x17, 7, 0, 0, 0] + value[0..<17] + [0x42], response])
    #expect(events.endings == [.wrongResponse(.echoDiffers(offset: 0))])
  }

  @Test("a long write that is refused at once is not cancelled")
  func longWriteRefusedAtOnce() {
    let (requests, events) = perform(
      .write(handle(7), byteCount: 40), [[0x01, 0x16, 7, 0, 0x03]])
    #expect(requests.count == 1)
    #expect(events.endings == [.refused(0x16, 7, .writeNotPermitted)])
  }

  @Test("reports why a long write was not executed")
  func executeRefused() {
    let value = [UInt8](repeating: 0x41, count: 21)
    let (_, events) = perform(
      .write(handle(7), byteCount: 21), writing: value,
      [
        [0x17, 7, 0, 0, 0] + value[0..<18], [0x17, 7, 0, 18, 0] + value[18...],
        [0x01, 0x18, 7, 0, 0x0E],
      ])
    #expect(events.endings == [.refused(0x18, 7, .unlikelyError)])
  }

  @Test("refuses values that are too long")
  func tooLong() {
    for (operation, limit) in [
      (ClientOperation.write(handle(7), byteCount: 513), 512),
      // 23 (MTU) − 3 (opcode, handle)
      (.writeWithoutResponse(handle(7), byteCount: 21), 20),
      // 23 (MTU) − 1 (opcode)
      (.readMultiple(byteCount: 24, isVariable: false), 22),
    ] {
      let (requests, events) = perform(operation, [])
      #expect(requests == [])
      #expect(events == [.ended(operation, .tooLong(limit: limit))])
    }
  }

  @Test("refuses impossible operations, and a second operation at once")
  func impossible() {
    let central = ScriptedCentral<1>.connected()
    for operation: ClientOperation in [
      .write(handle(7), byteCount: -1), .writeWithoutResponse(handle(7), byteCount: -1),
      .readMultiple(byteCount: 2, isVariable: true), .readMultiple(byteCount: 5, isVariable: true),
    ] {
      #expect(!central.perform(operation))
    }
    #expect(central.perform(.read(handle(7))))
    #expect(!central.perform(.read(handle(8))))
    #expect(!central.perform(.read(handle(8)), at: 1))
    #expect(!central.perform(.read(handle(8)), at: -1))
    #expect(central.pdus == [[0x0A, 7, 0]])
    #expect(central.takeEvents() == [])
    central.send([0x0B, 1])
    #expect(central.perform(.read(handle(8))))
  }

  @Test("writes without response, and does not wait")
  func command() {
    let (requests, events) = perform(
      .writeWithoutResponse(handle(7), byteCount: 2), writing: [1, 2], [])
    #expect(requests == [[0x52, 7, 0, 1, 2]])
    #expect(events.endings == [nil])
  }

  @Test("subscribes by writing the configuration")
  func subscribe() {
    for (configuration, value) in [
      (ClientConfiguration.notification, UInt8(1)), (.indication, 2), (.none, 0),
    ] {
      let (requests, events) = perform(.subscribe(handle(9), configuration), [[0x13]])
      #expect(requests == [[0x12, 9, 0, value, 0]])
      #expect(events.endings == [nil])
    }
  }

  @Test("reports the server's error")
  func refused() {
    let operations: [(ClientOperation, UInt8)] = [
      (.exchangeMTU, 0x02), (.discoverServices, 0x10),
      (.discoverServicesByUUID(.genericAccessService), 0x06),
      (.discoverIncludedServices(range(1, 9)), 0x08),
      (.discoverCharacteristics(range(1, 9)), 0x08), (.discoverDescriptors(range(1, 9)), 0x04),
      (.read(handle(7)), 0x0A), (.readByUUID(.deviceName), 0x08),
      (.readMultiple(byteCount: 4, isVariable: false), 0x0E),
      (.readMultiple(byteCount: 4, isVariable: true), 0x20),
      (.write(handle(7), byteCount: 0), 0x12), (.subscribe(handle(7), .none), 0x12),
    ]
    for (operation, opcode) in operations {
      let (_, events) = perform(operation, [[0x01, opcode, 7, 0, 0x05]])
      #expect(events == [.ended(operation, .refused(opcode, 7, .insufficientAuthentication))])
    }
  }
}

extension OperationError {
  static func refused(
    _ request: UInt8, _ handle: UInt16, _ code: ATTErrorCode
  ) -> OperationError {
    .refused(
      ErrorResponse(
        request: ATTOpcode(rawValue: request), handle: AttributeHandle(rawValue: handle),
        code: code))
  }
}
