import BluetoothHost
import Expectations

/// Flags, and the test service.
private let advertisement: [UInt8] = [0x02, 0x01, 0x06, 0x11, 0x07] + testServiceBytes

private func scanning(_ parameters: ScanParameters = ScanParameters()) -> ScriptedCentral<1> {
  let central = ScriptedCentral<1>.ready()
  central.forgetWhatWasSent()
  central.scan(parameters)
  return central
}

private func report(_ kind: UInt8, _ data: [UInt8], rssi: Int8 = -50) -> [UInt8] {
  let report: [UInt8] =
    [0x02, 1, kind, 0, 2, 0, 0, 0, 0, 0xF0, UInt8(data.count)] + data
    + [UInt8(bitPattern: rssi)]
  return [0x04, 0x3E, UInt8(report.count)] + report
}

private func extendedReport(eventType: UInt16, _ data: [UInt8], rssi: Int8 = -50) -> [UInt8] {
  let address: [UInt8] = [2, 0, 0, 0, 0, 0xF0]
  let report: [UInt8] =
    [0x0D, 1] + Array(little: eventType) + [0] + address
    // 1M PHY, no secondary PHY, no set, no transmit power
    + [1, 0, 0xFF, 127, UInt8(bitPattern: rssi)]
    // No periodic advertising, directed at no address
    + [0, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8(data.count)] + data
  return [0x04, 0x3E, UInt8(report.count)] + report
}

private let scenarios: [HostScenario] = [
  Scenario(
    "is active, and reports each advertiser once, by default",
    .sent(.leSetScanParameters, [1, 96, 0, 96, 0, 0, 0]), .sent(.leSetScanEnable, [1, 1])),
  Scenario(
    "a scan before the start-up begins when the controller is ready", on: { ScriptedCentral<1>() },
    .scan(ScanParameters()), .start, .lastCommands(.leSetScanParameters, .leSetScanEnable)),
  // With the filter, a controller reports each advertiser once in a scan.
  Scenario(
    "a second request for a scan restarts it",
    .forget, .scan(ScanParameters()),
    .commands(.leSetScanEnable, .leSetScanParameters, .leSetScanEnable),
    .sent(.leSetScanEnable, [0, 0], [1, 1]), .also { expect($0.nextPacket(), is: nil) }),
  Scenario(
    "a scan goes on after a Hardware Error",
    .forget, .receive([0x04, 0x10, 1, 0x42]), .pass(0),
    .lastCommands(.leSetScanParameters, .leSetScanEnable)),
  Scenario(
    "a restart of the scan during a reset begins it once",
    .holdCommands, .scan(ScanParameters()), .also { $0.commandCredits = 1 },
    .receive([0x04, 0x10, 1, 0x42]), .forget, .pass(0),
    .sent(.leSetScanEnable, [1, 1])),
  Scenario(
    "a refusal to turn the scan off is final",
    .script { code, _ in code == .leSetScanEnable ? [Events.complete(code, [0x0C])] : nil },
    .forget, .scan(nil), .commands(.leSetScanEnable), .client()),
  // Core Specification, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
  Scenario(
    "delivers each kind of legacy and extended advertising report",
    .also { host in
      for (report, isConnectable, isScannable, isScanResponse) in [
        (report(0x00, advertisement), true, true, false),
        (report(0x01, advertisement), true, false, false),
        (report(0x02, advertisement), false, true, false),
        (report(0x03, advertisement), false, false, false),
        (report(0x04, advertisement), nil, false, true),
        (extendedReport(eventType: 0b0001_0011, advertisement), true, true, false),
        (extendedReport(eventType: 0b0001_0010, advertisement), false, true, false),
        (extendedReport(eventType: 0b0001_0000, advertisement), false, false, false),
        (extendedReport(eventType: 0b0001_1011, advertisement), nil, false, true),
      ] as [([UInt8], Bool?, Bool, Bool)] {
        host.receive(report)
        expect(
          host.takeEvents(),
          is: [
            .received(
              Collector.Report(
                address: .numbered(2), isConnectable: isConnectable, isScannable: isScannable,
                isScanResponse: isScanResponse, rssi: -50, data: advertisement))
          ])
      }
    }),
  Scenario(
    "a strength of 127 is unknown",
    .receive(report(0x00, [], rssi: 127)),
    .receive(extendedReport(eventType: 0b0001_0011, [], rssi: 127)),
    .also { host in
      for event in host.takeEvents() {
        guard case .received(let report) = event else { continue }
        expect(report.rssi, is: nil)
      }
    }),
  Scenario(
    "truncated reports are ignored",
    .also { host in
      for report in [
        report(0x00, advertisement), extendedReport(eventType: 0b0001_0011, advertisement),
      ] {
        host.receiveTruncated(report)
        expect(host.takeEvents(), is: [])
      }
    }),
]

