import BluetoothHost
import Expectations
import VirtualRadio

/// Each value at, just below and just above its limits.
@Suite("Values at their limits")
struct RangeTests {
  private let air = VirtualAir()
  private let pair = Pair()
  /// The bytes of the central's handle.
  private var near: [UInt8] { bytes { $0.write(pair.central.handle.rawValue) } }

  private func code(_ isValid: Bool) -> HCIErrorCode {
    isValid ? .success : .invalidCommandParameters
  }

  @Test("LE Set Advertising Parameters: intervals, type, channels and filter")
  func advertising() {
    typealias Row = (
      name: String, least: UInt16, most: UInt16, type: UInt8, channels: UInt8,
      filter: UInt8, isValid: Bool
    )
    let rows: [Row] = [
      ("usual", 0xA0, 0xA0, 0, 7, 0, true), ("20 ms", 0x20, 0x20, 0, 7, 0, true),
      ("below 20 ms", 0x1F, 0x20, 0, 7, 0, false), ("10.24 s", 0x4000, 0x4000, 0, 7, 0, true),
      ("above 10.24 s", 0x20, 0x4001, 0, 7, 0, false),
      ("both above", 0x4001, 0x4001, 0, 7, 0, false),
      ("least above most", 0x21, 0x20, 0, 7, 0, false), ("a range", 0x20, 0x21, 0, 7, 0, true),
      ("high duty, no interval", 0, 0, 1, 7, 0, true),
      ("low duty, no interval", 0, 0, 4, 7, 0, false), ("low duty", 0x20, 0x20, 4, 7, 0, true),
      ("type 5", 0xA0, 0xA0, 5, 7, 0, false),
      ("no channel", 0xA0, 0xA0, 0, 0, 0, false), ("reserved channel", 0xA0, 0xA0, 0, 8, 0, false),
      ("channel 37", 0xA0, 0xA0, 0, 1, 0, true), ("channel 39", 0xA0, 0xA0, 0, 4, 0, true),
      ("filter 3", 0xA0, 0xA0, 0, 7, 3, true), ("filter 4", 0xA0, 0xA0, 0, 7, 4, false),
    ]
    let host = TestHost(on: air)
    for row in rows {
      let parameters = bytes { writer in
        writer.write(row.least)
        writer.write(row.most)
        writer.write(row.type)
        writer.write([0, 0, 0, 0, 0, 0, 0, 0, row.channels, row.filter].span)
      }
      expect(
        host.ask(.leSetAdvertisingParameters, parameters),
        is: [complete(.leSetAdvertisingParameters, code(row.isValid))], "\(row.name)")
    }
    for (type, isValid) in [(UInt8(0), true), (1, true), (2, true), (3, true), (4, false)] {
      expect(
        host.ask(
          LESetAdvertisingParameters(
            minimumInterval: 0x20, maximumInterval: 0x20, ownAddressType: type)),
        is: [complete(.leSetAdvertisingParameters, code(isValid))])
    }
  }

  @Test("LE Set Scan Parameters and LE Set Scan Enable")
  func scanning() {
    typealias Row = (
      name: String, type: UInt8, interval: UInt16, window: UInt16, own: UInt8,
      filter: UInt8, isValid: Bool
    )
    let rows: [Row] = [
      ("passive", 0, 0x10, 0x10, 0, 0, true), ("active", 1, 0x10, 0x10, 0, 0, true),
      ("type 2", 2, 0x10, 0x10, 0, 0, false), ("2.5 ms", 0, 4, 4, 0, 0, true),
      ("interval 3", 0, 3, 3, 0, 0, false), ("window 3", 0, 4, 3, 0, 0, false),
      ("10.24 s", 0, 0x4000, 0x4000, 0, 0, true), ("above", 0, 0x4001, 0x4000, 0, 0, false),
      ("window above", 0, 0x4001, 0x4001, 0, 0, false), ("longer window", 0, 8, 9, 0, 0, false),
      ("own 3", 0, 8, 8, 3, 0, true), ("own 4", 0, 8, 8, 4, 0, false),
      ("filter 1", 0, 8, 8, 0, 1, true), ("filter 2", 0, 8, 8, 0, 2, false),
    ]
    let host = TestHost(on: air)
    for row in rows {
      expect(
        host.ask(
          LESetScanParameters(
            type: row.type, interval: row.interval, window: row.window, ownAddressType: row.own,
            filterPolicy: row.filter)), is: [complete(.leSetScanParameters, code(row.isValid))],
        "\(row.name)")
    }
    for (values, isValid) in [([0, 0], true), ([0, 1], true), ([2, 0], false), ([0, 2], false)] {
      let values = values.map { UInt8($0) }
      expect(host.ask(.leSetScanEnable, values), is: [complete(.leSetScanEnable, code(isValid))])
    }
  }

