import BluetoothHost
import Expectations
import VirtualRadio

/// A command, and what its refusal has: Core Specification, Vol 4, Part E, 7.
struct RefusedCommand: CustomTestStringConvertible, Sendable {
  enum Answer: Sendable {
    case status
    /// Command Complete, and this many bytes after the status.
    case complete(Int)
    /// Command Complete, and the command's handle and this many bytes after the status.
    case handle(Int)
  }

  var opcode: HCIOpcode
  var length: Int
  var answer: Answer
  /// An octet and a bit of Read Local Supported Commands.
  var octet: Int
  var bit: UInt8

  init(_ opcode: UInt16, _ length: Int, _ answer: Answer, _ octet: Int, _ bit: UInt8) {
    self.opcode = HCIOpcode(rawValue: opcode)
    self.length = length
    self.answer = answer
    self.octet = octet
    self.bit = bit
  }

  var testDescription: String { "0x\(String(opcode.rawValue, radix: 16))" }

  /// The answer with `code` to a command with `parameters`.
  func refusal(_ code: HCIErrorCode, _ parameters: [UInt8] = []) -> [UInt8] {
    switch answer {
    case .status: status(opcode, code)
    case .complete(let count): complete(opcode, code, .zeros(count))
    case .handle(let count):
      complete(
        opcode, code, (parameters.count < 2 ? [0, 0] : Array(parameters[..<2])) + .zeros(count))
    }
  }

  static let all: [RefusedCommand] = [
    .init(0x0406, 3, .status, 0, 5), .init(0x041D, 2, .status, 2, 7),
    .init(0x0C01, 8, .complete(0), 5, 6), .init(0x0C03, 0, .complete(0), 5, 7),
    .init(0x0C14, 0, .complete(248), 7, 1),
    .init(0x1001, 0, .complete(8), 14, 3), .init(0x1003, 0, .complete(8), 14, 5),
    .init(0x1005, 0, .complete(7), 14, 7), .init(0x1009, 0, .complete(6), 15, 1),
    .init(0x1405, 2, .handle(1), 15, 5), .init(0x2001, 8, .complete(0), 25, 0),
    .init(0x2002, 0, .complete(3), 25, 1), .init(0x2003, 0, .complete(8), 25, 2),
    .init(0x2005, 6, .complete(0), 25, 4), .init(0x2006, 15, .complete(0), 25, 5),
    .init(0x2007, 0, .complete(1), 25, 6), .init(0x2008, 32, .complete(0), 25, 7),
    .init(0x2009, 32, .complete(0), 26, 0), .init(0x200A, 1, .complete(0), 26, 1),
    .init(0x200B, 7, .complete(0), 26, 2), .init(0x200C, 2, .complete(0), 26, 3),
    .init(0x200D, 25, .status, 26, 4), .init(0x200E, 0, .complete(0), 26, 5),
    .init(0x200F, 0, .complete(1), 26, 6), .init(0x2010, 0, .complete(0), 26, 7),
    .init(0x2011, 7, .complete(0), 27, 0), .init(0x2012, 7, .complete(0), 27, 1),
    .init(0x2013, 14, .status, 27, 2), .init(0x2016, 2, .status, 27, 5),
    .init(0x2017, 32, .complete(16), 27, 6), .init(0x2018, 0, .complete(8), 27, 7),
    .init(0x2019, 28, .status, 28, 0), .init(0x201A, 18, .handle(0), 28, 1),
    .init(0x201B, 2, .handle(0), 28, 2), .init(0x201C, 0, .complete(8), 28, 3),
    .init(0x2020, 14, .handle(0), 33, 4), .init(0x2021, 3, .handle(0), 33, 5),
    .init(0x2022, 6, .handle(0), 33, 6), .init(0x2023, 0, .complete(4), 33, 7),
    .init(0x2024, 4, .complete(0), 34, 0), .init(0x2025, 0, .status, 34, 1),
    .init(0x2026, 64, .status, 34, 2), .init(0x2027, 39, .complete(0), 34, 3),
    .init(0x2028, 7, .complete(0), 34, 4), .init(0x2029, 0, .complete(0), 34, 5),
    .init(0x202A, 0, .complete(1), 34, 6), .init(0x202B, 7, .complete(6), 34, 7),
    .init(0x202C, 7, .complete(6), 35, 0), .init(0x202D, 1, .complete(0), 35, 1),
    .init(0x202E, 2, .complete(0), 35, 2), .init(0x202F, 0, .complete(8), 35, 3),
    .init(0x2030, 2, .handle(2), 35, 4), .init(0x2031, 3, .complete(0), 35, 5),
    .init(0x2032, 7, .status, 35, 6), .init(0x2035, 7, .complete(0), 36, 1),
    .init(0x2036, 25, .complete(1), 36, 2), .init(0x2037, 4, .complete(0), 36, 3),
    .init(0x2038, 4, .complete(0), 36, 4), .init(0x2039, 2, .complete(0), 36, 5),
    .init(0x203A, 0, .complete(2), 36, 6), .init(0x203B, 0, .complete(1), 36, 7),
    .init(0x203C, 1, .complete(0), 37, 0), .init(0x203D, 0, .complete(0), 37, 1),
    .init(0x203E, 7, .complete(0), 37, 2), .init(0x203F, 3, .complete(0), 37, 3),
    .init(0x2040, 2, .complete(0), 37, 4), .init(0x2044, 14, .status, 38, 0),
    .init(0x2045, 0, .complete(0), 38, 1), .init(0x2046, 2, .complete(0), 38, 2),
    .init(0x2047, 8, .complete(0), 38, 3), .init(0x2048, 8, .complete(0), 38, 4),
    .init(0x2049, 0, .complete(0), 38, 5), .init(0x204A, 0, .complete(1), 38, 6),
    .init(0x2041, 8, .complete(0), 37, 5), .init(0x2042, 6, .complete(0), 37, 6),
    .init(0x2043, 26, .status, 37, 7), .init(0x204E, 8, .complete(0), 39, 2),
    .init(0x205E, 65, .status, 41, 2), .init(0x2074, 2, .complete(0), 44, 1),
    .init(0x207D, 10, .complete(0), 46, 0), .init(0x207E, 12, .status, 46, 1),
  ]
}

