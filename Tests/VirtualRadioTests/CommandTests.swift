import BluetoothHost
import Testing
import VirtualRadio

@Suite("Commands and their answers")
struct CommandTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var opcode: UInt16
    var parameters: [UInt8]
    var answer: [UInt8]

    init(_ name: String, _ opcode: UInt16, _ parameters: [UInt8], _ answer: [UInt8]) {
      testDescription = name
      self.opcode = opcode
      self.parameters = parameters
      self.answer = answer
    }
  }

  static let rows: [Row] = [
    Row("Reset", 0x0C03, [], complete(.reset)),
    Row(
      "Read BD_ADDR", 0x1009, [], complete(.readBDADDR, .success, [1, 0, 0, 0, 0, 0xF0])),
    Row(
      "Read Buffer Size: 251 × 8, no synchronous data", 0x1005, [],
      complete(.readBufferSize, .success, [251, 0, 0, 8, 0, 0, 0])),
    Row(
      "LE Read Buffer Size: 251 × 8", 0x2002, [],
      complete(.leReadBufferSize, .success, [251, 0, 8])),
    Row(
      "LE features: encryption, parameter request, reject, exchange, data length (5), privacy (6), 2M (8)",
      0x2003, [],
      complete(.leReadLocalSupportedFeatures, .success, [0x6F, 0x01, 0, 0, 0, 0, 0, 0])),
    Row(
      "Features: LE only", 0x1003, [],
      complete(.readLocalSupportedFeatures, .success, [0, 0, 0, 0, 0x60, 0, 0, 0])),
    Row(
      "Version: 5.0, no company", 0x1001, [],
      complete(.readLocalVersionInformation, .success, [9, 0, 0, 9, 0xFF, 0xFF, 0, 0])),
    Row(
      "LE Set Random Address", 0x2005, [1, 2, 3, 4, 5, 0xC6], complete(.leSetRandomAddress)),
    Row(
      "LE Read PHY of no link", 0x2030, [7, 0],
      complete(.leReadPHY, .unknownConnectionIdentifier, [7, 0, 0, 0])),
    Row(
      "Disconnect of no link", 0x0406, [7, 0, 0x13],
      status(.disconnect, .unknownConnectionIdentifier)),
    Row(
      "LE Set Data Length of no link", 0x2022, [7, 0, 251, 0, 72, 8],
      complete(.leSetDataLength, .unknownConnectionIdentifier, [7, 0])),
    Row(
      "LE Create Connection Cancel of nothing", 0x200E, [],
      complete(.leCreateConnectionCancel, .commandDisallowed)),
    Row("Inquiry: unknown", 0x0401, [], status(HCIOpcode(rawValue: 0x0401), .unknownCommand)),
    Row(
      "LE Read Local P-256 Public Key: unknown", 0x2025, [],
      status(.leReadLocalP256PublicKey, .unknownCommand)),
    Row(
      "A maker's own: unknown", 0xFC01, [1], status(HCIOpcode(rawValue: 0xFC01), .unknownCommand)),
    Row(
      "Advertising twice as often as allowed", 0x2006,
      [0x1F, 0, 0x1F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0],
      complete(.leSetAdvertisingParameters, .invalidCommandParameters)),
    Row(
      "Advertising without a channel", 0x2006,
      [0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      complete(.leSetAdvertisingParameters, .invalidCommandParameters)),
    Row(
      "Advertising data of 32 bytes", 0x2008, [32] + [UInt8](repeating: 0, count: 31),
      complete(.leSetAdvertisingData, .invalidCommandParameters)),
    Row(
      "Advertising switched to 2", 0x200A, [2],
      complete(.leSetAdvertisingEnable, .invalidCommandParameters)),
    Row(
      "Scan window beyond its interval", 0x200B, [1, 0x10, 0, 0x11, 0, 0, 0],
      complete(.leSetScanParameters, .invalidCommandParameters)),
    Row(
      "Reset with a parameter", 0x0C03, [0], complete(.reset, .invalidCommandParameters)),
    Row(
      "LE Read Supported States: every combination", 0x201C, [],
      complete(
        .leReadSupportedStates, .success, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x03, 0, 0])),
  ]

  @Test("Each command has its answer", arguments: rows)
  func answers(_ row: Row) {
    let host = TestHost(on: VirtualAir())
    #expect(host.ask(HCIOpcode(rawValue: row.opcode), row.parameters) == [row.answer])
  }

  @Test("A small controller reports its sizes; shared buffers direct the host to Read Buffer Size")
  func bufferSizes() {
    let air = VirtualAir()
    let small = TestHost(on: air, configuration: .init(aclDataLength: 27, aclPacketCount: 1))
    #expect(small.ask(.leReadBufferSize) == [complete(.leReadBufferSize, .success, [27, 0, 1])])
    let shared = TestHost(on: air, configuration: .init(sharesBuffers: true))
    #expect(shared.ask(.leReadBufferSize) == [complete(.leReadBufferSize, .success, [0, 0, 0])])
  }

  @Test("The mask of supported commands has exactly the known commands")
  func supportedCommands() throws {
    let host = TestHost(on: VirtualAir())
    let answer = try #require(host.ask(.readLocalSupportedCommands).first)
    #expect(answer.count == 3 + 4 + 64)
    let mask = Array(answer.dropFirst(7))
    // Core Specification, Vol 4, Part E, 6.27.
    #expect(mask[0] == 1 << 5)  // Disconnect
    #expect(mask[25] == 0b1111_0111)  // LE Set Event Mask … LE Set Advertising Data
    #expect(mask[26] == 0xFF)  // LE Set Scan Response Data … LE Clear Filter Accept List
    #expect(mask[27] == 0b1110_0111)  // without the channel map
    #expect(mask[33] == 0b1111_0000)
    #expect(mask[34] == 0b1111_1001)  // without the curve's commands
    #expect(mask[35] == 0b0111_1111)
    #expect(mask[39] == 0b0000_0100)  // LE Set Privacy Mode
    let bits = mask.reduce(0) { $0 + $1.nonzeroBitCount }
    // Every command of the table but Read Local Supported Commands, which has no bit.
    #expect(bits == TestHost.knownOpcodes.count - 1)
  }

  @Test("Without data length extension and 2M, their commands are unknown, and not in the mask")
  func plainController() throws {
    let host = TestHost(
      on: VirtualAir(),
      configuration: .init(supportsDataLengthExtension: false, supports2MPHY: false))
    #expect(
      host.ask(.leSetDataLength, [0, 0, 251, 0, 72, 8])
        == [status(.leSetDataLength, .unknownCommand)])
    #expect(
      host.ask(.leReadLocalSupportedFeatures)
        == [complete(.leReadLocalSupportedFeatures, .success, [0x4F, 0, 0, 0, 0, 0, 0, 0])])
    let answer = try #require(host.ask(.readLocalSupportedCommands).first)
    #expect(answer[7 + 33] == 0b0011_0000)
    #expect(answer[7 + 35] == 0b0000_0111)
  }

  @Test("Before the host sets its masks, no LE event is enabled")
  func defaultMasks() {
    let air = VirtualAir()
    let host = TestHost(air.addController(), on: air)
    let other = TestHost(on: air)
    other.advertise()
    host.scan()
    #expect(host.receive() == [complete(.leSetScanParameters), complete(.leSetScanEnable)])
    host.send(SetEventMask(mask: .max))
    host.send(LESetScanEnable(enable: 1, filterDuplicates: 0))
    #expect(host.receive().last == report(.connectable, publicAddress(2), [2, 1, 6]))
  }

  @Test("LE Rand gives different numbers each time, and the same ones in another run")
  func randomNumbers() {
    func run(_ seed: UInt64) -> [[UInt8]] {
      let host = TestHost(on: VirtualAir(seed: seed))
      return (0..<4).flatMap { _ in host.ask(HCIOpcode(rawValue: 0x2018)) }
    }
    #expect(run(1) == run(1))
    #expect(run(1) != run(2))
    #expect(Set(run(1)).count == 4)
  }

  @Test("The addresses count from F0:00:00:00:00:01")
  func addresses() {
    let air = VirtualAir()
    #expect(air.addController().address == publicAddress(1))
    #expect(air.addController(address: publicAddress(0x77)).address == publicAddress(0x77))
    #expect(air.addController().address == publicAddress(3))
  }
}