  @Test("LE Create Connection: scan, filter, own address and event length")
  func initiating() {
    typealias Row = (
      name: String, interval: UInt16, window: UInt16, filter: UInt8, own: UInt8,
      events: (UInt16, UInt16), isValid: Bool
    )
    let rows: [Row] = [
      ("usual", 0x10, 0x10, 0, 0, (0, 0), true), ("2.5 ms", 4, 4, 0, 0, (0, 0), true),
      ("interval 3", 3, 3, 0, 0, (0, 0), false), ("window 3", 4, 3, 0, 0, (0, 0), false),
      ("10.24 s", 0x4000, 0x4000, 0, 0, (0, 0), true),
      ("interval above", 0x4001, 0x4000, 0, 0, (0, 0), false),
      ("window above", 0x4001, 0x4001, 0, 0, (0, 0), false),
      ("longer window", 8, 9, 0, 0, (0, 0), false), ("filter 1", 8, 8, 1, 0, (0, 0), true),
      ("filter 2", 8, 8, 2, 0, (0, 0), false), ("own 2", 8, 8, 0, 2, (0, 0), true),
      ("own 4", 8, 8, 0, 4, (0, 0), false), ("events 1 to 1", 8, 8, 0, 0, (1, 1), true),
      ("events 2 to 1", 8, 8, 0, 0, (2, 1), false),
    ]
    for row in rows {
      let host = TestHost(on: air)
      expect(
        host.ask(
          LECreateConnection(
            scanInterval: row.interval, scanWindow: row.window, filterPolicy: row.filter,
            peer: publicAddress(99), ownAddressType: row.own,
            parameters: ConnectionParameters(
              minimumInterval: 24, maximumInterval: 24, latency: 0, supervisionTimeout: 72),
            minimumEventLength: row.events.0, maximumEventLength: row.events.1)),
        is: [status(.leCreateConnection, code(row.isValid))], "\(row.name)")
    }
  }

  // Core Specification, Vol 4, Part E, 7.8.33.
  @Test(
    "Data length: 27 to 251 bytes and 328 to 17,040 µs; the link uses at most 251 and 2,120",
    arguments: [
      ("least", UInt16(27), UInt16(328), true), ("26 bytes", 26, 328, false),
      ("327 µs", 27, 327, false), ("28 bytes", 28, 328, true), ("329 µs", 27, 329, true),
      ("most", 251, 17_040, true), ("252 bytes", 252, 17_040, false),
      ("17,041 µs", 251, 17_041, false), ("2,119 µs", 251, 2_119, true),
      ("2,121 µs", 251, 2_121, true), ("none", 0, 0, false), ("all", 0xFFFF, 0xFFFF, false),
    ])
  func dataLength(_ name: String, _ octets: UInt16, _ time: UInt16, isValid: Bool) {
    let command = LESetDataLength(
      handle: pair.central.handle, transmitOctets: octets, transmitTime: time)
    let answer = complete(.leSetDataLength, code(isValid), near)
    let isChange = isValid && (octets, time) != (27, 328)
    let sent = LEDataLengthChange(
      handle: pair.central.handle, transmitOctets: octets, transmitTime: min(time, 2_120),
      receiveOctets: 27, receiveTime: 328)
    // What one side sends is what the other receives.
    let received = LEDataLengthChange(
      handle: pair.peripheral.handle, transmitOctets: 27, transmitTime: 328,
      receiveOctets: octets, receiveTime: min(time, 2_120))
    expect(pair.central.ask(command), is: [answer] + (isChange ? [event(sent)] : []))
    expect(pair.peripheral.receive(), is: isChange ? [event(received)] : [])
    // Once more changes nothing.
    expect(pair.central.ask(command), is: [answer])
    // The same ranges hold for the suggested length, which starts at the least.
    let (read, write) = (HCIOpcode(rawValue: 0x2023), HCIOpcode(rawValue: 0x2024))
    let least: [UInt8] = [27, 0, 0x48, 0x01]
    expect(pair.central.ask(read), is: [complete(read, .success, least)])
    let wanted = bytes { writer in
      writer.write(octets)
      writer.write(time)
    }
    expect(pair.central.ask(write, wanted), is: [complete(write, code(isValid))])
    expect(pair.central.ask(read), is: [complete(read, .success, isValid ? wanted : least)])
  }

