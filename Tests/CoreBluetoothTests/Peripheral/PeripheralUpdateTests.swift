import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("CBPeripheralManager: notifications and indications")
struct PeripheralUpdateTests {
  private let it = Published()
  /// Writes the configuration of `text`.
  private let subscribe: [UInt8] = [0x12, 0x13, 0x00, 1, 0]

  private func update(_ value: [UInt8], to centrals: [CBCentral]? = nil) -> Bool {
    it.manager.updateValue(Data(value), for: it.text, onSubscribedCentrals: centrals)
  }

  /// There is room for an update, and it is sent if nothing is before it.
  private func send(
    _ value: [UInt8], to centrals: [CBCentral]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expect(update(value, to: centrals), sourceLocation: sourceLocation)
    it.radio.settle()
  }

  /// Connects centrals, which then subscribe to `text`.
  private func connectSubscribers(
    _ links: UInt16..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let links = links.isEmpty ? [0x40] : links
    for link in links { it.radio.connect(link) }
    for link in links {
      it.radio.exchange(subscribe, gives: [0x13], on: link, sourceLocation: sourceLocation)
    }
  }

  @Test("Subscribing and unsubscribing are reported once each")
  func subscriptions() {
    it.radio.connect()
    it.radio.connect(0x41, mtu: 185)
    it.radio.exchange(subscribe, gives: [0x13])
    it.radio.exchange(subscribe, gives: [0x13])
    it.radio.exchange(subscribe, gives: [0x13], on: 0x41)
    it.radio.exchange([0x12, 0x13, 0x00, 0, 0], gives: [0x13])
    it.radio.exchange([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    expect(
      it.recorder.take(),
      is: [
        "40 subscribed to A001, 1, 20 bytes",  // 23 − 3
        "41 subscribed to A001, 2, 182 bytes",  // 185 − 3
        "40 unsubscribed from A001, 1", "40 subscribed to A003, 1, 20 bytes",
      ])
    // A larger MTU changes the same object: 256 − 3.
    it.radio.exchange([0x02, 0x00, 0x01], gives: [0x03, 0x05, 0x02])
    expect(it.recorder.centrals[0].maximumUpdateValueLength, is: 253)
  }

  @Test("A central that disconnects is unsubscribed from everything")
  func disconnect() {
    connectSubscribers()
    it.radio.exchange([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    _ = it.recorder.take()
    it.radio.disconnect()
    expect(
      it.recorder.take(), is: ["40 unsubscribed from A001, 0", "40 unsubscribed from A003, 0"])
    expect(it.text.subscribedCentrals, is: [])
    expect(update([1]))
  }

  @Test("A value is notified to all subscribers, and to no other central")
  func all() {
    it.radio.connect(0x40, 0x41, 0x42)
    it.radio.exchange(subscribe, gives: [0x13])
    it.radio.exchange(subscribe, gives: [0x13], on: 0x42)
    it.radio.forget()
    expect(update([1, 2]))
    send([3])
    expect(it.radio.sent(), is: [[0x1B, 0x12, 0x00, 1, 2], [0x1B, 0x12, 0x00, 3]])
    expect(it.radio.sent(0x41), is: [])
    expect(it.radio.sent(0x42), is: it.radio.sent())
  }

  @Test("A value that is too long for a central is cut for that central")
  func cut() {
    connectSubscribers()
    it.radio.connect(0x41, mtu: 517)
    it.radio.exchange(subscribe, gives: [0x13], on: 0x41)
    it.radio.forget()
    let value = (0..<600).map { UInt8($0 % 251) }
    send(value)
    expect(it.radio.sent(), is: [[0x1B, 0x12, 0x00] + value[..<20]])
    expect(it.radio.sent(0x41), is: [[0x1B, 0x12, 0x00] + value[..<512]])
  }

  @Test("A value that meets the end of a subscription is not sent, and takes no room")
  func late() {
    connectSubscribers()
    for _ in 0..<32 { expect(update([1])) }
    it.radio.exchange([0x12, 0x13, 0x00, 0, 0], gives: [0x13])
    it.radio.forget()
    // Nothing of it waits for the next subscription.
    it.radio.exchange(subscribe, gives: [0x13])
    for number in 0..<32 { expect(update([UInt8(number)])) }
    it.radio.settle()
    expect(it.radio.sent().count, is: 1 + 32)
  }

  @Test("The next update waits for the confirmation of an indication")
  func indication() {
    connectSubscribers()
    it.radio.exchange([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    it.radio.forget()
    expect(it.manager.updateValue(Data([1]), for: it.level, onSubscribedCentrals: nil))
    send([2])
    expect(it.radio.sent(), is: [[0x1D, 0x18, 0x00, 1]])
    it.radio.exchange([0x1E], gives: [0x1B, 0x12, 0x00, 2])
  }

  @Test("The response to a write is sent before the updates that it caused")
  func order() {
    it.recorder.onWrite = { [it] manager, requests in
      manager.respond(to: requests[0], withResult: .success)
      let value = requests[0].value ?? Data()
      expect(manager.updateValue(value, for: it.text, onSubscribedCentrals: nil))
    }
    connectSubscribers()
    it.radio.exchange([0x12, 0x12, 0x00, 7], gives: [0x13], [0x1B, 0x12, 0x00, 7])
  }

  @Test("A central with 32 unsent updates is full: no central gets more until there is room")
  func full() {
    connectSubscribers(0x40, 0x41)
    it.radio.exchange([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    _ = it.recorder.take()
    it.radio.forget()
    // The first central does not confirm, so the updates after the indication wait.
    expect(it.manager.updateValue(Data([0]), for: it.level, onSubscribedCentrals: nil))
    it.radio.settle()
    for number in 1...32 { expect(update([UInt8(number)])) }
    expect(!update([33]))
    it.radio.settle()
    expect(!update([33]))
    expect(it.radio.sent(0x41).count, is: 32)
    expect(it.recorder.take(), is: [])
    // There is room for the other central only.
    send([34], to: [it.recorder.centrals[1]])
    expect(it.radio.exchange([0x1E]).count, is: 32)
    // Once, after any number of refusals.
    expect(it.recorder.take(), is: ["ready"])
    send([33])
    expect(it.radio.sent().last, is: [0x1B, 0x12, 0x00, 33])
    expect(it.radio.sent(0x41).suffix(2), is: [[0x1B, 0x12, 0x00, 34], [0x1B, 0x12, 0x00, 33]])
  }

  @Test("A full central makes room when it disconnects or unsubscribes", arguments: [true, false])
  func fullLeaves(disconnects: Bool) {
    connectSubscribers()
    it.radio.completesPackets = false
    while update([1]) { it.radio.settle() }
    // One response; then 7 packets, since one of the controller's 8 buffers is reserved for another
    // central; then 32 that wait.
    expect(it.radio.sent().count, is: 1 + 7)
    _ = it.recorder.take()
    if disconnects {
      it.radio.disconnect()
      expect(it.recorder.take(), is: ["40 unsubscribed from A001, 0", "ready"])
    } else {
      _ = it.radio.exchange([0x52, 0x13, 0x00, 0, 0])  // not by a command
      expect(it.recorder.take(), is: [])
      _ = it.radio.exchange([0x12, 0x13, 0x00, 0, 0])
      expect(it.recorder.take(), is: ["40 unsubscribed from A001, 0", "ready"])
    }
    expect(update([2]))
  }

  @Test(
    "A delegate that updates until there is no room, each time there is room again, sends everything"
  )
  func flood() {
    var next = 0
    let send: (CBPeripheralManager) -> Void = { [it] manager in
      while next < 500,
        manager.updateValue(Data([UInt8(next % 251)]), for: it.text, onSubscribedCentrals: nil)
      { next += 1 }
    }
    it.recorder.onReady = send
    connectSubscribers()
    it.radio.forget()
    it.radio.queue.sync { send(it.manager) }
    it.radio.settle()
    expect(next, is: 500)
    expect(it.radio.sent(), is: (0..<500).map { [0x1B, 0x12, 0x00, UInt8($0 % 251)] })
  }

  /// Writes Client Supported Features: the central supports robust caching.
  private let robustCaching: [UInt8] = [0x12, 0x0D, 0x00, 1]

  private func addAnother() {
    it.manager.add(CBMutableService(type: CBUUID(string: "B000"), primary: true))
    it.radio.settle()
  }

  @Test("A change-unaware central gets no values, and blocks no other central")
  func outOfSync() {
    it.radio.connect(0x40, 0x41)
    it.radio.exchange(robustCaching, gives: [0x13])
    it.radio.exchange(subscribe, gives: [0x13])
    it.radio.exchange(subscribe, gives: [0x13], on: 0x41)
    addAnother()
    it.radio.forget()
    for number in 1...40 {
      expect(update([UInt8(number)]))
      it.radio.settle()
    }
    expect(it.radio.sent(), is: [])
    expect(it.radio.sent(0x41).count, is: 40)
    // Database Out Of Sync; then it is change-aware.
    it.radio.exchange([0x0A, 0x15, 0x00], gives: attError(0x0A, 0, 0x12))
    it.radio.exchange([0x0A, 0x15, 0x00], gives: [0x0B, 1, 2, 3])
    send([41])
    expect(it.radio.sent().last, is: [0x1B, 0x12, 0x00, 41])
  }

  @Test("The unsent updates of a central that becomes change-unaware are dropped")
  func fullMissesChange() {
    it.radio.connect()
    it.radio.exchange(robustCaching, gives: [0x13])
    it.radio.exchange(subscribe, gives: [0x13])
    it.radio.exchange([0x12, 0x19, 0x00, 2, 0], gives: [0x13])
    // It does not confirm, so the updates after the indication wait.
    expect(it.manager.updateValue(Data([0]), for: it.level, onSubscribedCentrals: nil))
    it.radio.settle()
    while update([1]) {}
    _ = it.take()
    addAnother()
    expect(it.recorder.take().sorted(), is: ["added B000", "ready"])
    expect(update([2]))
  }

  @Test("A central subscribed to Service Changed gets values again after its confirmation")
  func confirmsChange() {
    it.radio.connect()
    it.radio.exchange(robustCaching, gives: [0x13])
    it.radio.exchange([0x12, 0x0B, 0x00, 2, 0], gives: [0x13])
    it.radio.exchange(subscribe, gives: [0x13])
    it.radio.forget()
    addAnother()
    send([1])
    expect(it.radio.sent(), is: [serviceChanged(0x001A, 0x001A)])
    it.radio.exchange([0x1E], gives: [0x1B, 0x12, 0x00, 1])
  }

  @Test("An update of an unpublished characteristic returns false and has no effect")
  func unknown() {
    let other = CBMutableCharacteristic(
      type: CBUUID(string: "B001"), properties: .notify, value: nil, permissions: [])
    expect(!it.manager.updateValue(Data([1]), for: other, onSubscribedCentrals: nil))
    // It was added, but by another manager.
    let (manager, _) = it.another()
    expect(!manager.updateValue(Data([1]), for: it.text, onSubscribedCentrals: nil))
    it.remove(it.service)
    expect(!update([1]))
    expect(it.recorder.take(), is: [])
  }

  @Test("Unsent updates of a removed service are dropped")
  func removed() {
    connectSubscribers()
    it.radio.exchange([0x12, 0x0B, 0x00, 2, 0], gives: [0x13])
    it.radio.forget()
    expect(update([1]))
    it.manager.remove(it.service)
    expect(update([2]))  // The removal is still on its way.
    it.radio.settle()
    expect(it.radio.sent(), is: [serviceChanged(0x0010, 0x0019)])
    expect(it.text.subscribedCentrals, is: nil)
  }

  // MARK: Centrals that stay when another leaves

  @Test("A central that stays has its own update length, requests and updates")
  func stays() throws {
    it.radio.connect(0x40, 0x41)
    it.radio.exchange(subscribe, gives: [0x13])
    it.radio.disconnect()
    it.radio.exchange([0x02] + little(185), gives: [0x03] + little(517), on: 0x41)
    it.radio.exchange(subscribe, gives: [0x13], on: 0x41)
    // 185 (MTU) − 3 (opcode and handle) = 182 bytes; 23 − 3 = 20 without an exchange.
    expect(
      it.recorder.take(),
      is: [
        "40 subscribed to A001, 1, 20 bytes", "40 unsubscribed from A001, 0",
        "41 subscribed to A001, 1, 182 bytes",
      ])
    send([9])
    expect(it.radio.sent(0x41).last, is: [0x1B, 0x12, 0, 9])
    // The next central has the first one's place, and nothing of it.
    it.radio.connect(0x42)
    send([8])
    expect(it.radio.sent(0x41).last, is: [0x1B, 0x12, 0, 8])
    expect(it.radio.sent(0x42), is: [])
    expect(it.recorder.take(), is: [])
  }

  @Test("The answer to a central that has left is not sent")
  func lateAnswer() throws {
    it.radio.connect(0x40, 0x41)
    expect(it.radio.exchange([0x0A, 0x12, 0], on: 0x40), is: [])
    expect(it.radio.exchange([0x0A, 0x12, 0], on: 0x41), is: [])
    it.radio.disconnect(0x40)
    it.radio.connect(0x42)
    expect(it.radio.exchange([0x0A, 0x12, 0], on: 0x42), is: [])
    expect(it.recorder.take(), is: ["40", "41", "42"].map { "\($0) reads A001 from 0" })
    try #require(it.recorder.requests.count == 3)
    for (request, value) in zip(it.recorder.requests, 1...3 as ClosedRange<UInt8>) {
      request.value = Data([value])
      it.respond(to: request)
    }
    expect(it.radio.sent(0x40), is: [])
    expect(it.radio.sent(0x41) == [[0x0B, 2]] && it.radio.sent(0x42) == [[0x0B, 3]])
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
    it.radio.connect()
    expect(it.radio.exchange([0x0A, 0x12, 0]), is: [])
    weak let link = it.radio.device.host.server.application.links.compactMap(\.self).first
    expect(link?.pendingRequest != nil)
    it.radio.disconnect()
    expect(link == nil)
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
    expect(lines.withLock(\.self) == [] && handled.withLock(\.self) == 1_024)
    for time in 1...2 {
      flood(PeripheralHandle.commandCapacity + 5)
      expect(handled.withLock(\.self), is: 1_024 * (time + 1))
      expect(
        lines.withLock(\.self),
        is: [String](
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
    expect(lines.withLock(\.count), is: 3)
  }
}
