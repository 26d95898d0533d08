import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("A ring of bytes")
struct ByteRingTests {
  /// Small capacities make nearly every call cross the end of the storage.
  @Test("holds what a list would hold, whatever is called", arguments: [1, 2, 7, 16])
  func model(capacity: Int) {
    var dice = Dice(state: UInt64(capacity))
    var ring = ByteRing(capacity: capacity)
    var list: [UInt8] = []
    var next: UInt8 = 0
    for _ in 0..<600 {
      let size = Int.random(in: 0...capacity + 1, using: &dice)
      switch Int.random(in: 0..<5, using: &dice) {
      case 0, 1:
        let bytes = (0..<size).map { next &+ UInt8($0) }
        let count = unsafe bytes.withUnsafeBytes { bytes in unsafe ring.append(bytes) }
        #expect(count == min(size, capacity - list.count))
        list += bytes.prefix(count)
        next &+= UInt8(count)
      case 2:
        var target = [UInt8](repeating: 0xEE, count: size)
        let count = unsafe target.withUnsafeMutableBytes { unsafe ring.remove(into: $0) }
        // The rest of the target stays as it is.
        let rest = [UInt8](repeating: 0xEE, count: size - min(size, list.count))
        #expect(count == min(size, list.count))
        #expect(target == Array(list.prefix(size)) + rest)
        list.removeFirst(min(size, list.count))
      case 3:
        let offset = Int.random(in: 0...list.count, using: &dice)
        let written = [UInt8].written(upTo: size) { ring.write(from: offset, into: &$0) }
        #expect(written == Array(list.dropFirst(offset).prefix(size)))
      default:
        if size > capacity {
          ring.removeAll()
          list = []
        } else {
          ring.removeFirst(min(size, list.count))
          list.removeFirst(min(size, list.count))
        }
      }
      #expect(ring.count == list.count)
      #expect(ring.freeCapacity == capacity - list.count)
      #expect(ring.isEmpty == list.isEmpty)
    }
  }
}
