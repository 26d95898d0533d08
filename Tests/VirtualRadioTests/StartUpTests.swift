import BluetoothHost
import Testing
import VirtualRadio

@Suite("Hosts' start-up sequences")
struct StartUpTests {
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
    let host = TestHost(on: VirtualAir())
    for step in Self.linux {
      let answers = host.ask(HCIOpcode(rawValue: step.opcode), step.parameters)
      #expect(answers.count == 1, "\(step.name)")
      #expect(answers.first?[1] == 0x0E, "\(step.name)")
      #expect(answers.first?[6] == 0x00, "\(step.name)")
    }
  }

  @Test("Linux sends only commands of the mask")
  func linuxAsksWhatIsPromised() {
    let known = TestHost.knownOpcodes
    for step in Self.linux {
      #expect(
        known.contains { $0.opcode == step.opcode && $0.length == step.parameters.count },
        "\(step.name)")
    }
  }
}
