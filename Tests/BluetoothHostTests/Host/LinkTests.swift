import Testing

@testable import BluetoothHost

@Suite("Host: links")
struct LinkTests {
  @Test("Both forms of Connection Complete report a link", arguments: [false, true])
  func connectionComplete(enhanced: Bool) {
    let controller = ScriptedController<1>()
    controller.events = []
    controller.connect(enhanced: enhanced)
    #expect(controller.events == [.connected(0, controller.peer()), .radio(.silent)])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("A truncated Connection Complete is ignored", arguments: [false, true])
  func cut(enhanced: Bool) {
    let controller = ScriptedController<1>()
    let whole: [UInt8] =
      [enhanced ? 0x0A : 0x01, 0x00, 0x40, 0x00, 0x01, 0x01, 0x40, 0, 0, 0, 0, 0xC0]
      + (enhanced ? [UInt8](repeating: 0, count: 12) : []) + [24, 0, 0, 0, 72, 0, 0]
    // 19 bytes, or 19 + 2 × 6 = 31
    #expect(whole.count == (enhanced ? 31 : 19))
    for cut in truncations(of: whole) { controller.receive([0x04, 0x3E, UInt8(cut.count)] + cut) }
    #expect(controller.connectionCount == 0)
    controller.receive([0x04, 0x3E, UInt8(whole.count)] + whole)
    #expect(controller.connectionCount == 1)
  }

  @Test("A failed connection restarts advertising")
  func failed() {
    let controller = ScriptedController<1>()
    controller.forgetWhatWasSent()
    controller.connect(status: 0x3E)
    #expect(controller.connectionCount == 0)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x01]])
    #expect(controller.radio == .advertising)
  }

  @Test("A second Connection Complete for a handle ends the first link")
  func doubleConnection() {
    let controller = ScriptedController<2>()
    controller.connect()
    controller.exchangeMTU(100)
    controller.events = []
    controller.connect()
    #expect(
      controller.events.filter { if case .radio = $0 { false } else { true } } == [
        .disconnected(0, .unspecifiedError), .connected(0, controller.peer()),
      ])
    #expect(controller.connectionCount == 1)
    controller.host.server.application.values[0] = [UInt8](counting: 100)
    #expect(controller.exchange([0x0A, 0x0D, 0x00]).first?.count == 23)
  }

  @Test("A link beyond the capacity is ended")
  func tooMany() {
    let controller = ScriptedController<1>()
    controller.connect(0x40)
    controller.connect(0x41)
    #expect(controller.connectionCount == 1)
    #expect(controller.exchange([0x0A, 0x16, 0x00], on: 0x41) == [])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
    controller.pass(milliseconds: 2_000)
    #expect(controller.parameters(of: .disconnect) == [[0x41, 0x00, 0x13]])
    #expect(controller.connectionCount == 1)
  }

  @Test("A truncated, failed or unknown Disconnection Complete is ignored")
  func strayDisconnection() {
    let controller = ScriptedController<1>()
    controller.connect()
    let whole: [UInt8] = [0x00, 0x40, 0x00, 0x13]
    for cut in truncations(of: whole) { controller.receive([0x04, 0x05, UInt8(cut.count)] + cut) }
    controller.receive([0x04, 0x05, 4, 0x0C, 0x40, 0x00, 0x13])
    controller.disconnect(0x41)
    #expect(controller.connectionCount == 1)
    controller.receive([0x04, 0x05, 4] + whole)
    #expect(controller.connectionCount == 0)
    #expect(controller.events.contains(.disconnected(0, .remoteUserTerminatedConnection)))
    controller.disconnect()
    #expect(controller.connectionCount == 0)
  }

  @Test("A link keeps its index; a new link takes a free one")
  func capacity() {
    let controller = ScriptedController<3>()
    for handle: UInt16 in 0x40...0x42 { controller.connect(handle) }
    controller.disconnect(0x41)
    controller.connect(0x43)
    controller.send([0x12, 0x0D, 0x00, 0x01], on: 0x43)
    #expect(controller.events.last == .wrote([0x01], .text, 1))
  }

