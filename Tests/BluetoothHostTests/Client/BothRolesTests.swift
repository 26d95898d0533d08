import BluetoothHost
import Expectations

@Suite("Host: both roles on one link")
struct BothRolesTests {
  private static let text = AttributeHandle(rawValue: 0x000D)
  private static let level = AttributeHandle(rawValue: 0x0010)
  private static let levelConfiguration = AttributeHandle(rawValue: 0x0011)

  /// Both devices begin an operation at once, which succeeds. Returns the events of each.
  @discardableResult
  private func perform(
    _ operation: ClientOperation, and other: ClientOperation? = nil, on pair: Pair,
    at line: SourceLocation = #_sourceLocation
  ) -> [[Collector.Event]] {
    for (device, operation) in zip(pair.devices, [operation, other ?? operation]) {
      device.collector.events = []
      expect(device.begin(operation, at: 0), sourceLocation: line)
    }
    pair.run()
    let events = pair.devices.map { $0.collector.events }
    expect(events.map(\.endings), is: [[nil], [nil]], sourceLocation: line)
    return events
  }

  @Test("both sides report the link and their roles, and go on advertising")
  func link() {
    let pair = Pair()
    for (device, peer, role) in [
      (pair.first, UInt8(2), LEConnectionComplete.Role.central), (pair.second, 1, .peripheral),
    ] {
      let events = device.collector.events
      expect(events.contains(.connected(0, .numbered(peer), role)))
      expect(device.application.events.contains(.connected(0, .numbered(peer))))
      expect(device.radio, is: .advertising)
    }
  }

