import BluetoothHost
import Expectations

private let bytes: [UInt8] = [0xF1, 0xF2, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88, 0x99]

/// A read, its value and its length in bytes.
private struct Read: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let length: Int
  let value: UInt64
  let read: @Sendable (inout ByteReader) -> UInt64?
}

private let reads = [
  Read(testDescription: "UInt8", length: 1, value: 0xF1) { $0.readUInt8().map { UInt64($0) } },
  Read(testDescription: "Int8", length: 1, value: UInt64(bitPattern: -15)) {
    // 0xF1 is 241 − 256 = −15.
    $0.readInt8().map { UInt64(bitPattern: Int64($0)) }
  },
  Read(testDescription: "UInt16", length: 2, value: 0xF2F1) {
    $0.readUInt16().map { UInt64($0) }
  },
  Read(testDescription: "UInt32", length: 4, value: 0x0403_F2F1) {
    $0.readUInt32().map { UInt64($0) }
  },
  Read(testDescription: "UInt64", length: 8, value: 0x8807_0605_0403_F2F1) { $0.readUInt64() },
]

@Suite("Byte reader")
struct ByteReaderTests {
  @Test("A number is read low byte first; with too few bytes, nothing is read", arguments: reads)
  fileprivate func number(read: Read) {
    for length in 0...bytes.count {
      let cut = Array(bytes[..<length])
      var reader = ByteReader(cut.span)
      let value = read.read(&reader)
      let left = reader.count
      if length < read.length {
        expect(value, is: nil)
        expect(left, is: length)
      } else {
        expect(value, is: read.value)
        expect(left, is: length - read.length)
      }
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
