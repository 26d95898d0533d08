import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("A central's limits")
struct CentralLimitTests {
  private func discovery(_ number: Int, awaitsResponse: Bool = false) -> Discovery {
    var discovery = Discovery(
      address: DeviceAddress(
        kind: .public, bytes: [UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0xF0]))
    discovery.awaitsScanResponse = awaitsResponse
    return discovery
  }

  private var scan: ManagerScan {
    ManagerScan(number: 1, services: [], solicited: [], allowsDuplicates: false)
  }

  @Test("a scan remembers 1,024 reported advertisers, and reports a forgotten one again")
  func reported() {
    var scan = scan
    let now = Instant(rawValue: 0)
    for number in 0..<1_024 { #expect(scan.report(for: discovery(number), at: now) != nil) }
    for number in 0..<1_024 { #expect(scan.report(for: discovery(number), at: now) == nil) }
    // The 1,025th replaces the oldest.
    #expect(scan.report(for: discovery(1_024), at: now) != nil)
    #expect(scan.report(for: discovery(1), at: now) == nil)
    #expect(scan.report(for: discovery(0), at: now) != nil)
  }

  @Test("at most 1,024 advertisers wait for their scan responses, and the others are not reported")
  func held() {
    var scan = scan
    let now = Instant(rawValue: 0)
    for number in 0..<1_025 {
      #expect(scan.report(for: discovery(number, awaitsResponse: true), at: now) == nil)
    }
    #expect(scan.deadline == now.advanced(by: 500))
    #expect(scan.takeHeld(at: now.advanced(by: 499)).isEmpty)
    let due = scan.takeHeld(at: now.advanced(by: 500))
    #expect(due.count == 1_024 && due.last == discovery(1_023, awaitsResponse: true))
    #expect(scan.deadline == nil)
    // One that had no room is heard again later.
    #expect(scan.report(for: discovery(1_024, awaitsResponse: true), at: now) == nil)
    #expect(scan.deadline != nil)
  }

  @Test("1,024 writes without response wait, further ones are dropped, and all are sent")
  func writes() throws {
    let stage = CentralStage()
    let bench = try stage.addBench()
    let log = CentralLog()
    let (manager, peripherals) = stage.manager(log, knowing: 0xBE)
    let peripheral = peripherals[0]
    manager.connect(peripheral)
    stage.settle()
    peripheral.discoverServices([CBUUID(.bench)])
    stage.settle()
    let service = try #require(peripheral.services?.first)
    peripheral.discoverCharacteristics([CBUUID(string: "FF01")], for: service)
    stage.settle()
    _ = log.take()
    let text = try #require(service.characteristics?.first)
    let values = (0..<1_030).map { number -> [UInt8] in
      [UInt8(number & 0xFF), UInt8(number >> 8)]
    }
    for value in values { peripheral.writeValue(Data(value), for: text, type: .withoutResponse) }
    stage.settle()
    #expect(bench.host.server.application.written == Array(values.prefix(1_024)))
    #expect(log.take() == ["ready to send"])
    #expect(peripheral.canSendWriteWithoutResponse)
  }
}
