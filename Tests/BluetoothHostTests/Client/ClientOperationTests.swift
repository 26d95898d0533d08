import BluetoothHost
import Expectations

/// An operation, a server's responses to its requests, and what follows.
struct OperationCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let operation: ClientOperation
  let value: [UInt8]
  let mtu: UInt16?
  let responses: [[UInt8]]
  /// `nil` to check only how the operation ends.
  let requests: [[UInt8]]?
  let results: [Collector.Event]?
  let error: OperationError?

  init(
    _ label: String, _ operation: ClientOperation, writing value: [UInt8] = [], mtu: UInt16? = nil,
    gets responses: [[UInt8]], sends requests: [[UInt8]]? = nil,
    finds results: [Collector.Event]? = nil, fails error: OperationError? = nil
  ) {
    testDescription = label
    self.operation = operation
    self.value = value
    self.mtu = mtu
    self.responses = responses
    self.requests = requests
    self.results = results
    self.error = error
  }

  func run() {
    let (sent, events) = perform(operation, writing: value, responses, mtu: mtu)
    if let requests { expect(sent, is: requests) }
    if let results { expect(events.dropLast(), is: results[...]) }
    expect(events.last, is: .ended(operation, error))
    expect(events.endings.count, is: 1)
  }
}

private let seven = handle(7)
private let long = [UInt8](counting: 60)
private let letters = [UInt8](repeating: 0x41, count: 512)
private let echo: [UInt8] = [0x17, 7, 0, 0, 0] + letters[..<18]

private let discoveries: [OperationCase] = [
  OperationCase(
    "all services, in several requests", .discoverServices,
    gets: [
      [0x11, 6, 0x01, 0x00, 0x05, 0x00, 0x00, 0x18, 0x06, 0x00, 0x09, 0x00, 0x01, 0x18],
      [0x11, 20, 0x10, 0x00, 0xFF, 0xFF] + testServiceBytes,
    ],
    sends: [
      [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], [0x10, 0x0A, 0x00, 0xFF, 0xFF, 0x00, 0x28],
    ],
    finds: [
      .service(RemoteService(uuid: .genericAccessService, range: range(1, 5))),
      .service(RemoteService(uuid: .genericAttributeService, range: range(6, 9))),
      .service(RemoteService(uuid: .testService, range: range(0x10, 0xFFFF))),
    ]),
  OperationCase(
    "services by a UUID of 16 bits", .discoverServicesByUUID(BluetoothUUID(0x180A)),
    gets: [[0x07, 0x10, 0x00, 0x15, 0x00], [0x01, 0x06, 0x16, 0x00, 0x0A]],
    sends: [
      [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0A, 0x18],
      [0x06, 0x16, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x0A, 0x18],
    ],
    finds: [.service(RemoteService(uuid: BluetoothUUID(0x180A), range: range(0x10, 0x15)))]),
  OperationCase(
    "services by a UUID of 128 bits", .discoverServicesByUUID(.testService),
    gets: [[0x07, 0x10, 0x00, 0xFF, 0xFF]],
    sends: [[0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + testServiceBytes]),
  OperationCase(
    "included services, without their UUID if it has 128 bits",
    .discoverIncludedServices(range(0x10, 0x20)),
    gets: [
      [0x09, 8, 0x11, 0x00, 0x30, 0x00, 0x35, 0x00, 0x0A, 0x18],
      [0x09, 6, 0x12, 0x00, 0x40, 0x00, 0x45, 0x00], [0x01, 0x08, 0x13, 0x00, 0x0A],
    ],
    sends: [
      [0x08, 0x10, 0x00, 0x20, 0x00, 0x02, 0x28], [0x08, 0x12, 0x00, 0x20, 0x00, 0x02, 0x28],
      [0x08, 0x13, 0x00, 0x20, 0x00, 0x02, 0x28],
    ],
    finds: [
      .include(
        RemoteInclude(
          declaration: handle(0x11), range: range(0x30, 0x35), uuid: BluetoothUUID(0x180A))),
      .include(RemoteInclude(declaration: handle(0x12), range: range(0x40, 0x45), uuid: nil)),
    ]),
  OperationCase(
    "characteristics, up to the end of the range", .discoverCharacteristics(range(0x10, 0x16)),
    gets: [
      [0x09, 7, 0x11, 0x00, 0x02, 0x12, 0x00, 0x00, 0x2A],
      [0x09, 7, 0x14, 0x00, 0x12, 0x15, 0x00, 0x01, 0x2A], [0x01, 0x08, 0x16, 0x00, 0x0A],
    ],
    sends: [
      [0x08, 0x10, 0x00, 0x16, 0x00, 0x03, 0x28], [0x08, 0x13, 0x00, 0x16, 0x00, 0x03, 0x28],
      [0x08, 0x16, 0x00, 0x16, 0x00, 0x03, 0x28],
    ],
    finds: [
      .characteristic(
        RemoteCharacteristic(
          uuid: .deviceName, properties: .read, declaration: handle(0x11), value: handle(0x12))),
      .characteristic(
        RemoteCharacteristic(
          uuid: .appearance, properties: .read | .notify, declaration: handle(0x14),
          value: handle(0x15))),
    ]),
  OperationCase(
    "a characteristic whose value has the last handle of the range: no request is left",
    .discoverCharacteristics(range(0x10, 0x12)),
    gets: [[0x09, 21, 0x11, 0x00, 0x02, 0x12, 0x00] + testTextBytes],
    sends: [[0x08, 0x10, 0x00, 0x12, 0x00, 0x03, 0x28]],
    finds: [
      .characteristic(
        RemoteCharacteristic(
          uuid: .testText, properties: .read, declaration: handle(0x11), value: handle(0x12)))
    ]),
  OperationCase(
    "descriptors", .discoverDescriptors(range(0x13, 0x14)),
    gets: [[0x05, 1, 0x13, 0x00, 0x02, 0x29, 0x14, 0x00, 0x01, 0x29]],
    sends: [[0x04, 0x13, 0x00, 0x14, 0x00]],
    finds: [
      .descriptor(RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: handle(0x13))),
      .descriptor(RemoteDescriptor(uuid: .characteristicUserDescription, handle: handle(0x14))),
    ]),
  OperationCase(
    "descriptors of an empty range", .discoverDescriptors(range(5, 4)), gets: [], sends: [],
    finds: []),
  OperationCase(
    "descriptors of an empty range from 0", .discoverDescriptors(range(0, 4)), gets: [], sends: [],
    finds: []),
  OperationCase(
    "a descriptor at handle 0xFFFF, which ends the discovery",
    .discoverDescriptors(range(0xFFFF, 0xFFFF)), gets: [[0x05, 1, 0xFF, 0xFF, 0x02, 0x29]],
    sends: [[0x04, 0xFF, 0xFF, 0xFF, 0xFF]],
    finds: [
      .descriptor(RemoteDescriptor(uuid: .clientCharacteristicConfiguration, handle: .last))
    ]),
]

