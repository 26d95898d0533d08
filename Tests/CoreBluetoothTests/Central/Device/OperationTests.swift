import BluetoothHost
import Expectations

@testable import CoreBluetooth

@Suite("Operations on a link")
struct OperationTests {
  private static func notFound(_ opcode: UInt8) -> [UInt8] { [0x01, opcode, 0x00, 0x00, 0x0A] }

  struct Exchange: CustomTestStringConvertible {
    let testDescription: String
    let operation: PeerOperation
    let responses: [[UInt8]]
    let requests: [[UInt8]]
    let outcome: Result<OperationOutput, OperationError>

    init(
      _ label: String, _ operation: PeerOperation, _ responses: [[UInt8]], _ requests: [[UInt8]],
      _ outcome: Result<OperationOutput, OperationError>
    ) {
      testDescription = label
      (self.operation, self.responses) = (operation, responses)
      (self.requests, self.outcome) = (requests, outcome)
    }
  }

  private static func refused(
    _ request: ATTOpcode, _ number: UInt16, _ code: ATTErrorCode
  ) -> Result<OperationOutput, OperationError> {
    .failure(.refused(ErrorResponse(request: request, handle: handle(number), code: code)))
  }

  static let exchanges = [
    Exchange(
      "included services, with the UUID from the include or from the service declaration",
      .discoverIncludedServices(range(0x10, 0x20)),
      [
        // handle, start, end, UUID: 8 bytes a reference
        [0x09, 8, 0x11, 0x00, 0x30, 0x00, 0x35, 0x00, 0x0F, 0x18],
        // no UUID: 6 bytes
        [0x09, 6, 0x12, 0x00, 0x40, 0x00, 0x45, 0x00], notFound(0x08),
        // The first is a secondary service, the second a primary one.
        [0x05, 1, 0x30, 0x00, 0x01, 0x28], [0x05, 1, 0x40, 0x00, 0x00, 0x28],
        [0x0B] + [UInt8].written(upTo: 16) { longService.write(to: &$0) },
      ],
      [
        [0x08, 0x10, 0x00, 0x20, 0x00, 0x02, 0x28], [0x08, 0x12, 0x00, 0x20, 0x00, 0x02, 0x28],
        [0x08, 0x13, 0x00, 0x20, 0x00, 0x02, 0x28], [0x04, 0x30, 0x00, 0x30, 0x00],
        [0x04, 0x40, 0x00, 0x40, 0x00], [0x0A, 0x40, 0x00],
      ],
      .success(
        .includedServices([
          FoundService(uuid: BluetoothUUID(0x180F), range: range(0x30, 0x35), isPrimary: false),
          FoundService(uuid: longService, range: range(0x40, 0x45)),
        ]))),
    Exchange(
      "no included services", .discoverIncludedServices(range(0x10, 0x20)), [notFound(0x08)],
      [[0x08, 0x10, 0x00, 0x20, 0x00, 0x02, 0x28]], .success(.includedServices([]))),
    Exchange(
      "an included service without a declaration", .discoverIncludedServices(range(0x10, 0x20)),
      [[0x09, 8, 0x11, 0x00, 0x30, 0x00, 0x35, 0x00, 0x0F, 0x18], notFound(0x08), notFound(0x04)],
      [
        [0x08, 0x10, 0x00, 0x20, 0x00, 0x02, 0x28], [0x08, 0x12, 0x00, 0x20, 0x00, 0x02, 0x28],
        [0x04, 0x30, 0x00, 0x30, 0x00],
      ], refused(.findInformationRequest, 0x30, .attributeNotFound)),
    Exchange(
      "the configuration of a characteristic", .configure(range(0x13, 0x16), .notification),
      [[0x05, 1, 0x13, 0x00, 0x01, 0x29, 0x14, 0x00, 0x02, 0x29], notFound(0x04), [0x13]],
      [
        [0x04, 0x13, 0x00, 0x16, 0x00], [0x04, 0x15, 0x00, 0x16, 0x00],
        [0x12, 0x14, 0x00, 0x01, 0x00],
      ], .success(.configured(handle(0x14)))),
    Exchange(
      "a missing configuration", .configure(range(0x13, 0x13), .indication), [notFound(0x04)],
      [[0x04, 0x13, 0x00, 0x13, 0x00]], .success(.configured(nil))),
    Exchange(
      "a refused configuration", .configure(range(0x13, 0x13), .indication),
      [[0x05, 1, 0x13, 0x00, 0x02, 0x29], [0x01, 0x12, 0x13, 0x00, 0x05]],
      [[0x04, 0x13, 0x00, 0x13, 0x00], [0x12, 0x13, 0x00, 0x02, 0x00]],
      refused(.writeRequest, 0x13, .insufficientAuthentication)),
  ]

