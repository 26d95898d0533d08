import BluetoothHost
import Foundation
import Testing

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
    #expect(ring.size == 0 && ring.freeCapacity == 8)
    #expect(append([1, 2, 3, 4, 5, 6], to: &ring) == 6)
    #expect(ring.size == 8)
    #expect(remove(4, from: &ring) == [1, 2, 3, 4])
    // 5, 6 | 7, 8, 9: the last byte is at the beginning of the memory.
    #expect(append([7, 8, 9], to: &ring) == 3)
    ring.close()
    #expect(ring.size == 5 && ring.freeCapacity == 0)
    #expect(append([10], to: &ring) == 0)
    #expect(remove(2, from: &ring) == [5, 6])
    #expect(remove(9, from: &ring) == [7, 8, 9])
    #expect(ring.size == 0 && ring.isEmpty)
    #expect(remove(1, from: &ring) == [])
  }

  @Test("the end of a channel releases its buffers, apart from what can still be read")
  func pipe() throws {
    let pipe = ChannelPipe { _ in }
    #expect(pipe.size == 0, "a channel that carries nothing has no buffers")
    pipe.receive([1, 2, 3].span)
    let written = [UInt8](repeating: 7, count: 10)
    #expect(unsafe written.withUnsafeBytes { unsafe pipe.write($0) } == 10)
    #expect(pipe.size == ChannelPipe.inputCapacity + ChannelPipe.outputCapacity)
    pipe.finish(.closedByPeer)
    #expect(pipe.size == 3)
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(unsafe bytes.withUnsafeMutableBytes { unsafe pipe.read(into: $0) } == 3)
    #expect(bytes.prefix(3) == [1, 2, 3])
    #expect(pipe.size == 0)
    #expect(unsafe written.withUnsafeBytes { unsafe pipe.write($0) } == nil)
  }

  @Test("the link between the engine and its channels is released with each channel")
  func objects() throws {
    let it = try ChannelStage()
    weak var pipe: ChannelPipe?
    do {
      it.peripheral.openL2CAPChannel(128)
      it.settle()
      let channel = try #require(it.recorder.takeChannels().first)
      pipe = (channel.inputStream as? ChannelInputStream)?.state.pipe
      #expect(pipe != nil)
    }
    _ = it.log.takeChannels()
    it.settle()
    #expect(pipe == nil)
  }
}
