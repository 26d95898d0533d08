import Expectations

@testable import BluetoothHost

/// A write and its bytes.
private typealias Write = (bytes: [UInt8], write: @Sendable (inout ByteWriter) -> Void)

private let writes: [Row<Write>] = [
  Row("UInt8", ([0xF1], { $0.write(UInt8(0xF1)) })),
  Row("Int8", ([0xF1], { $0.write(Int8(-15)) })),
  Row("UInt16", ([0xF1, 0xF2], { $0.write(UInt16(0xF2F1)) })),
  Row("UInt32", ([1, 2, 3, 4], { $0.write(UInt32(0x0403_0201)) })),
  Row("UInt64", ([1, 2, 3, 4, 5, 6, 7, 8], { $0.write(UInt64(0x0807_0605_0403_0201)) })),
  Row("UInt8 and UInt16", ([0xF1, 2, 3], { $0.write(0xF1, UInt16(0x0302)) })),
  Row(
    "UInt8 and UInt64",
    ([0xF1, 1, 2, 3, 4, 5, 6, 7, 8], { $0.write(0xF1, UInt64(0x0807_0605_0403_0201)) })),
  Row("bytes", ([9, 8, 7], { $0.write([9, 8, 7].span) })),
  Row("no bytes", ([], { $0.write([UInt8]().span) })),
]

@Suite("Byte writer")
struct ByteWriterTests {
  @Test("A value is written whole or not at all", arguments: writes)
  fileprivate func write(row: Row<Write>) {
    let write = row.value
    for capacity in 0...9 {
      var storage = [UInt8](repeating: 0xEE, count: 12)
      var writer = ByteWriter(storage.mutableSpan, limit: capacity)
      write.write(&writer)
      let count = writer.count
      let hasOverflowed = writer.hasOverflowed
      let freeCapacity = writer.freeCapacity
      let fits = write.bytes.count <= capacity
      expect(hasOverflowed, is: !fits)
      expect(count, is: fits ? write.bytes.count : 0)
      expect(freeCapacity, is: capacity - count)
      expect(storage, is: (fits ? write.bytes : []) + [UInt8](repeating: 0xEE, count: 12 - count))
    }
  }

  @Test("An overflow stays set after a value that fits")
  func sticky() {
    var storage = [UInt8](repeating: 0, count: 2)
    var writer = ByteWriter(storage.mutableSpan)
    writer.write(UInt32(1))
    writer.write(UInt16(0x0201))
    let hasOverflowed = writer.hasOverflowed
    writer.truncate(to: 3)
    let isStillSo = writer.hasOverflowed
    writer.truncate(to: 1)
    let isForgotten = !writer.hasOverflowed
    let count = writer.count
    expect(hasOverflowed && isStillSo && isForgotten)
    expect(count, is: 1)
    expect(storage, is: [0x01, 0x02])
  }

  @Test("A limit outside the storage is clamped", arguments: [(-1, 0), (5, 4), (3, 3)])
  func limit(limit: Int, capacity: Int) {
    var storage = [UInt8](repeating: 0, count: 4)
    let writer = ByteWriter(storage.mutableSpan, limit: limit)
    expect(writer.freeCapacity, is: capacity)
  }

  @Test("A prefix is cut to what fits, and never overflows", arguments: 0...5)
  func prefix(capacity: Int) {
    let bytes: [UInt8] = [1, 2, 3]
    var hasOverflowed = true
    let result = written(capacity: capacity) {
      $0.writePrefix(of: bytes.span)
      hasOverflowed = $0.hasOverflowed
    }
    expect(result, is: Array(bytes.prefix(capacity)))
    expect(!hasOverflowed)
  }

  @Test("A text is cut to what fits, and never overflows", arguments: 0...4)
  func text(capacity: Int) {
    var hasOverflowed = true
    let result = written(capacity: capacity) {
      $0.writePrefix(of: "aé")
      hasOverflowed = $0.hasOverflowed
    }
    expect(result, is: Array([0x61, 0xC3, 0xA9].prefix(capacity)))
    expect(!hasOverflowed)
  }