  @Test("have these requests and results", arguments: exchanges)
  func exchanged(row: Exchange) {
    let (requests, outcome) = perform(row.operation, row.responses)
    expect(requests, is: row.requests)
    expect(outcome, is: row.outcome)
  }

  /// A server with Service Changed at 0x000A, its configuration at 0x000B.
  private static let watched: [[UInt8]] = [
    [0x07, 0x08, 0x00, 0x0B, 0x00], notFound(0x06),
    [0x09, 7, 0x09, 0x00, 0x20, 0x0A, 0x00, 0x05, 0x2A], notFound(0x08),
    [0x05, 1, 0x0B, 0x00, 0x02, 0x29], [0x13],
  ]

  @Test("subscribes to Service Changed by indications")
  func watchServices() {
    let (requests, outcome) = perform(.watchServices, Self.watched)
    expect(outcome, is: .success(.watching(handle(0x0A))))
    expect(requests.last, is: [0x12, 0x0B, 0x00, 0x02, 0x00])
  }

  @Test("a server that cannot report changes is no error, at any step")
  func cannotWatch() {
    for count in 0..<Self.watched.count {
      let opcodes: [UInt8] = [0x06, 0x06, 0x08, 0x08, 0x04, 0x12]
      let refusal: [UInt8] = [0x01, opcodes[count], 0x08, 0x00, 0x05]
      let (_, outcome) = perform(.watchServices, Self.watched.prefix(count) + [refusal])
      expect(outcome, is: .success(.watching(nil)))
    }
    let (_, outcome) = perform(.watchServices, [Self.notFound(0x06)])
    expect(outcome, is: .success(.watching(nil)))
  }

  @Test("reports changed services and confirms; nonsense is only confirmed")
  func servicesChanged() {
    let (central, radio, link) = connectedDevice()
    var remaining = Self.watched[...]
    radio.peer = { _ in remaining.popFirst().map { [$0] } ?? [] }
    central.perform(.watchServices, on: link)
    _ = radio.runEvents()
    radio.givePDU([0x1D, 0x0A, 0x00, 0x10, 0x00, 0xFF, 0xFF])
    expect(radio.takeEvents(), is: [.servicesChanged(link, range(0x10, 0xFFFF))])
    radio.givePDU([0x1D, 0x0A, 0x00, 0x10, 0x00, 0xFF])
    radio.givePDU([0x1D, 0x0A, 0x00, 0x10, 0x00, 0x01, 0x00])
    expect(radio.takeEvents(), is: [])
    expect(radio.frames.suffix(3).map(\.payload), is: [[0x1E], [0x1E], [0x1E]])
  }

  @Test("an idle operation waits for the empty queue")
  func whenIdle() {
    let (central, radio, link) = connectedDevice()
    radio.peer = { $0[0] == 0x0A ? [[0x0B, 0x41]] : [Self.notFound($0[0])] }
    let later = central.perform(.readFirst(.deviceName), on: link, whenIdle: true)
    let first = central.perform(.read(handle(3)), on: link)
    let second = central.perform(.read(handle(4)), on: link)
    radio.run()
    let order = radio.takeEvents().map { event -> OperationID? in
      if case .completed(let id, _, _) = event { id } else { nil }
    }
    expect(order, is: [first, second, later])
  }

  @Test("reads the RSSI past the queue")
  func rssi() {
    let (central, radio, link) = connectedDevice()
    radio.answer(.readRSSI) { opcode, parameters in
      [ScriptedRadio.complete(opcode, [0] + parameters + [UInt8(bitPattern: -61)])]
    }
    let reading = central.perform(.read(handle(3)), on: link)
    for _ in 0..<2 {
      let id = central.readRSSI(of: link)
      expect(radio.runEvents(), is: [.completed(id, link, .success(.rssi(-61)))])
    }
    central.disconnect(link)
    expect(radio.runEvents().first, is: .completed(reading, link, .failure(.disconnected)))
  }

