import Expectations

@testable import BluetoothHost

private let link = ConnectionHandle(rawValue: 0x0EFF)
private let peer = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6])
private let connection = LEConnectionComplete(
  status: .success, handle: link, role: .peripheral, peer: peer, interval: 0x0102,
  latency: 0x0304, supervisionTimeout: 0x0506, centralClockAccuracy: 7)
private let connectionStart: [UInt8] = [0x00, 0xFF, 0x0E, 0x01, 0x01, 1, 2, 3, 4, 5, 0xC6]
private let connectionEnd: [UInt8] = [0x02, 0x01, 0x04, 0x03, 0x06, 0x05, 7]

private let events: [Check] = [
  .event(
    DisconnectionComplete(status: .success, handle: link, reason: .connectionTimeout),
    [0x00, 0xFF, 0x0E, 0x08]),
  .event(EncryptionChange(status: .pinOrKeyMissing, handle: link, enabled: 1), [6, 0xFF, 0x0E, 1]),
  .event(EncryptionKeyRefreshComplete(status: .pinOrKeyMissing, handle: link), [6, 0xFF, 0x0E]),
  .event(HardwareError(hardwareCode: 0x42), [0x42]),
  .event(
    CommandStatus(status: .unknownCommand, commandCredits: 2, opcode: .leSetPHY),
    [0x01, 2, 0x32, 0x20]),
  .leEvent(connection, connectionStart + connectionEnd, read: LEConnectionComplete.init),
  .leEvent(
    LEConnectionUpdateComplete(
      status: .success, handle: link, interval: 0x0102, latency: 0x0304, supervisionTimeout: 0x0506),
    [0x00, 0xFF, 0x0E, 0x02, 0x01, 0x04, 0x03, 0x06, 0x05], read: LEConnectionUpdateComplete.init),
  .leEvent(
    LELongTermKeyRequest(
      handle: link, randomNumber: 0x0807_0605_0403_0201, encryptedDiversifier: 0x0A09),
    [0xFF, 0x0E, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], read: LELongTermKeyRequest.init),
  .leEvent(
    LERemoteConnectionParameterRequest(
      handle: link,
      parameters: ConnectionParameters(
        minimumInterval: 0x0102, maximumInterval: 0x0304, latency: 0x0506,
        supervisionTimeout: 0x0708)), [0xFF, 0x0E, 0x02, 0x01, 0x04, 0x03, 0x06, 0x05, 0x08, 0x07],
    read: LERemoteConnectionParameterRequest.init),
  .leEvent(
    LEDataLengthChange(
      handle: link, transmitOctets: 251, transmitTime: 2_120, receiveOctets: 27, receiveTime: 328),
    // 2,120 = 0x0848, 328 = 0x0148
    [0xFF, 0x0E, 251, 0, 0x48, 0x08, 27, 0, 0x48, 0x01]),
  .leEvent(
    LEAdvertisingSetTerminated(
      status: .limitReached, handle: 3, connection: link, completedEvents: 5),
    [0x43, 3, 0xFF, 0x0E, 5], read: LEAdvertisingSetTerminated.init),
  .leEvent(
    LEPeriodicAdvertisingSyncEstablished(
      status: .operationCancelledByHost, handle: 0x0EFF, advertisingSet: 9,
      address: DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6]), phy: .leCoded,
      interval: 0x0102, clockAccuracy: 7),
    [0x44, 0xFF, 0x0E, 9, 1, 1, 2, 3, 4, 5, 0xC6, 3, 0x02, 0x01, 7],
    read: LEPeriodicAdvertisingSyncEstablished.init),
  .leEvent(
    LEPeriodicAdvertisingSyncLost(handle: 0x0EFF), [0xFF, 0x0E],
    read: LEPeriodicAdvertisingSyncLost.init),
  .leEvent(LEScanTimeout(), []),
  .leEvent(
    LEPHYUpdateComplete(status: .success, handle: link, transmitPHY: 2, receivePHY: 1),
    [0x00, 0xFF, 0x0E, 2, 1]),
  .leEvent(
    LESubrateChange(
      status: .unsupportedRemoteFeature, handle: link, factor: 0x0102, latency: 0x0103,
      continuationNumber: 0x0104, supervisionTimeout: 0x0506),
    [0x1A, 0xFF, 0x0E, 2, 1, 3, 1, 4, 1, 6, 5], read: LESubrateChange.init),
]

@Suite("HCI events")
struct EventCodecTests {
  @Test(
    "Each is written; those with a reader are read, and refused if cut short", arguments: events)
  func roundTrip(event: Check) { event.value() }

  @Test("The enhanced Connection Complete has two more addresses")
  func enhanced() {
    let whole = connectionStart + [UInt8](repeating: 0xEE, count: 12) + connectionEnd
    expectRead(whole, as: connection) { bytes in
      var reader = ByteReader(bytes.span)
      return LEConnectionComplete(&reader, enhanced: true)
    }
  }

  @Test("The private addresses of a link follow the peer's; zeros are no address")
  func privateAddresses() {
    let own: [UInt8] = [1, 2, 3, 4, 5, 0x46]
    let peer: [UInt8] = [6, 5, 4, 3, 2, 0x41]
    let none = [UInt8](repeating: 0, count: 6)
    for (local, remote) in [(own, peer), (own, none), (none, peer), (none, none)] {
      let whole = connectionStart + local + remote + connectionEnd
      let addresses = ResolvableAddresses(ByteReader(whole.span))
      let expected = [local, remote].map { bytes in
        bytes == none
          ? nil : DeviceAddress(kind: .random, bytes: InlineArray<6, UInt8> { bytes[$0] })
      }
      expect(addresses.local, is: expected[0])
      expect(addresses.peer, is: expected[1])
    }
    for cut in truncations(of: connectionStart + own + peer) {
      expect(ResolvableAddresses(ByteReader(cut.span)), is: ResolvableAddresses())
    }
  }

