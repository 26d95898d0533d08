import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("L2CAP channels: memory")
struct ChannelMemoryTests {
  private func append(_ bytes: [UInt8], to ring: inout ByteRing) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe ring.append($0) }
  }

  private func remove(_ count: Int, from ring: inout ByteRing) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let size = unsafe bytes.withUnsafeMutableBytes { unsafe ring.remove(into: $0) }
    return Array(bytes[..<size])
  }

  @Test("a ring occupies memory from its first byte on, and closed only that of its bytes")
  func ring() {
    var ring = ByteRing(capacity: 8)
    expect(ring.size == 0 && ring.freeCapacity == 8)
    expect(append([1, 2, 3, 4, 5, 6], to: &ring), is: 6)
    expect(ring.size, is: 8)
    expect(remove(4, from: &ring), is: [1, 2, 3, 4])
    // 5, 6 | 7, 8, 9: the last byte is at the beginning of the memory.
    expect(append([7, 8, 9], to: &ring), is: 3)
    ring.close()
    expect(ring.size == 5 && ring.freeCapacity == 0)
    expect(append([10], to: &ring), is: 0)
    expect(remove(2, from: &ring), is: [5, 6])
    expect(remove(9, from: &ring), is: [7, 8, 9])
    expect(ring.size == 0 && ring.isEmpty)
    expect(remove(1, from: &ring), is: [])
  }

  @Test("the end of a channel releases its buffers, apart from what can still be read")
  func pipe() throws {
    let pipe = ChannelPipe { _ in }
    expect(pipe.size, is: 0, "a channel that carries nothing has no buffers")
    pipe.receive([1, 2, 3].span)
    let written = [UInt8](repeating: 7, count: 10)
    expect(unsafe written.withUnsafeBytes { unsafe pipe.write($0) }, is: 10)
    expect(pipe.size, is: ChannelPipe.inputCapacity + ChannelPipe.outputCapacity)
    pipe.finish(.closedByPeer)
    expect(pipe.size, is: 3)
    var bytes = [UInt8](repeating: 0, count: 10)
    expect(unsafe bytes.withUnsafeMutableBytes { unsafe pipe.read(into: $0) }, is: 3)
    expect(bytes.prefix(3), is: [1, 2, 3])
    expect(pipe.size, is: 0)
    expect(unsafe written.withUnsafeBytes { unsafe pipe.write($0) }, is: nil)
  }

  @Test("the link between the engine and its channels is released with each channel")
  func objects() throws {
    let it = try ChannelScene()
    weak var pipe: ChannelPipe?
    do {
      it.peripheral.openL2CAPChannel(128)
      it.settle()
      let channel = try #require(it.recorder.takeChannels().first)
      pipe = (channel.inputStream as? ChannelInputStream)?.state.pipe
      expect(pipe != nil)
    }
    _ = it.log.takeChannels()
    it.settle()
    expect(pipe == nil)
  }

  // MARK: A ring of bytes

  /// Small capacities make nearly every call cross the end of the storage.
  @Test("holds what a list would hold, whatever is called", arguments: [1, 2, 7, 16])
  func model(capacity: Int) {
    var dice = SplitMix64(seed: UInt64(capacity))
    var ring = ByteRing(capacity: capacity)
    var list: [UInt8] = []
    var next: UInt8 = 0
    for _ in 0..<600 {
      let size = Int.random(in: 0...capacity + 1, using: &dice)
      switch Int.random(in: 0..<5, using: &dice) {
      case 0, 1:
        let bytes = (0..<size).map { next &+ UInt8($0) }
        let count = unsafe bytes.withUnsafeBytes { bytes in unsafe ring.append(bytes) }
        expect(count, is: min(size, capacity - list.count))
        list += bytes.prefix(count)
        next &+= UInt8(count)
      case 2:
        var target = [UInt8](repeating: 0xEE, count: size)
        let count = unsafe target.withUnsafeMutableBytes { unsafe ring.remove(into: $0) }
        // The rest of the target stays as it is.
        let rest = [UInt8](repeating: 0xEE, count: size - min(size, list.count))
        expect(count, is: min(size, list.count))
        expect(target, is: Array(list.prefix(size)) + rest)
        list.removeFirst(min(size, list.count))
      case 3:
        let offset = Int.random(in: 0...list.count, using: &dice)
        let written = [UInt8].written(upTo: size) { ring.write(from: offset, into: &$0) }
        expect(written, is: Array(list.dropFirst(offset).prefix(size)))
      default:
        if size > capacity {
          ring.removeAll()
          list = []
        } else {
          ring.removeFirst(min(size, list.count))
          list.removeFirst(min(size, list.count))
        }
      }
      expect(ring.count, is: list.count)
      expect(ring.freeCapacity, is: capacity - list.count)
      expect(ring.isEmpty, is: list.isEmpty)
    }
  }
}
