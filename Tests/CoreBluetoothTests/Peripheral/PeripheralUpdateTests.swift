import Foundation
import Testing

@testable import CoreBluetooth

@Suite("CBPeripheralManager: notifications and indications")
struct PeripheralUpdateTests {
  private let it = Published()
  /// Writes the configuration of `text`.
  private let subscribe: [UInt8] = [0x12, 0x13, 0x00, 1, 0]

  private func update(_ value: [UInt8], to centrals: [CBCentral]? = nil) -> Bool {
    it.manager.updateValue(Data(value), for: it.text, onSubscribedCentrals: centrals)
  }

  /// Connects centrals, which then subscribe to `text`.
  private func connectSubscribers(
    _ links: UInt16..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let links = links.isEmpty ? [0x40] : links
    for link in links { it.stage.connect(link) }
    for link in links {
      it.stage.expect(subscribe, gives: [0x13], on: link, sourceLocation: sourceLocation)
    }
  }

  @Test("Subscribing and unsubscribing are reported once each")
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

  @Test("A central that disconnects is unsubscribed from everything")
  func disconnect() {
    connectSubscribers()
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    _ = it.recorder.take()
    it.stage.disconnect()
    #expect(
      it.recorder.take() == ["40 unsubscribed from A001, 0", "40 unsubscribed from A003, 0"])
    #expect(it.text.subscribedCentrals == [])
    #expect(update([1]))
  }

  @Test("A larger MTU raises maximumUpdateValueLength of the same object")
  func mtu() {
    connectSubscribers()
    it.stage.expect([0x02, 0x00, 0x01], gives: [0x03, 0x05, 0x02])
    #expect(it.recorder.centrals.map(\.maximumUpdateValueLength) == [253])
  }

  @Test("A value is notified to all subscribers, and to no other central")
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

  @Test("A value for some centrals is notified to the subscribers among them")
  func some() {
    connectSubscribers(0x40, 0x41)
    it.stage.expect([0x12, 0x13, 0x00, 0, 0], gives: [0x13])
    it.stage.forget()
    #expect(update([1], to: it.recorder.centrals))
    #expect(update([2], to: [it.recorder.centrals[0]]))
    #expect(update([3], to: []))
    it.stage.settle()
    #expect(it.stage.sent() == [])
    #expect(it.stage.sent(0x41) == [[0x1B, 0x12, 0x00, 1]])
  }

  @Test("A value that is too long for a central is cut for that central")
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

  @Test("A value that meets the end of a subscription is not sent, and takes no room")
  func late() {
    connectSubscribers()
    for _ in 0..<32 { #expect(update([1])) }
    it.stage.expect([0x12, 0x13, 0x00, 0, 0], gives: [0x13])
    it.stage.forget()
    // Nothing of it waits for the next subscription.
    it.stage.expect(subscribe, gives: [0x13])
    for number in 0..<32 { #expect(update([UInt8(number)])) }
    it.stage.settle()
    #expect(it.stage.sent().count == 1 + 32)
  }

  @Test("The next update waits for the confirmation of an indication")
  func indication() {
    connectSubscribers()
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    it.stage.forget()
    #expect(it.manager.updateValue(Data([1]), for: it.level, onSubscribedCentrals: nil))
    #expect(update([2]))
    it.stage.settle()
    #expect(it.stage.sent() == [[0x1D, 0x18, 0x00, 1]])
    it.stage.expect([0x1E], gives: [0x1B, 0x12, 0x00, 2])
  }

  @Test("The response to a write is sent before the updates that it caused")
  func order() {
    it.recorder.onWrite = { [it] manager, requests in
      manager.respond(to: requests[0], withResult: .success)
      let value = requests[0].value ?? Data()
      #expect(manager.updateValue(value, for: it.text, onSubscribedCentrals: nil))
    }
    connectSubscribers()
    it.stage.expect([0x12, 0x12, 0x00, 7], gives: [0x13], [0x1B, 0x12, 0x00, 7])
  }

  @Test("A central with 32 unsent updates is full: no central gets more until there is room")
  func full() {
    connectSubscribers(0x40, 0x41)
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    _ = it.recorder.take()
    it.stage.forget()
    // The first central does not confirm, so the updates after the indication wait.
    #expect(it.manager.updateValue(Data([0]), for: it.level, onSubscribedCentrals: nil))
    it.stage.settle()
    for number in 1...32 { #expect(update([UInt8(number)])) }
    #expect(!update([33]))
    it.stage.settle()
    #expect(!update([33]))
    #expect(it.stage.sent(0x41).count == 32)
    #expect(it.recorder.take() == [])
    // There is room for the other central only.
    #expect(update([34], to: [it.recorder.centrals[1]]))
    it.stage.settle()
    #expect(it.stage.exchange([0x1E]).count == 32)
    // Once, after any number of refusals.
    #expect(it.recorder.take() == ["ready"])
    #expect(update([33]))
    it.stage.settle()
    #expect(it.stage.sent().last == [0x1B, 0x12, 0x00, 33])
    #expect(it.stage.sent(0x41).suffix(2) == [[0x1B, 0x12, 0x00, 34], [0x1B, 0x12, 0x00, 33]])
  }

  @Test("Each sent update makes room for one, and the manager is called once half is free")
  func roomOfOne() {
    connectSubscribers()
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    _ = it.recorder.take()
    func indicate() -> Bool {
      it.manager.updateValue(Data([1]), for: it.level, onSubscribedCentrals: nil)
    }
    // One is sent, and 32 wait for its confirmation.
    #expect(indicate())
    it.stage.settle()
    for _ in 0..<32 { #expect(indicate()) }
    #expect(!indicate())
    for _ in 0..<15 { it.stage.expect([0x1E], gives: [0x1D, 0x18, 0x00, 1]) }
    #expect(it.recorder.take() == [])
    it.stage.expect([0x1E], gives: [0x1D, 0x18, 0x00, 1])
    #expect(it.recorder.take() == ["ready"])
    for _ in 0..<16 { #expect(indicate()) }
    #expect(!indicate())
  }

  @Test(
    "A full central makes room when it disconnects or unsubscribes", arguments: [true, false])
  func fullLeaves(disconnects: Bool) {
    connectSubscribers()
    it.stage.completesPackets = false
    while update([1]) { it.stage.settle() }
    // One response; then 7 packets, since one of the controller's 8 buffers is reserved for another
    // central; then 32 that wait.
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
    "A delegate that updates until there is no room, each time there is room again, sends everything"
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
    connectSubscribers()
    it.stage.forget()
    it.stage.queue.sync { send(it.manager) }
    it.stage.settle()
    #expect(next == 500)
    #expect(it.stage.sent() == (0..<500).map { [0x1B, 0x12, 0x00, UInt8($0 % 251)] })
  }

  /// Writes Client Supported Features: the central supports robust caching.
  private let robustCaching: [UInt8] = [0x12, 0x0D, 0x00, 1]

  private func addAnother() {
    it.manager.add(CBMutableService(type: CBUUID(string: "B000"), primary: true))
    it.stage.settle()
  }

  @Test("A change-unaware central gets no values, and blocks no other central")
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
    // Database Out Of Sync; then it is change-aware.
    it.stage.expect([0x0A, 0x15, 0x00], gives: attError(0x0A, 0, 0x12))
    it.stage.expect([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
    #expect(update([41]))
    it.stage.settle()
    #expect(it.stage.sent().last == [0x1B, 0x12, 0x00, 41])
  }

  @Test("The unsent updates of a central that becomes change-unaware are dropped")
  func fullMissesChange() {
    it.stage.connect()
    it.stage.expect(robustCaching, gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.expect([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    // It does not confirm, so the updates after the indication wait.
    #expect(it.manager.updateValue(Data([0]), for: it.level, onSubscribedCentrals: nil))
    it.stage.settle()
    while update([1]) {}
    it.stage.settle()
    _ = it.recorder.take()
    addAnother()
    #expect(it.recorder.take().sorted() == ["added B000", "ready"])
    #expect(update([2]))
  }

  @Test("A central subscribed to Service Changed gets values again after its confirmation")
  func confirmsChange() {
    it.stage.connect()
    it.stage.expect(robustCaching, gives: [0x13])
    it.stage.expect([0x12, 0x0B, 0x00, 2, 0], gives: [0x13])
    it.stage.expect(subscribe, gives: [0x13])
    it.stage.forget()
    addAnother()
    #expect(update([1]))
    it.stage.settle()
    #expect(it.stage.sent() == [serviceChanged(0x001A, 0x001A)])
    it.stage.expect([0x1E], gives: [0x1B, 0x12, 0x00, 1])
  }

  @Test("An update of an unpublished characteristic returns false and has no effect")
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

  @Test("Unsent updates of a removed service are dropped")
  func removed() {
    connectSubscribers()
    it.stage.expect([0x12, 0x0B, 0x00, 2, 0], gives: [0x13])
    it.stage.forget()
    #expect(update([1]))
    it.manager.remove(it.service)
    #expect(update([2]))  // The removal is still on its way.
    it.stage.settle()
    #expect(it.stage.sent() == [serviceChanged(0x0010, 0x0019)])
    #expect(it.text.subscribedCentrals == nil)
  }
}
