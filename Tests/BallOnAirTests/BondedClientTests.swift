import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

private typealias Handle = GuardedDatabase.Handle

/// Core Specification, Vol 3, Part G, 2.5.2.1 and 3.3.3.3; Part C, 10.3.1.
@Suite("What a server stores for bonded clients")
struct BondedClientTests {
  private let pair = Self.subscribedPair()

  /// A bonded central with subscriptions and robust caching, and a link.
  private static func subscribedPair() -> SecurePair {
    let pair = SecurePair()
    pair.pair()
    expect(pair.perform(.subscribe(Handle.serviceChangedConfiguration, .indication)), is: nil)
    expect(pair.perform(.subscribe(Handle.guardedConfiguration, .notification)), is: nil)
    expect(pair.perform(.subscribe(Handle.openConfiguration, .indication)), is: nil)
    expect(pair.perform(.write(Handle.clientFeatures, byteCount: 1), value: 1), is: nil)
    return pair
  }

  private func again(_ pair: SecurePair) {
    pair.disconnect()
    pair.connect()
    pair.secure()
  }

  private func restartWithAnotherDatabase(_ pair: SecurePair) {
    var database = GuardedDatabase()
    _ = database.grow()
    pair.peripheral.restart(database)
    pair.run(for: 5_000)
  }

  private func update(_ pair: SecurePair, _ attribute: ApplicationAttribute, _ value: UInt8) {
    pair.peripheral.update(attribute, value)
    pair.run(for: 500)
  }

  @Test("Subscriptions and features are restored when the link is encrypted, and not before")
  func restored() {
    pair.disconnect()
    pair.connect(inClear: true)
    expect(pair.peripheral.application.listening, is: [:])
    update(pair, .open, 7)
    expect(pair.central.collector.notified.isEmpty)
    pair.secure()
    update(pair, .guarded, 9)
    expect(pair.central.collector.notified.map(\.handle), is: [Handle.open, Handle.guarded])
    expect(pair.central.collector.notified.map(\.value), is: [[7], [9]])
    expect(pair.read(Handle.clientFeatures), is: [1])
    expect(pair.read(Handle.openConfiguration), is: [2, 0])
  }

  @Test("They are stored with the bond, and restored after a restart of the server")
  func restart() {
    pair.peripheral.restart()
    pair.run(for: 5_000)
    pair.connect()
    pair.secure()
    update(pair, .guarded, 9)
    expect(pair.central.collector.notified.map(\.value), is: [[9]])
    // The client is change-aware.
    expect(pair.perform(.read(Handle.guarded)), is: nil)
  }

  @Test("A cancelled subscription stays cancelled")
  func unsubscribed() {
    expect(pair.perform(.subscribe(Handle.guardedConfiguration, .none)), is: nil)
    again(pair)
    update(pair, .guarded, 9)
    expect(pair.central.collector.notified.isEmpty)
    update(pair, .open, 7)
    expect(pair.central.collector.notified.map(\.value), is: [[7]])
  }

  @Test("A subscription is stored at once, not only when the link ends")
  func keptAtOnce() throws {
    let record = try #require(pair.peripheral.bond?.client)
    expect(record.features, is: 1)
    expect(record.serviceChanged, is: .indication)
    expect(record.subscriptions[1], is: .indication)
    expect(record.subscriptions[2], is: .notification)
    expect(record.isChangeAware)
    expect(record.databaseHash, is: pair.peripheral.host.server.database.hash)
    expect(pair.central.bond?.client?.subscriptions, is: ClientConfigurations())
  }

  @Test("With another database only the subscription to Service Changed is restored")
  func changedDatabase() {
    restartWithAnotherDatabase(pair)
    pair.connect(inClear: true)
    expect(pair.central.collector.notified.isEmpty)
    pair.secure()
    expect(pair.central.collector.notified.map(\.handle), is: [Handle.serviceChanged])
    expect(pair.central.collector.notified.first?.value, is: [1, 0, 0xFF, 0xFF])
    expect(pair.peripheral.application.listening, is: [:])
    // The client has confirmed, so it is change-aware.
    expect(pair.perform(.read(Handle.guarded)), is: nil)
    again(pair)
    expect(pair.central.collector.notified.count, is: 1)
    expect(pair.perform(.read(Handle.guarded)), is: nil)
  }