  @Test(
    "both clients use the other's server at once",
    arguments: [UInt16(27), 251], [(23, 517), (64, 64), (517, 64), (517, 517)])
  func everything(packetLength: UInt16, mtus: (Int, Int)) throws {
    let pair = Pair(
      mtus: (try #require(ATTMTU(mtus.0)), try #require(ATTMTU(mtus.1))),
      packetLength: packetLength)
    perform(.exchangeMTU, on: pair)
    for device in pair.devices { expect(device.mtu(), is: min(mtus.0, mtus.1)) }

    for events in perform(.discoverServices, on: pair) {
      expect(
        events.services.map(\.uuid),
        is: [.genericAccessService, .genericAttributeService, .testService])
    }
    for events in perform(.discoverIncludedServices(range(0x000A, 0x0018)), on: pair) {
      expect(
        events.first,
        is: .include(
          RemoteInclude(
            declaration: handle(0x000B), range: range(0x0019, 0x001B), uuid: .batteryService)))
    }
    for events in perform(.discoverCharacteristics(range(0x000A, 0x0018)), on: pair) {
      expect(events.characteristics.map(\.value.rawValue), is: [0x0D, 0x10, 0x14, 0x16, 0x18])
      expect(events.characteristics.first?.uuid, is: .testText)
    }
    for events in perform(.discoverDescriptors(range(0x0011, 0x0012)), on: pair) {
      expect(
        events.descriptors.map(\.uuid),
        is: [.clientCharacteristicConfiguration, .characteristicUserDescription])
    }

    let values: [[UInt8]] = [[UInt8](counting: 300), [UInt8](counting: 299).reversed()]
    // The devices write values of different lengths.
    for (device, value) in zip(pair.devices, values) { device.collector.values[0] = value }
    perform(.write(Self.text, byteCount: 300), and: .write(Self.text, byteCount: 299), on: pair)
    expect(pair.devices.map { $0.application.values[0] }, is: values.reversed())

    expect(perform(.read(Self.text), on: pair).map(\.value), is: values)
  }

  @Test("each indicates while it reads", arguments: [UInt16(27), 251])
  func indications(packetLength: UInt16) {
    let pair = Pair(packetLength: packetLength)
    perform(.exchangeMTU, on: pair)
    perform(.subscribe(Self.levelConfiguration, .indication), on: pair)
    let values = (0..<5).map { [UInt8](repeating: $0, count: 100) }
    for device in pair.devices {
      device.application.values[0] = [UInt8](counting: 400)
      device.application.updates = values.map {
        TestApplication.Update(connectionIndex: 0, attribute: .level, value: $0)
      }
    }
    for events in perform(.read(Self.text), on: pair) {
      expect(events.notified, is: values)
      expect(events.value, is: [UInt8](counting: 400))
    }
    // One indication at a time: each is confirmed before the next one.
    for device in pair.devices {
      for opcode: UInt8 in [0x1D, 0x1E] {
        expect(device.pdus().filter { $0[0] == opcode }.count, is: 5)
      }
    }
  }

  /// The second one exchanges the MTU while the first one's request is on its way. The response is
  /// cut to the old MTU, and comes after the new one is in use: it is not the end of the value.
  @Test("a value is read whole while the peer changes the MTU")
  func mtuBetweenRequestAndResponse() {
    let pair = Pair()
    let value = [UInt8](counting: 100)
    pair.second.application.values[0] = value
    _ = pair.first.host.perform(.read(Self.text), at: 0)
    _ = pair.second.host.perform(.exchangeMTU, at: 0)
    pair.first.collector.events = []
    pair.run()
    // 23 (MTU) − 1 (opcode) = 22 bytes in the first response
    expect(pair.second.pdus().first { $0[0] == 0x0B }?.count, is: 23)
    expect(pair.first.mtu(), is: 517)
    expect(pair.first.collector.events.value, is: value)
    expect(pair.first.collector.events.endings, is: [nil])
  }

  /// The parts of a long write are as long as the MTU of the moment when each begins.
  @Test("a value is written whole while the peer changes the MTU")
  func mtuInLongWrite() {
    let pair = Pair()
    let value = [UInt8](counting: 200)
    pair.first.collector.values[0] = value
    _ = pair.first.host.perform(.write(Self.text, byteCount: 200), at: 0)
    for _ in 0..<3 { pair.exchange() }
    _ = pair.second.host.perform(.exchangeMTU, at: 0)
    pair.run()
    expect(pair.first.collector.events.endings, is: [nil])
    expect(pair.second.application.values[0], is: value)
    let parts = pair.first.pdus().filter { $0[0] == 0x16 }
    expect(parts.first?.count, is: 23)
    expect((parts.last?.count ?? 0) > 23)
  }

  /// A peer that exchanges the MTU twice, against Vol 3, Part F, 3.4.2.1, lowers it while a request
  /// is on its way in several packets. The rest of the request stays as it began.
  @Test("a request on its way stays whole when the peer lowers the MTU")
  func mtuWithinRequest() {
    let pair = Pair()
    perform(.exchangeMTU, on: pair)
    let value = [UInt8](counting: 200)
    pair.first.collector.values[0] = value
    _ = pair.first.host.perform(.write(Self.text, byteCount: 200), at: 0)
    pair.exchange()
    // Exchange MTU Request: 23.
    pair.first.report([0x02, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 0x02, 23, 0])
    pair.run()
    expect(pair.first.mtu(), is: 23)
    expect(pair.first.pdus().contains([0x12, 0x0D, 0x00] + value))
    expect(pair.second.application.values[0], is: value)
  }

  @Test(
    "an unknown odd opcode is refused, as by a server alone",
    arguments: [0x15, 0x1F, 0x25, 0x3F, 0x81] as [UInt8])
  func unknownOpcode(opcode: UInt8) {
    let refusal: [UInt8] = [0x01, opcode, 0, 0, 0x06]
    let server = connectedController()
    server.exchange([opcode, 1, 0], gives: refusal)
    let pair = Pair()
    let count = pair.first.pdus().count
    pair.first.report([0x02, 0x40, 0x20, 7, 0, 3, 0, 4, 0, opcode, 1, 0])
    pair.run()
    expect(Array(pair.first.pdus().dropFirst(count)), is: [refusal])
  }

  @Test(
    "the role that has not sent last goes first, and on the next link the client",
    arguments: [false, true])
  func firstTurn(isNextLink: Bool) {
    let pair = Pair()
    _ = pair.first.host.perform(.read(Self.text), at: 0)
    pair.run()
    if isNextLink {
      for device in pair.devices { device.report(Events.disconnected(0x40, reason: 0x13)) }
      pair.run()
      _ = pair.first.host.connect(to: .numbered(2))
      pair.run()
    }
    let count = pair.first.pdus().count
    // Read Request.
    pair.first.report([0x02, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 0x16, 0x00])
    _ = pair.first.host.perform(.read(Self.text), at: 0)
    while pair.first.nextData() != nil {}
    let request: [UInt8] = [0x0A, 0x0D, 0x00]
    let response: [UInt8] = [0x0B, 0x64]
    expect(
      Array(pair.first.pdus()[count...]),
      is: isNextLink ? [request, response] : [response, request])
  }

  @Test("a stray response or confirmation does not end an operation of the other role")
  func roles() {
    let pair = Pair()
    // A confirmation without an indication, and a response without a request.
    pair.first.report([0x02, 0x40, 0x20, 5, 0, 1, 0, 4, 0, 0x1E])
    pair.first.report([0x02, 0x40, 0x20, 5, 0, 1, 0, 4, 0, 0x13])
    perform(.discoverServices, on: pair)
  }

  /// Symptom: centrals that connected while advertising was being turned off took the whole
  /// capacity. The requested link was ended, and its application waited for it forever.
  @Test("an attempt fails if its link exceeds the capacity")
  func noConnection() {
    let device = ScriptedDevice(number: 1)
    device.start()
    device.completesConnections = false
    device.connect(to: .numbered(2))
    for number: UInt8 in 3...6 {
      device.report(
        Events.connected(0x0040 + UInt16(number), peer: [0, number, 0, 0, 0, 0, 0xF0], role: 1))
    }
    device.collector.events = []
    device.report(Events.connected(0x0040, peer: [0, 2, 0, 0, 0, 0, 0xF0]))
    expect(device.collector.events, is: [.connectionFailed(.connectionLimitExceeded)])
    expect(device.connectionCount, is: 4)
  }

  @Test("30 s without a response end the link for both roles")
  func timeout() {
    let first = Pair().first
    expect(first.begin(.read(Self.text), at: 0))
    _ = first.nextData()
    first.collector.events = []
    first.forgetWhatWasSent()
    first.pass(milliseconds: 30_000)
    expect(first.collector.events.endings, is: [.timedOut])
    expect(first.commands.first, is: .disconnect)
    expect(first.collector.events.last, is: .disconnected(0, .connectionTerminatedByLocalHost))
    expect(first.application.events.contains(.disconnected(0, .connectionTerminatedByLocalHost)))
  }
}
