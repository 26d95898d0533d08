import BluetoothHost
import Expectations

/// The names of all values of a kind of code.
private func names(_ name: (UInt8) -> StaticString?) -> [String] {
  (UInt8.min ... .max).compactMap { name($0)?.description }
}

@Suite("The declarations of commands, events and PDUs")
struct DeclarationTests {
  private let commands = (UInt16.min ... .max).compactMap { HCIOpcode(rawValue: $0).declaration }

  @Test("Each command has its own bit in Read Local Supported Commands, but for that command")
  func supportedBits() {
    let bits = commands.compactMap { $0.supportedBit.map { 8 * $0.octet + $0.bit } }
    expect(Set(bits).count, is: commands.count - 1)
    expect(HCIOpcode.readLocalSupportedCommands.declaration?.supportedBit == nil)
    // Core Specification, Vol 4, Part E, 6.27: octets 0 to 63, of eight bits each.
    for command in commands {
      guard let bit = command.supportedBit else { continue }
      expect((0..<64).contains(bit.octet) && (0..<8).contains(bit.bit), "\(command.name)")
    }
  }

  @Test(
    "No two codes of a kind have the same name",
    arguments: [
      names { HCIEventCode(rawValue: $0).name }, names { LEMetaSubevent(rawValue: $0).name },
      names { ATTOpcode(rawValue: $0).name }, names { ATTErrorCode(rawValue: $0).name },
      names { SMPCode(rawValue: $0).name }, names { SignallingCode(rawValue: $0).name },
    ])
  func distinctNames(names: [String]) {
    expect(names.count > 8)
    expect(Set(names).count, is: names.count)
  }

  @Test("No two commands have the same name, and no command is without one")
  func commandNames() {
    expect(commands.count > 50)
    expect(Set(commands.map { $0.name.description }).count, is: commands.count)
    expect(HCIOpcode.none.name == nil)
  }

  @Test("Exactly the assigned codes of the Security Manager have a name")
  func securityNames() {
    for byte in UInt8.min ... .max {
      let code = SMPCode(rawValue: byte)
      expect((code.name != nil), is: code.isAssigned, "\(byte)")
    }
  }

  // Core Specification, Vol 4, Part E, 7.3.1.
  @Test(
    "An event has the bit of the event mask that the specification lists",
    arguments: [
      (HCIEventCode.disconnectionComplete, 4), (.encryptionChange, 7),
      (.readRemoteVersionInformationComplete, 11), (.hardwareError, 15),
      (.encryptionKeyRefreshComplete, 47), (.leMeta, 61), (.commandComplete, nil),
      (.commandStatus, nil), (.numberOfCompletedPackets, nil),
    ] as [(HCIEventCode, UInt64?)])
  func mask(event: HCIEventCode, bit: UInt64?) { expect(event.mask, is: bit.map { 1 << $0 } ?? 0) }

  // Core Specification, Vol 4, Part E, 7.8.1: bit n for subevent n + 1.
  @Test("An LE event has the bit of its subevent", arguments: [(0x01, 0), (0x0A, 9), (0x40, 63)])
  func leMask(subevent: UInt8, bit: UInt64) {
    expect(LEMetaSubevent(rawValue: subevent).mask, is: 1 << bit)
    expect(LEMetaSubevent(rawValue: 0).mask, is: 0)
    expect(LEMetaSubevent(rawValue: 0x41).mask, is: 0)
  }
}
