import Expectations

@testable import BluetoothHost

private typealias Bearers = EnhancedBearers<2, 6, ChannelOwner>

/// A host of two links with the test database, six bearers and two other channels.
private typealias Controller = ScriptedHost<
  2, GATTServer<2, GATTDatabase<27>, TestApplication>, NoClient, CreditBasedChannels<2, 8, Bearers>
>

extension ScriptedController {
  /// Sends a PDU on the bearer with this CID, in one K-frame.
  fileprivate func send(_ pdu: [UInt8], to cid: UInt16) {
    send(words(UInt16(pdu.count)) + pdu, channel: cid)
  }

  /// The PDUs that came on the peer's end of a bearer, 0x0010 above the host's, without credits.
  fileprivate func pdus(from cid: UInt16) -> [[UInt8]] {
    frames.filter { $0.channel == cid &+ 0x10 }.map { Array($0.payload.dropFirst(2)) }
  }
}

/// A host with `count` open bearers: 0x0040 and up here, 0x0050 and up at the peer, whose MTU this
/// is.
private func makeController(bearers count: Int = 2, mtu: UInt16 = 200) -> Controller {
  let channels = CreditBasedChannels<2, 8, Bearers>(
    application: EnhancedBearers(application: ChannelOwner()), mps: .twoPackets)
  let controller = Controller(database: testDatabase, channels: channels)
  controller.host.channels.application.security = .none
  controller.connect(0x40)
  if count > 0 {
    let cids = (0..<count).flatMap { words(UInt16(0x50 + $0)) }
    controller.send(
      [0x17, 7, UInt8(8 + cids.count), 0] + words(0x27, mtu, 300, 100) + cids, channel: 5)
    let own = (0..<count).flatMap { words(UInt16(0x40 + $0)) }
    // MTU 517, MPS 498, and 2,048 / 498 = 4 credits.
    expect(
      controller.frames.last?.payload,
      is: [0x18, 7, UInt8(8 + own.count), 0] + words(517, 498, 4, 0) + own)
  }
  controller.forgetWhatWasSent()
  return controller
}

extension Step where Subject == ScriptedController {
  /// Sends a PDU on a bearer, and checks the PDUs that come back on it; none come on another.
  fileprivate static func bearer(
    _ cid: UInt16, _ pdu: [UInt8], gives pdus: [UInt8]...,
    at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { host in
      host.forgetWhatWasSent()
      host.send(pdu, to: cid)
      expect(host.pdus(from: cid), is: pdus, sourceLocation: line)
      let others = host.frames.filter { $0.channel != cid &+ 0x10 && $0.channel != 5 }
      expect(others.map(\.payload), is: [], sourceLocation: line)
    }
  }

  fileprivate static func send(_ pdu: [UInt8], to cid: UInt16) -> Step {
    Step { $0.send(pdu, to: cid) }
  }

  fileprivate static func pdus(
    _ all: [UInt8]..., from cid: UInt16, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(all, line) { $0.pdus(from: cid) } }

  /// A signalling command, and what comes back.
  fileprivate static func signal(
    _ command: [UInt8], gives response: [UInt8]? = nil, at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { host in
      host.forgetWhatWasSent()
      host.send(command, channel: 5)
      if let response { expect(host.frames.first?.payload, is: response, sourceLocation: line) }
    }
  }