  @Test("The longest data length is 251 bytes and 2,120 µs, both ways")
  func maximumDataLength() {
    let most: [UInt8] = [251, 0, 0x48, 0x08]
    expect(
      TestHost(on: air).ask(.leReadMaximumDataLength),
      is: [complete(.leReadMaximumDataLength, .success, most + most)])
  }

  @Test("A host without data length extension gets no change on its link, on either side")
  func noDataLength() {
    for isCentral in [true, false] {
      let plain = ControllerConfiguration(supportsDataLengthExtension: false)
      let pair = isCentral ? Pair(central: plain) : Pair(peripheral: plain)
      let host = isCentral ? pair.peripheral : pair.central
      expect(
        host.ask(LESetDataLength(handle: host.handle, transmitOctets: 251, transmitTime: 2_120))
          .count, is: 1)
      expect((isCentral ? pair.central : pair.peripheral).receive(), is: [])
    }
  }

  @Test(
    "PHY preferences: reserved or none is invalid, a missing one alone is unsupported, none given is all",
    arguments: [
      ([0, 1, 1], HCIErrorCode.success), ([0, 2, 1], .success), ([0, 7, 7], .success),
      ([0, 6, 6], .success), ([0, 0, 1], .invalidCommandParameters),
      ([0, 1, 0], .invalidCommandParameters), ([0, 8, 1], .invalidCommandParameters),
      ([0, 1, 8], .invalidCommandParameters), ([0, 4, 1], .unsupportedFeatureOrParameterValue),
      ([0, 1, 4], .unsupportedFeatureOrParameterValue), ([1, 0, 1], .success),
      ([2, 1, 0], .success), ([3, 0, 0], .success), ([1, 0, 0], .invalidCommandParameters),
      ([2, 0, 0], .invalidCommandParameters),
    ] as [([UInt8], HCIErrorCode)])
  func phyPreferences(_ values: [UInt8], _ code: HCIErrorCode) {
    let pair = Pair(central: .init(supportsCodedPHY: false))
    let near = bytes { $0.write(pair.central.handle.rawValue) }
    expect(pair.central.ask(.leSetDefaultPHY, values), is: [complete(.leSetDefaultPHY, code)])
    expect(pair.central.ask(.leSetPHY, near + values + [0, 0]).first, is: status(.leSetPHY, code))
  }

  @Test(
    "The PHY of each direction is the fastest that both prefer; without one it stays",
    arguments: [
      // The central's wish, the peripheral's preference (1: 1M; 2: 2M), and the PHYs that the
      // central reads; each for transmitting and receiving.
      ("both all", [7, 7], [7, 7], [2, 2]), ("1M wished", [1, 1], [7, 7], [1, 1]),
      ("2M to the peripheral", [2, 1], [7, 7], [2, 1]),
      ("2M to the central", [1, 2], [7, 7], [1, 2]),
      ("the peripheral sends 1M", [3, 3], [1, 3], [2, 1]),
      ("the peripheral receives 1M", [3, 3], [3, 1], [1, 2]),
      ("coded alone", [4, 4], [7, 7], [3, 3]),
      ("coded alone to the peripheral", [4, 1], [7, 7], [3, 1]),
      ("nothing in common, at 1M", [1, 1], [2, 2], [1, 1]),
      ("nothing in common the other way", [2, 2], [1, 1], [1, 1]),
    ] as [(String, [UInt8], [UInt8], [UInt8])])
  func phys(_ name: String, _ wish: [UInt8], _ preferred: [UInt8], _ result: [UInt8]) {
    let far = bytes { $0.write(pair.peripheral.handle.rawValue) }
    _ = pair.peripheral.ask(.leSetDefaultPHY, [0] + preferred)
    // The requesting host gets an event, with or without a change.
    let done = event(
      LEPHYUpdateComplete(
        status: .success, handle: pair.central.handle, transmitPHY: result[0],
        receivePHY: result[1]))
    let command = near + [0] + wish + [0, 0]
    expect(pair.central.ask(.leSetPHY, command), is: [status(.leSetPHY), done])
    expect(pair.central.ask(.leReadPHY, near), is: [complete(.leReadPHY, .success, near + result)])
    let isChange = result != [1, 1]
    let changed = event(
      LEPHYUpdateComplete(
        status: .success, handle: pair.peripheral.handle, transmitPHY: result[1],
        receivePHY: result[0]))
    expect(pair.peripheral.receive(), is: isChange ? [changed] : [])
    expect(
      pair.peripheral.ask(.leReadPHY, far),
      is: [complete(.leReadPHY, .success, far + result.reversed())])
  }

