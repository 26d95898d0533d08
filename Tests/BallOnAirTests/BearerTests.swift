import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

/// Two hosts with enhanced ATT bearers, each on a controller of the virtual air.
@Suite("Enhanced ATT bearers over the air")
struct BearerTests {
  private typealias Handle = GuardedDatabase.Handle

  /// Two paired devices; the central has requested `count` bearers.
  private func makePair(_ count: Int = 3) -> SecurePair {
    let pair = SecurePair()
    pair.connect()
    expect(pair.central.host.openBearers(count, at: 0), is: false, "not encrypted")
    expect(pair.central.pair())
    pair.run(for: 2_000)
    expect(pair.central.host.openBearers(count, at: 0))
    pair.run(for: 500)
    return pair
  }

  private func bearers(of device: SecureDevice) -> [Int] {
    device.collector.events.compactMap {
      if case .bearerOpened(let bearer, _, let mtu) = $0, mtu == 517 { bearer } else { nil }
    }
  }

  /// The results on each bearer.
  private func results(
    of device: SecureDevice
  ) -> [Int: [Result<OperationOutput, OperationError>]] {
    var results: [Int: [Result<OperationOutput, OperationError>]] = [:]
    for case .ended(let bearer, _, let result) in device.collector.events {
      results[bearer, default: []].append(result)
    }
    return results
  }

  @Test("Several reads are under way at once, and each bearer gets its own result")
  func reads() {
    let pair = makePair()
    expect(bearers(of: pair.central), is: [2, 3, 4])
    // The peer's client can use them too.
    expect(bearers(of: pair.peripheral), is: [2, 3, 4])
    pair.central.host.client.application.events = []
    expect(pair.central.perform(.read(Handle.open)))
    for bearer in 2...4 {
      expect(pair.central.host.perform(.read(Handle.guarded), at: bearer))
      expect(pair.central.host.perform(.read(Handle.guarded), at: bearer), is: false)
    }
    expect(pair.central.host.perform(.read(Handle.open), at: 5), is: false)
    pair.run(for: 500)
    let results = results(of: pair.central)
    expect(results.keys.sorted(), is: [0, 2, 3, 4])
    expect(results[2], is: results[3])
    expect(
      results.values.allSatisfy { if case .success(.value) = $0[0] { true } else { false } })
  }

  @Test("A discovery, long writes and commands on bearers; no exchange of the MTU")
  func operations() {
    let pair = makePair(2)
    pair.central.host.client.application.events = []
    expect(pair.central.host.perform(.discoverServices, at: 2))
    expect(pair.central.host.perform(.exchangeMTU, at: 3))
    pair.run(for: 500)
    let value = [UInt8](repeating: 7, count: 1)
    for bearer in 2...3 { pair.central.host.client.application.values[bearer] = value }
    expect(pair.central.host.perform(.write(Handle.guarded, byteCount: 1), at: 2))
    expect(pair.central.host.perform(.writeWithoutResponse(Handle.open, byteCount: 1), at: 3))
    pair.run(for: 500)
    expect(pair.central.host.perform(.subscribe(Handle.guardedConfiguration, .indication), at: 3))
    pair.run(for: 500)
    expect(pair.central.collector.errors, is: [])
    expect(results(of: pair.central)[2]?.count, is: 2)
    expect(results(of: pair.central)[3]?.count, is: 3)
    pair.peripheral.update(.guarded, 9)
    pair.run(for: 500)
    expect(pair.central.collector.notified.map(\.value), is: [[9]])
  }

  @Test("A bearer that ends with a request under way ends only that request")
  func endOfBearer() {
    let pair = makePair(2)
    pair.central.host.client.application.events = []
    expect(pair.central.host.perform(.read(Handle.open), at: 2))
    // The peer's end closes before it has the request.
    pair.peripheral.host.channels.disconnect(0)
    pair.run(for: 500)
    let events = pair.central.collector.events
    expect(events.contains(.bearerClosed(2, link: 0, .closedByPeer)))
    expect(pair.central.host.perform(.read(Handle.open), at: 2), is: false)
    expect(pair.central.host.perform(.read(Handle.open), at: 3))
    pair.run(for: 500)
    expect(results(of: pair.central)[3]?.count, is: 1)
    expect(pair.read(Handle.open) != nil)
  }

  @Test("The link's end ends requests and bearers before it")
  func endOfLink() {
    let pair = makePair(1)
    pair.central.host.client.application.events = []
    expect(pair.central.host.perform(.read(Handle.open), at: 2))
    pair.central.host.radioLost()
    let events = pair.central.collector.events
    expect(
      Array(events.prefix(3)),
      is: [
        .ended(2, .read(Handle.open), .failure(.disconnected)),
        .bearerClosed(2, link: 0, .linkLost(.hardwareFailure)),
        .disconnected(0, .hardwareFailure),
      ])
  }

  @Test("Without a response for 30 s a bearer ends, and the link stays")
  func timeOut() {
    let pair = makePair(2)
    pair.peripheral.host.server.application.isBusy = true
    pair.central.host.client.application.events = []
    expect(pair.central.host.perform(.read(Handle.open), at: 2))
    pair.run(for: 29_000)
    expect(pair.central.collector.events, is: [])
    pair.peripheral.host.server.application.isBusy = false
    pair.run(for: 2_000)
    expect(
      pair.central.collector.events,
      is: [
        .ended(2, .read(Handle.open), .failure(.timedOut)), .bearerClosed(2, link: 0, .timedOut),
      ])
    expect(pair.read(Handle.open) != nil)
  }
}
