import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Ranges of handles")
struct HandleRangeTests {
  @Test("contain their ends, and overlap if they share a handle")
  func ends() {
    for (handle, isContained) in [(3, false), (4, true), (5, true), (6, true), (7, false)] {
      #expect(range(4, 6).contains(AttributeHandle(rawValue: UInt16(handle))) == isContained)
    }
    let rows: [(UInt16, UInt16, Bool)] = [
      (1, 3, false), (1, 4, true), (4, 4, true), (5, 5, true), (6, 9, true), (7, 9, false),
      (1, 9, true), (4, 6, true),
    ]
    for (start, end, overlaps) in rows {
      #expect(range(4, 6).overlaps(range(start, end)) == overlaps)
      #expect(range(start, end).overlaps(range(4, 6)) == overlaps)
    }
    #expect(!AttributeHandleRange.nowhere.contains(.first))
    #expect(!AttributeHandleRange.nowhere.contains(.last))
  }
}
