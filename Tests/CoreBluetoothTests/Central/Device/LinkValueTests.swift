import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Values that a link carries, and its end")
struct LinkValueTests {
  private let handle7 = handle(7)

  @Test("reports notifications, and reports and confirms indications")
  func values() {
    let (_, radio, link) = connectedDevice()
    radio.givePDU([0x1B, 7, 0, 1, 2])
    #expect(radio.frames.isEmpty)
    radio.givePDU([0x1D, 8, 0])
    #expect(radio.frames.map(\.payload) == [[0x1E]])
    #expect(
      radio.takeEvents() == [
        .notified(link, handle: handle7, value: [1, 2]),
        .notified(link, handle: AttributeHandle(rawValue: 8), value: []),
      ])
  }

  @Test("a notification does not answer a request")
  func notificationWhileWaiting() {
    let (central, radio, link) = connectedDevice()
    let id = central.perform(.read(handle7), on: link)
    radio.run()
    radio.givePDU([0x1B, 7, 0, 1])
    radio.givePDU([0x0B, 9])
    #expect(
      radio.takeEvents() == [
        .notified(link, handle: handle7, value: [1]),
        .completed(id, link, .success(.value([9]))),
      ])
  }

  @Test("a server that does not answer loses its link")
  func transactionTimeout() {
    let (central, radio, link) = connectedDevice()
    let ids = (1...2).map { _ in central.perform(.read(handle7), on: link) }
    radio.run()
    radio.pass(29_999)
    #expect(radio.takeEvents() == [])
    radio.pass(1)
    #expect(
      radio.takeEvents() == [
        .completed(ids[0], link, .failure(.timedOut)),
        .completed(ids[1], link, .failure(.disconnected)),
        .disconnected(link, .controller(.connectionTerminatedByLocalHost)),
      ])
  }

  @Test("every operation of a link that ends is completed")
  func disconnected() {
    let (central, radio, link) = connectedDevice()
    let ids = (1...3).map { _ in central.perform(.read(handle7), on: link) }
    radio.run()
    radio.give(ScriptedRadio.disconnected(radio.lastHandle, 0x08))
    #expect(
      radio.takeEvents()
        == ids.map { .completed($0, link, .failure(.disconnected)) } + [
          .disconnected(link, .controller(.connectionTimeout))
        ])
  }
}
