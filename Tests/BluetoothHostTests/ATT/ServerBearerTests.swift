import Expectations

@testable import BluetoothHost

/// A valid request, and the lengths at which it stays valid.
private typealias Form = (request: [UInt8], isValid: @Sendable (Int) -> Bool)

private let forms: [Row<Form>] = [
  Row("Exchange MTU", ([0x02, 0x17, 0x00], { $0 == 3 })),
  Row("Find Information", ([0x04, 0x01, 0x00, 0xFF, 0xFF], { $0 == 5 })),
  Row("Find By Type Value", ([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28, 0x01, 0x18], { $0 >= 7 })),
  Row("Read By Type", ([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28], { $0 == 7 || $0 == 21 })),
  Row("Read", ([0x0A, 0x03, 0x00], { $0 == 3 })),
  Row("Read Blob", ([0x0C, 0x03, 0x00, 0x00, 0x00], { $0 == 5 })),
  Row("Read Multiple", ([0x0E, 0x03, 0x00, 0x03, 0x00], { $0 >= 5 && $0 % 2 == 1 })),
  Row("Read By Group Type", ([0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28], { $0 == 7 || $0 == 21 })),
  Row("Write", ([0x12, 0x0D, 0x00, 0x01], { $0 >= 3 })),
  Row("Prepare Write", ([0x16, 0x0D, 0x00, 0x00, 0x00, 0x01], { $0 >= 5 })),
  Row("Execute Write", ([0x18, 0x01], { $0 == 2 })),
  Row("Read Multiple Variable", ([0x20, 0x03, 0x00, 0x03, 0x00], { $0 >= 5 && $0 % 2 == 1 })),
]

@Suite("ATT server: the bearer")
struct ServerBearerTests {
  @Test("A request of a wrong length is malformed", arguments: forms)
  fileprivate func length(row: Row<Form>) {
    let controller = connectedController()
    let form = row.value
    let opcode = form.request[0]
    let longest = form.request + [UInt8](repeating: 0x01, count: 24 - form.request.count)
    for length in 1...24 {
      let responses = controller.exchange(Array(longest[..<length]))
      expect(responses.count, is: 1, "\(length) bytes")
      let isMalformed = responses.first == error(opcode, 0x0000, .invalidPDU)
      // 24 bytes exceed the MTU of 23.
      expect(isMalformed, is: !form.isValid(length) || length == 24, "\(length) bytes")
    }
    expect(controller.exchange(form.request).first?.first, is: opcode + 1)
  }

  @Test(
    "An unknown request is not supported",
    arguments: (UInt8.min...UInt8.max).filter { opcode in
      opcode & 0x41 == 0 && !forms.contains { $0.value.request[0] == opcode } && opcode != 0x1E
    })
  func unknownRequest(opcode: UInt8) {
    let controller = connectedController()
    controller.exchange([opcode], gives: error(opcode, 0x0000, .requestNotSupported))
    controller.exchange([opcode, 1, 2, 3], gives: error(opcode, 0x0000, .requestNotSupported))
  }

  @Test(
    "An unknown command is ignored", arguments: (UInt8.min...UInt8.max).filter { $0 & 0x40 != 0 })
  func unknownCommand(opcode: UInt8) {
    let controller = connectedController()
    expect(controller.exchange([opcode]), is: [])
    expect(controller.exchange([opcode, 0x03, 0x00, 1, 2, 3]), is: [])
    expect(controller.writes, is: [])
  }

  @Test(
    "A server's PDUs and an unexpected confirmation are ignored",
    arguments: [
      0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x1E,
      0x21, 0x23,
    ])
  func stray(opcode: UInt8) {
    let controller = connectedController()
    for length in 0..<22 {
      expect(controller.exchange([opcode] + [UInt8](repeating: 0x01, count: length)), is: [])
    }
  }

  @Test("A PDU without an opcode is ignored")
  func empty() { expect(connectedController().exchange([]), is: []) }

  @Test(
    "The server responds with its MTU; both use the smaller one, but at least 23",
    arguments: [
      // client, server, effective
      (517, 517, 517), (185, 517, 185), (65_535, 517, 517), (23, 517, 23), (22, 517, 23),
      (0, 517, 23), (517, 23, 23), (247, 100, 100),
    ])
  func mtu(client: UInt16, server: Int, effective: Int) throws {
    let controller = ScriptedPeripheral<1>(mtu: try #require(ATTMTU(server)))
    controller.connect()
    controller.application.values[0] = [UInt8](counting: 512)
    controller.exchange(
      [0x02] + Array(little: client), gives: [0x03] + Array(little: UInt16(server)))
    let read = try #require(controller.exchange([0x0A, 0x0D, 0x00]).first)
    expect(read.count, is: min(effective, 1 + 512))
    let longest = [0x12, 0x0D, 0x00] + [UInt8](counting: effective - 3)
    controller.exchange(
      longest,
      gives: effective - 3 > 512 ? error(0x12, 0x0D, .invalidAttributeValueLength) : [0x13])
    // One byte more is malformed. A frame of 518 bytes exceeds the buffer, and is ignored.
    expect(
      controller.exchange(longest + [0x00]),
      is: effective < 517 ? [error(0x12, 0, .invalidPDU)] : [])
  }

  @Test("Each central has its own MTU")
  func mtuPerConnection() {
    let controller = connectedController(mtu: 100)
    controller.connect(0x41)
    expect(controller.exchange([0x0A, 0x0D, 0x00]).first?.count, is: 100)
    expect(controller.exchange([0x0A, 0x0D, 0x00], on: 0x41).first?.count, is: 23)
  }

  @Test("While a response waits, another request is ignored, and a command is carried out")
  func requestWithinRequest() {
    var behaviour = ControllerBehaviour()
    behaviour.completesPackets = false
    behaviour.leBuffers = (27, 1)
    let controller = ScriptedPeripheral<1>(behaviour)
    controller.connect()
    controller.send([0x0A, 0x03, 0x00])  // takes the only buffer
    controller.send([0x0A, 0x16, 0x00])  // its response waits
    controller.send([0x0A, 0x01, 0x00])
    controller.send([0x52, 0x0D, 0x00, 0x01])
    controller.behaviour.completesPackets = true
    controller.completePackets(of: 0x40)
    expect(controller.pdus(), is: [[0x0B] + Array("Test".utf8), [0x0B, 0x64]])
    expect(controller.writes, is: [[0x01]])
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }
}
