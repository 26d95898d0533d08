import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Scanning")
struct ScanTests {
  /// Flags, and the ball's service.
  private static let advertisement: [UInt8] =
    [0x02, 0x01, 0x06, 0x11, 0x07]
    + [UInt8].written(upTo: 16) { longService.write(to: &$0) }
  /// The whole name.
  private static let scanResponse: [UInt8] = [0x0D, 0x09] + Array("Magic 8-Ball".utf8)

  private func scanning(
    _ options: ScanParameters = ScanParameters()
  ) -> (central: DeviceCentral, radio: ScriptedRadio) {
    let (central, radio) = readyDevice()
    central.scan(options)
    radio.run()
    return (central, radio)
  }

  private func discovery(_ change: (inout Discovery) -> Void) -> CentralEvent {
    var discovery = Discovery(address: .numbered(2))
    change(&discovery)
    return .discovered(discovery)
  }

  @Test("sets the parameters, enables, and disables")
  func commands() {
    let (central, radio) = scanning()
    central.stopScan()
    radio.run()
    #expect(
      Array(radio.commands.suffix(3)) == [.leSetScanParameters, .leSetScanEnable, .leSetScanEnable])
    #expect(radio.scan == nil)
  }

  @Test("a scan asked for early begins when the controller is ready")
  func early() {
    let runner = DeviceRunner()
    let radio = ScriptedRadio(runner)
    runner.central.scan()
    runner.radioIsReady(at: radio.now)
    radio.run()
    #expect(radio.scan == ScanParameters())
  }

  @Test("a scan with other options replaces the one before")
  func replaced() {
    let (central, radio) = scanning()
    var options = ScanParameters()
    options.isActive = false
    central.scan(options)
    radio.run()
    #expect(radio.scan == options)
  }

  @Test(
    "a refusal ends the scan, and is told",
    arguments: [HCIOpcode.leSetScanParameters, .leSetScanEnable])
  func refused(opcode: HCIOpcode) {
    let (central, radio) = readyDevice()
    radio.script = { code, _ in
      code == opcode ? [ScriptedRadio.complete(code, [0x0C])] : nil
    }
    central.scan()
    radio.run()
    #expect(radio.takeEvents() == [.scanFailed(.commandDisallowed)])
    #expect(radio.takePacket() == nil)
  }

  @Test("puts advertisement and scan response together")
  func merged() {
    let (_, radio) = scanning()
    radio.give(ScriptedRadio.report(.connectable, .numbered(2), Self.advertisement))
    radio.give(ScriptedRadio.report(.scanResponse, .numbered(2), Self.scanResponse, rssi: -48))
    #expect(
      radio.takeEvents() == [
        discovery {
          $0.serviceUUIDs = [longService]
          $0.isConnectable = true
          $0.rssi = -50
          $0.awaitsScanResponse = true
        },
        discovery {
          $0.serviceUUIDs = [longService]
          $0.isConnectable = true
          $0.rssi = -48
          $0.name = "Magic 8-Ball"
          $0.isNameComplete = true
        },
      ])
  }

  @Test("tells of a duplicate only if asked to")
  func duplicates() {
    for filters in [true, false] {
      var options = ScanParameters()
      options.filtersDuplicates = filters
      let (_, radio) = scanning(options)
      for rssi in [-50, -51, -52] as [Int8] {
        radio.give(
          ScriptedRadio.report(.connectable, .numbered(2), Self.advertisement, rssi: rssi))
      }
      #expect(radio.takeEvents().count == (filters ? 1 : 3))
    }
  }

  @Test("a whole name replaces a short one, not the other way round")
  func names() {
    let (_, radio) = scanning()
    radio.give(ScriptedRadio.report(.connectable, .numbered(2), [6, 0x08] + Array("Magic".utf8)))
    radio.give(ScriptedRadio.report(.scanResponse, .numbered(2), Self.scanResponse))
    radio.give(ScriptedRadio.report(.connectable, .numbered(2), [6, 0x08] + Array("Magic".utf8)))
    let names = radio.takeEvents().map { event -> String? in
      if case .discovered(let discovery) = event { discovery.name } else { nil }
    }
    #expect(names == ["Magic", "Magic 8-Ball"])
  }

  @Test("reads 16-bit services, an unknown signal strength, and what takes no connection")
  func variety() {
    let (_, radio) = scanning()
    radio.give(
      ScriptedRadio.report(
        .nonconnectable, .numbered(2), [0x05, 0x03, 0x0F, 0x18, 0x0A, 0x18], rssi: 127))
    #expect(
      radio.takeEvents() == [
        discovery { $0.serviceUUIDs = [BluetoothUUID(0x180F), BluetoothUUID(0x180A)] }
      ])
  }

  @Test("reads extended reports, also of a legacy scan")
  func extended() {
    let (_, radio) = scanning()
    radio.give(Self.extendedReport(eventType: 0b0001_0011, Self.advertisement))
    radio.give(Self.extendedReport(eventType: 0b0001_1011, Self.scanResponse))
    #expect(
      radio.takeEvents().last
        == discovery {
          $0.serviceUUIDs = [longService]
          $0.isConnectable = true
          $0.rssi = -50
          $0.name = "Magic 8-Ball"
          $0.isNameComplete = true
        })
  }

  @Test("a report cut short anywhere is not told of, and does no harm")
  func truncated() {
    let (_, radio) = scanning()
    let reports = [
      ScriptedRadio.report(.connectable, .numbered(2), Self.advertisement),
      Self.extendedReport(eventType: 0b0001_0011, Self.advertisement),
    ]
    for report in reports {
      for length in 0..<report.count {
        var packet = Array(report.prefix(length))
        // Both with the length that was true once, and with one that fits.
        radio.give(packet)
        if packet.count > 2 { packet[2] = UInt8(packet.count - 3) }
        radio.give(packet)
      }
      #expect(radio.takeEvents() == [])
    }
  }

  @Test("advertising data cut short anywhere tells what is whole")
  func truncatedData() {
    let data = Self.advertisement + [0x05, 0x09] + Array("Ball".utf8)
    for length in 0..<data.count {
      let (_, radio) = scanning()
      radio.give(ScriptedRadio.report(.connectable, .numbered(2), Array(data.prefix(length))))
      #expect(
        radio.takeEvents() == [
          discovery {
            // 3 (flags) + 18 (service) = 21 bytes, + 6 (name) = 27 bytes
            $0.serviceUUIDs = length >= 21 ? [longService] : []
            $0.isConnectable = true
            $0.rssi = -50
            $0.awaitsScanResponse = true
          }
        ])
    }
  }

  @Test("reads UUIDs of all widths, what is looked for, data of services and makers, and the power")
  func allFields() {
    let (_, radio) = scanning()
    radio.give(
      ScriptedRadio.report(
        .nonconnectable, .numbered(2),
        // One service of 32 bits, one that is looked for, the power.
        [5, 0x05, 0x78, 0x56, 0x34, 0x12, 3, 0x14, 0x12, 0x18, 2, 0x0A, 0xF8]
          // Data of a service of 16 bits, and of one of 32; the maker's.
          + [5, 0x16, 0x0F, 0x18, 0x63, 0x01, 6, 0x20, 0x78, 0x56, 0x34, 0x12, 0x07]
          + [4, 0xFF, 0x4C, 0x00, 0x02]))
    #expect(
      radio.takeEvents() == [
        discovery {
          $0.serviceUUIDs = [BluetoothUUID(assigned: 0x1234_5678)]
          $0.solicitedUUIDs = [BluetoothUUID(0x1812)]
          $0.txPower = -8
          $0.serviceData = [
            Discovery.ServiceData(uuid: BluetoothUUID(0x180F), bytes: [0x63, 0x01]),
            Discovery.ServiceData(uuid: BluetoothUUID(assigned: 0x1234_5678), bytes: [0x07]),
          ]
          $0.manufacturerData = [0x4C, 0x00, 0x02]
          $0.rssi = -50
        }
      ])
  }

  @Test("data that changes is nothing new, a new kind of data is")
  func changingData() {
    let (_, radio) = scanning()
    let data: [[UInt8]] = [
      [3, 0xFF, 1, 2], [3, 0xFF, 1, 3], [4, 0x16, 0x0F, 0x18, 0x63], [4, 0x16, 0x0F, 0x18, 0x62],
      [4, 0x16, 0x0A, 0x18, 0x62], [2, 0x0A, 4], [2, 0x0A, 5],
    ]
    for data in data {
      radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), data))
    }
    #expect(radio.takeEvents().count == 4)
  }

  @Test("keeps a bounded number of services of one advertiser")
  func boundedLists() {
    let (_, radio) = scanning()
    for number in 0..<500 {
      let uuid = [UInt8(number & 0xFF), UInt8(number >> 8)]
      radio.give(
        ScriptedRadio.report(
          .nonconnectable, .numbered(2), [3, 0x02] + uuid + [3, 0x16] + uuid + [3, 0x14] + uuid))
    }
    guard case .discovered(let discovery) = radio.takeEvents().last else {
      Issue.record("nothing heard")
      return
    }
    #expect(discovery.serviceUUIDs.count == 64)
    #expect(discovery.serviceData.count == 64)
    #expect(discovery.solicitedUUIDs.count == 64)
  }

  @Test("a scan asked for again begins anew, and tells of everyone again")
  func again() {
    let (central, radio) = scanning()
    radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), []))
    central.scan()
    radio.run()
    radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), []))
    #expect(radio.takeEvents().count == 2)
    // Off and on: a controller leaves out whom it has told of since its scan began.
    #expect(
      Array(radio.commands.suffix(3)) == [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
    #expect(radio.takePacket() == nil)
  }

  @Test("remembers a bounded number of advertisers")
  func bounded() {
    let (central, radio) = scanning()
    for number in 0..<1_000 {
      let address = DeviceAddress(
        kind: .random, bytes: [UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0xC0])
      radio.give(ScriptedRadio.report(.connectable, address, []))
    }
    #expect(radio.takeEvents().count == 1_000)
    #expect(central.scanner.heardCount == 256)
  }

  /// Core Specification, Vol 4, Part E, 7.7.65.13, with one report.
  private static func extendedReport(eventType: UInt16, _ data: [UInt8]) -> [UInt8] {
    let address: [UInt8] = [2, 0, 0, 0, 0, 0xF0]
    let report: [UInt8] =
      [0x0D, 1] + ScriptedRadio.little(eventType) + [0] + address
      // 1M PHY, no secondary PHY, no set, no transmit power, −50 dBm
      + [1, 0, 0xFF, 127, UInt8(bitPattern: -50)]
      // no periodic advertising, directed at nobody
      + [0, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8(data.count)] + data
    return [0x04, 0x3E, UInt8(report.count)] + report
  }
}
