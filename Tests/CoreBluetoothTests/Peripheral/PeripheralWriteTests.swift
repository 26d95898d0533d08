import Foundation
import Testing

@testable import CoreBluetooth

@Suite("CBPeripheralManager: what centrals write")
struct PeripheralWriteTests {
  private let it = Published()

  private func accept() {
    it.recorder.onWrite = { manager, requests in
      manager.respond(to: requests[0], withResult: .success)
    }
  }

  /// Prepares parts of a value, and executes them.
  private func writeLong(_ handle: UInt8, _ parts: [[UInt8]]) {
    var offset: UInt8 = 0
    for part in parts {
      it.stage.expect(
        [0x16, handle, 0, offset, 0] + part, gives: [0x17, handle, 0, offset, 0] + part)
      offset += UInt8(part.count)
    }
  }

  @Test("A write is a list of one request, and the delegate's response is sent")
  func write() throws {
    it.stage.connect()
    #expect(it.stage.exchange([0x12, 0x12, 0x00, 5, 6]) == [])
    #expect(it.recorder.take() == ["40 writes A001[0] = 5 6"])
    it.manager.respond(to: try #require(it.recorder.requests.first), withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent() == [[0x13]])
    // It was written once.
    #expect(it.recorder.take() == [])
  }

  @Test("A refusal is sent to the central")
  func refusal() {
    it.recorder.onWrite = { manager, requests in
      manager.respond(to: requests[0], withResult: .unlikelyError)
    }
    it.stage.connect()
    it.stage.expect([0x12, 0x12, 0x00, 5], gives: attError(0x12, 0x12, 0x0E))
  }

  @Test("A command is reported too; a response to it is dropped and no misuse")
  func command() {
    accept()
    it.stage.connect()
    #expect(it.stage.exchange([0x52, 0x12, 0x00, 5]) == [])
    #expect(it.stage.exchange([0x52, 0x18, 0x00, 5]) == [])  // by request alone
    #expect(it.recorder.take() == ["40 writes A001[0] = 5"])
  }

  @Test("A command is handled while a request waits")
  func commandWhileWaiting() throws {
    it.stage.connect()
    #expect(it.stage.exchange([0x12, 0x12, 0x00, 1]) == [])
    #expect(it.stage.exchange([0x52, 0x12, 0x00, 2]) == [])
    #expect(it.recorder.take() == ["40 writes A001[0] = 1", "40 writes A001[0] = 2"])
    it.manager.respond(to: it.recorder.requests[1], withResult: .unlikelyError)
    it.stage.settle()
    #expect(it.stage.sent() == [])
    it.manager.respond(to: it.recorder.requests[0], withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent() == [[0x13]])
  }

  @Test("Commands for a slow delegate are dropped beyond 1,024, and none later")
  func commandsForSlowDelegate() {
    let queue = DispatchQueue(label: "slow")
    let recorder = PeripheralRecorder()
    let manager = CBPeripheralManager(delegate: recorder, queue: queue, thread: it.stage)
    let value = CBMutableCharacteristic(
      type: CBUUID(string: "B001"), properties: .writeWithoutResponse, value: nil,
      permissions: .writeable)
    let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
    service.characteristics = [value]
    it.stage.settle()
    queue.sync {}
    manager.add(service)
    it.stage.settle()
    queue.sync {}
    _ = recorder.take()
    it.stage.connect()
    queue.suspend()
    for number in 0..<1_030 {
      // 0x001A service, 0x001B declaration, 0x001C value.
      #expect(it.stage.exchange([0x52, 0x1C, 0x00, UInt8(truncatingIfNeeded: number)]) == [])
    }
    queue.resume()
    queue.sync {}
    #expect(
      recorder.take() == (0..<1_024).map { "40 writes B001[0] = \($0 % 256)" })
    #expect(it.stage.exchange([0x52, 0x1C, 0x00, 7]) == [])
    queue.sync {}
    #expect(recorder.take() == ["40 writes B001[0] = 7"])
  }

