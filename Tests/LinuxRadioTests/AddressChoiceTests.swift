import BluetoothHost
import Expectations

@testable import LinuxRadio

@Suite("The address option")
struct AddressChoiceTests {
  @Test("public, random and static random addresses are read")
  func right() throws {
    expect(try AddressChoice("public"), is: .public)
    expect(try AddressChoice("Random"), is: .random)
    for (text, bytes) in [
      ("C0:00:00:00:00:01", [1, 0, 0, 0, 0, 0xC0]), ("c1:00:00:00:00:00", [0, 0, 0, 0, 0, 0xC1]),
      ("FF:FF:FF:FF:FF:FE", [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      ("FE:FF:FF:FF:FF:FF", [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]),
    ] as [(String, InlineArray<6, UInt8>)] {
      expect(
        try AddressChoice(text), is: .fixed(DeviceAddress(kind: .random, bytes: bytes)), "\(text)")
    }
  }

  // Symptom: both were accepted, although no device may have them.
  @Test(
    "An address with equal random bits is refused, and the error says why",
    arguments: ["FF:FF:FF:FF:FF:FF", "C0:00:00:00:00:00"])
  func uniform(text: String) {
    let error = #expect(throws: AddressTextError.self) { try AddressChoice(text) }
    expect(
      error?.description,
      is: "unknown address \"\(text)\": of the lower 46 bits of a static random address, at least "
        + "one must be 0 and at least one 1 (Core Specification, Vol 6, Part B, 1.3.2.1). Choose another, such "
        + "as C0:00:00:00:00:01")
  }

  @Test(
    "Anything else is refused, and the error says what was expected",
    arguments: [
      "", "blue", "randomly", "publi", "80:00:00:00:00:01", " C0:00:00:00:00:01",
      "BF:00:00:00:00:01", "00:00:00:00:00:00", "C0:00:00:00:01", "C0:00:00:00:00:01:02",
      "C0-00-00-00-00-01", "C00:0:00:00:00:01", "+0:00:00:00:00:01", "C0:00:00:00:00:+1",
      "C0:00:00:00:00:1", "C0:00:00:00:00:0G",
    ])
  func wrong(text: String) {
    let error = #expect(throws: AddressTextError.self) { try AddressChoice(text) }
    expect(
      error?.description,
      is: "unknown address \"\(text)\": expected public, random, or a static random address, six "
        + "bytes with C0 to FF as the first, such as C0:00:00:00:00:01")
  }
}
