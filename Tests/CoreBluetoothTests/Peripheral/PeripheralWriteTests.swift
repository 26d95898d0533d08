import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("CBPeripheralManager: what centrals write")
struct PeripheralWriteTests {
  private let it = Published()

  /// Prepares parts of a value, and executes them.
  private func writeLong(_ handle: UInt8, _ parts: [[UInt8]]) {
    var offset: UInt8 = 0
    for part in parts {
      it.radio.exchange(
        [0x16, handle, 0, offset, 0] + part, gives: [0x17, handle, 0, offset, 0] + part)
      offset += UInt8(part.count)
    }
  }

  @Test("A write is a list of one request, and the delegate's response is sent")
  func write() throws {
    it.radio.connect()
    expect(it.radio.exchange([0x12, 0x12, 0x00, 5, 6]), is: [])
    expect(it.recorder.take(), is: ["40 writes A001[0] = 5 6"])
    it.respond(to: try #require(it.recorder.requests.first))
    expect(it.radio.sent(), is: [[0x13]])
    // It was written once.
    expect(it.recorder.take(), is: [])
  }

  @Test("A refusal is sent to the central")
  func refusal() {
    it.recorder.answerWrites(.unlikelyError)
    it.radio.connect()
    it.radio.exchange([0x12, 0x12, 0x00, 5], gives: attError(0x12, 0x12, 0x0E))
  }

  @Test("A command is reported too; a response to it is dropped and no misuse")
  func command() {
    it.recorder.answerWrites()
    it.radio.connect()
    expect(it.radio.exchange([0x52, 0x12, 0x00, 5]), is: [])
    expect(it.radio.exchange([0x52, 0x18, 0x00, 5]), is: [])  // by request alone
    expect(it.recorder.take(), is: ["40 writes A001[0] = 5"])
  }

  @Test("A command is handled while a request waits")
  func commandWhileWaiting() throws {
    it.radio.connect()
    expect(it.radio.exchange([0x12, 0x12, 0x00, 1]), is: [])
    expect(it.radio.exchange([0x52, 0x12, 0x00, 2]), is: [])
    expect(it.recorder.take(), is: ["40 writes A001[0] = 1", "40 writes A001[0] = 2"])
    it.respond(to: it.recorder.requests[1], .unlikelyError)
    expect(it.radio.sent(), is: [])
    it.respond(to: it.recorder.requests[0])
    expect(it.radio.sent(), is: [[0x13]])
  }

  @Test("Commands for a slow delegate are dropped beyond 1,024, and none later")
  func commandsForSlowDelegate() {
    let queue = DispatchQueue(label: "slow")
    let (manager, recorder) = it.another(on: queue)
    it.add("B", .writeWithoutResponse, .writeable, to: manager)
    queue.sync {}
    _ = recorder.take()
    it.radio.connect()
    queue.suspend()
    for number in 0..<1_030 {
      // 0x001A service, 0x001B declaration, 0x001C value.
      expect(it.radio.exchange([0x52, 0x1C, 0x00, UInt8(truncatingIfNeeded: number)]), is: [])
    }
    queue.resume()
    queue.sync {}
    expect(recorder.take(), is: (0..<1_024).map { "40 writes B001[0] = \($0 % 256)" })
    expect(it.radio.exchange([0x52, 0x1C, 0x00, 7]), is: [])
    queue.sync {}
    expect(recorder.take(), is: ["40 writes B001[0] = 7"])
  }

  @Test("A long write is one value")
  func long() {
    it.recorder.answerWrites()
    it.radio.connect()
    let value = [UInt8](0..<40)
    writeLong(0x12, [Array(value[..<18]), Array(value[18..<36]), Array(value[36...])])
    expect(it.recorder.take(), is: [])
    it.radio.exchange([0x18, 1], gives: [0x19])
    expect(
      it.recorder.take(),
      is: ["40 writes A001[0] = " + value.map { String($0) }.joined(separator: " ")])
  }

  /// Core Specification, Vol 3, Part F, 3.4.6.3: the delegate has the present value.
  @Test("A long write that begins beyond the first byte has that offset")
  func beyondFirstByte() {
    it.recorder.answerWrites()
    it.radio.connect()
    it.radio.exchange([0x16, 0x12, 0, 5, 0, 1, 2], gives: [0x17, 0x12, 0, 5, 0, 1, 2])
    it.radio.exchange([0x16, 0x12, 0, 7, 0, 3], gives: [0x17, 0x12, 0, 7, 0, 3])
    it.radio.exchange([0x16, 0x18, 0, 0, 0, 4], gives: [0x17, 0x18, 0, 0, 0, 4])
    it.radio.exchange([0x18, 1], gives: [0x19])
    expect(it.recorder.take(), is: ["40 writes A001[5] = 1 2 3, A003[0] = 4"])
    it.recorder.answerWrites(.invalidOffset)
    it.radio.exchange([0x16, 0x12, 0, 9, 0, 1], gives: [0x17, 0x12, 0, 9, 0, 1])
    it.radio.exchange([0x18, 1], gives: attError(0x18, 0x12, 0x07))
  }

  @Test("Several values that are executed together are one list with one response")
  func several() throws {
    it.radio.connect()
    writeLong(0x12, [[1, 2]])
    writeLong(0x18, [[3]])
    expect(it.radio.exchange([0x18, 1]), is: [])
    expect(it.recorder.take(), is: ["40 writes A001[0] = 1 2, A003[0] = 3"])
    it.manager.respond(to: try #require(it.recorder.requests.first), withResult: .success)
    // The response to the first covers the second.
    it.respond(to: it.recorder.requests[1], .unlikelyError)
    expect(it.radio.sent().last, is: [0x19])
    expect(it.recorder.take(), is: [])
  }

  @Test("A refused list is refused at its first value, and its parts are dropped")
  func severalRefused() {
    it.recorder.answerWrites(.insufficientResources)
    it.radio.connect()
    writeLong(0x12, [[1, 2]])
    writeLong(0x18, [[3]])
    it.radio.exchange([0x18, 1], gives: attError(0x18, 0x12, 0x11))
    _ = it.recorder.take()
    it.radio.exchange([0x18, 1], gives: [0x19])
    expect(it.recorder.take(), is: [])
  }

  @Test("Values before one that cannot be written are never reported")
  func refusedHalfWay() {
    it.recorder.answerWrites()
    it.radio.connect()
    writeLong(0x12, [[1]])
    writeLong(0x13, [[9, 9]])  // a configuration, which cannot be that
    it.radio.exchange([0x18, 1], gives: attError(0x18, 0x13, 0xFD))
    expect(it.recorder.take(), is: [])
    it.radio.exchange([0x12, 0x18, 0x00, 4], gives: [0x13])
    expect(it.recorder.take(), is: ["40 writes A003[0] = 4"])
  }

  @Test("Values of two managers in one write: both respond, and the first refusal counts")
  func twoManagers() throws {
    let (manager, recorder) = it.another()
    it.add("B", .write, .writeable, to: manager)
    expect(recorder.take(), is: ["added B000"])
    it.radio.connect()
    writeLong(0x12, [[1]])
    writeLong(0x1C, [[2]])
    expect(it.radio.exchange([0x18, 1]), is: [])
    expect(it.recorder.take(), is: ["40 writes A001[0] = 1"])
    expect(recorder.take(), is: ["40 writes B001[0] = 2"])
    // A second response does not count for the other manager.
    for _ in 0..<2 {
      manager.respond(to: try #require(recorder.requests.first), withResult: .unlikelyError)
      it.radio.settle()
      expect(it.radio.sent().last?[0], is: 0x17)
    }
    // A request belongs to the manager that received it.
    manager.respond(to: try #require(it.recorder.requests.first), withResult: .success)
    it.radio.settle()
    expect(it.radio.sent().last?[0], is: 0x17)
    it.respond(to: try #require(it.recorder.requests.first))
    expect(it.radio.sent().last, is: attError(0x18, 0x12, 0x0E))
  }
}