private let reads: [OperationCase] = [
  // 23 (MTU) − 1 (opcode) = 22 bytes a response; 60 = 22 + 22 + 16
  OperationCase(
    "a long value, part by part", .read(seven),
    gets: [[0x0B] + long[..<22], [0x0D] + long[22..<44], [0x0D] + long[44...]],
    sends: [[0x0A, 7, 0], [0x0C, 7, 0, 22, 0], [0x0C, 7, 0, 44, 0]],
    finds: [
      .read(Array(long[..<22]), from: 0), .read(Array(long[22..<44]), from: 22),
      .read(Array(long[44...]), from: 44),
    ]),
  OperationCase(
    "a value that ends with a full response: Invalid Offset", .read(seven),
    gets: [[0x0B] + letters[..<22], [0x01, 0x0C, 7, 0, 0x07]],
    finds: [.read(Array(letters[..<22]), from: 0)]),
  OperationCase(
    "a value that ends with a full response: Attribute Not Long", .read(seven),
    gets: [[0x0B] + letters[..<22], [0x01, 0x0C, 7, 0, 0x0B]],
    finds: [.read(Array(letters[..<22]), from: 0)]),
  OperationCase(
    "an empty value has one empty part", .read(seven), gets: [[0x0B]], finds: [.read([], from: 0)]),
  // 517 (MTU) − 1 (opcode) = 516 bytes a response
  OperationCase(
    "a value of 512 bytes is whole", .read(seven), mtu: 517, gets: [[0x0B] + letters],
    finds: [.read(letters, from: 0)]),
  OperationCase(
    "a longer value is an error", .read(seven), mtu: 517, gets: [[0x0B] + letters + [0]],
    finds: [], fails: .wrongResponse(.valueTooLong)),
  // 24 × 22 = 528 > 512 bytes
  OperationCase(
    "a value without end is an error", .read(seven),
    gets: [[0x0B] + letters[..<22]] + [[UInt8]](repeating: [0x0D] + letters[..<22], count: 100),
    sends: [[0x0A, 7, 0]] + (1..<24).map { [0x0C, 7, 0] + words(22 * $0) },
    fails: .wrongResponse(.valueTooLong)),
  OperationCase(
    "the first value of a type, up to the end of one response", .readByUUID(.deviceName),
    gets: [[0x09, 4, 3, 0, 0x41, 0x42, 9, 0, 0x43, 0x44]],
    sends: [[0x08, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x2A]], finds: [.read([0x41, 0x42], from: 0)]),
  OperationCase(
    "several values at once", .readMultiple(byteCount: 4, isVariable: false),
    writing: [3, 0, 9, 0], gets: [[0x0F, 1, 0, 0x41, 1, 0, 0x42]], sends: [[0x0E, 3, 0, 9, 0]],
    finds: [.read([1, 0, 0x41, 1, 0, 0x42], from: 0)]),
  OperationCase(
    "several values with their lengths", .readMultiple(byteCount: 4, isVariable: true),
    writing: [3, 0, 9, 0], gets: [[0x21, 1, 0, 0x41, 1, 0, 0x42]], sends: [[0x20, 3, 0, 9, 0]],
    finds: [.read([1, 0, 0x41, 1, 0, 0x42], from: 0)]),
]

