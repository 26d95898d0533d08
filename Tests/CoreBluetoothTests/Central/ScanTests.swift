import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("What a scan knows of advertisers")
struct ScanTests {
  private func discovery(
    _ number: Int = 2, _ change: (inout Discovery) -> Void = { _ in }
  ) -> Discovery {
    var discovery = Discovery(
      address: DeviceAddress(
        kind: .random, bytes: [UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0xC0]))
    change(&discovery)
    return discovery
  }

  private func full() -> Discovery {
    discovery {
      $0.name = "Name"
      $0.isNameComplete = true
      $0.serviceUUIDs = [BluetoothUUID(0x180D)]
      $0.solicitedUUIDs = [BluetoothUUID(0x1812)]
      $0.serviceData = [.init(uuid: BluetoothUUID(0x180F), bytes: [1])]
      $0.manufacturerData = [1, 2]
      $0.txPower = 4
      $0.rssi = -50
      $0.isConnectable = true
    }
  }

  @Test("each new kind of data is news; a changed RSSI, power or value is not")
  func news() {
    let changes: [(String, Bool, (inout Discovery) -> Void)] = [
      ("nothing", false, { _ in }),
      ("the name", true, { $0.name = "Other" }),
      ("the name's completeness", true, { $0.isNameComplete = false }),
      ("a service", true, { $0.serviceUUIDs.append(BluetoothUUID(0x180A)) }),
      ("a solicited service", true, { $0.solicitedUUIDs.append(BluetoothUUID(0x180A)) }),
      (
        "data of a service", true,
        { $0.serviceData.append(.init(uuid: BluetoothUUID(0x180A), bytes: [])) }
      ),
      ("other data of a service", false, { $0.serviceData[0].bytes = [2] }),
      ("no manufacturer data", true, { $0.manufacturerData = nil }),
      ("other manufacturer data", false, { $0.manufacturerData = [3, 4] }),
      ("no power", true, { $0.txPower = nil }),
      ("another power", false, { $0.txPower = 5 }),
      ("no RSSI", false, { $0.rssi = nil }),
      ("another RSSI", false, { $0.rssi = -40 }),
      ("connectable", true, { $0.isConnectable = false }),
      ("the wait for a scan response", true, { $0.awaitsScanResponse = true }),
    ]
    for (label, isNews, change) in changes {
      var other = full()
      change(&other)
      expect(other.hasMore(than: full()), is: isNews, "\(label)")
      expect(full().hasMore(than: other), is: isNews, "\(label), the other way round")
    }
  }

  @Test("a later discovery replaces what it has, and removes nothing")
  func merging() {
    var known = full()
    known.merge(discovery())
    // A discovery without data says only that the advertiser is not connectable now.
    var expected = full()
    expected.isConnectable = false
    expect(known, is: expected)
    known.merge(
      discovery {
        $0.name = "Short"
        $0.serviceUUIDs = [BluetoothUUID(0x180A)]
        $0.solicitedUUIDs = [BluetoothUUID(0x180B)]
        $0.serviceData = [.init(uuid: BluetoothUUID(0x180F), bytes: [9])]
        $0.manufacturerData = [9]
        $0.txPower = 9
        $0.rssi = -9
        $0.isConnectable = true
        $0.awaitsScanResponse = true
      })
    expected.serviceUUIDs.append(BluetoothUUID(0x180A))
    expected.solicitedUUIDs.append(BluetoothUUID(0x180B))
    expected.serviceData[0].bytes = [9]
    expected.manufacturerData = [9]
    expected.txPower = 9
    expected.rssi = -9
    expected.isConnectable = true
    expected.awaitsScanResponse = true
    expect(known, is: expected)
    // A shortened name is kept only until the next name.
    for (name, isComplete, result) in [
      ("New", true, "New"), ("Old", false, "New"), ("Newer", true, "Newer"),
    ] {
      known.merge(
        discovery {
          $0.name = name
          $0.isNameComplete = isComplete
        })
      expect(known.name, is: result)
      expect(known.isNameComplete)
    }
    var short = discovery { $0.name = "A" }
    short.merge(discovery { $0.name = "B" })
    expect(short.name == "B" && !short.isNameComplete)
  }

