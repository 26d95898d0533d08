import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Scanning")
struct ScanTests {
  /// Flags, and the ball's service.
  private static let advertisement: [UInt8] =
    [0x02, 0x01, 0x06, 0x11, 0x07]
    + [UInt8].written(upTo: 16) { longService.write(to: &$0) }
  /// The complete name.
  private static let scanResponse: [UInt8] = [0x0D, 0x09] + Array("Magic 8-Ball".utf8)

  private func scanning(
    _ options: ScanParameters = ScanParameters()
  ) -> (central: CentralRecorder, radio: ScriptedRadio) {
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

  @Test("merges advertisement and scan response")
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

  @Test("reports a duplicate only if it is allowed")
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

  @Test("a complete name replaces a shortened one, not the reverse")
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

  @Test("reads 16-bit services, an unknown RSSI and a non-connectable advertiser")
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

  @Test("advertising data that is cut short anywhere gives its complete fields")
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

  @Test("reads UUIDs of all widths, solicited ones, service and manufacturer data, and the power")
  func allFields() {
    let (_, radio) = scanning()
    radio.give(
      ScriptedRadio.report(
        .nonconnectable, .numbered(2),
        // One 32-bit service, one solicited, the power.
        [5, 0x05, 0x78, 0x56, 0x34, 0x12, 3, 0x14, 0x12, 0x18, 2, 0x0A, 0xF8]
          // Service data of a 16-bit and a 32-bit service; manufacturer data.
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

  @Test("changed data is not reported, a new kind of data is")
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

  @Test("a repeated scan starts again, and reports every advertiser again")
  func again() {
    let (central, radio) = scanning()
    radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), []))
    central.scan()
    radio.run()
    radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), []))
    #expect(radio.takeEvents().count == 2)
    // Off and on: a controller filters the advertisers that it has reported in this scan.
    #expect(
      Array(radio.commands.suffix(3)) == [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
    #expect(radio.takePacket() == nil)
    // Another request leaves the scan alone.
    let count = radio.commands.count
    _ = central.readRSSI(of: LinkID(rawValue: 9))
    radio.run()
    #expect(radio.commands.count == count)
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
    #expect(central.scanner.advertisers.count == 256)
  }
}
