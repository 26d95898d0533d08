import Testing

@testable import BluetoothHost

private let battery = Advertisement(
  service: .batteryService, name: DeviceName(StaticText("Battery")))

@Suite("Host: advertising on request")
struct AdvertisingTests {
  private func silent() -> ScriptedController<1> {
    let controller = ScriptedController<1>(service: nil)
    controller.events = []
    return controller
  }

  /// The parameters of LE Set Advertising Data and LE Set Scan Response Data: length and 31 bytes.
  private func padded(_ data: AdvertisingData) -> [UInt8] {
    let bytes = Array(data.span)
    return [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: 31 - bytes.count)
  }

  @Test("Without data to advertise, the controller is set up and does not advertise")
  func nothing() {
    let controller = ScriptedController<1>(service: nil)
    #expect(controller.radio == .silent)
    #expect(controller.events == [.radio(.silent)])
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [])
    controller.pass(milliseconds: 60_000)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [])
  }

  @Test("Advertising begins on request, with data, scan response and enable")
  func begins() {
    let controller = silent()
    controller.forgetWhatWasSent()
    controller.host.advertise(battery)
    controller.run()
    #expect(
      controller.commands == [
        .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
      ])
    #expect(controller.parameters(of: .leSetAdvertisingData) == [padded(battery.data)])
    #expect(controller.parameters(of: .leSetScanResponseData) == [padded(battery.scanResponse)])
    #expect(controller.events == [.radio(.advertising)])
    controller.connect()
    #expect(controller.connectionCount == 1)
  }

  @Test("It ends on request; links stay, and it does not begin again")
  func ends() {
    let controller = ScriptedController<2>()
    controller.connect()
    controller.forgetWhatWasSent()
    controller.host.advertise(nil)
    controller.run()
    #expect(!controller.isAdvertisingHeldBack)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x00]])
    #expect(controller.radio == .silent)
    #expect(controller.connectionCount == 1)
    controller.disconnect()
    controller.pass(milliseconds: 60_000)
    #expect(controller.parameters(of: .leSetAdvertisingEnable) == [[0x00]])
    #expect(controller.radio == .silent)
  }

  @Test("The data change without a pause in advertising")
  func changes() {
    let controller = ScriptedController<1>()
    controller.events = []
    controller.forgetWhatWasSent()
    controller.host.advertise(battery)
    controller.run()
    #expect(controller.commands == [.leSetAdvertisingData, .leSetScanResponseData])
    #expect(controller.parameters(of: .leSetAdvertisingData) == [padded(battery.data)])
    #expect(controller.events == [])
    // The same data again change nothing.
    controller.host.advertise(battery)
    controller.run()
    #expect(controller.commands.count == 2)
  }

  @Test("A request at full capacity begins advertising when a link ends")
  func waitsForConnection() {
    let controller = ScriptedController<1>()
    controller.connect()
    controller.forgetWhatWasSent()
    controller.host.advertise(battery)
    controller.run()
    #expect(controller.commands == [])
    #expect(controller.isAdvertisingHeldBack)
    controller.disconnect()
    #expect(!controller.isAdvertisingHeldBack)
    #expect(
      controller.commands == [
        .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
      ])
    #expect(controller.radio == .advertising)
  }

  @Test(
    "A request before or during the start-up sets the data", arguments: 0...11)
  func duringStartUp(commandCount: Int) {
    let controller = ScriptedController<1>(starts: false)
    controller.host.start(at: controller.now)
    for _ in 0..<commandCount {
      if let packet = controller.nextPacket() { controller.answer(packet) }
    }
    controller.host.advertise(battery)
    controller.run()
    #expect(controller.radio == .advertising)
    #expect(controller.parameters(of: .leSetAdvertisingData).last == padded(battery.data))
    #expect(
      controller.parameters(of: .leSetScanResponseData).last == padded(battery.scanResponse))
  }

  @Test("A controller gets the data again after a reset")
  func afterReset() {
    let controller = silent()
    controller.host.advertise(battery)
    controller.run()
    controller.forgetWhatWasSent()
    controller.receive([0x04, 0x10, 1, 0x42])
    controller.pass(milliseconds: 0)
    #expect(controller.parameters(of: .leSetAdvertisingData) == [padded(battery.data)])
    #expect(controller.radio == .advertising)
  }

  @Test(
    "A controller without a link that refuses or ignores a command is reset",
    arguments: [HCIOpcode.leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable])
  func refused(opcode: HCIOpcode) {
    let refusing = silent()
    refusing.behaviour.refused = (opcode, .memoryCapacityExceeded)
    refusing.host.advertise(battery)
    refusing.run()
    #expect(refusing.events == [.radio(.fault(.refused(opcode, .memoryCapacityExceeded)))])
    refusing.behaviour.refused = nil
    refusing.pass(milliseconds: 2_000)
    #expect(refusing.radio == .advertising)
    let mute = silent()
    mute.behaviour.unanswered = opcode
    mute.host.advertise(battery)
    mute.run()
    mute.behaviour.unanswered = nil
    mute.pass(milliseconds: 2_000)
    #expect(mute.events.first == .radio(.fault(.unanswered(opcode))))
    #expect(mute.radio == .advertising)
  }

  @Test("A controller that refuses while it has a link gets the command again when the link ends")
  func refusedWithLink() {
    let controller = ScriptedController<2>(service: nil)
    controller.connect()
    controller.behaviour.refused = (.leSetAdvertisingData, .commandDisallowed)
    controller.host.advertise(battery)
    controller.run()
    #expect(controller.connectionCount == 1)
    #expect(controller.radio == .silent)
    #expect(controller.isAdvertisingHeldBack)
    controller.behaviour.refused = nil
    controller.disconnect()
    #expect(!controller.isAdvertisingHeldBack)
    #expect(controller.radio == .advertising)
    #expect(controller.parameters(of: .leSetAdvertisingData).last == padded(battery.data))
  }

  @Test("The device's name can change")
  func name() {
    let controller = ScriptedController<1>()
    controller.connect()
    controller.host.server.deviceName = DeviceName(StaticText("Other"))
    controller.expect([0x0A, 0x03, 0x00], gives: [0x0B] + Array("Other".utf8))
  }

  @Test("A link's MTU is 23 before the exchange, and without a link")
  func mtu() {
    let controller = ScriptedController<2>()
    controller.connect()
    controller.connect(0x41)
    controller.exchangeMTU(185, on: 0x41)
    let mtus = [-1, 0, 1, 2].map { connectionIndex in
      controller.host.mtu(at: connectionIndex).byteCount
    }
    #expect(mtus == [23, 23, 185, 23])
  }
}