  @Test("one advertiser has at most 64 services, and as many with data")
  func lists() {
    var known = discovery()
    for number in 0..<65 {
      known.merge(
        discovery {
          $0.serviceUUIDs = [BluetoothUUID(UInt16(number))]
          $0.solicitedUUIDs = [BluetoothUUID(UInt16(number))]
          $0.serviceData = [.init(uuid: BluetoothUUID(UInt16(number)), bytes: [])]
        })
      expect(known.serviceUUIDs.count, is: min(number + 1, 64))
      expect(known.solicitedUUIDs.count, is: min(number + 1, 64))
      expect(known.serviceData.count, is: min(number + 1, 64))
    }
    // Known ones are still updated.
    known.merge(discovery { $0.serviceData = [.init(uuid: BluetoothUUID(63), bytes: [7])] })
    expect(known.serviceData.last?.bytes, is: [7])
    expect(known.serviceData.count, is: 64)
  }

  @Test("fields of every kind are read, malformed ones are ignored, and the others are kept")
  func fields() {
    let cases: [(String, [UInt8], (inout Discovery) -> Void)] = [
      ("a power of two bytes", [3, 0x0A, 1, 2], { _ in }),
      ("a power of no byte", [1, 0x0A], { _ in }),
      ("a name that is not UTF-8", [2, 0x09, 0xFF], { _ in }),
      ("a shortened name that is not UTF-8", [2, 0x08, 0xFF], { _ in }),
      ("service data without a whole UUID", [2, 0x16, 0x0F], { _ in }),
      (
        "half a UUID after a whole one", [4, 0x03, 0x0D, 0x18, 0x0F],
        { $0.serviceUUIDs = [BluetoothUUID(0x180D)] }
      ),
      (
        "16-bit services", [0x05, 0x03, 0x0F, 0x18, 0x0A, 0x18],
        { $0.serviceUUIDs = [BluetoothUUID(0x180F), BluetoothUUID(0x180A)] }
      ),
      (
        "a 32-bit service, a solicited one and the power",
        [5, 0x05, 0x78, 0x56, 0x34, 0x12, 3, 0x14, 0x12, 0x18, 2, 0x0A, 0xF8],
        {
          $0.serviceUUIDs = [BluetoothUUID(assigned: 0x1234_5678)]
          $0.solicitedUUIDs = [BluetoothUUID(0x1812)]
          $0.txPower = -8
        }
      ),
      (
        "data of a 16-bit and a 32-bit service, and of a manufacturer",
        [5, 0x16, 0x0F, 0x18, 0x63, 0x01, 6, 0x20, 0x78, 0x56, 0x34, 0x12, 0x07]
          + [4, 0xFF, 0x4C, 0x00, 0x02],
        {
          $0.serviceData = [
            .init(uuid: BluetoothUUID(0x180F), bytes: [0x63, 0x01]),
            .init(uuid: BluetoothUUID(assigned: 0x1234_5678), bytes: [0x07]),
          ]
          $0.manufacturerData = [0x4C, 0x00, 0x02]
        }
      ),
      ("an unknown type", [2, 0x77, 1], { _ in }),
      (
        "an empty name", [1, 0x09],
        {
          $0.name = ""
          $0.isNameComplete = true
        }
      ),
      ("a power behind a length of zero", [0, 2, 0x0A, 1], { _ in }),
      ("a power behind another field", [2, 0x01, 0x06, 2, 0x0A, 1], { $0.txPower = 1 }),
      ("empty manufacturer data", [1, 0xFF], { $0.manufacturerData = [] }),
      (
        "service data of no byte", [3, 0x16, 0x0F, 0x18],
        { $0.serviceData = [.init(uuid: BluetoothUUID(0x180F), bytes: [])] }
      ),
    ]
    for (label, data, change) in cases {
      let (_, radio) = scanning()
      radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), data))
      var expected = Discovery(address: .numbered(2))
      expected.rssi = -50
      change(&expected)
      expect(radio.takeEvents(), is: [.discovered(expected)], "\(label)")
    }
  }

  @Test("a manager's scan remembers 1,024 advertisers, and forgets the oldest")
  func reported() {
    var scan = ManagerScan()
    for number in 0..<1_024 { expect(scan.report(for: discovery(number)) != nil) }
    expect(scan.report(for: discovery(0)), is: nil)
    expect(scan.report(for: discovery(1_024)) != nil)
    expect(scan.report(for: discovery(1)), is: nil)
    expect(scan.report(for: discovery(0)) != nil)
    // That was new again, so the next oldest was forgotten.
    expect(scan.report(for: discovery(2)), is: nil)
    expect(scan.report(for: discovery(1)) != nil)
    // New data of a known one forgets none.
    let named = discovery(3) {
      $0.name = "Name"
      $0.isNameComplete = true
    }
    expect(scan.report(for: named), is: named)
    expect(scan.report(for: discovery(4)), is: nil)
    // A report has all known data, and there is none while a scan response is awaited.
    expect(scan.report(for: discovery(3) { $0.awaitsScanResponse = true }), is: nil)
    expect(scan.report(for: discovery(3) { $0.name = "Na" }), is: nil)
    expect(
      scan.report(for: discovery(3) { $0.serviceUUIDs = [BluetoothUUID(0x180D)] }),
      is: discovery(3) {
        $0.name = "Name"
        $0.isNameComplete = true
        $0.serviceUUIDs = [BluetoothUUID(0x180D)]
      })
  }

  @Test("at most 1,024 advertisers wait for their scan responses, each for half a second")
  func held() {
    var scan = ManagerScan()
    func waiting(_ number: Int) -> Discovery { discovery(number) { $0.awaitsScanResponse = true } }
    for number in 0..<1_025 {
      expect(scan.report(for: waiting(number), at: UInt64(number)), is: nil)
    }
    // Another advertisement does not move the deadline.
    expect(scan.report(for: waiting(0), at: 400), is: nil)
    expect(scan.deadline, is: Instant(rawValue: 500))
    expect(scan.takeHeld(at: 499), is: [])
    expect(scan.takeHeld(at: 501), is: [waiting(0), waiting(1)])
    expect(scan.deadline, is: Instant(rawValue: 502))
    expect(scan.takeHeld(at: 10_000).count, is: 1_022)
    expect(scan.deadline, is: nil)
    // One that had no room is heard again later, and one that was reported waits no more.
    expect(scan.report(for: waiting(0), at: 10_000) == nil && scan.deadline == nil)
    expect(scan.report(for: waiting(1_024), at: 10_000) == nil && scan.deadline != nil)
    // A late scan response is reported, once.
    expect(scan.report(for: discovery(0) { $0.name = "Late" }, at: 10_001) != nil)
    expect(scan.report(for: discovery(0) { $0.name = "Late" }, at: 10_002), is: nil)
  }

  @Test("an advertiser that waits is reported with its response, and once")
  func response() {
    var scan = ManagerScan()
    expect(scan.report(for: discovery { $0.awaitsScanResponse = true }), is: nil)
    let answered = discovery { $0.name = "Name" }
    expect(scan.report(for: answered), is: answered)
    expect(scan.deadline, is: nil)
    expect(scan.takeHeld(at: 500), is: [])
    // The last advertisement is the one reported.
    let later = discovery(3) {
      $0.awaitsScanResponse = true
      $0.rssi = -20
    }
    expect(scan.report(for: discovery(3) { $0.awaitsScanResponse = true }), is: nil)
    expect(scan.report(for: later), is: nil)
    expect(scan.takeHeld(at: 500), is: [later])
  }

  @Test("with duplicates, each advertisement of a wanted advertiser is reported at once")
  func duplicates() {
    var scan = ManagerScan(services: [BluetoothUUID(0x180D)], allowsDuplicates: true)
    let wanted = discovery {
      $0.serviceUUIDs = [BluetoothUUID(0x180D)]
      $0.awaitsScanResponse = true
    }
    for _ in 0..<3 { expect(scan.report(for: wanted), is: wanted) }
    expect(scan.deadline, is: nil)
    expect(scan.report(for: discovery()), is: nil)
  }

  @Test("an advertiser is wanted for a service, or for a solicited one, each from its own list")
  func filters() {
    let (heart, battery) = (BluetoothUUID(0x180D), BluetoothUUID(0x180F))
    let cases: [(String, Set<BluetoothUUID>, Set<BluetoothUUID>, Bool)] = [
      ("no filter", [], [], true), ("its service", [heart], [], true),
      ("its solicited service as a service", [battery], [], false),
      ("its solicited service", [], [battery], true),
      ("its service as a solicited one", [], [heart], false),
      ("one of two", [heart], [heart], true), ("the other of two", [battery], [battery], true),
      ("neither of two", [battery], [heart], false),
    ]
    for (label, services, solicited, isWanted) in cases {
      var scan = ManagerScan(services: services, solicited: solicited)
      let heard = discovery {
        $0.serviceUUIDs = [heart]
        $0.solicitedUUIDs = [battery]
      }
      expect((scan.report(for: heard) != nil), is: isWanted, "\(label)")
    }
  }

  @Test("the device remembers 256 advertisers, and forgets the oldest")
  func advertisers() {
    let (central, radio) = scanning()
    func hear(_ number: Int) -> Int {
      radio.give(ScriptedRadio.report(.nonconnectable, discovery(number).address, []))
      return radio.takeEvents().count
    }
    for number in 0..<256 { expect(hear(number), is: 1) }
    expect(hear(0), is: 0)
    expect(hear(256), is: 1)
    expect(hear(1), is: 0)
    expect(hear(0), is: 1)
    expect(hear(2), is: 0)
    expect(hear(1), is: 1)
    expect(central.scanner.advertisers.count, is: 256)
  }

  // MARK: The device's scan

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

  private func discovered(_ change: (inout Discovery) -> Void) -> CentralEvent {
    var discovery = Discovery(address: .numbered(2))
    change(&discovery)
    return .discovered(discovery)
  }

  @Test("merges advertisement and scan response")
  func merged() {
    let (_, radio) = scanning()
    radio.give(ScriptedRadio.report(.connectable, .numbered(2), Self.advertisement))
    radio.give(ScriptedRadio.report(.scanResponse, .numbered(2), Self.scanResponse, rssi: -48))
    // 127 is an unknown RSSI, which is no news.
    radio.give(ScriptedRadio.report(.scanResponse, .numbered(2), Self.scanResponse, rssi: 127))
    expect(
      radio.takeEvents(),
      is: [
        discovered {
          $0.serviceUUIDs = [longService]
          $0.isConnectable = true
          $0.rssi = -50
          $0.awaitsScanResponse = true
        },
        discovered {
          $0.serviceUUIDs = [longService]
          $0.isConnectable = true
          $0.rssi = -48
          $0.name = "Magic 8-Ball"
          $0.isNameComplete = true
        },
      ])
  }

  @Test("advertising data that is cut short anywhere gives its complete fields")
  func truncatedData() {
    let data = Self.advertisement + [0x05, 0x09] + Array("Ball".utf8)
    for length in 0..<data.count {
      let (_, radio) = scanning()
      radio.give(ScriptedRadio.report(.connectable, .numbered(2), Array(data.prefix(length))))
      expect(
        radio.takeEvents(),
        is: [
          discovered {
            // 3 (flags) + 18 (service) = 21 bytes, + 6 (name) = 27 bytes
            $0.serviceUUIDs = length >= 21 ? [longService] : []
            $0.isConnectable = true
            $0.rssi = -50
            $0.awaitsScanResponse = true
          }
        ])
    }
  }

  @Test("a repeated scan starts again, and reports every advertiser again")
  func again() {
    let (central, radio) = scanning()
    radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), []))
    central.scan()
    radio.run()
    radio.give(ScriptedRadio.report(.nonconnectable, .numbered(2), []))
    expect(radio.takeEvents().count, is: 2)
    // Off and on: a controller filters the advertisers that it has reported in this scan.
    expect(
      Array(radio.commands.suffix(3)),
      is: [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
    expect(radio.takePacket(), is: nil)
  }
}

/// A scan with a number, at times in milliseconds.
extension ManagerScan {
  fileprivate init(
    services: Set<BluetoothUUID> = [], solicited: Set<BluetoothUUID> = [],
    allowsDuplicates: Bool = false
  ) {
    self.init(
      number: 1, services: services, solicited: solicited, allowsDuplicates: allowsDuplicates)
  }

  fileprivate mutating func report(
    for discovery: Discovery, at milliseconds: UInt64 = 0
  ) -> Discovery? { report(for: discovery, at: Instant(rawValue: milliseconds)) }

  fileprivate mutating func takeHeld(at milliseconds: UInt64) -> [Discovery] {
    takeHeld(at: Instant(rawValue: milliseconds))
  }
}