  @Test("a controller without an RSSI, or the end of the link, completes the reading")
  func rssiEnds() {
    let (central, radio, link) = connectedDevice()
    radio.answer(.readRSSI) { _, _ in [] }
    let first = central.readRSSI(of: link)
    let second = central.readRSSI(of: link)
    radio.run()
    // Another request does not repeat the question.
    radio.peer = { _ in [[0x0B]] }
    central.perform(.read(handle(3)), on: link)
    expect(radio.runEvents().count, is: 1)
    expect(radio.commands.count { $0 == .readRSSI }, is: 1)
    radio.pass(2_000)
    expect(
      radio.takeEvents(),
      is: [
        .completed(first, link, .success(.rssi(nil))),
        .completed(second, link, .success(.rssi(nil))),
      ])
    let third = central.readRSSI(of: link)
    radio.run()
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x13))
    expect(
      radio.takeEvents(),
      is: [
        .completed(third, link, .failure(.disconnected)),
        .disconnected(link, .disconnected(.remoteUserTerminatedConnection)),
      ])
    let late = central.readRSSI(of: link)
    expect(radio.takeEvents(), is: [.completed(late, link, .failure(.disconnected))])
  }

  @Test("a controller that does not know the link ends it")
  func rssiOfLostLink() {
    let (central, radio, link) = connectedDevice()
    radio.answer(.readRSSI) { opcode, parameters in
      [ScriptedRadio.complete(opcode, [0x02] + parameters + [0])]
    }
    let id = central.readRSSI(of: link)
    expect(
      radio.runEvents(),
      is: [
        .completed(id, link, .success(.rssi(nil))),
        .disconnected(link, .disconnected(.unspecifiedError)), .restarted, .ready,
      ])
  }

  @Test("finds characteristics and their last handles")
  func characteristics() {
    let (requests, outcome) = perform(
      .discoverCharacteristics(range(0x10, 0x16)),
      [
        [0x09, 7, 0x11, 0x00, 0x02, 0x12, 0x00, 0x00, 0x2A],
        [0x09, 7, 0x14, 0x00, 0x12, 0x15, 0x00, 0x01, 0x2A], [0x01, 0x08, 0x16, 0x00, 0x0A],
      ])
    expect(
      requests.map { Array($0[1...4]) },
      is: [[0x10, 0x00, 0x16, 0x00], [0x13, 0x00, 0x16, 0x00], [0x16, 0x00, 0x16, 0x00]])
    let name = FoundCharacteristic(
      uuid: .deviceName, properties: .read, declaration: handle(0x11), value: handle(0x12),
      end: handle(0x13))
    let appearance = FoundCharacteristic(
      uuid: .appearance, properties: .read | .notify, declaration: handle(0x14),
      value: handle(0x15), end: handle(0x16))
    expect(outcome, is: .success(.characteristics([name, appearance])))
    expect(name.descriptorRange, is: range(0x13, 0x13))
    expect(appearance.descriptorRange, is: range(0x16, 0x16))
    let last = FoundCharacteristic(
      uuid: .deviceName, properties: .read, declaration: handle(0xFFFE), value: handle(0xFFFF),
      end: handle(0xFFFF))
    expect(last.descriptorRange, is: nil)
  }

  @Test("prepares a long value and executes it")
  func longWrite() {
    let value = (0..<40).map { UInt8($0) }
    // 23 (MTU) − 5 (opcode, handle, offset) = 18 bytes a part; 40 = 18 + 18 + 4
    let parts = [
      [7, 0, 0, 0] + value[0..<18], [7, 0, 18, 0] + value[18..<36], [7, 0, 36, 0] + value[36...],
    ]
    let (requests, outcome) = perform(
      .write(handle(7), value), parts.map { [0x17] + $0 } + [[0x19]])
    expect(requests, is: parts.map { [0x16] + $0 } + [[0x18, 1]])
    expect(outcome, is: .success(.written))
  }

  @Test("reads a long value in parts")
  func longRead() {
    let value = (0..<50).map { UInt8($0) }
    // 23 (MTU) − 1 (opcode) = 22 bytes a part; 50 = 22 + 22 + 6
    let (requests, outcome) = perform(
      .read(handle(7)), [[0x0B] + value[..<22], [0x0D] + value[22..<44], [0x0D] + value[44...]])
    expect(requests, is: [[0x0A, 7, 0], [0x0C, 7, 0, 22, 0], [0x0C, 7, 0, 44, 0]])
    expect(outcome, is: .success(.value(value)))
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
      expect(requests.count, is: Int(number))
      radio.givePDU([0x0B, number])
    }
    expect(
      radio.takeEvents(), is: zip(ids, 1...3).map { .completed($0, link, .success(.value([$1]))) })
  }
}
