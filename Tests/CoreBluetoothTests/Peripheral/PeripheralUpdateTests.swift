import Foundation
import Testing

@testable import CoreBluetooth

@Suite("CBPeripheralManager: what centrals are told")
struct PeripheralUpdateTests {
  private let it = Published()
  /// Writes the configuration of `text`.
  private let subscribe: [UInt8] = [0x12, 0x13, 0x00, 1, 0]

  private func update(_ value: [UInt8], to centrals: [CBCentral]? = nil) -> Bool {
    it.manager.updateValue(Data(value), for: it.text, onSubscribedCentrals: centrals)
  }

  @Test("Subscribing and unsubscribing are told, once each")
  func subscriptions() {
    it.stage.connect()
    it.stage.connect(0x41, mtu: 185)
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13], on: 0x41)
    it.stage.expect([0x12, 0x13, 0x00, 0, 0], gives: [0x13])
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    #expect(
      it.recorder.take() == [
        "40 subscribed to A001, 1, 20 bytes",  // 23 − 3
        "41 subscribed to A001, 2, 182 bytes",  // 185 − 3
        "40 unsubscribed from A001, 1",
        "40 subscribed to A003, 1, 20 bytes",
      ])
  }

  @Test("A central that goes has unsubscribed from everything")
  func disconnect() {
    it.stage.connect()
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    _ = it.recorder.take()
    it.stage.disconnect()
    #expect(
      it.recorder.take() == ["40 unsubscribed from A001, 0", "40 unsubscribed from A003, 0"])
    #expect(it.text.subscribedCentrals == [])
    #expect(update([1]))
  }

  @Test("A central whose MTU grows can be told more: the same object says so")
  func mtu() {
    it.stage.connect()
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect([0x02, 0x00, 0x01], gives: [0x03, 0x05, 0x02])
    #expect(it.recorder.centrals.map(\.maximumUpdateValueLength) == [253])
  }

  @Test("A value is notified to all who subscribed, and to nobody else")
  func all() {
    it.stage.connect()
    it.stage.connect(0x41)
    it.stage.connect(0x42)
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13], on: 0x42)
    it.stage.forget()
    #expect(update([1, 2]))
    #expect(update([3]))
    it.stage.settle()
    #expect(it.stage.sent() == [[0x1B, 0x12, 0x00, 1, 2], [0x1B, 0x12, 0x00, 3]])
    #expect(it.stage.sent(0x41) == [])
    #expect(it.stage.sent(0x42) == it.stage.sent())
  }

  @Test("A value for some centrals is for those among them that subscribed")
  func some() {
    it.stage.connect()
    it.stage.connect(0x41)
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13], on: 0x41)
    it.stage.expect([0x12, 0x13, 0x00, 0, 0], gives: [0x13])
    it.stage.forget()
    #expect(update([1], to: it.recorder.centrals))
    #expect(update([2], to: [it.recorder.centrals[0]]))
    #expect(update([3], to: []))
    it.stage.settle()
    #expect(it.stage.sent() == [])
    #expect(it.stage.sent(0x41) == [[0x1B, 0x12, 0x00, 1]])
  }

  @Test("A value longer than a central takes is cut for that central")
  func cut() {
    it.stage.connect()
    it.stage.connect(0x41, mtu: 517)
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13], on: 0x41)
    it.stage.forget()
    let value = (0..<600).map { UInt8($0 % 251) }
    #expect(update(value))
    it.stage.settle()
    #expect(it.stage.sent() == [[0x1B, 0x12, 0x00] + value[..<20]])
    #expect(it.stage.sent(0x41) == [[0x1B, 0x12, 0x00] + value[..<512]])
  }

  @Test("An indication is confirmed before anything else is told")
  func indication() {
    it.stage.connect()
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    it.stage.forget()
    #expect(it.manager.updateValue(Data([1]), for: it.level, onSubscribedCentrals: nil))
    #expect(update([2]))
    it.stage.settle()
    #expect(it.stage.sent() == [[0x1D, 0x18, 0x00, 1]])
    it.stage.expect([0x1E], gives: [0x1B, 0x12, 0x00, 2])
  }

  @Test("The answer to a write goes out before what it led to is told")
  func order() {
    it.recorder.onWrite = { [it] manager, requests in
      manager.respond(to: requests[0], withResult: .success)
      let value = requests[0].value ?? Data()
      #expect(manager.updateValue(value, for: it.text, onSubscribedCentrals: nil))
    }
    it.stage.connect()
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect([0x12, 0x12, 0x00, 7], gives: [0x13], [0x1B, 0x12, 0x00, 7])
  }

  @Test("A central with 32 values waiting is full: nobody is told more, until there is room again")
  func full() {
    it.stage.connect()
    it.stage.connect(0x41)
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13], on: 0x41)
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    _ = it.recorder.take()
    it.stage.forget()
    // The first central confirms nothing, so that what is behind the indication waits.
    #expect(it.manager.updateValue(Data([0]), for: it.level, onSubscribedCentrals: nil))
    it.stage.settle()
    for number in 1...32 { #expect(update([UInt8(number)])) }
    #expect(!update([33]))
    it.stage.settle()
    #expect(!update([33]))
    #expect(it.stage.sent(0x41).count == 32)
    #expect(it.recorder.take() == [])
    // To the other alone there is room.
    #expect(update([34], to: [it.recorder.centrals[1]]))
    it.stage.settle()
    #expect(it.stage.exchange([0x1E]).count == 32)
    // Once, for any number of refusals.
    #expect(it.recorder.take() == ["ready"])
    #expect(update([33]))
    it.stage.settle()
    #expect(it.stage.sent().last == [0x1B, 0x12, 0x00, 33])
    #expect(it.stage.sent(0x41).suffix(2) == [[0x1B, 0x12, 0x00, 34], [0x1B, 0x12, 0x00, 33]])
  }

  @Test(
    "A full central that goes makes room, as does one that unsubscribes", arguments: [true, false])
  func fullLeaves(disconnects: Bool) {
    it.stage.connect()
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.completesPackets = false
    while update([1]) { it.stage.settle() }
    // One response; then 7 packets, for of the controller's 8 buffers one is for a central that may
    // come; and 32 that wait.
    #expect(it.stage.sent().count == 1 + 7)
    _ = it.recorder.take()
    if disconnects {
      it.stage.disconnect()
      #expect(it.recorder.take() == ["40 unsubscribed from A001, 0", "ready"])
    } else {
      _ = it.stage.exchange([0x52, 0x13, 0x00, 0, 0])  // not by a command
      #expect(it.recorder.take() == [])
      _ = it.stage.exchange([0x12, 0x13, 0x00, 0, 0])
      #expect(it.recorder.take() == ["40 unsubscribed from A001, 0", "ready"])
    }
    #expect(update([2]))
  }

  @Test(
    "A delegate that updates until there is no more room, each time it is told of some, gets all out"
  )
  func flood() {
    var next = 0
    let send: (CBPeripheralManager) -> Void = { [it] manager in
      while next < 500,
        manager.updateValue(
          Data([UInt8(next % 251)]), for: it.text, onSubscribedCentrals: nil)
      { next += 1 }
    }
    it.recorder.onReady = send
    it.stage.connect()
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.forget()
    it.stage.queue.sync { send(it.manager) }
    it.stage.settle()
    #expect(next == 500)
    #expect(it.stage.sent() == (0..<500).map { [0x1B, 0x12, 0x00, UInt8($0 % 251)] })
  }

  /// Writes Client Supported Features: the central knows of robust caching.
  private let robustCaching: [UInt8] = [0x12, 0x0B, 0x00, 1]

  private func addAnother() {
    it.manager.add(CBMutableService(type: CBUUID(string: "B000"), primary: true))
    it.stage.settle()
  }

  @Test("A central that has missed a change is told no values until it knows, and holds nobody up")
  func outOfSync() {
    it.stage.connect()
    it.stage.connect(0x41)
    it.stage.expect(robustCaching, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13], on: 0x41)
    addAnother()
    it.stage.forget()
    for number in 1...40 {
      #expect(update([UInt8(number)]))
      it.stage.settle()
    }
    #expect(it.stage.sent() == [])
    #expect(it.stage.sent(0x41).count == 40)
    // Database Out Of Sync; after that it knows.
    it.stage.expect([0x0A, 0x15, 0x00], gives: attError(0x0A, 0, 0x12))
    it.stage.expect([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
    #expect(update([41]))
    it.stage.settle()
    #expect(it.stage.sent().last == [0x1B, 0x12, 0x00, 41])
  }

  @Test("What waits for a central when it misses a change makes room")
  func fullMissesChange() {
    it.stage.connect()
    it.stage.expect(robustCaching, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    // It confirms nothing, so that what is behind the indication waits.
    #expect(it.manager.updateValue(Data([0]), for: it.level, onSubscribedCentrals: nil))
    it.stage.settle()
    while update([1]) {}
    it.stage.settle()
    _ = it.recorder.take()
    addAnother()
    #expect(it.recorder.take().sorted() == ["added B000", "ready"])
    #expect(update([2]))
  }

  @Test("A central that listens to Service Changed is told its values once it has confirmed that")
  func toldOfChange() {
    it.stage.connect()
    it.stage.expect(robustCaching, gives: [0x13])
    it.stage.expect([0x12, 0x09, 0x00, 2, 0], gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.forget()
    addAnother()
    #expect(update([1]))
    it.stage.settle()
    #expect(it.stage.sent() == [serviceChanged(0x001A, 0x001A)])
    it.stage.expect([0x1E], gives: [0x1B, 0x12, 0x00, 1])
  }

  @Test("What is not added cannot be told: false, and nothing happens")
  func unknown() {
    let other = CBMutableCharacteristic(
      type: CBUUID(string: "B001"), properties: .notify, value: nil, permissions: [])
    #expect(!it.manager.updateValue(Data([1]), for: other, onSubscribedCentrals: nil))
    // It was added, but by another manager.
    let manager = CBPeripheralManager(delegate: nil, queue: it.stage.queue, thread: it.stage)
    it.stage.settle()
    #expect(!manager.updateValue(Data([1]), for: it.text, onSubscribedCentrals: nil))
    it.manager.remove(it.service)
    it.stage.settle()
    #expect(!update([1]))
    #expect(it.recorder.take() == [])
  }

  @Test("Updates that wait when their service goes are not sent")
  func removed() {
    it.stage.connect()
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect([0x12, 0x09, 0x00, 2, 0], gives: [0x13])
    it.stage.forget()
    #expect(update([1]))
    it.manager.remove(it.service)
    #expect(update([2]))  // The removal is still on its way.
    it.stage.settle()
    #expect(it.stage.sent() == [serviceChanged(0x0010, 0x0019)])
    #expect(it.text.subscribedCentrals == nil)
  }
}
