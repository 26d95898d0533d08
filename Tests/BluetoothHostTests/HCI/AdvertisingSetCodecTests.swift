import Expectations

@testable import BluetoothHost

@Suite("Commands and events with data of advertising sets")
struct AdvertisingSetCodecTests {
  private static let address = DeviceAddress(kind: .random, bytes: [1, 2, 3, 4, 5, 0xC6])

  @Test("Each part of an advertising set's data is written, read, and refused if cut short")
  func data() {
    let bytes: [UInt8] = [7, 8, 9]
    let parameters: [UInt8] = [5, 0x02, 1, 3, 7, 8, 9]
    for opcode in [HCIOpcode.leSetExtendedAdvertisingData, .leSetExtendedScanResponseData] {
      let packet = written {
        LESetExtendedAdvertisingData(handle: 5, operation: .last, data: bytes.span)
          .writePacket(opcode, to: &$0)
      }
      expect(packet, is: [0x01] + Array(little: opcode.rawValue) + [7] + parameters)
    }
    func read(_ bytes: [UInt8]) -> [UInt8]? {
      var reader = ByteReader(bytes.span)
      guard let part = LESetExtendedAdvertisingData(&reader) else { return nil }
      return [part.handle, part.operation.rawValue] + Array(part.data)
    }
    expectRead(parameters, as: [5, 0x02] + bytes, by: read)
    // 252 bytes are too many for a part.
    expect(read([5, 0x03, 1, 252] + [UInt8](repeating: 0, count: 252)), is: nil)
  }

  @Test(
    "Data is sent in parts of at most 251 bytes",
    arguments: [
      (0, 0, 0, 3), (0, 251, 251, 3), (0, 251, 252, 1), (251, 1, 252, 2), (251, 251, 600, 0),
    ] as [(Int, Int, Int, UInt8)])
  func operation(offset: Int, length: Int, count: Int, operation: UInt8) {
    expect(
      LESetExtendedAdvertisingData.Operation(from: offset, length, of: count).rawValue,
      is: operation)
  }

  @Test("The command that starts and stops sets has any number of them")
  func enable() {
    let one = written {
      LESetExtendedAdvertisingEnable.writePacket(
        isEnabled: true, .init(handle: 3, duration: 0x0102, maximumEvents: 4), to: &$0)
    }
    expect(one, is: [0x01, 0x39, 0x20, 6, 1, 1, 3, 0x02, 0x01, 4])
    let all = written {
      LESetExtendedAdvertisingEnable.writePacket(isEnabled: false, nil, to: &$0)
    }
    expect(all, is: [0x01, 0x39, 0x20, 2, 0, 0])
    let two: [UInt8] = [1, 2, 3, 0x02, 0x01, 4, 5, 0, 0, 0]
    let members: [LESetExtendedAdvertisingEnable.Member] = [
      .init(handle: 3, duration: 0x0102, maximumEvents: 4), .init(handle: 5),
    ]
    expectRead(two, as: members) { bytes in
      var reader = ByteReader(bytes.span)
      guard var sets = LESetExtendedAdvertisingEnable(&reader) else { return nil }
      var result: [LESetExtendedAdvertisingEnable.Member] = []
      while let member = sets.next() { result.append(member) }
      return result
    }
  }