  // Symptom: only the subscription to Service Changed was restored.
  @Test("A database that was changed restores the subscriptions outside the change")
  func convertedDatabase() throws {
    var database = GuardedDatabase()
    // As if the value `open` had changed.
    database.earlier = (database.hash, [0, nil, 2, 3])
    _ = database.grow()
    let hash = database.hash
    pair.peripheral.restart(database)
    pair.run(for: 5_000)
    pair.connect(inClear: true)
    expect(pair.central.collector.notified.isEmpty)
    expect(pair.peripheral.application.listening, is: [:])
    pair.secure()
    expect(pair.central.collector.notified.map(\.handle), is: [Handle.serviceChanged])
    expect(pair.central.collector.notified.first?.value, is: [1, 0, 0xFF, 0xFF])
    expect(
      pair.peripheral.application.listening,
      is: [[0, ApplicationAttribute.guarded.rawValue]: .notification])
    // The client has confirmed, so it is change-aware, and gets values.
    update(pair, .open, 7)
    update(pair, .guarded, 9)
    expect(pair.central.collector.notified.map(\.value).dropFirst(), is: [[9]])
    let record = try #require(pair.peripheral.bond?.client)
    expect(record.databaseHash, is: hash)
    expect(record.isChangeAware)
    expect(record.features, is: 1)
    expect(
      (0..<4).map { record.subscriptions[$0] }, is: [.indication, .none, .notification, .none])
  }

  // Symptom: the record of the bond replaced it, and the client was never notified of changes.
  @Test("With another database, a subscription made before encryption stays")
  func subscribedEarly() throws {
    let pair = SecurePair()
    pair.pair()
    expect(pair.perform(.read(Handle.guarded)), is: nil)
    expect(try #require(pair.peripheral.bond?.client).serviceChanged, is: .none)
    restartWithAnotherDatabase(pair)
    pair.connect(inClear: true)
    let configuration = UInt8(Handle.serviceChangedConfiguration.rawValue)
    pair.central.radio.send(frame: [0x12, configuration, 0, 2, 0])
    pair.run(for: 500)
    pair.secure()
    expect(pair.central.collector.notified.map(\.handle), is: [Handle.serviceChanged])
    expect(pair.peripheral.bond?.client?.serviceChanged, is: .indication)
  }

  @Test("A client with robust caching is out of sync with another database")
  func outOfSync() {
    let pair = SecurePair()
    pair.pair()
    expect(pair.perform(.write(Handle.clientFeatures, byteCount: 1), value: 1), is: nil)
    restartWithAnotherDatabase(pair)
    pair.connect()
    pair.secure()
    expect(pair.refusal(.read(Handle.guarded)), is: .databaseOutOfSync)
    // The link is lost before the client's next request, which would make it change-aware.
    again(pair)
    expect(pair.refusal(.read(Handle.guarded)), is: .databaseOutOfSync)
    expect(pair.perform(.read(Handle.guarded)), is: nil)
    again(pair)
    expect(pair.perform(.read(Handle.guarded)), is: nil)
  }

  @Test("A database that changes during the link changes what is stored")
  func changedOnTheLink() throws {
    pair.central.radio.faults.loseLink(afterPackets: 1)
    let range = pair.peripheral.host.server.database.grow()
    pair.peripheral.host.server.databaseChanged(in: range)
    pair.run(for: 10_000)
    expect(pair.peripheral.host.connectionCount, is: 0)
    let record = try #require(pair.peripheral.bond?.client)
    expect(record.databaseHash, is: pair.peripheral.host.server.database.hash)
    expect(!record.isChangeAware)
    expect(record.subscriptions[2], is: .notification)
    let count = pair.central.collector.notified.count
    pair.connect()
    pair.secure()
    expect(pair.central.collector.notified.count, is: count + 1)
    expect(pair.central.collector.notified.last?.handle, is: Handle.serviceChanged)
    expect(pair.peripheral.bond?.client?.isChangeAware, is: true)
  }

  @Test("A removed bond, or a new pairing, deletes what was stored")
  func removed() {
    for device in pair.devices { device.removeBonds() }
    pair.disconnect()
    pair.pair()
    update(pair, .guarded, 9)
    update(pair, .open, 9)
    expect(pair.central.collector.notified.isEmpty)
    expect(pair.read(Handle.clientFeatures), is: [0])
  }

  @Test("A client that returns without encryption receives neither values nor its subscriptions")
  func unencrypted() throws {
    let bond = try #require(pair.central.bond)
    pair.disconnect()
    // A bonded client would encrypt the link before its request: another device has its address.
    pair.central.removeBonds()
    pair.connect()
    update(pair, .guarded, 8)
    expect(pair.refusal(.read(Handle.guarded)), is: .insufficientEncryption)
    expect(
      pair.refusal(.subscribe(Handle.guardedConfiguration, .notification)),
      is: .insufficientEncryption)
    expect(pair.refusal(.read(Handle.authenticated)), is: .insufficientEncryption)
    pair.disconnect()
    // The client returns.
    pair.central.host.security.bonds.store(bond)
    pair.connect()
    pair.secure()
    update(pair, .guarded, 9)
    expect(pair.refusal(.read(Handle.authenticated)), is: .insufficientAuthentication)
    expect(pair.central.collector.notified.map(\.value), is: [[9]])
  }
}
