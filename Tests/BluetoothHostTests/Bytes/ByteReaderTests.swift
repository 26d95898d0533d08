import BluetoothHost
import Expectations

private let bytes: [UInt8] = [0xF1, 0xF2, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88, 0x99]

/// The length in bytes and the value of a read.
private typealias Read = (length: Int, value: UInt64, read: @Sendable (inout ByteReader) -> UInt64?)

private let reads: [Row<Read>] = [
  Row("UInt8", (1, 0xF1, { $0.readUInt8().map { UInt64($0) } })),
  // 0xF1 is 241 − 256 = −15.
  Row(
    "Int8", (1, UInt64(bitPattern: -15), { $0.readInt8().map { UInt64(bitPattern: Int64($0)) } })),
  Row("UInt16", (2, 0xF2F1, { $0.readUInt16().map { UInt64($0) } })),
  Row("UInt32", (4, 0x0403_F2F1, { $0.readUInt32().map { UInt64($0) } })),
  Row("UInt64", (8, 0x8807_0605_0403_F2F1, { $0.readUInt64() })),
]

@Suite("Byte reader")
struct ByteReaderTests {
  @Test("A number is read low byte first; with too few bytes, nothing is read", arguments: reads)
  fileprivate func number(row: Row<Read>) {
    let read = row.value
    for length in 0...bytes.count {
      let cut = Array(bytes[..<length])
      var reader = ByteReader(cut.span)
      let value = read.read(&reader)
      let left = reader.count
      let isWhole = length >= read.length
      expect(value, is: isWhole ? read.value : nil)
      expect(left, is: isWhole ? length - read.length : length)
    }
  }

  @Test("Numbers are read at odd positions")
  func unaligned() {
    var reader = ByteReader(bytes.span)
    let first = reader.readUInt8()
    let second = reader.readUInt64()
    let isEmpty = reader.isEmpty
    expect(first, is: 0xF1)
    expect(second, is: 0x9988_0706_0504_03F2)
    expect(isEmpty)
  }

  @Test("Bytes are read in place; a count out of range reads nothing")
  func slices() {
    var reader = ByteReader(bytes.span)
    let tooMany = kept(reader.readBytes(10))
    let negative = kept(reader.readBytes(-1))
    let none = kept(reader.readBytes(0))
    let two = kept(reader.readBytes(2))
    let rest = Array(reader.readRemaining())
    let nothing = Array(reader.readRemaining())
    let isEmpty = reader.isEmpty
    expect(tooMany == nil && negative == nil)
    expect(none, is: [])
    expect(two, is: [0xF1, 0xF2])
    expect(rest, is: [0x03, 0x04, 0x05, 0x06, 0x07, 0x88, 0x99])
    expect(nothing == [] && isEmpty)
  }
}