  @Test("Command Complete has credits, opcode and return parameters")
  func commandComplete() {
    let returned: [UInt8] = [0x00, 1, 2, 3]
    let packet = written {
      CommandComplete(commandCredits: 1, opcode: .readBDADDR, returnParameters: returned.span)
        .writePacket(to: &$0)
    }
    expect(packet, is: [0x04, 0x0E, 7, 1, 0x09, 0x10] + returned)
    expectRead(
      Array(packet[3...]), as: returned, shorter: [3: [], 4: [0], 5: [0, 1], 6: [0, 1, 2]]
    ) { parameters in
      guard let event = CommandComplete(parameters: parameters.span) else { return nil }
      return Array(event.returnParameters)
    }
  }

  /// The links and counts of an event's parameters; `nil` if it is malformed.
  private func completed(_ parameters: [UInt8]) -> [[UInt16]]? {
    guard var event = NumberOfCompletedPackets(parameters: parameters.span) else { return nil }
    var result: [[UInt16]] = []
    while let (handle, count) = event.next() { result.append([handle.rawValue, count]) }
    return result
  }

  @Test("Number Of Completed Packets has none, one or several links, as many as it states")
  func completedPackets() {
    expect(
      written { NumberOfCompletedPackets.writePacket(handle: link, count: 3, to: &$0) },
      is: [0x04, 0x13, 5, 1, 0xFF, 0x0E, 3, 0])
    let two: [UInt8] = [2, 0x40, 0, 1, 0, 0x41, 0, 0x02, 0x01]
    expectRead(two, as: [[0x40, 1], [0x41, 0x0102]], by: completed)
    expect(completed([0]), is: [])
    expect(completed([1] + two[1...]), is: [[0x40, 1]], "further bytes are not read")
    expect(completed([255] + two[1...]), is: nil)
  }

  @Test("An event that does not fit its writer overflows")
  func overflow() {
    for capacity in 0..<7 {
      var hasOverflowed = false
      _ = written(capacity: capacity) {
        DisconnectionComplete(status: .success, handle: link, reason: .success).writePacket(to: &$0)
        hasOverflowed = $0.hasOverflowed
      }
      expect(hasOverflowed)
    }
  }
}

@Suite("HCI advertising reports")
struct AdvertisingReportTests {
  private let report: [UInt8] = [0x00, 0x01, 1, 2, 3, 4, 5, 0xC6, 3, 0x02, 0x01, 0x06, 0xC4]

  /// The reports in an event's parameters.
  private func reports(_ bytes: [UInt8]) -> [LEAdvertisingReport]? {
    guard var reports = AdvertisingReports(ByteReader(bytes.span), isExtended: false) else {
      return nil
    }
    var result: [LEAdvertisingReport] = []
    while let report = reports.next() {
      guard let data = AdvertisingData(report.data), let rssi = report.rssi else { return nil }
      let kind: LEAdvertisingReport.Kind = report.isConnectable == true ? .connectable : .scannable
      result.append(
        LEAdvertisingReport(kind: kind, address: report.address, data: data, rssi: rssi))
    }
    let isOver = reports.next() == nil
    expect(isOver, "the end is the end")
    return result
  }

  private func expected() throws -> LEAdvertisingReport {
    let bytes: [UInt8] = [0x02, 0x01, 0x06]
    let data = AdvertisingData(bytes.span)
    return LEAdvertisingReport(
      kind: .connectable, address: peer, data: try #require(data), rssi: -60)
  }

  @Test("A report is written and read; 0xC4 is −60 dBm")
  func one() throws {
    let expected = try expected()
    // 1 (subevent) + 1 (count) + 13
    expect(written { expected.writePacket(to: &$0) }, is: [0x04, 0x3E, 15, 0x02, 1] + report)
    expect(reports([1] + report), is: [expected])
  }

  @Test("Of truncated reports, the whole ones are read")
  func truncated() throws {
    let expected = try expected()
    expect(reports([]), is: nil)
    for length in 0...26 {
      let cut = [2] + Array((report + report)[..<length])
      expect(reports(cut), is: Array(repeating: expected, count: length / 13), "\(length) bytes")
    }
  }

  @Test(
    "A wrong count of reports reads those that are there",
    arguments: [(0, 0), (1, 1), (2, 2), (3, 2), (255, 2)])
  func lyingCount(stated: UInt8, found: Int) {
    expect(reports([stated] + report + report)?.count, is: found)
  }

  @Test("A report with too great a length ends the event")
  func lyingLength() {
    for length: UInt8 in [17, 31, 32, 255] {
      var lying = report
      lying[8] = length
      // 3 (data) + 1 (RSSI) + 13 (the next report) = 17 bytes follow, and the last one is the RSSI.
      expect(reports([2] + lying + report), is: [])
    }
    var tooLong = report
    tooLong[8] = 32
    expect(reports([1] + tooLong + [UInt8](repeating: 0, count: 64)), is: [])
  }
}