private let writes: [OperationCase] = [
  OperationCase(
    "a short value in one request", .write(seven, byteCount: 20), writing: Array(letters[..<20]),
    gets: [[0x13]], sends: [[0x12, 7, 0] + letters[..<20]]),
  OperationCase("no bytes", .write(seven, byteCount: 0), gets: [[0x13]], sends: [[0x12, 7, 0]]),
  // 23 (MTU) − 5 (opcode, handle, offset) = 18 bytes a part; 40 = 18 + 18 + 4
  OperationCase(
    "a long value with Prepare Write and Execute Write", .write(seven, byteCount: 40),
    writing: Array(long[..<40]),
    gets: [
      [0x17, 7, 0, 0, 0] + long[..<18], [0x17, 7, 0, 18, 0] + long[18..<36],
      [0x17, 7, 0, 36, 0] + long[36..<40], [0x19],
    ],
    sends: [
      [0x16, 7, 0, 0, 0] + long[..<18], [0x16, 7, 0, 18, 0] + long[18..<36],
      [0x16, 7, 0, 36, 0] + long[36..<40], [0x18, 1],
    ]),
  OperationCase(
    "a long write that is refused half-way is cancelled", .write(seven, byteCount: 40),
    writing: Array(letters[..<40]), gets: [echo, [0x01, 0x16, 7, 0, 0x09], [0x19]],
    sends: [
      [0x16, 7, 0, 0, 0] + letters[..<18], [0x16, 7, 0, 18, 0] + letters[..<18], [0x18, 0],
    ],
    fails: .refused(0x16, 7, .prepareQueueFull)),
  OperationCase(
    "a long write that is refused at once is not cancelled", .write(seven, byteCount: 40),
    gets: [[0x01, 0x16, 7, 0, 0x03]],
    sends: [[0x16, 7, 0, 0, 0] + [UInt8](repeating: 0, count: 18)],
    fails: .refused(0x16, 7, .writeNotPermitted)),
  OperationCase(
    "a long write that is not executed", .write(seven, byteCount: 21),
    writing: Array(letters[..<21]),
    gets: [echo, [0x17, 7, 0, 18, 0] + letters[..<3], [0x01, 0x18, 7, 0, 0x0E]],
    fails: .refused(0x18, 7, .unlikelyError)),
  OperationCase(
    "a value that is too long", .write(seven, byteCount: 513), gets: [], sends: [],
    fails: .tooLong(limit: 512)),
  // 23 (MTU) − 3 (opcode, handle)
  OperationCase(
    "a command that is too long", .writeWithoutResponse(seven, byteCount: 21), gets: [],
    sends: [], fails: .tooLong(limit: 20)),
  // 23 (MTU) − 1 (opcode)
  OperationCase(
    "a list of handles that is too long", .readMultiple(byteCount: 24, isVariable: false),
    gets: [], sends: [], fails: .tooLong(limit: 22)),
  OperationCase(
    "a command, which waits for nothing", .writeWithoutResponse(seven, byteCount: 2),
    writing: [1, 2], gets: [], sends: [[0x52, 7, 0, 1, 2]]),
  OperationCase(
    "notifications", .subscribe(handle(9), .notification), gets: [[0x13]],
    sends: [[0x12, 9, 0, 1, 0]]),
  OperationCase(
    "indications", .subscribe(handle(9), .indication), gets: [[0x13]], sends: [[0x12, 9, 0, 2, 0]]),
  OperationCase(
    "no subscription", .subscribe(handle(9), .none), gets: [[0x13]], sends: [[0x12, 9, 0, 0, 0]]),
]

/// A central whose configuration has an MTU of 64.
private func smallCentral() -> ScriptedCentral<1> {
  var configuration = HostConfiguration.central
  configuration.mtu = ATTMTU(64) ?? .minimum
  return .connected(configuration)
}

