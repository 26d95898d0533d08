import BluetoothHost
import Testing

@Suite("docs/packet-layers.md")
struct PacketLayersTests {
  @Test("The table has the name of each event, PDU and error")
  func names() throws {
    var expected: [[String]] = []
    func add(_ kind: String, _ name: (UInt8) -> StaticString?) {
      for code in UInt8.min ... .max {
        guard let name = name(code) else { continue }
        expected.append([kind, "0x" + hexadecimal([code]), name.description])
      }
    }
    add("event") { HCIEventCode(rawValue: $0).name }
    add("LE event") { LEMetaSubevent(rawValue: $0).name }
    add("signalling") { SignallingCode(rawValue: $0).name }
    add("SMP") { SMPCode(rawValue: $0).name }
    add("ATT") { ATTOpcode(rawValue: $0).name }
    add("ATT error") { ATTErrorCode(rawValue: $0).name }
    #expect(try Document("docs/packet-layers.md").rows(under: "## Names") == expected)
  }
}