  @Test("A patch changes only written bytes")
  func patch() {
    let result = written {
      $0.write(UInt32(0))
      $0.patch(UInt8(0xA1), at: 0)
      $0.patch(UInt16(0xC3B2), at: 1)
      $0.patch(UInt8(0xFF), at: 4)
      $0.patch(UInt8(0xFF), at: -1)
      $0.patch(UInt16(0xFFD4), at: 3)
    }
    expect(result, is: [0xA1, 0xB2, 0xC3, 0xD4])
  }
}

@Suite("Byte buffer")
struct ByteBufferTests {
  private func add(_ bytes: [UInt8], to buffer: inout ByteBuffer<4>) -> Bool {
    buffer.append(bytes.span)
  }

  private func assign(_ bytes: [UInt8], to buffer: inout ByteBuffer<4>) -> Bool {
    buffer.assign(bytes.span)
  }

  private func contents(_ buffer: borrowing ByteBuffer<4>) -> [UInt8] { Array(buffer.span) }

  @Test("Bytes are appended only if all of them fit")
  func append() {
    var buffer = ByteBuffer<4>()
    expect(add([], to: &buffer) && add([1, 2, 3], to: &buffer))
    expect(!add([4, 5], to: &buffer))
    expect(contents(buffer), is: [1, 2, 3])
    expect(add([4], to: &buffer) && add([], to: &buffer) && !add([5], to: &buffer))
    expect(contents(buffer), is: [1, 2, 3, 4])
    expect(buffer.freeCapacity, is: 0)
  }

  @Test("Bytes replace the contents only if all of them fit")
  func assign() {
    var buffer = ByteBuffer<4>()
    expect(assign([1, 2, 3, 4], to: &buffer) && !assign([1, 2, 3, 4, 5], to: &buffer))
    expect(contents(buffer), is: [1, 2, 3, 4])
    expect(assign([9], to: &buffer))
    expect(contents(buffer), is: [9])
    buffer.removeAll()
    let isEmpty = buffer.isEmpty
    expect(isEmpty && contents(buffer) == [])
  }

  @Test("Writing replaces the contents, up to the limit")
  func write() {
    var buffer = ByteBuffer<4>()
    buffer.write { $0.write(UInt32(0x0403_0201)) }
    expect(contents(buffer), is: [1, 2, 3, 4])
    buffer.write(limit: 3) {
      $0.write(UInt16(0x0605))
      $0.write(UInt16(0x0807))
    }
    expect(contents(buffer), is: [5, 6])
    buffer.write(limit: 99) { $0.write(UInt64(0)) }
    expect(contents(buffer), is: [])
  }

  @Test("Bytes overwrite or extend the contents if they leave no gap and all fit")
  func replace() {
    func replacing(from offset: Int, with bytes: [UInt8]) -> [UInt8]? {
      var buffer = ByteBuffer<4>()
      expect(assign([1, 2], to: &buffer))
      return buffer.replace(from: offset, with: bytes.span) ? contents(buffer) : nil
    }
    expect(replacing(from: 0, with: [9]), is: [9, 2])
    expect(replacing(from: 1, with: [8, 9]), is: [1, 8, 9])
    expect(replacing(from: 2, with: [8, 9]), is: [1, 2, 8, 9])
    expect(replacing(from: 2, with: []), is: [1, 2])
    expect(replacing(from: 3, with: [9]), is: nil)
    expect(replacing(from: 2, with: [7, 8, 9]), is: nil)
    expect(replacing(from: -1, with: [9]), is: nil)
  }

  @Test("A two-byte number in the contents is adjusted, and wraps")
  func adjust() {
    func adjusted(by amount: Int, at offset: Int) -> [UInt8] {
      var buffer = ByteBuffer<4>()
      expect(assign([1, 2, 0xFF], to: &buffer))
      buffer.adjust(by: amount, at: offset)
      return contents(buffer) + [UInt8(buffer.freeCapacity)]
    }
    // 0x0201 + 0x0100 = 0x0301; 0xFF02 + 0x0101 = 0x0003, and a carry that is lost.
    expect(adjusted(by: 0x0100, at: 0), is: [1, 3, 0xFF, 1])
    expect(adjusted(by: 0x0101, at: 1), is: [1, 3, 0x00, 1])
    expect(adjusted(by: -1, at: 0), is: [0, 2, 0xFF, 1])
    for offset in [-1, 2, 3, 4] { expect(adjusted(by: 1, at: offset), is: [1, 2, 0xFF, 1]) }
  }
}