private let scenarios: [HostScenario] = [
  Scenario(
    "the MTU is exchanged once on a link: Vol 3, Part F, 3.4.2.1",
    .answer([[0x03, 0x64, 0x00]]), .perform(.exchangeMTU), .perform(.exchangeMTU),
    .pdus([0x02, 0x05, 0x02]), .client(.ended(.exchangeMTU, nil), .ended(.exchangeMTU, nil)),
    .mtu(100)),
  Scenario(
    "each link offers the MTU of its configuration", on: { smallCentral() },
    .answer([[0x03, 0x05, 0x02]]), .perform(.exchangeMTU), .pdus([0x02, 64, 0x00]), .mtu(64),
    .disconnect(), .connect(to: .numbered(3)), .perform(.exchangeMTU),
    .frames([0x02, 64, 0x00], [0x02, 64, 0x00])),
  Scenario(
    "the MTU stays 23 if the server does not support the exchange",
    .answer([[0x01, 0x02, 0x00, 0x00, 0x06]]), .perform(.exchangeMTU),
    .client(.ended(.exchangeMTU, nil)), .mtu(23)),
  Scenario(
    "impossible operations, and a second one at once, are refused",
    .cannotPerform(.write(seven, byteCount: -1)),
    .cannotPerform(.writeWithoutResponse(seven, byteCount: -1)),
    .cannotPerform(.readMultiple(byteCount: 2, isVariable: true)),
    .cannotPerform(.readMultiple(byteCount: 5, isVariable: true)), .perform(.read(seven)),
    .cannotPerform(.read(handle(8))), .cannotPerform(.read(handle(8)), on: 1),
    .cannotPerform(.read(handle(8)), on: -1), .pdus([0x0A, 7, 0]), .client(), .send([0x0B, 1]),
    .perform(.read(handle(8)))),
]

@Suite("Operations of a GATT client")
struct ClientOperationTests {
  @Test("find, read and write", arguments: discoveries + reads + writes)
  func operations(operation: OperationCase) { operation.run() }

  @Test("follow each other on a link", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws {
    try scenario.run(on: ScriptedCentral<1>.connected())
  }

  @Test(
    "agree on the smaller MTU, at least 23",
    arguments: [(247, 247), (517, 517), (65_535, 517), (23, 23), (5, 23)])
  func exchangeMTU(offered: UInt16, agreed: Int) {
    let central = ScriptedCentral<1>.connected()
    central.peer = { _ in [[0x03] + words(offered)] }
    central.perform(.exchangeMTU)
    expect(central.pdus(), is: [[0x02, 0x05, 0x02]])
    expect(central.takeEvents(), is: [.ended(.exchangeMTU, nil)])
    expect(central.mtu(), is: agreed)
  }

  @Test("cancel a long write whose echo differs", arguments: 1..<23)
  func echoDiffers(index: Int) {
    var wrong = echo
    wrong[index] ^= 0x80
    let (requests, events) = perform(
      .write(seven, byteCount: 40), writing: Array(letters[..<40]), [wrong, [0x19]])
    expect(requests.last, is: [0x18, 0])
    expect(events.endings, is: [.wrongResponse(.echoDiffers(offset: 0))])
  }

  @Test(
    "report why a long write was cancelled, whatever the server responds to that",
    arguments: [[0x19], [0x19, 0], [0x01, 0x18, 7, 0, 0x0E], [0x01, 0x18, 7]] as [[UInt8]])
  func cancelAnswered(response: [UInt8]) {
    let (_, events) = perform(
      .write(seven, byteCount: 40), writing: Array(letters[..<40]),
      [echo.dropLast() + [0x42], response])
    expect(events.endings, is: [.wrongResponse(.echoDiffers(offset: 0))])
  }

  @Test(
    "report the server's error",
    arguments: [
      (.exchangeMTU, 0x02), (.discoverServices, 0x10),
      (.discoverServicesByUUID(.genericAccessService), 0x06),
      (.discoverIncludedServices(range(1, 9)), 0x08),
      (.discoverCharacteristics(range(1, 9)), 0x08), (.discoverDescriptors(range(1, 9)), 0x04),
      (.read(seven), 0x0A), (.readByUUID(.deviceName), 0x08),
      (.readMultiple(byteCount: 4, isVariable: false), 0x0E),
      (.readMultiple(byteCount: 4, isVariable: true), 0x20),
      (.write(seven, byteCount: 0), 0x12), (.subscribe(seven, .none), 0x12),
    ] as [(ClientOperation, UInt8)])
  func refused(operation: ClientOperation, opcode: UInt8) {
    let (_, events) = perform(operation, [[0x01, opcode, 7, 0, 0x05]])
    expect(events, is: [.ended(operation, .refused(opcode, 7, .insufficientAuthentication))])
  }
}

extension OperationError {
  static func refused(_ request: UInt8, _ handle: UInt16, _ code: ATTErrorCode) -> OperationError {
    .refused(
      ErrorResponse(
        request: ATTOpcode(rawValue: request), handle: AttributeHandle(rawValue: handle),
        code: code))
  }
}