  @Test("An extended report is written and read, and refused if cut short")
  func report() {
    let data: [UInt8] = [0xAA, 0xBB]
    let bytes = written {
      LEExtendedAdvertisingReport(
        properties: .connectable | .scannable | .scanResponse, completeness: .truncated,
        address: Self.address, primaryPHY: .leCoded, secondaryPHY: .le2M, advertisingSet: 9,
        txPower: -4, rssi: -60, periodicInterval: 0x0102, data: data.span
      ).writeParameters(to: &$0)
    }
    // Bits 0, 1 and 3 of the kind, and 0b10 from bit 5 on.
    expect(
      bytes,
      is: [1, 0x4B, 0, 1, 1, 2, 3, 4, 5, 0xC6, 3, 2, 9, 0xFC, 0xC4, 2, 1, 0, 0, 0, 0, 0, 0, 0]
        + [2, 0xAA, 0xBB])
    for cut in truncations(of: Array(bytes.dropFirst())) {
      var reader = ByteReader(cut.span)
      expect(LEExtendedAdvertisingReport(&reader) == nil, "\(cut.count) bytes")
    }
    guard var reports = AdvertisingReports(ByteReader(bytes.span), isExtended: true),
      let read = reports.next()
    else {
      Issue.record("the whole is not read")
      return
    }
    expect(read.address, is: Self.address)
    expect(read.isConnectable, is: nil)
    expect(read.isScanResponse)
    expect(!read.isLegacy && !read.isScannable)
    expect(read.advertisingSet, is: 9)
    expect(read.primaryPHY, is: .leCoded)
    expect(read.secondaryPHY, is: .le2M)
    expect(read.txPower, is: -4)
    expect(read.rssi, is: -60)
    expect(read.periodicInterval, is: 0x0102)
    expect(read.completeness, is: .truncated)
    expect(Array(read.data), is: data)
  }

  @Test("Each part of a train's data is written, read, and refused if cut short")
  func trainData() {
    let bytes: [UInt8] = [7, 8, 9]
    let parameters: [UInt8] = [5, 0x02, 3, 7, 8, 9]
    let packet = written {
      LESetPeriodicAdvertisingData(handle: 5, operation: .last, data: bytes.span)
        .writePacket(to: &$0)
    }
    expect(packet, is: [0x01, 0x3F, 0x20, 6] + parameters)
    func read(_ bytes: [UInt8]) -> [UInt8]? {
      var reader = ByteReader(bytes.span)
      guard let part = LESetPeriodicAdvertisingData(&reader) else { return nil }
      return [part.handle, part.operation.rawValue] + Array(part.data)
    }
    expectRead(parameters, as: [5, 0x02] + bytes, by: read)
    // 253 bytes are too many for a part.
    expect(read([5, 0x03, 253] + [UInt8](repeating: 0, count: 253)), is: nil)
  }

  @Test("A report of a train is written and read, and refused if cut short")
  func trainReport() {
    let data: [UInt8] = [0xAA, 0xBB]
    let bytes = written {
      LEPeriodicAdvertisingReport(
        handle: 0x0EFF, txPower: -4, rssi: -60, completeness: .partial, data: data.span
      ).writeParameters(to: &$0)
    }
    expect(bytes, is: [0xFF, 0x0E, 0xFC, 0xC4, 0xFF, 1, 2, 0xAA, 0xBB])
    expectRead(bytes, as: data) { bytes in
      var reader = ByteReader(bytes.span)
      guard let read = LEPeriodicAdvertisingReport(&reader) else { return nil }
      expect(read.handle, is: 0x0EFF)
      expect(read.txPower, is: -4)
      expect(read.rssi, is: -60)
      expect(read.completeness, is: .partial)
      return Array(read.data)
    }
  }

  @Test("Scanning and connecting without a PHY, or on an unknown one, are refused")
  func wrongPHYs() {
    let scan: [UInt8] = [0, 0, 0] + [UInt8](repeating: 1, count: 20)
    let connection: [UInt8] = [UInt8](repeating: 0, count: 10) + [UInt8](repeating: 1, count: 80)
    for phys in [0, 0b010, 0b1000, 0xFF] as [UInt8] {
      let bytes = scan[..<2] + [phys] + scan[3...]
      var reader = ByteReader(bytes.span)
      expect(LESetExtendedScanParameters(&reader), is: nil)
    }
    for phys in [0, 0b1000, 0xFF] as [UInt8] {
      let bytes = connection[..<9] + [phys] + connection[10...]
      var reader = ByteReader(bytes.span)
      expect(LEExtendedCreateConnection(&reader), is: nil)
    }
  }
}
