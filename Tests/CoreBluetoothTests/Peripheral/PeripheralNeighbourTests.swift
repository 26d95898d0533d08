import BluetoothHost
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("CBPeripheralManager: the centrals that stay when another leaves")
struct PeripheralNeighbourTests {
  private let it = Published()

  @Test("A central that stays has its own update length, requests and updates")
  func stays() throws {
    it.stage.connect(0x40)
    it.stage.connect(0x41)
    it.stage.expect([0x12, 0x13, 0, 1, 0], gives: [0x13], on: 0x40)
    it.stage.disconnect(0x40)
    it.stage.expect([0x02] + little(185), gives: [0x03] + little(517), on: 0x41)
    it.stage.expect([0x12, 0x13, 0, 1, 0], gives: [0x13], on: 0x41)
    // 185 (MTU) − 3 (opcode and handle) = 182 bytes; 23 − 3 = 20 without an exchange.
    #expect(
      it.recorder.take() == [
        "40 subscribed to A001, 1, 20 bytes", "40 unsubscribed from A001, 0",
        "41 subscribed to A001, 1, 182 bytes",
      ])
    #expect(it.manager.updateValue(Data([9]), for: it.text, onSubscribedCentrals: nil))
    it.stage.settle()
    #expect(it.stage.sent(0x41).last == [0x1B, 0x12, 0, 9])

    // The next central has the first one's place, and nothing of it.
    it.stage.connect(0x42)
    #expect(it.manager.updateValue(Data([8]), for: it.text, onSubscribedCentrals: nil))
    it.stage.settle()
    #expect(it.stage.sent(0x41).last == [0x1B, 0x12, 0, 8])
    #expect(it.stage.sent(0x42) == [])
    #expect(it.recorder.take() == [])
  }

  @Test("The answer to a central that has left is not sent")
  func lateAnswer() throws {
    it.stage.connect(0x40)
    it.stage.connect(0x41)
    #expect(it.stage.exchange([0x0A, 0x12, 0], on: 0x40) == [])
    #expect(it.stage.exchange([0x0A, 0x12, 0], on: 0x41) == [])
    it.stage.disconnect(0x40)
    it.stage.connect(0x42)
    #expect(it.stage.exchange([0x0A, 0x12, 0], on: 0x42) == [])
    #expect(it.recorder.take() == ["40", "41", "42"].map { "\($0) reads A001 from 0" })
    try #require(it.recorder.requests.count == 3)
    for (request, value) in zip(it.recorder.requests, 1...3 as ClosedRange<UInt8>) {
      request.value = Data([value])
      it.manager.respond(to: request, withResult: .success)
      it.stage.settle()
    }
    #expect(it.stage.sent(0x40) == [])
    #expect(it.stage.sent(0x41) == [[0x0B, 2]] && it.stage.sent(0x42) == [[0x0B, 3]])
  }

  @Test("A central that leaves is released, even if its request was never answered")
  func released() {
    final class Silent: NSObject, CBPeripheralManagerDelegate {
      func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
      func peripheralManager(
        _ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest
      ) {}
    }
    let delegate = Silent()
    it.manager.delegate = delegate
    it.stage.connect()
    #expect(it.stage.exchange([0x0A, 0x12, 0]) == [])
    weak let link = it.stage.device.host.server.application.links.compactMap(\.self).first
    #expect(link?.pendingRequest != nil)
    it.stage.disconnect()
    #expect(link == nil)
    withExtendedLifetime(delegate) {}
  }

  @Test("Writes that a slow delegate cannot take are logged once until none waits")
  func loggedOnce() {
    let queue = DispatchQueue(label: "slow")
    let lines = Locked<[String]>([])
    let client = PeripheralHandle(queue: queue) { line in lines.withLock { $0.append(line) } }
    client.represent(it.manager)
    let handled = Locked(0)
    func flood(_ count: Int) {
      queue.suspend()
      for _ in 0..<count {
        client.callManagerForCommand { _ in handled.withLock { $0 += 1 } }
      }
      queue.resume()
      queue.sync {}
    }
    flood(PeripheralHandle.commandCapacity)
    #expect(lines.withLock(\.self) == [] && handled.withLock(\.self) == 1_024)
    for time in 1...2 {
      flood(PeripheralHandle.commandCapacity + 5)
      #expect(handled.withLock(\.self) == 1_024 * (time + 1))
      #expect(
        lines.withLock(\.self)
          == [String](
            repeating: "1024 writes without response wait for the delegate of a peripheral "
              + "manager: more are dropped until it has handled some.", count: time))
    }
    // The delegate has handled one, so one more fits, and the next is dropped without a line.
    queue.suspend()
    client.callManagerForCommand { _ in
      for _ in 0..<2 { client.callManagerForCommand { _ in } }
    }
    for _ in 0..<PeripheralHandle.commandCapacity { client.callManagerForCommand { _ in } }
    queue.resume()
    queue.sync {}
    #expect(lines.withLock(\.count) == 3)
  }
}
