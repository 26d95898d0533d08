import Expectations

@testable import BluetoothHost

private func name(_ text: String) -> DeviceName? {
  let bytes = Array(text.utf8)
  return DeviceName(bytes.span)
}

private func value(of type: AdvertisingDataType, in data: AdvertisingData) -> [UInt8]? {
  kept(data.value(of: type))
}

private func advertisingData(_ bytes: some Sequence<UInt8>) -> AdvertisingData? {
  let bytes = Array(bytes)
  return AdvertisingData(bytes.span)
}

private func append(
  _ type: AdvertisingDataType, _ value: [UInt8], to data: inout AdvertisingData
) -> Bool { data.append(type, value.span) }

private func text(of name: DeviceName) -> String? {
  String(validating: Array(name.span), as: UTF8.self)
}

@Suite("Bluetooth UUIDs")
struct BluetoothUUIDTests {
  @Test("All forms of one UUID are the same value", arguments: [0x0000, 0x1800, 0x2902, 0xFFFF])
  func forms(short: UInt16) throws {
    let long = BluetoothUUID(high: UInt64(short) << 32 | 0x1000, low: 0x8000_0080_5F9B_34FB)
    expect(BluetoothUUID(short), is: long)
    expect(BluetoothUUID(assigned: UInt32(short)), is: long)
    expect(BluetoothUUID(short).hashValue, is: long.hashValue)
    expect(long.short == short && long.byteCount == 2)
    expect(written { long.write(to: &$0) }, is: Array(little: short))
    let bytes = written {
      $0.write(long.low)
      $0.write(long.high)
    }
    var reader = ByteReader(bytes.span)
    expect(BluetoothUUID(&reader, byteCount: 16), is: long)
  }

  @Test(
    "A UUID that differs from the Bluetooth base has no short form",
    arguments: [
      BluetoothUUID(assigned: 0x0001_1800),
      BluetoothUUID(high: 0x0000_1800_0000_1001, low: 0x8000_0080_5F9B_34FB),
      BluetoothUUID(high: 0x0000_1800_0001_1000, low: 0x8000_0080_5F9B_34FB),
      BluetoothUUID(high: 0x0000_1800_0000_1000, low: 0x8000_0080_5F9B_34FA),
      BluetoothUUID(high: 0x0000_1800_0000_1000, low: 0x0000_0080_5F9B_34FB),
    ])
  func noShortForm(uuid: BluetoothUUID) {
    expect(uuid.short == nil && uuid.byteCount == 16)
    expect(uuid != BluetoothUUID(0x1800))
    let bytes = written { uuid.write(to: &$0) }
    expect(bytes.count, is: 16)
    var reader = ByteReader(bytes.span)
    expect(BluetoothUUID(&reader, byteCount: 16), is: uuid)
  }

  @Test("A UUID of another length, or cut short, is not read", arguments: 1...17)
  func lengths(byteCount: Int) {
    let bytes = [UInt8](counting: 20)
    var reader = ByteReader(bytes.span)
    expect(
      BluetoothUUID(&reader, byteCount: byteCount) != nil, is: byteCount == 2 || byteCount == 16)
    let cut = Array(bytes.prefix(max(0, byteCount - 1)))
    var cutReader = ByteReader(cut.span)
    expect(BluetoothUUID(&cutReader, byteCount: byteCount) != nil, is: false)
    expect(cutReader.count, is: cut.count)
  }
}

@Suite("Device names")
struct DeviceNameTests {
  @Test("A name has 1 to 29 bytes of UTF-8")
  func lengths() {
    expect(name("") == nil)
    expect(name("8").map { text(of: $0) }, is: "8")
    let longest = String(repeating: "n", count: 29)
    expect(name(longest).map { text(of: $0) }, is: longest)
    expect(name(longest + "n") == nil)
    let notUTF8: [UInt8] = [0x38, 0xFF]
    expect(DeviceName(notUTF8.span) == nil)
    // 14 × 2 (é) = 28 and 15 × 2 = 30 bytes
    expect(name(String(repeating: "é", count: 14)) != nil)
    expect(name(String(repeating: "é", count: 15)) == nil)
  }

  @Test("A name takes the first characters of a text that fit")
  func prefix() {
    func start(of text: [UInt8]) -> String? {
      DeviceName(prefixOf: text.span).flatMap { BluetoothHostTests.text(of: $0) }
    }
    let long = String(repeating: "n", count: 28)
    expect(start(of: Array((long + "no").utf8)), is: long + "n")
    expect(start(of: Array((long + "é").utf8)), is: long)
    expect(start(of: Array("é".utf8)), is: "é")
    expect(start(of: [0x38, 0xFF]), is: "8")
    expect(start(of: [0xFF]), is: nil)
    expect(start(of: []), is: nil)
  }