extension TestHost {
  /// Every command that a virtual controller knows, with the length of its parameters.
  static let knownOpcodes: [(opcode: UInt16, length: Int)] = [
    (0x0406, 3), (0x041D, 2), (0x0C01, 8), (0x0C03, 0), (0x1001, 0), (0x1002, 0), (0x1003, 0),
    (0x1005, 0), (0x1009, 0), (0x1405, 2), (0x2001, 8), (0x2002, 0), (0x2003, 0), (0x2005, 6),
    (0x2006, 15), (0x2007, 0), (0x2008, 32), (0x2009, 32), (0x200A, 1), (0x200B, 7), (0x200C, 2),
    (0x200D, 25), (0x200E, 0), (0x200F, 0), (0x2010, 0), (0x2011, 7), (0x2012, 7), (0x2013, 14),
    (0x2016, 2), (0x2017, 32), (0x2018, 0), (0x2019, 28), (0x201A, 18), (0x201B, 2), (0x201C, 0),
    (0x2020, 14), (0x2021, 3), (0x2022, 6), (0x2023, 0), (0x2024, 4), (0x2027, 39), (0x2028, 7),
    (0x2029, 0), (0x202A, 0), (0x202B, 7), (0x202C, 7), (0x202D, 1), (0x202E, 2), (0x202F, 0),
    (0x2030, 2), (0x2031, 3), (0x2032, 7), (0x204E, 8),
  ]
}
