import BluetoothHost
import Expectations
import VirtualRadio

@Suite("Commands and their answers")
struct CommandTests {
  private let host = TestHost(on: VirtualAir())

  static let rows: [(name: String, opcode: UInt16, parameters: [UInt8], answer: [UInt8])] = [
    ("Reset", 0x0C03, [], complete(.reset)),
    ("Read BD_ADDR", 0x1009, [], complete(.readBDADDR, .success, [1, 0, 0, 0, 0, 0xF0])),
    (
      // The kernel's btbcm reads it to name the chip: 248 bytes, filled up with zeros.
      "Read Local Name", 0x0C14, [],
      complete(
        .readLocalName, .success,
        Array("Virtual controller".utf8) + [UInt8](repeating: 0, count: 230))
    ),
    (
      "Read Buffer Size: 251 × 8, no synchronous data", 0x1005, [],
      complete(.readBufferSize, .success, [251, 0, 0, 8, 0, 0, 0])
    ),
    (
      "LE Read Buffer Size: 251 × 8", 0x2002, [],
      complete(.leReadBufferSize, .success, [251, 0, 8])
    ),
    (
      "Features: LE only", 0x1003, [],
      complete(.readLocalSupportedFeatures, .success, [0, 0, 0, 0, 0x60, 0, 0, 0])
    ),
    (
      "Version: 5.0, no company", 0x1001, [],
      complete(.readLocalVersionInformation, .success, [9, 0, 0, 9, 0xFF, 0xFF, 0, 0])
    ),
    ("LE Set Random Address", 0x2005, [1, 2, 3, 4, 5, 0xC6], complete(.leSetRandomAddress)),
    (
      "LE Create Connection Cancel of nothing", 0x200E, [],
      complete(.leCreateConnectionCancel, .commandDisallowed)
    ),
    ("Inquiry: unknown", 0x0401, [], status(HCIOpcode(rawValue: 0x0401), .unknownCommand)),
    ("A maker's own: unknown", 0xFC01, [1], status(HCIOpcode(rawValue: 0xFC01), .unknownCommand)),
    (
      "Advertising data of 32 bytes", 0x2008, [32] + [UInt8](repeating: 0, count: 31),
      complete(.leSetAdvertisingData, .invalidCommandParameters)
    ),
    (
      "Advertising switched to 2", 0x200A, [2],
      complete(.leSetAdvertisingEnable, .invalidCommandParameters)
    ),
    (
      "LE Read Supported States: every combination", 0x201C, [],
      complete(.leReadSupportedStates, .success, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x03, 0, 0])
    ),
  ]

  @Test("Each command has its answer", arguments: rows)
  func answers(_ name: String, _ opcode: UInt16, _ parameters: [UInt8], _ answer: [UInt8]) {
    expect(host.ask(HCIOpcode(rawValue: opcode), parameters), is: [answer], "\(name)")
  }

  @Test("A small controller reports its sizes; shared buffers direct the host to Read Buffer Size")
  func bufferSizes() {
    let air = VirtualAir()
    let small = TestHost(on: air, configuration: .init(aclDataLength: 27, aclPacketCount: 1))
    expect(small.ask(.leReadBufferSize), is: [complete(.leReadBufferSize, .success, [27, 0, 1])])
    let shared = TestHost(on: air, configuration: .init(sharesBuffers: true))
    expect(shared.ask(.leReadBufferSize), is: [complete(.leReadBufferSize, .success, [0, 0, 0])])
  }

  @Test("Before the host sets its masks, no LE event is enabled")
  func defaultMasks() {
    let air = VirtualAir()
    let host = TestHost(air.addController(), on: air)
    let other = TestHost(on: air)
    other.advertise()
    host.scan()
    expect(host.receive(), is: [complete(.leSetScanParameters), complete(.leSetScanEnable)])
    host.send(SetEventMask(mask: .max))
    host.send(LESetScanEnable(enable: 1, filterDuplicates: 0))
    expect(host.receive().last, is: report(.connectable, publicAddress(2), [2, 1, 6]))
  }

  @Test("LE Rand gives different numbers each time, and the same ones in another run")
  func randomNumbers() {
    func run(_ seed: UInt64) -> [[UInt8]] {
      let host = TestHost(on: VirtualAir(seed: seed))
      return (0..<4).flatMap { _ in host.ask(HCIOpcode(rawValue: 0x2018)) }
    }
    expect(run(1), is: run(1))
    expect(run(1) != run(2))
    expect(Set(run(1)).count, is: 4)
  }

  @Test("The addresses count from F0:00:00:00:00:01")
  func addresses() {
    let air = VirtualAir()
    expect(air.addController().address, is: publicAddress(1))
    expect(air.addController(address: publicAddress(0x77)).address, is: publicAddress(0x77))
    expect(air.addController().address, is: publicAddress(3))
  }

  // MARK: What a controller computes for its host

  @Test("LE Encrypt is AES-128: the example of FIPS 197, C.1, the least significant byte first")
  func encrypt() {
    let key = (UInt8(0)..<16).map { $0 }
    let plaintext = (UInt8(0)..<16).map { $0 * 0x11 }
    let ciphertext: [UInt8] = [
      0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4, 0xC5,
      0x5A,
    ]
    expect(
      host.ask(.leEncrypt, key.reversed() + plaintext.reversed()),
      is: [complete(.leEncrypt, .success, ciphertext.reversed())])
  }

  @Test("The P-256 commands are unknown, or refused; never executed")
  func curve() {
    let commands: [(HCIOpcode, Int)] = [
      (.leReadLocalP256PublicKey, 0), (.leGenerateDHKey, 64), (.leGenerateDHKeyV2, 65),
    ]
    let air = VirtualAir()
    let unknowing = TestHost(on: air)
    let refusing = TestHost(
      on: air, configuration: .init(p256Commands: .refused(.unspecifiedError)))
    for (command, length) in commands {
      expect(unknowing.ask(command, .zeros(length)), is: [status(command, .unknownCommand)])
      expect(refusing.ask(command, .zeros(length)), is: [status(command, .unspecifiedError)])
      for count in 0...70 where count != length {
        expect(
          refusing.ask(command, .zeros(count)), is: [status(command, .invalidCommandParameters)])
      }
    }
  }

  // MARK: The start-up of Linux

  /// What Linux sends to an LE-only controller with this mask of commands (net/bluetooth,
  /// hci_sync.c), in its order.
  static let linux: [(name: String, opcode: UInt16, parameters: [UInt8])] = [
    ("Reset", 0x0C03, []),
    ("Read Local Supported Features", 0x1003, []),
    ("Read Local Version Information", 0x1001, []),
    ("Read BD_ADDR", 0x1009, []),
    ("Read Local Supported Commands", 0x1002, []),
    ("LE Read Local Supported Features", 0x2003, []),
    ("LE Read Buffer Size", 0x2002, []),
    ("LE Read Supported States", 0x201C, []),
    ("Set Event Mask", 0x0C01, [0x90, 0xE8, 0x04, 0x02, 0, 0x80, 0, 0x20]),
    ("LE Set Event Mask", 0x2001, [0x7F, 0x0A, 0, 0, 0, 0, 0, 0]),
    ("LE Read Advertising Physical Channel Tx Power", 0x2007, []),
    ("LE Read Filter Accept List Size", 0x200F, []),
    ("LE Clear Filter Accept List", 0x2010, []),
    ("LE Read Maximum Data Length", 0x202F, []),
    ("LE Read Suggested Default Data Length", 0x2023, []),
    ("LE Write Suggested Default Data Length: 251 bytes, 2,120 µs", 0x2024, [251, 0, 0x48, 8]),
    ("LE Set Default PHY: 1M or 2M", 0x2031, [0, 0b011, 0b011]),
    ("LE Set Random Address", 0x2005, [1, 2, 3, 4, 5, 0xC6]),
    ("LE Set Scan Parameters", 0x200B, [1, 0x12, 0, 0x12, 0, 1, 0]),
    ("LE Set Scan Enable", 0x200C, [1, 1]),
    ("LE Set Scan Enable, off", 0x200C, [0, 0]),
  ]

  @Test("Every command of Linux succeeds")
  func linuxStarts() {
    for step in Self.linux {
      let answers = host.ask(HCIOpcode(rawValue: step.opcode), step.parameters)
      expect(answers.count, is: 1, "\(step.name)")
      expect(answers.first?[1], is: 0x0E, "\(step.name)")
      expect(answers.first?[6], is: 0x00, "\(step.name)")
    }
  }
}

extension TestHost {
  /// Every command that a virtual controller knows, with the length of its parameters.
  static let knownOpcodes: [(opcode: UInt16, length: Int)] =
    [(opcode: 0x1002, length: 0)]
    + RefusedCommand.all.filter { ![0x2025, 0x2026, 0x205E].contains($0.opcode.rawValue) }
    .map { (opcode: $0.opcode.rawValue, length: $0.length) }
}
