import CoreBluetooth
import Expectations
import Foundation

@Suite("CBUUID")
struct CBUUIDTests {
  @Test(
    "is written in the width that it was made with; an assigned one prints by name",
    arguments: [
      ("180D", 2, "Heart Rate"), ("180A", 2, "Device Information"), ("0000180F", 4, "Battery"),
      ("2902", 2, "Client Characteristic Configuration"),
      ("2A29", 2, "Manufacturer Name String"), ("2A37", 2, "2A37"), ("FE9F", 2, "FE9F"),
      ("8E38140A-27BE-4090-8955-4FC4B5698D1E", 16, "8E38140A-27BE-4090-8955-4FC4B5698D1E"),
    ])
  func widths(text: String, byteCount: Int, name: String) {
    let uuid = CBUUID(string: text)
    expect(uuid.uuidString == text && "\(uuid)" == name)
    expect(uuid.data.count, is: byteCount)
    expect(CBUUID(data: uuid.data), is: uuid)
  }

  @Test("takes small letters, and writes capitals")
  func capitals() {
    expect(CBUUID(string: "fe9f").uuidString, is: "FE9F")
    expect(
      CBUUID(string: "8e38140a-27be-4090-8955-4fc4b5698d1e").uuidString,
      is: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
  }

  @Test("is equal across widths, and hashes equally")
  func equality() {
    let short = CBUUID(string: "180D")
    let middle = CBUUID(string: "0000180D")
    let long = CBUUID(string: "0000180D-0000-1000-8000-00805F9B34FB")
    expect(short, is: middle)
    expect(short, is: long)
    expect(Set([short, middle, long]).count, is: 1)
    expect(short != CBUUID(string: "180F"))
    expect(CBUUID(string: "0001180D") != short)
  }

  @Test("equals the Foundation UUID that it was made from")
  func foundation() throws {
    let uuid = try #require(UUID(uuidString: "8E38140A-27BE-4090-8955-4FC4B5698D1E"))
    expect(CBUUID(nsuuid: uuid).uuidString, is: uuid.uuidString)
    expect(CBUUID(nsuuid: uuid).data.first, is: 0x8E)
  }

  @Test("is all zeros if the string is malformed or the number of bytes is wrong")
  func malformed() {
    let zeros = Data(repeating: 0, count: 16)
    for text in ["", "180", "18 D", "+80D", "180D0", "8E38140A27BE409089554FC4B5698D1E", "XYZW"] {
      expect(CBUUID(string: text).data, is: zeros, "\(text)")
    }
    for count in [0, 1, 3, 5, 15, 17] {
      expect(CBUUID(data: Data(repeating: 1, count: count)).data, is: zeros, "\(count)")
    }
  }
}
