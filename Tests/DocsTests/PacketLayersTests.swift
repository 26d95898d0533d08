import BluetoothHost
import Expectations

@Suite("docs/events.md: packets, layer by layer")
struct PacketLayersTests {
  @Test("The table has the name of each event, PDU and error")
  func names() throws {
    var expected: [[String]] = []
    func add(_ kind: String, _ name: (UInt8) -> StaticString?) {
      let names = (UInt8.min ... .max).compactMap { code in
        name(code).map { "0x\(hexadecimal([code])) \($0.description)" }
      }
      expected.append([kind, names.joined(separator: ", ")])
    }
    add("event") { HCIEventCode(rawValue: $0).name }
    add("LE event") { LEMetaSubevent(rawValue: $0).name }
    add("signalling") { SignallingCode(rawValue: $0).name }
    add("SMP") { SMPCode(rawValue: $0).name }
    add("ATT") { ATTOpcode(rawValue: $0).name }
    add("ATT error") { ATTErrorCode(rawValue: $0).name }
    expect(try Document("docs/events.md").rows(under: "### Names"), is: expected)
  }
}