@Suite("Host: scanning")
struct ScanTests {
  @Test("The scan", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: scanning()) }

  /// Core Specification, Vol 4, Part E, 7.8.10 and 7.8.11.
  @Test("sets the parameters, turns the scan on, and off")
  func commands() {
    var parameters = ScanParameters()
    parameters.isActive = false
    parameters.filtersDuplicates = false
    parameters.interval = 0x0140
    parameters.window = 0x0030
    let central = scanning(parameters)
    central.scan(nil)
    expect(central.commands, is: [.leSetScanParameters, .leSetScanEnable, .leSetScanEnable])
    expect(central.parameters(of: .leSetScanParameters), is: [[0, 0x40, 0x01, 0x30, 0x00, 0, 0]])
    expect(central.parameters(of: .leSetScanEnable), is: [[1, 0], [0, 0]])
    expect(central.deadline, is: nil)
  }

  @Test("a scan with other parameters replaces the one before")
  func replaced() {
    let central = scanning()
    var parameters = ScanParameters()
    parameters.isActive = false
    central.scan(parameters)
    expect(
      central.commands,
      is: [
        .leSetScanParameters, .leSetScanEnable, .leSetScanEnable, .leSetScanParameters,
        .leSetScanEnable,
      ])
    expect(central.parameters(of: .leSetScanParameters).last?.first, is: 0)
  }

  @Test(
    "a refusal ends the scan, and is reported",
    arguments: [HCIOpcode.leSetScanParameters, .leSetScanEnable])
  func refused(opcode: HCIOpcode) {
    let central = ScriptedCentral<1>.ready()
    central.script = { code, _ in code == opcode ? [Events.complete(code, [0x0C])] : nil }
    central.scan(ScanParameters())
    expect(central.takeEvents(), is: [.scanFailed(.commandDisallowed)])
    expect(central.host.scanParameters, is: nil)
    expect(central.nextPacket(), is: nil)
  }

  @Test(
    "a controller that leaves a scan command unanswered is reset, and then scans",
    arguments: [HCIOpcode.leSetScanParameters, .leSetScanEnable])
  func unanswered(opcode: HCIOpcode) {
    let central = ScriptedCentral<1>.ready()
    central.script = { code, _ in code == opcode ? [] : nil }
    central.scan(ScanParameters())
    central.script = { _, _ in nil }
    central.pass(milliseconds: 2_000)
    expect(central.takeEvents(), is: [.radio(.fault(.unanswered(opcode))), .radio(.silent)])
    expect(central.commands.suffix(2), is: [.leSetScanParameters, .leSetScanEnable])
  }

  @Test("several reports of one event are delivered one by one")
  func severalReports() {
    let central = scanning()
    let one = Array(report(0x03, [1, 0xAA])[5...])
    let two = Array(report(0x04, [1, 0xBB])[5...])
    let reports = one + two
    central.receive([0x04, 0x3E, UInt8(2 + reports.count), 0x02, 2] + reports)
    let data = central.takeEvents().map { event -> [UInt8] in
      if case .received(let report) = event { report.data } else { [] }
    }
    expect(data, is: [[1, 0xAA], [1, 0xBB]])
  }

  @Test("a host with a client requests advertising reports")
  func eventMask() {
    // Bits 1 and 12 of the LE event mask, which a host without a client does not set: Vol 4, Part
    // E, 7.8.1.
    let central = ScriptedCentral<1>.ready()
    expect(central.parameters(of: .leSetEventMask), is: [[0x77, 0x1A, 0, 0, 0, 0, 0, 0]])
  }
}