  @Test("A long write is one value")
  func long() {
    accept()
    it.stage.connect()
    let value = [UInt8](0..<40)
    writeLong(0x12, [Array(value[..<18]), Array(value[18..<36]), Array(value[36...])])
    #expect(it.recorder.take() == [])
    it.stage.expect([0x18, 1], gives: [0x19])
    #expect(
      it.recorder.take()
        == ["40 writes A001[0] = " + value.map { String($0) }.joined(separator: " ")])
  }

  /// Core Specification, Vol 3, Part F, 3.4.6.3: the delegate has the present value.
  @Test("A long write that begins beyond the first byte has that offset")
  func beyondFirstByte() {
    accept()
    it.stage.connect()
    it.stage.expect([0x16, 0x12, 0, 5, 0, 1, 2], gives: [0x17, 0x12, 0, 5, 0, 1, 2])
    it.stage.expect([0x16, 0x12, 0, 7, 0, 3], gives: [0x17, 0x12, 0, 7, 0, 3])
    it.stage.expect([0x16, 0x18, 0, 0, 0, 4], gives: [0x17, 0x18, 0, 0, 0, 4])
    it.stage.expect([0x18, 1], gives: [0x19])
    #expect(it.recorder.take() == ["40 writes A001[5] = 1 2 3, A003[0] = 4"])
    it.recorder.onWrite = { manager, requests in
      manager.respond(to: requests[0], withResult: .invalidOffset)
    }
    it.stage.expect([0x16, 0x12, 0, 9, 0, 1], gives: [0x17, 0x12, 0, 9, 0, 1])
    it.stage.expect([0x18, 1], gives: attError(0x18, 0x12, 0x07))
  }

  @Test("Several values that are executed together are one list with one response")
  func several() throws {
    it.stage.connect()
    writeLong(0x12, [[1, 2]])
    writeLong(0x18, [[3]])
    #expect(it.stage.exchange([0x18, 1]) == [])
    #expect(it.recorder.take() == ["40 writes A001[0] = 1 2, A003[0] = 3"])
    it.manager.respond(to: try #require(it.recorder.requests.first), withResult: .success)
    // The response to the first covers the second.
    it.manager.respond(to: it.recorder.requests[1], withResult: .unlikelyError)
    it.stage.settle()
    #expect(it.stage.sent().last == [0x19])
    #expect(it.recorder.take() == [])
  }

  @Test("A refused list is refused at its first value, and its parts are dropped")
  func severalRefused() {
    it.recorder.onWrite = { manager, requests in
      manager.respond(to: requests[0], withResult: .insufficientResources)
    }
    it.stage.connect()
    writeLong(0x12, [[1, 2]])
    writeLong(0x18, [[3]])
    it.stage.expect([0x18, 1], gives: attError(0x18, 0x12, 0x11))
    _ = it.recorder.take()
    it.stage.expect([0x18, 1], gives: [0x19])
    #expect(it.recorder.take() == [])
  }

  @Test("Values before one that cannot be written are never reported")
  func refusedHalfWay() {
    accept()
    it.stage.connect()
    writeLong(0x12, [[1]])
    writeLong(0x13, [[9, 9]])  // a configuration, which cannot be that
    it.stage.expect([0x18, 1], gives: attError(0x18, 0x13, 0xFD))
    #expect(it.recorder.take() == [])
    it.stage.expect([0x12, 0x18, 0x00, 4], gives: [0x13])
    #expect(it.recorder.take() == ["40 writes A003[0] = 4"])
  }

  @Test("A value that may not be written is refused without the delegate")
  func permissions() {
    let readable = CBMutableCharacteristic(
      type: CBUUID(string: "B001"), properties: [.read, .write], value: nil,
      permissions: .readable)
    let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
    service.characteristics = [readable]
    it.manager.add(service)
    it.stage.settle()
    _ = it.recorder.take()
    it.stage.connect()
    it.stage.expect([0x12, 0x1C, 0x00, 1], gives: attError(0x12, 0x1C, 0x03))
    it.stage.expect([0x16, 0x1C, 0x00, 0, 0, 1], gives: attError(0x16, 0x1C, 0x03))
    #expect(it.recorder.take() == [])
  }

  @Test("Values of two managers in one write: both respond, and the first refusal counts")
  func twoManagers() throws {
    let recorder = PeripheralRecorder()
    let manager = CBPeripheralManager(delegate: recorder, queue: it.stage.queue, thread: it.stage)
    it.stage.settle()
    let value = CBMutableCharacteristic(
      type: CBUUID(string: "B001"), properties: .write, value: nil, permissions: .writeable)
    let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
    service.characteristics = [value]
    manager.add(service)
    it.stage.settle()
    #expect(recorder.take() == ["state poweredOn", "added B000"])
    it.stage.connect()
    writeLong(0x12, [[1]])
    writeLong(0x1C, [[2]])
    #expect(it.stage.exchange([0x18, 1]) == [])
    #expect(it.recorder.take() == ["40 writes A001[0] = 1"])
    #expect(recorder.take() == ["40 writes B001[0] = 2"])
    // A second response does not count for the other manager.
    for _ in 0..<2 {
      manager.respond(to: try #require(recorder.requests.first), withResult: .unlikelyError)
      it.stage.settle()
      #expect(it.stage.sent().last?[0] == 0x17)
    }
    // A request belongs to the manager that received it.
    manager.respond(to: try #require(it.recorder.requests.first), withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent().last?[0] == 0x17)
    it.manager.respond(to: try #require(it.recorder.requests.first), withResult: .success)
    it.stage.settle()
    #expect(it.stage.sent().last == attError(0x18, 0x12, 0x0E))
  }
}
