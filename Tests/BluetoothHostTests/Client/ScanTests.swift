import BluetoothHost
import Testing

@Suite("Host: scanning")
struct ScanTests {
  /// Flags, and the test service.
  private static let advertisement: [UInt8] = [0x02, 0x01, 0x06, 0x11, 0x07] + testServiceBytes

  private func scanning(
    _ parameters: ScanParameters = ScanParameters()
  ) -> ScriptedCentral<1> {
    let central = ScriptedCentral<1>.ready()
    central.forgetWhatWasSent()
    central.host.scan(parameters)
    central.run()
    return central
  }

  /// Core Specification, Vol 4, Part E, 7.8.10 and 7.8.11.
  @Test("sets the parameters, turns the scan on, and off")
  func commands() {
    var parameters = ScanParameters()
    parameters.isActive = false
    parameters.filtersDuplicates = false
    parameters.interval = 0x0140
    parameters.window = 0x0030
    let central = scanning(parameters)
    central.host.scan(nil)
    central.run()
    #expect(
      central.commands == [.leSetScanParameters, .leSetScanEnable, .leSetScanEnable])
    #expect(
      central.parameters(of: .leSetScanParameters) == [[0, 0x40, 0x01, 0x30, 0x00, 0, 0]])
    #expect(central.parameters(of: .leSetScanEnable) == [[1, 0], [0, 0]])
    #expect(central.deadline == nil)
  }

  @Test("is active, and reports each advertiser once, by default")
  func defaults() {
    let central = scanning()
    #expect(central.parameters(of: .leSetScanParameters) == [[1, 96, 0, 96, 0, 0, 0]])
    #expect(central.parameters(of: .leSetScanEnable) == [[1, 1]])
  }

  @Test("a scan before the start-up begins when the controller is ready")
  func early() {
    let central = ScriptedCentral<1>()
    central.host.scan(ScanParameters())
    central.start()
    #expect(central.commands.suffix(2) == [.leSetScanParameters, .leSetScanEnable])
  }

  @Test("a scan with other parameters replaces the one before")
  func replaced() {
    let central = scanning()
    var parameters = ScanParameters()
    parameters.isActive = false
    central.host.scan(parameters)
    central.run()
    #expect(
      central.commands == [
        .leSetScanParameters, .leSetScanEnable, .leSetScanEnable, .leSetScanParameters,
        .leSetScanEnable,
      ])
    #expect(central.parameters(of: .leSetScanParameters).last?.first == 0)
  }

  /// With the filter, a controller reports each advertiser once in a scan.
  @Test("a second request for a scan restarts it")
  func again() {
    let central = scanning()
    central.forgetWhatWasSent()
    central.host.scan(ScanParameters())
    central.run()
    #expect(central.commands == [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
    #expect(central.parameters(of: .leSetScanEnable) == [[0, 0], [1, 1]])
    #expect(central.nextPacket() == nil)
  }

  @Test("a scan goes on after a Hardware Error")
  func hardwareError() {
    let central = scanning()
    central.forgetWhatWasSent()
    central.receive([0x04, 0x10, 1, 0x42])
    central.pass(milliseconds: 0)
    #expect(central.commands.suffix(2) == [.leSetScanParameters, .leSetScanEnable])
  }

  @Test("a restart of the scan during a reset begins it once")
  func resetBeforeAgain() {
    let central = scanning()
    central.holdCommands()
    central.host.scan(ScanParameters())
    central.receive([0x04, 0x10, 1, 0x42])
    central.forgetWhatWasSent()
    central.pass(milliseconds: 0)
    #expect(central.parameters(of: .leSetScanEnable) == [[1, 1]])
  }

  @Test(
    "a refusal ends the scan, and is reported",
    arguments: [HCIOpcode.leSetScanParameters, .leSetScanEnable])
  func refused(opcode: HCIOpcode) {
    let central = ScriptedCentral<1>.ready()
    central.script = { code, _ in code == opcode ? [Events.complete(code, [0x0C])] : nil }
    central.host.scan(ScanParameters())
    central.run()
    #expect(central.takeEvents() == [.scanFailed(.commandDisallowed)])
    let wanted = central.host.scanParameters
    #expect(wanted == nil)
    #expect(central.nextPacket() == nil)
  }

  @Test("a refusal to turn the scan off is final")
  func offRefused() {
    let central = scanning()
    central.script = { code, _ in
      code == .leSetScanEnable ? [Events.complete(code, [0x0C])] : nil
    }
    central.forgetWhatWasSent()
    central.host.scan(nil)
    central.run()
    #expect(central.commands == [.leSetScanEnable])
    #expect(central.takeEvents() == [])
  }

  @Test(
    "a controller that leaves a scan command unanswered is reset, and then scans",
    arguments: [HCIOpcode.leSetScanParameters, .leSetScanEnable])
  func unanswered(opcode: HCIOpcode) {
    let central = ScriptedCentral<1>.ready()
    central.script = { code, _ in code == opcode ? [] : nil }
    central.host.scan(ScanParameters())
    central.run()
    central.script = { _, _ in nil }
    central.pass(milliseconds: 2_000)
    #expect(central.takeEvents() == [.radio(.fault(.unanswered(opcode))), .radio(.silent)])
    #expect(central.commands.suffix(2) == [.leSetScanParameters, .leSetScanEnable])
  }

  /// Core Specification, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
  @Test("delivers each kind of legacy and extended advertising report")
  func kinds() {
    let central = scanning()
    for (report, isConnectable, isScannable, isScanResponse) in [
      (Self.report(0x00, Self.advertisement), true, true, false),
      (Self.report(0x01, Self.advertisement), true, false, false),
      (Self.report(0x02, Self.advertisement), false, true, false),
      (Self.report(0x03, Self.advertisement), false, false, false),
      (Self.report(0x04, Self.advertisement), nil, false, true),
      (Self.extendedReport(eventType: 0b0001_0011, Self.advertisement), true, true, false),
      (Self.extendedReport(eventType: 0b0001_0010, Self.advertisement), false, true, false),
      (Self.extendedReport(eventType: 0b0001_0000, Self.advertisement), false, false, false),
      (Self.extendedReport(eventType: 0b0001_1011, Self.advertisement), nil, false, true),
    ] as [([UInt8], Bool?, Bool, Bool)] {
      central.receive(report)
      #expect(
        central.takeEvents() == [
          .received(
            Collector.Report(
              address: .numbered(2), isConnectable: isConnectable, isScannable: isScannable,
              isScanResponse: isScanResponse, rssi: -50, data: Self.advertisement))
        ])
    }
  }

  @Test("a strength of 127 is unknown")
  func unknownStrength() {
    let central = scanning()
    central.receive(Self.report(0x00, [], rssi: 127))
    central.receive(Self.extendedReport(eventType: 0b0001_0011, [], rssi: 127))
    for event in central.takeEvents() {
      guard case .received(let report) = event else { continue }
      #expect(report.rssi == nil)
    }
  }

  @Test("several reports of one event are delivered one by one")
  func severalReports() {
    let central = scanning()
    let one = Array(Self.report(0x03, [1, 0xAA])[5...])
    let two = Array(Self.report(0x04, [1, 0xBB])[5...])
    let reports = one + two
    central.receive([0x04, 0x3E, UInt8(2 + reports.count), 0x02, 2] + reports)
    let data = central.takeEvents().map { event -> [UInt8] in
      if case .received(let report) = event { report.data } else { [] }
    }
    #expect(data == [[1, 0xAA], [1, 0xBB]])
  }

  @Test("truncated reports are ignored")
  func truncated() {
    let central = scanning()
    let reports = [
      Self.report(0x00, Self.advertisement),
      Self.extendedReport(eventType: 0b0001_0011, Self.advertisement),
    ]
    for report in reports {
      central.receiveTruncated(report)
      #expect(central.takeEvents() == [])
    }
  }

  @Test("a host without a client masks advertising reports")
  func peripheral() {
    // Bits 1 and 12 of the LE event mask: Vol 4, Part E, 7.8.1.
    let controller = ScriptedController<1>()
    #expect(controller.parameters(of: .leSetEventMask) == [[0x75, 0x0A, 0, 0, 0, 0, 0, 0]])
    let central = ScriptedCentral<1>.ready()
    #expect(central.parameters(of: .leSetEventMask) == [[0x77, 0x1A, 0, 0, 0, 0, 0, 0]])
  }

  private static func report(_ kind: UInt8, _ data: [UInt8], rssi: Int8 = -50) -> [UInt8] {
    let report: [UInt8] =
      [0x02, 1, kind, 0, 2, 0, 0, 0, 0, 0xF0, UInt8(data.count)] + data
      + [UInt8(bitPattern: rssi)]
    return [0x04, 0x3E, UInt8(report.count)] + report
  }

  private static func extendedReport(
    eventType: UInt16, _ data: [UInt8], rssi: Int8 = -50
  ) -> [UInt8] {
    let address: [UInt8] = [2, 0, 0, 0, 0, 0xF0]
    let report: [UInt8] =
      [0x0D, 1] + Array(little: eventType) + [0] + address
      // 1M PHY, no secondary PHY, no set, no transmit power
      + [1, 0, 0xFF, 127, UInt8(bitPattern: rssi)]
      // No periodic advertising, directed at no address
      + [0, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8(data.count)] + data
    return [0x04, 0x3E, UInt8(report.count)] + report
  }
}