  @Test("At 2M, a wish that the peer does not share changes nothing")
  func phyStays() {
    _ = pair.central.ask(.leSetPHY, near + [3, 0, 0, 0, 0])
    _ = pair.peripheral.ask(.leSetDefaultPHY, [0, 2, 2])
    _ = pair.central.ask(.leSetPHY, near + [0, 1, 1, 0, 0])
    expect(pair.central.ask(.leReadPHY, near), is: [complete(.leReadPHY, .success, near + [2, 2])])
    expect(pair.peripheral.receive(), is: [])
    // A host that prefers 1M takes the other's packets back to it.
    _ = pair.peripheral.ask(.leSetDefaultPHY, [0, 1, 1])
    _ = pair.central.ask(.leSetPHY, near + [0, 3, 3, 0, 0])
    expect(pair.central.ask(.leReadPHY, near), is: [complete(.leReadPHY, .success, near + [1, 1])])
  }

  @Test("A peer without the PHY commands: Unsupported Remote Feature, and the PHYs stay")
  func plainPeer() {
    let pair = Pair(peripheral: .init(supports2MPHY: false, supportsCodedPHY: false))
    let near = bytes { $0.write(pair.central.handle.rawValue) }
    expect(
      pair.central.ask(.leSetPHY, near + [3, 0, 0, 0, 0]),
      is: [
        status(.leSetPHY),
        event(
          LEPHYUpdateComplete(
            status: .unsupportedRemoteFeature, handle: pair.central.handle, transmitPHY: 1,
            receivePHY: 1)),
      ])
    expect(pair.peripheral.receive(), is: [])
  }

  @Test("A configuration outside its ranges becomes the nearest valid one")
  func configuration() {
    for (value, expected) in [(UInt16(0), UInt16(27)), (26, 27), (27, 27), (28, 28)] {
      expect(ControllerConfiguration(aclDataLength: value).aclDataLength, is: expected)
    }
    for (value, expected) in [(UInt8(0), UInt8(1)), (1, 1), (2, 2)] {
      expect(ControllerConfiguration(aclPacketCount: value).aclPacketCount, is: expected)
    }
    for (value, expected) in [(-1, 1), (0, 1), (1, 1), (2, 2), (255, 255), (256, 256), (257, 256)] {
      expect(ControllerConfiguration(maximumLinks: value).maximumLinks, is: expected)
    }
    let usual = ControllerConfiguration()
    expect(usual.aclDataLength, is: 251)
    expect(usual.aclPacketCount, is: 8)
    expect(!usual.sharesBuffers)
    expect(usual.maximumLinks, is: 16)
    expect(usual.acceptListSize, is: 8)
    expect(usual.resolvingListSize, is: 8)
    expect(usual.p256Commands, is: .unknown)
  }

  @Test("The longest packet fits the longest event and the longest data")
  func longestPacket() {
    // 1 (type) + 2 (header) + 255 = 258; 1 (type) + 4 (header) + 254 = 259.
    for (length, expected) in [(UInt16(27), 258), (253, 258), (254, 259), (1_000, 1_005)] {
      let host = TestHost(on: air, configuration: .init(aclDataLength: length))
      expect(host.controller.maximumPacketLength, is: expected)
    }
  }

  @Test("Data of exactly the buffer's length is delivered, and one byte more is not")
  func longestData() {
    let pair = Pair(central: .init(aclDataLength: 40))
    for (count, oversized) in [(39, 0), (40, 0), (41, 1)] {
      pair.central.send(.zeros(count), on: pair.central.handle)
      expect(pair.central.controller.counters.oversizedPackets, is: oversized)
    }
    expect(pair.peripheral.receive().count, is: 4)  // 27 + 12 and 27 + 13
  }
}
