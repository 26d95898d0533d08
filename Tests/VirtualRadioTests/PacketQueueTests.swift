import BluetoothHost
import Testing

@testable import VirtualRadio

@Suite("The packets for a host")
struct PacketQueueTests {
  private func first(_ queue: borrowing PacketQueue) -> [UInt8] {
    let span = queue.first
    return span.indices.map { span[$0] }
  }

  @Test("Only advertising reports count as reports")
  func reports() {
    var queue = PacketQueue()
    let handle = ConnectionHandle(rawValue: 0x40)
    queue.append([4, 1].span, isReport: true)
    queue.append([4, 2].span, isReport: false)
    queue.append(ACLHeader(handle: handle, boundary: .continuing), [7].span, completing: nil)
    #expect(queue.count == 3)
    #expect(queue.reportCount == 1)
    _ = queue.removeFirst()
    #expect(queue.reportCount == 0)
    _ = queue.removeFirst()
    // Handle 0x040 with the flags 0b01 of a continuing fragment, one byte.
    #expect(first(queue) == [0x02, 0x40, 0x10, 0x01, 0x00, 0x07])
    #expect(queue.reportCount == 0)
    _ = queue.removeFirst()
    #expect(queue.count == 0)
    #expect(queue.reportCount == 0)
    #expect(first(queue) == [])
    _ = queue.removeFirst()
    #expect(queue.count == 0)
  }

  // 16,384 bytes are 65 packets of 252; each of 1,000 rounds adds one and removes one.
  @Test("A queue that is never empty keeps its order, and stays small")
  func neverEmpty() {
    var queue = PacketQueue()
    func packet(_ number: Int) -> [UInt8] {
      [UInt8(number & 0xFF), UInt8(number >> 8)] + [UInt8](repeating: 9, count: 250)
    }
    for number in 0..<3 { queue.append(packet(number).span, isReport: number == 2) }
    for number in 3..<1_003 {
      #expect(first(queue) == packet(number - 3))
      _ = queue.removeFirst()
      queue.append(packet(number).span, isReport: number % 2 == 0)
      #expect(queue.count == 3)
      let last = (number - 2)...number
      #expect(queue.reportCount == last.count { $0 % 2 == 0 && $0 >= 2 })
    }
  }
}