  @Test("A static name is cut between two characters")
  func staticText() {
    let cases: [(StaticText, Int)] = [
      (StaticText("12345678901234567890123456789"), 29),
      (StaticText("123456789012345678901234567890"), 29),
      (StaticText("1234567890123456789012345678é"), 28),  // 28 + 2
      (StaticText("123456789012345678901234567–"), 27),  // 27 + 3
      (StaticText("12345678901234567890123456🎱"), 26),  // 26 + 4
      (StaticText("1234567890123456789012345🎱!"), 29),  // 25 + 4
    ]
    for (literal, count) in cases {
      let name = DeviceName(literal)
      expect(name.count, is: count)
      expect(text(of: name) != nil)
    }
  }
}

@Suite("Advertising")
struct AdvertisementTests {
  /// 3 bytes of flags and 18 of a 128-bit service.
  private let start: [UInt8] = [0x02, 0x01, 0x06, 17, 0x07] + testServiceBytes

  private func advertisement(_ text: String, service: BluetoothUUID = .testService) throws
    -> (data: [UInt8], response: [UInt8])
  {
    let advertisement = Advertisement(service: service, name: try #require(name(text)))
    return (Array(advertisement.data.span), Array(advertisement.scanResponse.span))
  }

  /// Assigned Numbers, 2.3.
  @Test("Each type of advertising data has its assigned number")
  func types() {
    let types: [AdvertisingDataType] = [
      .flags, .incompleteServiceUUIDs16, .completeServiceUUIDs16, .incompleteServiceUUIDs32,
      .completeServiceUUIDs32, .incompleteServiceUUIDs128, .completeServiceUUIDs128,
      .shortenedLocalName, .completeLocalName, .txPowerLevel, .solicitedServiceUUIDs16,
      .solicitedServiceUUIDs128, .serviceData16, .appearance, .solicitedServiceUUIDs32,
      .serviceData32, .serviceData128, .manufacturerSpecificData,
    ]
    let numbers: [UInt8] = Array(0x01...0x0A) + [0x14, 0x15, 0x16, 0x19, 0x1F, 0x20, 0x21, 0xFF]
    expect(types.map(\.rawValue), is: numbers)
  }

  @Test("A name of up to 8 bytes is in the advertisement: 21 + 2 + 8 = 31", arguments: 1...8)
  func short(length: Int) throws {
    let text = String("Magic 8-Ball".prefix(length))
    let (data, response) = try advertisement(text)
    expect(data, is: start + [UInt8(1 + length), 0x09] + text.utf8)
    expect(response, is: [])
  }

  @Test("A name of 9 to 29 bytes is in the scan response, whole: 2 + 29 = 31", arguments: 9...29)
  func long(length: Int) throws {
    let text = String(repeating: "n", count: length)
    // 7 × 1 + 2 = 9 bytes, 8 characters
    for (text, length) in [(text, length), ("8-Ball é", 9)] {
      let (data, response) = try advertisement(text)
      expect(data, is: start)
      expect(response, is: [UInt8(1 + length), 0x09] + text.utf8)
    }
  }

  @Test("A 16-bit service leaves room for a name of 22 bytes: 31 − 3 − 4 − 2")
  func shortService() throws {
    let flagsAndService: [UInt8] = [0x02, 0x01, 0x06, 0x03, 0x03, 0x0F, 0x18]
    let fits = String(repeating: "n", count: 22)
    let (data, response) = try advertisement(fits, service: .batteryService)
    expect(data, is: flagsAndService + [23, 0x09] + Array(fits.utf8))
    expect(response, is: [])
    let (otherData, otherResponse) = try advertisement(fits + "n", service: .batteryService)
    expect(otherData, is: flagsAndService)
    expect(otherResponse, is: [24, 0x09] + Array((fits + "n").utf8))
  }

  /// Services and a name, and the packets with them.
  struct Packing: Sendable {
    let services: [BluetoothUUID]
    let name: String
    let data: [UInt8]
    let response: [UInt8]

    init(_ services: [BluetoothUUID], _ name: String, data: [UInt8], response: [UInt8] = []) {
      self.services = services
      self.name = name
      self.data = [0x02, 0x01, 0x06] + data
      self.response = response
    }
  }

  @Test(
    "Services and a name are packed into both packets",
    arguments: [
      Row("nothing but flags", Packing([], "", data: [])),
      Row(
        "three services of 16 bits in one list, and a name",
        Packing(
          [BluetoothUUID(0x180F), BluetoothUUID(0x1811), BluetoothUUID(0x180A)], "Pi",
          data: [7, 0x03, 0x0F, 0x18, 0x11, 0x18, 0x0A, 0x18, 3, 0x09, 0x50, 0x69])),
      Row(
        "one of 128 bits and two of 16: 3 + 6 + 18 = 27",
        Packing(
          [BluetoothUUID(0x180F), .testService, BluetoothUUID(0x1811)], "",
          data: [5, 0x03, 0x0F, 0x18, 0x11, 0x18, 17, 0x07] + testServiceBytes)),
      Row(
        "a second one of 128 bits is in the scan response: 3 + 2 + 32 > 31; both are incomplete",
        Packing(
          [.testService, .testText], "8-Ball",
          data: [17, 0x06] + testServiceBytes + [7, 0x09] + Array("8-Ball".utf8),
          response: [17, 0x06] + testTextBytes)),
      Row(
        "after a name there: 2 + 11 + 18 = 31",
        Packing(
          [.testService, .testText], "Magic 8-Bal", data: [17, 0x06] + testServiceBytes,
          response: [12, 0x09] + Array("Magic 8-Bal".utf8) + [17, 0x06] + testTextBytes)),
      Row(
        "left out where it does not fit: 2 + 12 + 18 = 32",
        Packing(
          [.testService, .testText], "Magic 8-Ball", data: [17, 0x06] + testServiceBytes,
          response: [13, 0x09] + Array("Magic 8-Ball".utf8))),
      Row(
        "a 16-bit service after one that did not fit keeps its order",
        Packing(
          [.testService, .testText, BluetoothUUID(0x180F)], "",
          data: [17, 0x06] + testServiceBytes,
          response: [3, 0x03, 0x0F, 0x18, 17, 0x06] + testTextBytes)),
      Row(
        "thirteen of 16 bits fill the advertisement: 3 + 2 + 26 = 31; the others follow",
        Packing(
          (0..<15).map { BluetoothUUID(0x1800 + $0) }, "n",
          data: [27, 0x02] + (0..<13).flatMap { [$0, 0x18] },
          response: [2, 0x09, 0x6E, 5, 0x02, 13, 0x18, 14, 0x18])),
      Row(
        "a name of 30 bytes is shortened to 29",
        Packing(
          [], String(repeating: "n", count: 30), data: [],
          response: [30, 0x08] + [UInt8](repeating: 0x6E, count: 29))),
      Row(
        "a name is cut between two characters: 28 + 2 = 30",
        Packing(
          [], String(repeating: "n", count: 28) + "é", data: [],
          response: [29, 0x08] + [UInt8](repeating: 0x6E, count: 28))),
    ])
  func packing(row: Row<Packing>) {
    let name = Array(row.value.name.utf8)
    let advertisement = Advertisement(services: row.value.services.span, name: name.span)
    expect(Array(advertisement.data.span), is: row.value.data)
    expect(Array(advertisement.scanResponse.span), is: row.value.response)
  }

  @Test("As many services are advertised as fit", arguments: 0...80)
  func manyServices(count: Int) {
    let services = (0..<count).map { BluetoothUUID(UInt16($0)) }
    let advertisement = Advertisement(services: services.span, name: Span())
    let listed =
      (value(of: .completeServiceUUIDs16, in: advertisement.data)
        ?? value(of: .incompleteServiceUUIDs16, in: advertisement.data) ?? [])
      + (value(of: .incompleteServiceUUIDs16, in: advertisement.scanResponse) ?? [])
    // 13 in the advertisement, 14 in the scan response: 2 + 28 = 30.
    expect(listed.count, is: 2 * min(count, 27))
  }

  @Test("AD structures are added if they fit whole, and found again")
  func structures() {
    var data = AdvertisingData()
    let name = [UInt8](repeating: 0x6E, count: 27)
    expect(append(.completeLocalName, name, to: &data))
    expect(!append(.flags, [0x06], to: &data))  // 29 + 3 = 32
    expect(data.count, is: 29)
    expect(append(.txPowerLevel, [], to: &data))  // 29 + 2 = 31
    expect(value(of: .completeLocalName, in: data), is: name)
    expect(value(of: .txPowerLevel, in: data), is: [])
    expect(value(of: .flags, in: data), is: nil)
  }

  @Test(
    "Malformed data is read up to the fault",
    arguments: [
      Row("a length of 0 ends it", ([0x00, 0x02, 0x01, 0x06], nil)),
      Row("a length beyond the end", ([0x05, 0x01, 0x06], nil)),
      Row("a length without a type", ([0x01], nil)),
      Row("a structure of another type before", ([0x01, 0x0A, 0x02, 0x01, 0x06], [0x06])),
      Row("the first of two", ([0x02, 0x01, 0x06, 0x02, 0x01, 0x05], [0x06])),
      Row("an empty value", ([0x01, 0x01], [])),
    ] as [Row<(bytes: [UInt8], flags: [UInt8]?)>])
  func malformed(row: Row<(bytes: [UInt8], flags: [UInt8]?)>) throws {
    let data = try #require(advertisingData(row.value.bytes))
    expect(value(of: .flags, in: data), is: row.value.flags)
  }

  @Test("Advertising data has 31 bytes at most; equal data compares as equal")
  func capacity() throws {
    let bytes = [UInt8](counting: 32)
    let longest = try #require(advertisingData(bytes[..<31]))
    expect(advertisingData(bytes), is: nil)
    expect(longest, is: advertisingData(bytes[..<31]))
    expect(longest != advertisingData(bytes[..<30]))
    expect(longest != advertisingData(bytes[1...]))
  }
}
