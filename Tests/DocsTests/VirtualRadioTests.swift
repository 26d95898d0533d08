import BluetoothHost
import Expectations
import LinuxRadio
import LinuxTestSupport

@testable import VirtualRadio

@Suite("Sources/VirtualRadio/VirtualRadio.docc/VirtualControllers.md")
struct VirtualRadioTests {
  @Test("The table has each command of a virtual controller, by name, and what it needs")
  func commands() throws {
    let expected = HCIOpcode.simulated.map { opcode in
      ["0x" + hexadecimal(opcode.rawValue), opcode.name?.description, opcode.need.map(words)]
    }
    expect(
      try Document("Sources/VirtualRadio/VirtualRadio.docc/VirtualControllers.md").rows(
        under: "## Commands"), is: expected)
  }

  private func words(_ need: CommandNeed) -> String {
    switch need {
    case .nothing: "always"
    case .encryption: "with encryption"
    case .privacy: "with privacy"
    case .dataLengthExtension: "with data length extension"
    case .phys: "with the 2M or coded PHY"
    case .extendedAdvertising: "with extended advertising"
    case .periodicAdvertising: "with periodic advertising"
    case .subrating: "with subrating"
    case .p256: "to refuse it, on request"
    }
  }

  @Test("The table of faults has each function that asks for one")
  func faults() throws {
    let source = try Repository.text(of: "Sources/VirtualRadio/Controller/Faults.swift")
    var asked = source.split(separator: "\n").compactMap { line -> String? in
      let start = "  public mutating func "
      guard line.hasPrefix(start) else { return nil }
      return String(line.dropFirst(start.count).prefix { $0 != "(" })
    }
    // Removes faults.
    asked.removeAll { $0 == "removeAll" }
    let rows = try Document("Sources/VirtualRadio/VirtualRadio.docc/VirtualControllers.md").rows(
      under: "## Faults on request")
    expect(
      rows.map { $0[0].dropFirst().prefix { $0 != "(" && $0 != "`" } }, is: asked.map { $0[...] })
  }
}