@Suite("Refused commands")
struct CommandRefusalTests {
  private let air = VirtualAir()

  @Test("A refusal has the shape of the command's answer, with zeros for its values")
  func shapes() {
    let host = TestHost(on: air, configuration: .init(p256Commands: .refused(.unspecifiedError)))
    for command in RefusedCommand.all {
      // Too long by one byte; and too short for the handle, which then is 0.
      for count in [command.length + 1, 1] where count != command.length {
        let parameters = (0..<count).map { UInt8($0 % 7 + 1) }
        expect(
          host.ask(command.opcode, parameters),
          is: [command.refusal(.invalidCommandParameters, parameters)], "\(command), \(count)")
      }
    }
    // The only command without a bit of its own.
    expect(
      host.ask(.readLocalSupportedCommands, [0]),
      is: [complete(.readLocalSupportedCommands, .invalidCommandParameters, .zeros(64))])
  }

  @Test("Read Local Supported Commands has the bits of exactly these commands, by configuration")
  func mask() throws {
    let privacy: [UInt16] = [
      0x2027, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x204E,
    ]
    let curve: [UInt16] = [0x2025, 0x2026, 0x205E]
    let periodic = Array(0x203E...0x2040) + Array(0x2044...0x204A) as [UInt16]
    let extended = Array(0x2035...0x203D) + Array(0x2041...0x2043) + periodic as [UInt16]
    let cases: [(String, ControllerConfiguration, [UInt16], UInt64)] = [
      ("every feature", .init(p256Commands: .refused(.unspecifiedError)), [], 0x396F),
      ("no P-256", .init(), curve, 0x396F),
      (
        "no encryption", .init(supportsEncryption: false),
        curve + [0x2017, 0x2019, 0x201A, 0x201B],
        0x396E
      ),
      (
        "no data length", .init(supportsDataLengthExtension: false),
        curve + [0x2022, 0x2023, 0x2024, 0x202F], 0x394F
      ),
      ("no privacy", .init(supportsPrivacy: false), curve + privacy, 0x392F),
      ("no 2M PHY", .init(supports2MPHY: false), curve, 0x386F),
      (
        "no PHY but 1M", .init(supports2MPHY: false, supportsCodedPHY: false),
        curve + [0x2030, 0x2031, 0x2032], 0x306F
      ),
      (
        "no periodic advertising", .init(supportsPeriodicAdvertising: false), curve + periodic,
        0x196F
      ),
      (
        "no extended advertising", .init(supportsExtendedAdvertising: false), curve + extended,
        0x096F
      ),
      (
        "no subrating", .init(supportsSubrating: false), curve + [0x2074, 0x207D, 0x207E], 0x396F
      ),
    ]
    for (name, configuration, missing, features) in cases {
      var expected = [UInt8].zeros(64)
      for command in RefusedCommand.all where !missing.contains(command.opcode.rawValue) {
        expected[command.octet] |= 1 << command.bit
      }
      let host = TestHost(on: air, configuration: configuration)
      expect(
        host.ask(.readLocalSupportedCommands),
        is: [complete(.readLocalSupportedCommands, .success, expected)], "\(name)")
      expect(
        host.ask(.leReadLocalSupportedFeatures),
        is: [
          complete(
            .leReadLocalSupportedFeatures, .success,
            // Bit 37: connection subrating.
            bytes { $0.write(features | (configuration.supportsSubrating ? 1 << 37 : 0)) })
        ], "\(name)")
      for opcode in missing.map({ HCIOpcode(rawValue: $0) }) {
        expect(host.ask(opcode), is: [status(opcode, .unknownCommand)], "\(name)")
      }
    }
  }

