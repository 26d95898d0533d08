import Testing

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
) -> Bool {
  data.append(type, value.span)
}

private func text(of name: DeviceName) -> String? {
  String(validating: Array(name.span), as: UTF8.self)
}

@Suite("Bluetooth UUIDs")
struct BluetoothUUIDTests {
  @Test("All forms of one UUID are the same value", arguments: [0x0000, 0x1800, 0x2902, 0xFFFF])
  func forms(short: UInt16) throws {
    let long = BluetoothUUID(
      high: UInt64(short) << 32 | 0x1000, low: 0x8000_0080_5F9B_34FB)
    #expect(BluetoothUUID(short) == long)
    #expect(BluetoothUUID(assigned: UInt32(short)) == long)
    #expect(BluetoothUUID(short).hashValue == long.hashValue)
    #expect(long.short == short && long.byteCount == 2)
    #expect(written { long.write(to: &$0) } == Array(little: short))
    let bytes = written {
      $0.write(long.low)
      $0.write(long.high)
    }
    var reader = ByteReader(bytes.span)
    let read = BluetoothUUID(&reader, byteCount: 16)
    #expect(read == long)
  }

  @Test(
    "A UUID that is almost of the Bluetooth base has no short form",
    arguments: [
      BluetoothUUID(assigned: 0x0001_1800),
      BluetoothUUID(high: 0x0000_1800_0000_1001, low: 0x8000_0080_5F9B_34FB),
      BluetoothUUID(high: 0x0000_1800_0001_1000, low: 0x8000_0080_5F9B_34FB),
      BluetoothUUID(high: 0x0000_1800_0000_1000, low: 0x8000_0080_5F9B_34FA),
      BluetoothUUID(high: 0x0000_1800_0000_1000, low: 0x0000_0080_5F9B_34FB),
    ])
  func noShortForm(uuid: BluetoothUUID) {
    #expect(uuid.short == nil && uuid.byteCount == 16)
    #expect(uuid != BluetoothUUID(0x1800))
    let bytes = written { uuid.write(to: &$0) }
    #expect(bytes.count == 16)
    var reader = ByteReader(bytes.span)
    let read = BluetoothUUID(&reader, byteCount: 16)
    #expect(read == uuid)
  }

  @Test("A UUID of any other length, or cut short, is none", arguments: 1...17)
  func lengths(byteCount: Int) {
    let bytes = [UInt8](counting: 20)
    var reader = ByteReader(bytes.span)
    let isRead = BluetoothUUID(&reader, byteCount: byteCount) != nil
    #expect(isRead == (byteCount == 2 || byteCount == 16))
    let cut = Array(bytes.prefix(max(0, byteCount - 1)))
    var cutReader = ByteReader(cut.span)
    let isCutRead = BluetoothUUID(&cutReader, byteCount: byteCount) != nil
    #expect(!isCutRead)
  }
}

@Suite("Device names")
struct DeviceNameTests {
  @Test("1 to 29 bytes of UTF-8")
  func lengths() {
    #expect(name("") == nil)
    #expect(name("8").map { text(of: $0) } == "8")
    let longest = String(repeating: "n", count: 29)
    #expect(name(longest).map { text(of: $0) } == longest)
    #expect(name(longest + "n") == nil)
    let notUTF8: [UInt8] = [0x38, 0xFF]
    let none = DeviceName(notUTF8.span)
    #expect(none == nil)
    // 14 × 2 (é) = 28 and 15 × 2 = 30 bytes
    #expect(name(String(repeating: "é", count: 14)) != nil)
    #expect(name(String(repeating: "é", count: 15)) == nil)
  }

  @Test("A name that is part of the program is cut between two characters")
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
      #expect(name.count == count)
      #expect(text(of: name) != nil)
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

  @Test("A name of up to 8 bytes is in the advertisement: 21 + 2 + 8 = 31", arguments: 1...8)
  func short(length: Int) throws {
    let text = String("Magic 8-Ball".prefix(length))
    let (data, response) = try advertisement(text)
    #expect(data == start + [UInt8(1 + length), 0x09] + text.utf8)
    #expect(response == [])
  }

  @Test("A name of 9 to 29 bytes is in the scan response, whole: 2 + 29 = 31", arguments: 9...29)
  func long(length: Int) throws {
    let text = String(repeating: "n", count: length)
    let (data, response) = try advertisement(text)
    #expect(data == start)
    #expect(response == [UInt8(1 + length), 0x09] + text.utf8)
  }

  @Test("A name is never cut, and so never within a character")
  func multibyte() throws {
    // 7 × 1 + 2 = 9 bytes, 8 characters
    let (data, response) = try advertisement("8-Ball é")
    #expect(data == start)
    #expect(response == [10, 0x09] + Array("8-Ball é".utf8))
  }

  @Test("Beside a 16-bit service there is room for 22 bytes: 31 − 3 − 4 − 2")
  func shortService() throws {
    let flagsAndService: [UInt8] = [0x02, 0x01, 0x06, 0x03, 0x03, 0x0F, 0x18]
    let fits = String(repeating: "n", count: 22)
    let (data, response) = try advertisement(fits, service: .batteryService)
    #expect(data == flagsAndService + [23, 0x09] + Array(fits.utf8))
    #expect(response == [])
    let (otherData, otherResponse) = try advertisement(fits + "n", service: .batteryService)
    #expect(otherData == flagsAndService)
    #expect(otherResponse == [24, 0x09] + Array((fits + "n").utf8))
  }

  @Test("Structures are added as long as they fit whole, and found again")
  func structures() {
    var data = AdvertisingData()
    let name = [UInt8](repeating: 0x6E, count: 27)
    #expect(append(.completeLocalName, name, to: &data))
    #expect(!append(.flags, [0x06], to: &data))  // 29 + 3 = 32
    #expect(data.count == 29)
    #expect(append(.txPowerLevel, [], to: &data))  // 29 + 2 = 31
    #expect(value(of: .completeLocalName, in: data) == name)
    #expect(value(of: .txPowerLevel, in: data) == [])
    #expect(value(of: .flags, in: data) == nil)
  }

  @Test(
    "Malformed data is read as far as it goes",
    arguments: [
      Row("a length of 0 ends it", Flags([0x00, 0x02, 0x01, 0x06], nil)),
      Row("a length beyond the end", Flags([0x05, 0x01, 0x06], nil)),
      Row("a length without a type", Flags([0x01], nil)),
      Row("a structure of another type before", Flags([0x01, 0x0A, 0x02, 0x01, 0x06], [0x06])),
      Row("the first of two", Flags([0x02, 0x01, 0x06, 0x02, 0x01, 0x05], [0x06])),
      Row("an empty value", Flags([0x01, 0x01], [])),
    ])
  func malformed(row: Row<Flags>) throws {
    let data = try #require(advertisingData(row.value.bytes))
    #expect(value(of: .flags, in: data) == row.value.flags)
  }

  /// Advertising data, and the flags found in it.
  struct Flags: Sendable {
    let bytes: [UInt8]
    let flags: [UInt8]?

    init(_ bytes: [UInt8], _ flags: [UInt8]?) {
      self.bytes = bytes
      self.flags = flags
    }
  }

  @Test("31 bytes are the most; equal data is equal")
  func capacity() throws {
    let bytes = [UInt8](counting: 32)
    let longest = try #require(advertisingData(bytes[..<31]))
    #expect(advertisingData(bytes) == nil)
    #expect(longest == advertisingData(bytes[..<31]))
    #expect(longest != advertisingData(bytes[..<30]))
    #expect(longest != advertisingData(bytes[1...]))
  }
}