  fileprivate static func change(_ change: @escaping @Sendable (inout Bearers) -> Void) -> Step {
    Step { host in change(&(try #require(host as? Controller)).host.channels.application) }
  }

  /// The number of open channels.
  fileprivate static func channels(
    _ count: Int, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(count, line) { ($0 as? Controller)?.host.channels.count } }
}

private let hundred = [UInt8](counting: 100)
private let hash: [UInt8] = [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x2A, 0x2B]

private let scenarios: [HostScenario] = [
  Scenario(
    "A bearer needs an encrypted link, and the request for several channels",
    on: { makeController(bearers: 0) }, .change { $0.security = .encryption },
    .signal(
      [0x17, 7, 10, 0] + words(0x27, 100, 64, 1, 0x50),
      gives: [0x18, 7, 10, 0] + words(0, 0, 0, 5, 0)),
    .signal(
      [0x14, 8, 10, 0] + words(0x27, 0x50, 100, 64, 1),
      gives: [0x15, 8, 10, 0] + words(0, 0, 0, 0, 2)),
    .change { $0.acceptsBearers = false },
    .signal(
      [0x17, 9, 10, 0] + words(0x27, 100, 64, 1, 0x50),
      gives: [0x18, 9, 10, 0] + words(0, 0, 0, 2, 0))),
  Scenario(
    "Each bearer answers its own requests from the one database, as the link's does",
    .bearer(0x40, [0x0A, 0x16, 0x00], gives: [0x0B, 0x64]),
    .bearer(0x41, [0x0A, 0x18, 0x00], gives: [0x0B, 0x01, 0x02]), .read(),
    // A write on one is read on another.
    .bearer(0x41, [0x12, 0x0D, 0x00, 7, 8], gives: [0x13]),
    .bearer(0x40, [0x0A, 0x0D, 0x00], gives: [0x0B, 7, 8]),
    // Write Command, and PDUs that have no response.
    .bearer(0x40, [0x52, 0x0D, 0x00, 9]), .bearer(0x40, [0x1E]), .bearer(0x40, [0x1B, 0, 0]),
    .bearer(0x40, []), .bearer(0x40, [0x0A, 0x0D, 0x00], gives: [0x0B, 9]),
    .bearer(0x40, [0x0A, 0x7F, 0x00], gives: error(0x0A, 0x7F, .invalidHandle)),
    .bearer(0x40, [0x3F], gives: error(0x3F, 0, .requestNotSupported))),
  Scenario(
    "The MTU of a bearer is that of its channel: an exchange is refused, and a response is cut",
    on: { makeController(mtu: 64) },
    .bearer(0x40, [0x02, 0xFF, 0x01], gives: error(0x02, 0, .requestNotSupported)),
    .set(application: \.values[0], hundred),
    .bearer(0x40, [0x0A, 0x0D, 0x00], gives: [0x0B] + hundred[..<63]),
    .bearer(0x40, [0x0C, 0x0D, 0x00, 63, 0], gives: [0x0D] + hundred[63...]),
    // A request of 65 bytes is longer than that.
    .bearer(0x40, [0x12, 0x0D, 0x00] + hundred[..<62], gives: error(0x12, 0, .invalidPDU)),
    // The link's own bearer has its own.
    .mtu(23), .exchange([0x0A, 0x0D, 0x00], gives: [0x0B] + hundred[..<22]),
    // The peer accepts longer PDUs on one of them.
    .signal([0x19, 9, 6, 0] + words(110, 300, 0x50)),
    .bearer(0x40, [0x0A, 0x0D, 0x00], gives: [0x0B] + hundred),
    .bearer(0x41, [0x0A, 0x0D, 0x00], gives: [0x0B] + hundred[..<63])),
  Scenario(
    "Each bearer has its own prepare queue",
    .bearer(0x40, prepare(0x0D, 0, [1, 2]), gives: [0x17] + prepare(0x0D, 0, [1, 2])[1...]),
    .bearer(0x41, prepare(0x0D, 0, [3, 4]), gives: [0x17] + prepare(0x0D, 0, [3, 4])[1...]),
    .prepare(0x0D, 0, [5, 6]), .bearer(0x41, [0x18, 0x01], gives: [0x19]), .writes([3, 4]),
    .bearer(0x40, [0x18, 0x00], gives: [0x19]), .bearer(0x40, [0x18, 0x01], gives: [0x19]),
    .writes([3, 4]), .execute(), .writes([3, 4], [5, 6])),
  Scenario(
    "Subscriptions and features are the client's, and values come on the link's own bearer",
    .bearer(0x40, [0x12, 0x0E, 0x00, 1, 0], gives: [0x13]),
    .bearer(0x41, [0x12, 0x09, 0x00, 0b010], gives: [0x13]),
    .exchange([0x0A, 0x0E, 0x00], gives: [0x0B, 1, 0]),
    .bearer(0x40, [0x0A, 0x09, 0x00], gives: [0x0B, 0b010]), .forget, .update(.text, [5]),
    .pdus([0x1B, 0x0D, 0x00, 5]),
    // A write on a bearer that causes a notification to the writer.
    .set(application: \.relayIndex, 0), .forget, .send([0x12, 0x0D, 0x00, 6], to: 0x41),
    .pdus([0x13], from: 0x41), .pdus([0x1B, 0x0D, 0x00, 6])),
  Scenario(
    "A confirmation on another bearer is not that of an indication",
    .bearer(0x40, [0x12, 0x11, 0x00, 2, 0], gives: [0x13]), .forget,
    .updates(.init(.level, [1]), .init(.level, [2])), .run, .pdus([0x1D, 0x10, 0x00, 1]),
    .send([0x1E], to: 0x40), .pduCount(1), .send([0x1E]),
    .pdus([0x1D, 0x10, 0x00, 1], [0x1D, 0x10, 0x00, 2])),
  Scenario(
    "A second request before the response is ignored, and other bearers have theirs",
    .set(\.completesPackets, false), .repeat(4, .send(.read)), .forget,
    // No buffer is free for this link: three responses and one that waits.
    .send(.read, to: 0x40), .send([0x0A, 0x18, 0x00], to: 0x40),
    .send([0x0A, 0x18, 0x00], to: 0x41), .set(\.completesPackets, true), .completePackets(4),
    .pdus([0x0B, 0x64], from: 0x40), .pdus([0x0B, 1, 2], from: 0x41), .pdus([0x0B, 0x64])),
  Scenario(
    "While one request is put off, those on other bearers of this client wait for their turn",
    on: { makeController(bearers: 3) }, .connect(0x41), .forget,
    .set(application: \.busyWith, .level), .send([0x0A, 0x10, 0x00], to: 0x41),
    .send(.read, to: 0x40), .send(.read), .send([0x0A, 0x18, 0x00], to: 0x42),
    // A command does not wait.
    .send([0x52, 0x0D, 0x00, 9], to: 0x40), .writes([9]), .frames(channel: 4),
    .pdus(from: 0x40), .pdus(from: 0x41), .pdus(from: 0x42),
    // Another client is answered.
    .read(on: 0x41), .resume(at: 0), .pdus(), .pdus(from: 0x40), .pdus(from: 0x41),
    .pdus(from: 0x42), .set(application: \.busyWith, nil), .set(application: \.values[1], [7]),
    .resume(at: 0), .pdus([0x0B, 7], from: 0x41), .pdus([0x0B, 0x64], from: 0x40),
    .pdus([0x0B, 1, 2], from: 0x42), .pdus([0x0B, 0x64]),
    .bearer(0x41, .read, gives: [0x0B, 0x64])),
  Scenario(
    "Requests that wait for one on the link's own bearer, and for each other",
    .set(application: \.busyWith, .level), .set(application: \.values[1], [7]),
    .send([0x0A, 0x10, 0x00]), .send([0x0A, 0x10, 0x00], to: 0x40),
    .send([0x0A, 0x10, 0x00], to: 0x41), .also { expect($0.isPutOff(), is: true) }, .resume,
    .pdus([0x0B, 7]), .pdus([0x0B, 7], from: 0x40), .pdus([0x0B, 7], from: 0x41)),
  Scenario(
    "The end of a bearer whose request is put off lets the others go on",
    .set(application: \.busyWith, .level), .send([0x0A, 0x10, 0x00], to: 0x40),
    .send(.read, to: 0x41),
    .signal(
      [0x06, 9, 4, 0] + words(0x40, 0x50), gives: [0x07, 9, 4, 0] + words(0x40, 0x50)),
    .pdus([0x0B, 0x64], from: 0x41),
    // What the application answers now goes nowhere.
    .resume(at: 0), .bearer(0x41, [0x0A, 0x18, 0x00], gives: [0x0B, 1, 2]), .channels(1)),
  Scenario(
    "A client with several bearers becomes change-aware by the Database Hash alone: 2.5.2.1",
    .bearer(0x40, [0x12, 0x09, 0x00, 0b011], gives: [0x13]),
    .bearer(0x40, [0x12, 0x0E, 0x00, 1, 0], gives: [0x13]),
    .also { $0.databaseChanged(in: .all) },
    .exchange([0x12, 0x0E, 0x00, 1, 0], gives: error(0x12, 0, .databaseOutOfSync)),
    // The error comes once on each bearer, and commands are ignored.
    .bearer(0x40, .read, gives: error(0x0A, 0, .databaseOutOfSync)),
    .bearer(0x40, .read, gives: [0x0B, 0x64]), .bearer(0x40, [0x52, 0x0D, 0x00, 9]), .writes(),
    .read(), .receivesUpdates(false),
    .bearer(0x41, .read, gives: error(0x0A, 0, .databaseOutOfSync)),
    // The hash, and the next request on any bearer.
    .bearer(0x41, hash, gives: error(0x08, 0x01, .attributeNotFound)), .receivesUpdates(false),
    .bearer(0x40, [0x12, 0x0E, 0x00, 1, 0], gives: [0x13]), .receivesUpdates(true)),
  Scenario(
    "A peer that requests too many bearers gets some, and their places are used again",
    on: { makeController(bearers: 5) },
    .signal(
      [0x17, 9, 14, 0] + words(0x27, 64, 64, 1, 0x60, 0x61, 0x62),
      gives: [0x18, 9, 14, 0] + words(517, 498, 4, 4, 0x45, 0, 0)),
    .signal([0x06, 10, 4, 0] + words(0x41, 0x51)),
    .signal(
      [0x17, 11, 10, 0] + words(0x27, 64, 64, 1, 0x63),
      gives: [0x18, 11, 10, 0] + words(517, 498, 4, 0, 0x49)),
    .forget, .send(.read, to: 0x49), .frames([2, 0, 0x0B, 0x64], channel: 0x63),
    // The next link begins with nothing.
    .disconnect(0x40), .channels(0), .connect(0x40),
    .exchange([0x0A, 0x0E, 0x00], gives: [0x0B, 0, 0])),
  Scenario(
    "Without credits a response waits, and a frame without one ends the bearer",
    on: { makeController(bearers: 0) }, .signal([0x17, 7, 10, 0] + words(0x27, 64, 64, 1, 0x50)),
    .bearer(0x40, .read, gives: [0x0B, 0x64]), .bearer(0x40, [0x0A, 0x18, 0x00]),
    .signal([0x16, 8, 4, 0] + words(0x50, 1)), .pdus([0x0B, 1, 2], from: 0x40)),
  Scenario(
    "Other channels go to the program",
    .change { $0.application.listeners[0x80] = ChannelMTU(100).map { ChannelListener(mtu: $0) } },
    .signal([0x14, 9, 10, 0] + words(0x80, 0x60, 100, 64, 9)),
    .send([2, 0, 1, 2], channel: 0x42),
    .change { bearers in
      let owner = bearers.application
      expect(owner.events, is: [.opened(2, spsm: 0x80, link: 0, peerMTU: 100)])
      expect(owner.incoming[2], is: [[1, 2]])
    }),
  Scenario(
    "PDUs of any length and content on a bearer do no harm",
    .also { host in
      for opcode in UInt8.min ... .max {
        for length in 0...8 {
          host.forgetWhatWasSent()
          host.send([opcode] + [UInt8](repeating: 0, count: length), to: 0x40)
          expect(host.pdus(from: 0x40).count <= 1)
        }
      }
    },
    .bearer(0x41, [0x0A, 0x18, 0x00], gives: [0x0B, 1, 2]), .channels(2)),
]

@Suite("Enhanced ATT bearers: the server")
struct EnhancedBearerTests {
  @Test("The bearers of a link", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: makeController()) }
}