  @Test("A handle without a link is unknown to each command for a link")
  func unknownHandle() {
    let pair = Pair()
    let opcodes: [UInt16] = [
      0x0406, 0x041D, 0x1405, 0x2013, 0x2016, 0x2019, 0x201A, 0x201B, 0x2020, 0x2021, 0x2022,
      0x2030, 0x2032, 0x207E,
    ]
    for command in RefusedCommand.all where opcodes.contains(command.opcode.rawValue) {
      let parameters = [0xFE, 0x0E] + [UInt8].zeros(command.length - 2)
      expect(
        pair.central.ask(command.opcode, parameters),
        is: [command.refusal(.unknownConnectionIdentifier, parameters)], "\(command)")
    }
  }

  @Test("Each command for a link, in a state that forbids it or with a value out of range")
  func wrongOnLink() {
    let pair = Pair()
    let forbidden: [(UInt16, [UInt8], HCIErrorCode)] = [
      (0x0406, [0x00], .invalidCommandParameters), (0x0406, [0x08], .invalidCommandParameters),
      // A latency of 500.
      (0x2013, [6, 0, 6, 0, 0xF4, 1, 0x80, 0x0C, 0, 0, 0, 0], .invalidCommandParameters),
      (0x2020, [6, 0, 6, 0, 0xF4, 1, 0x80, 0x0C, 0, 0, 0, 0], .invalidCommandParameters),
      // No request is waiting.
      (0x2020, [6, 0, 6, 0, 0, 0, 10, 0, 0, 0, 0, 0], .commandDisallowed),
      (0x2021, [0x3B], .commandDisallowed),
      (0x201A, .zeros(16), .commandDisallowed), (0x201B, [], .commandDisallowed),
    ]
    for host in [pair.central, pair.peripheral] {
      let handle = bytes { $0.write(host.handle.rawValue) }
      for (opcode, rest, code) in forbidden {
        let command = RefusedCommand.all.first { $0.opcode.rawValue == opcode }
        expect(
          host.ask(HCIOpcode(rawValue: opcode), handle + rest),
          is: [command?.refusal(code, handle)], "\(String(opcode, radix: 16)) \(rest)")
      }
    }
    // Only a central starts encryption.
    expect(
      pair.peripheral.ask(LEEnableEncryption(handle: pair.peripheral.handle, key: .zero)),
      is: [status(.leEnableEncryption, .commandDisallowed)])
    expect(pair.central.controller.connectionHandles.count, is: 1)
    expect(pair.peripheral.receive(), is: [])
  }

  @Test("Every reason that the specification allows ends a link, and no other")
  func reasons() {
    let allowed: Set<UInt8> = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
    for reason in UInt8(0)...0x45 {
      let pair = Pair()
      let (near, far) = (pair.central.handle, pair.peripheral.handle)
      let isAllowed = allowed.contains(reason)
      expect(
        pair.central.ask(.disconnect, bytes { $0.write(near.rawValue) } + [reason]).first,
        is: status(.disconnect, isAllowed ? .success : .invalidCommandParameters))
      let end = DisconnectionComplete(
        status: .success, handle: far, reason: HCIErrorCode(rawValue: reason))
      expect(pair.peripheral.receive(), is: isAllowed ? [event(end)] : [], "\(reason)")
    }
  }

  @Test("An advertiser at its limit on links is refused, unless no device can connect to it")
  func fullAdvertiser() {
    for (type, code) in [
      (UInt8(0), HCIErrorCode.connectionLimitExceeded), (1, .connectionLimitExceeded),
      (2, .success), (3, .success), (4, .connectionLimitExceeded),
    ] {
      let pair = Pair(peripheral: .init(maximumLinks: 1))
      pair.peripheral.advertise(type: type, peer: publicAddress(9))
      expect(pair.peripheral.receive().last, is: complete(.leSetAdvertisingEnable, code), "\(type)")
      expect(pair.peripheral.controller.isAdvertising, is: code == .success)
    }
  }

