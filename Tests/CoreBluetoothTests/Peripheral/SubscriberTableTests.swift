import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

@Suite("Room for the updates of subscribers")
struct SubscriberTableTests {
  private let table = SubscriberTable()
  private let client = PeripheralHandle(queue: .main)
  private let links = (1...3).map { number in
    ServedCentral(CBCentral(address: .numbered(UInt8(number))))
  }
  private let text = CBMutableCharacteristic(
    type: CBUUID(string: "A001"), properties: .notify, value: nil, permissions: .readable)

  init() { table.publish(text, at: 0x12, for: client) }

  /// The centrals for which room was taken, by their order; `nil` if there was none.
  private func take(
    by client: PeripheralHandle? = nil, among centrals: [ServedCentral]? = nil
  ) -> [Int]? {
    let room = table.takeRoom(
      for: text, by: client ?? self.client, among: centrals?.map(\.central.identifier))
    guard case .taken(let taken, let handle) = room else { return nil }
    expect(handle, is: 0x12)
    return taken.compactMap { link in links.firstIndex { $0 === link } }
  }

  private func isUnknown(_ client: PeripheralHandle) -> Bool {
    if case .unknown = table.takeRoom(for: text, by: client, among: nil) { true } else { false }
  }

  private func subscribe(_ indices: Int..., isOn: Bool = true) {
    for index in indices { _ = table.setSubscribed(isOn, links[index], to: text) }
  }

  @Test("subscribers are listed in their order, each once")
  func order() {
    expect(table.setSubscribed(true, links[1], to: text), is: [links[1].central])
    expect(table.setSubscribed(true, links[0], to: text), is: [links[1].central, links[0].central])
    expect(table.setSubscribed(true, links[1], to: text), is: [links[0].central, links[1].central])
    expect(take(), is: [0, 1])
    expect(table.setSubscribed(false, links[0], to: text), is: [links[1].central])
    expect(table.setSubscribed(false, links[2], to: text), is: [links[1].central])
    expect(take(), is: [1])
  }

  @Test("only the manager that published a characteristic updates it")
  func unknown() {
    let other = PeripheralHandle(queue: .main)
    expect(take(), is: [])
    expect(isUnknown(other))
    expect(!isUnknown(client))
    table.unpublish(text)
    expect(isUnknown(client))
    expect(table.setSubscribed(true, links[0], to: text), is: [])
  }

  @Test("an update for some centrals takes room for the subscribers among them")
  func some() {
    subscribe(0, 1)
    expect(take(among: [links[1], links[2]]), is: [1])
    expect(take(among: []), is: [])
    // 31 more for the second, and 32 for the first.
    for _ in 0..<31 { expect(take(among: [links[1]]), is: [1]) }
    expect(take(among: [links[1]]), is: nil)
    for _ in 0..<32 { expect(take(among: [links[0]]), is: [0]) }
    expect(take(among: [links[0]]), is: nil)
  }

  @Test("32 updates wait for a central; one that is full refuses those of all, and takes no room")
  func full() {
    subscribe(0, 1)
    for _ in 0..<32 { expect(take(among: [links[0]]), is: [0]) }
    for _ in 0..<3 { expect(take(), is: nil) }
    // The refused updates took no room of the other central.
    for _ in 0..<32 { expect(take(among: [links[1]]), is: [1]) }
    expect(take(among: [links[1]]), is: nil)
  }

  @Test("a refused manager may update again once half of the room is free, and is called once")
  func ready() {
    subscribe(0)
    for _ in 0..<32 { _ = take() }
    // No update was refused yet.
    expect(table.giveBack(1, of: links[0]).isEmpty)
    expect(take(), is: [0])
    for _ in 0..<2 { expect(take(), is: nil) }
    // 32 − 15 = 17 still wait.
    for _ in 0..<15 { expect(table.giveBack(1, of: links[0]).isEmpty) }
    let called = table.giveBack(1, of: links[0])
    expect(called.count, is: 1)
    expect(called.first === client)
    expect(table.giveBack(1, of: links[0]).isEmpty)
    // 15 wait: 17 fit.
    for _ in 0..<17 { expect(take(), is: [0]) }
    expect(take(), is: nil)
  }

  @Test("a manager waits for the central that was full, and each refused manager is called")
  func others() {
    let other = PeripheralHandle(queue: .main)
    let level = CBMutableCharacteristic(
      type: CBUUID(string: "A002"), properties: .notify, value: nil, permissions: .readable)
    table.publish(level, at: 0x20, for: other)
    subscribe(0, 1)
    _ = table.setSubscribed(true, links[0], to: level)
    for _ in 0..<32 { _ = take(among: [links[0]]) }
    expect(take(), is: nil)
    // The room is that of the central, whichever characteristic is updated.
    guard case .none = table.takeRoom(for: level, by: other, among: nil) else {
      Issue.record("room was taken")
      return
    }
    expect(table.giveBack(32, of: links[1]).isEmpty)
    expect(table.giveBack(32, of: links[0]).count, is: 2)
    // More than were taken leaves the room as it is.
    expect(table.giveBack(5, of: links[0]).isEmpty)
    for _ in 0..<32 { expect(take(among: [links[0]]), is: [0]) }
    expect(take(among: [links[0]]), is: nil)
  }
}