  @Test("Advertising stops at full capacity, and restarts when a link ends")
  func lastConnection() {
    let controller = ScriptedController<2>()
    controller.forgetWhatWasSent()
    controller.connect(0x40)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x01]])
    #expect(controller.radio == .advertising)
    controller.connect(0x41)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x01]])
    #expect(controller.radio == .silent)
    controller.disconnect(0x40)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x01], [0x01]])
    #expect(controller.radio == .advertising)
  }

  @Test("A controller that cannot advertise with a link advertises when the link ends")
  func refusedWhileConnected() {
    let controller = ScriptedController<2>()
    controller.forgetWhatWasSent()
    controller.behaviour.refused = (.leSetAdvertisingEnable, .commandDisallowed)
    controller.connect()
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x01]])
    #expect(controller.radio == .silent)
    controller.pass(milliseconds: 10_000)
    #expect(
      controller.parameters(of: .leSetAdvertisingEnable) == [[0x01]], "the command is not repeated")
    controller.behaviour.refused = nil
    controller.disconnect()
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x01], [0x01]])
    #expect(controller.radio == .advertising)
  }

  @Test("A controller that refuses advertising without a link is set up again")
  func refusedWithoutLink() {
    let controller = ScriptedController<1>.with {
      $0.refused = (.leSetAdvertisingEnable, .commandDisallowed)
    }
    #expect(controller.radio == .fault(.refused(.leSetAdvertisingEnable, .commandDisallowed)))
    controller.behaviour.refused = nil
    controller.pass(milliseconds: 2_000)
    #expect(controller.commands.filter { $0 == .reset }.count == 2)
    #expect(controller.radio == .advertising)
  }

  @Test("Encryption is refused without a key")
  func longTermKey() {
    let controller = ScriptedController<2>()
    controller.connect()
    let request: [UInt8] = [0x05, 0x40, 0x00] + [UInt8](repeating: 0xAA, count: 10)
    for cut in truncations(of: request) {
      controller.receive([0x04, 0x3E, UInt8(cut.count)] + cut)
    }
    controller.receive([0x04, 0x3E, 13, 0x05, 0x41, 0x00] + [UInt8](repeating: 0xAA, count: 10))
    #expect(controller.parameters(of: .leLongTermKeyRequestNegativeReply) == [])
    controller.receive([0x04, 0x3E, 13] + request)
    #expect(controller.parameters(of: .leLongTermKeyRequestNegativeReply) == [[0x40, 0x00]])
  }

  @Test("The connection parameters that a central asks for are accepted")
  func remoteParameters() {
    let controller = ScriptedController<2>()
    controller.connect()
    let request: [UInt8] = [0x06, 0x40, 0x00, 6, 0, 12, 0, 1, 0, 0x90, 0x01]
    for cut in truncations(of: request) {
      controller.receive([0x04, 0x3E, UInt8(cut.count)] + cut)
    }
    controller.receive([0x04, 0x3E, 11, 0x06, 0x41] + request[2...])
    #expect(controller.parameters(of: .leRemoteConnectionParameterRequestReply) == [])
    controller.receive([0x04, 0x3E, 11] + request)
    #expect(
      controller.parameters(of: .leRemoteConnectionParameterRequestReply) == [
        [0x40, 0x00, 6, 0, 12, 0, 1, 0, 0x90, 0x01, 0, 0, 0, 0]
      ])
  }

  /// Symptom: each of the refused ones was accepted.
  @Test(
    "Connection parameters that are invalid, or silence the link too long, are refused",
    arguments: [
      (0xFFFF, 1, 0, 0, false), (24, 40, 499, 10, false), (5, 40, 0, 400, false),
      (6, 3_201, 0, 3_200, false), (40, 24, 0, 400, false), (6, 12, 500, 3_200, false),
      (6, 12, 0, 9, false), (6, 12, 0, 3_201, false),
      // 4 × 10 = 40 is not more than 40 × (1 + 0).
      (40, 40, 0, 10, false),
      // 800 × 1.25 ms × (1 + 4) = 5 s of silence.
      (800, 800, 4, 3_200, false),
      (6, 6, 0, 10, true), (3_200, 3_200, 0, 3_200, true), (6, 6, 499, 3_200, true),
      (39, 39, 0, 10, true),
      // 800 × 1.25 ms × (1 + 3) = 4 s of silence.
      (800, 800, 3, 3_200, true),
    ] as [(UInt16, UInt16, UInt16, UInt16, Bool)])
  func remoteParameters(
    minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16, areAccepted: Bool
  ) {
    let controller = ScriptedController<2>()
    controller.connect()
    controller.receive(
      [0x04, 0x3E, 11, 0x06, 0x40, 0x00] + words(minimum, maximum, latency, timeout))
    #expect(
      controller.parameters(of: .leRemoteConnectionParameterRequestReply).count
        == (areAccepted ? 1 : 0))
    // Unacceptable Connection Parameters. Core Specification, Vol 4, Part E, 7.8.32.
    #expect(
      controller.parameters(of: .leRemoteConnectionParameterRequestNegativeReply)
        == (areAccepted ? [] : [[0x40, 0x00, 0x3B]]))
    #expect(controller.connectionCount == 1)
  }

  @Test(
    "Data length and PHY are requested only if the controller supports them",
    arguments: [
      // LE features: bit 5, data length extension; bit 8, 2M PHY.
      (0x000, false, false), (0x020, true, false), (0x100, false, true), (0x120, true, true),
      (0xEDF, false, false),
    ])
  func features(features: UInt64, dataLength: Bool, phy: Bool) {
    let controller = ScriptedController<1>.with { $0.features = features }
    controller.connect()
    // 251 bytes, which take (251 + 14) × 8 = 2,120 µs with 1M.
    #expect(
      controller.parameters(of: .leSetDataLength)
        == (dataLength ? [[0x40, 0x00, 251, 0, 0x48, 0x08]] : []))
    #expect(
      controller.parameters(of: .leSetPHY)
        == (phy ? [[0x40, 0x00, 0x00, 0b10, 0b10, 0x00, 0x00]] : []))
  }

  @Test(
    "A link works if data length or PHY is refused or ignored",
    arguments: [HCIOpcode.leSetDataLength, .leSetPHY], [true, false])
  func refusedFeatures(opcode: HCIOpcode, isAnswered: Bool) {
    var behaviour = ControllerBehaviour()
    behaviour.features = 0x120
    if isAnswered {
      behaviour.refused = (opcode, .unsupportedFeatureOrParameterValue)
    } else {
      behaviour.unanswered = opcode
    }
    let controller = ScriptedController<2>(behaviour)
    controller.connect()
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
    controller.pass(milliseconds: 2_000)
    #expect(controller.radio == .advertising)
    #expect(controller.connectionCount == 1)
    #expect(controller.parameters(of: opcode).count == 1)
  }

  @Test("Other events are ignored")
  func uselessEvents() {
    let controller = ScriptedController<1>()
    controller.connect()
    controller.forgetWhatWasSent()
    for code in UInt8.min...UInt8.max where ![0x05, 0x0E, 0x0F, 0x10, 0x13, 0x3E].contains(code) {
      controller.receive([0x04, code, 0])
      controller.receive([0x04, code, 4, 0, 0x40, 0, 0])
    }
    for subevent in UInt8.min...UInt8.max
    where ![0x01, 0x03, 0x05, 0x06, 0x0A].contains(subevent) {
      controller.receive([0x04, 0x3E, 1, subevent])
      controller.receive([0x04, 0x3E, 6, subevent, 0, 0x40, 0, 0, 0])
    }
    controller.receive([0x04, 0x3E, 0])
    controller.receive([0x01, 0x03, 0x0C, 0])
    controller.receive([])
    #expect(controller.commands == [])
    controller.expect([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }
}