  @Test("The accept list is fixed while it filters, and only then")
  func acceptListInUse() {
    let device: [UInt8] = [0, 9, 0, 0, 0, 0, 0xF0]
    let uses: [(String, isFixed: Bool, (TestHost) -> Void)] = [
      ("advertising, no filter", false, { $0.advertise() }),
      ("advertising, scan requests", true, { $0.advertise(filterPolicy: 1) }),
      ("advertising, connections", true, { $0.advertise(filterPolicy: 2) }),
      ("advertising, both", true, { $0.advertise(filterPolicy: 3) }),
      ("scan of all", false, { $0.scan() }),
      ("scan of the list", true, { $0.scan(filterPolicy: 1) }),
      ("connection to one", false, { $0.connect(to: publicAddress(9)) }),
      ("connection to the list", true, { $0.connect(to: .zero, filterPolicy: 1) }),
    ]
    for (use, isFixed, begin) in uses {
      let host = TestHost(on: VirtualAir())
      begin(host)
      _ = host.receive()
      let code = isFixed ? HCIErrorCode.commandDisallowed : .success
      for (opcode, parameters) in [(UInt16(0x2011), device), (0x2012, device), (0x2010, [])] {
        let opcode = HCIOpcode(rawValue: opcode)
        expect(host.ask(opcode, parameters), is: [complete(opcode, code)], "\(use)")
      }
    }
  }

  @Test(
    "The random address is fixed while the host advertises, scans or initiates",
    arguments: Activity.allCases)
  func randomAddressInUse(_ activity: Activity) {
    let host = TestHost(on: air)
    activity.begin(host)
    for (code, number) in [(HCIErrorCode.commandDisallowed, UInt8(1)), (.success, 2)] {
      expect(
        host.ask(LESetRandomAddress(randomAddress(number))),
        is: [complete(.leSetRandomAddress, code)])
      expect((host.controller.randomAddress == randomAddress(number)), is: code == .success)
      activity.end(host)
    }
  }

  @Test("The accept list holds its stated number of devices, and counts each device once")
  func acceptListSize() {
    let host = TestHost(on: air, configuration: .init(acceptListSize: 2))
    let (size, clear) = (HCIOpcode(rawValue: 0x200F), HCIOpcode(rawValue: 0x2010))
    let (add, remove) = (HCIOpcode(rawValue: 0x2011), HCIOpcode(rawValue: 0x2012))
    func device(_ number: UInt8) -> [UInt8] { [0, number, 0, 0, 0, 0, 0xF0] }
    let full = complete(add, .memoryCapacityExceeded)
    expect(host.ask(size), is: [complete(size, .success, [2])])
    for (command, number, answer) in [
      (add, UInt8(1), complete(add)), (add, 1, complete(add)), (add, 2, complete(add)),
      (add, 3, full), (add, 2, complete(add)), (remove, 9, complete(remove)), (add, 3, full),
      (remove, 1, complete(remove)), (add, 3, complete(add)), (add, 1, full),
    ] { expect(host.ask(command, device(number)), is: [answer], "\(number)") }
    expect(host.ask(clear), is: [complete(clear)])
    for number in UInt8(4)...5 { expect(host.ask(add, device(number)), is: [complete(add)]) }
    expect(host.ask(add, device(6)), is: [full])
  }

  @Test("A host with 1,000 unread packets may only reset: before that, each command is answered")
  func unreadLimit() {
    let host = TestHost(on: air)
    for _ in 0..<1_000 { host.send(.readBDADDR) }
    expect(host.controller.counters.droppedCommands, is: 0)
    host.send(.readBDADDR)
    expect(host.controller.counters.droppedCommands, is: 1)
    expect(host.receiveOne() != nil)
    host.send(.readBDADDR)
    expect(host.controller.counters.droppedCommands, is: 1)
    expect(host.receive().count, is: 1_000)
    for _ in 0..<2_000 { host.send(.readBDADDR) }
    expect(host.controller.counters.droppedCommands, is: 1_001)
    expect(host.ask(.reset), is: [complete(.reset)])
  }

  @Test("Each event that a mask can disable is silent without its bit, and only then")
  func eventMask() {
    let bits: [(UInt64, UInt8)] = [(4, 0x05), (11, 0x0C), (15, 0x10), (61, 0x3E)]
    for (bit, code) in bits {
      let only: UInt64 = 1 << bit
      for mask in [UInt64.max, ~only, only] {
        let pair = Pair()
        pair.central.send(SetEventMask(mask: mask))
        let handle = bytes { $0.write(pair.central.handle.rawValue) }
        pair.central.send(.readRemoteVersionInformation, handle)
        pair.central.send(.leReadRemoteFeatures, handle)
        pair.central.controller.reportHardwareError(1)
        pair.central.send(.disconnect, handle + [0x13])
        let codes = pair.central.receive().map { $0[1] }.filter { $0 != 0x0E && $0 != 0x0F }
        let all: [UInt8] = [0x0C, 0x3E, 0x10, 0x05]
        expect(
          codes, is: all.filter { mask == .max || ($0 == code) == (mask == only) }, "bit \(bit)")
      }
    }
  }
}
