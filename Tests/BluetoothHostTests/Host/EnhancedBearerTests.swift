import Expectations

@testable import BluetoothHost

/// A host of two links with the test database, six bearers and two other channels.
private typealias Controller = ScriptedHost<
  2, GATTServer<2, GATTDatabase<27>, TestApplication>, NoClient,
  CreditBasedChannels<2, 8, EnhancedBearers<2, 6, ChannelOwner>>
>

extension ScriptedController {
  /// Sends a PDU on the bearer with this CID, in one K-frame.
  fileprivate func send(_ pdu: [UInt8], to cid: UInt16) {
    send(Array(little: UInt16(pdu.count)) + pdu, channel: cid)
  }

  /// The PDUs that came on the peer's end of a bearer, 0x0060 above the host's, without credits.
  fileprivate func pdus(from cid: UInt16) -> [[UInt8]] {
    frames.filter { $0.channel == cid &+ 0x10 }.map { Array($0.payload.dropFirst(2)) }
  }
}

/// A host with `count` open bearers: 0x0040 and up here, 0x0050 and up at the peer, whose MTU this
/// is.
private func makeController(bearers count: Int = 2, mtu: UInt16 = 200) -> Controller {
  let channels = CreditBasedChannels<2, 8, EnhancedBearers<2, 6, ChannelOwner>>(
    application: EnhancedBearers(application: ChannelOwner()), mps: .twoPackets)
  let controller = Controller(database: testDatabase, channels: channels)
  controller.host.channels.application.security = .none
  controller.connect(0x40)
  if count > 0 {
    let cids = (0..<count).flatMap { Array(little: UInt16(0x50 + $0)) }
    controller.send(
      [0x17, 7, UInt8(8 + cids.count), 0] + words(0x27, mtu, 300, 100) + cids, channel: 5)
    let own = (0..<count).flatMap { Array(little: UInt16(0x40 + $0)) }
    // MTU 517, MPS 498, and 2,048 / 498 = 4 credits.
    expect(
      controller.frames.last?.payload,
      is: [0x18, 7, UInt8(8 + own.count), 0] + words(517, 498, 4, 0) + own)
  }
  controller.forgetWhatWasSent()
  return controller
}

extension Controller {
  /// Sends a request on a bearer, and checks the PDUs that come back on it, and only there.
  fileprivate func exchange(
    _ pdu: [UInt8], on cid: UInt16, gives pdus: [UInt8]...,
    at line: SourceLocation = #_sourceLocation
  ) {
    forgetWhatWasSent()
    send(pdu, to: cid)
    expect(self.pdus(from: cid), is: pdus, sourceLocation: line)
    let others = frames.filter { $0.channel != cid &+ 0x10 && $0.channel != 5 }
    expect(others.map(\.payload), is: [], sourceLocation: line)
  }

  /// Sends a PDU on a bearer, and checks that none comes back.
  fileprivate func ignore(
    _ pdu: [UInt8], on cid: UInt16, at line: SourceLocation = #_sourceLocation
  ) {
    forgetWhatWasSent()
    send(pdu, to: cid)
    expect(frames.filter { $0.channel != 5 }.map(\.payload), is: [], sourceLocation: line)
  }
}

@Suite("Enhanced ATT bearers: the server")
struct EnhancedBearerTests {
  @Test("A bearer needs an encrypted link, and the request for several channels")
  func protection() {
    let controller = makeController(bearers: 0)
    controller.host.channels.application.security = .encryption
    for (request, response) in [
      (
        [0x17, 7, 10, 0] + words(0x27, 100, 64, 1, 0x50), [0x18, 7, 10, 0] + words(0, 0, 0, 5, 0)
      ),
      (
        [0x14, 8, 10, 0] + words(0x27, 0x50, 100, 64, 1), [0x15, 8, 10, 0] + words(0, 0, 0, 0, 2)
      ),
    ] {
      controller.forgetWhatWasSent()
      controller.send(request, channel: 5)
      expect(controller.frames.map(\.payload), is: [response])
    }
    controller.host.channels.application.acceptsBearers = false
    controller.forgetWhatWasSent()
    controller.send([0x17, 9, 10, 0] + words(0x27, 100, 64, 1, 0x50), channel: 5)
    expect(controller.frames.map(\.payload), is: [[0x18, 9, 10, 0] + words(0, 0, 0, 2, 0)])
  }

  @Test("Each bearer answers its own requests from the one database, as the link's does")
  func requests() {
    let controller = makeController()
    controller.exchange([0x0A, 0x16, 0x00], on: 0x40, gives: [0x0B, 0x64])
    controller.exchange([0x0A, 0x18, 0x00], on: 0x41, gives: [0x0B, 0x01, 0x02])
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
    // A write on one is read on another.
    controller.exchange([0x12, 0x0D, 0x00, 7, 8], on: 0x41, gives: [0x13])
    controller.exchange([0x0A, 0x0D, 0x00], on: 0x40, gives: [0x0B, 7, 8])
    // Write Command, and PDUs that have no response.
    for pdu in [[0x52, 0x0D, 0x00, 9], [0x1E], [0x1B, 0, 0], []] as [[UInt8]] {
      controller.ignore(pdu, on: 0x40)
    }
    controller.exchange([0x0A, 0x0D, 0x00], on: 0x40, gives: [0x0B, 9])
    controller.exchange([0x0A, 0x7F, 0x00], on: 0x40, gives: error(0x0A, 0x7F, .invalidHandle))
    controller.exchange([0x3F], on: 0x40, gives: error(0x3F, 0, .requestNotSupported))
  }

  @Test("The MTU of a bearer is that of its channel: an exchange is refused, and a response is cut")
  func mtu() {
    let controller = makeController(mtu: 64)
    controller.exchange(
      [0x02, 0xFF, 0x01], on: 0x40, gives: error(0x02, 0, .requestNotSupported))
    controller.application.values[0] = [UInt8](counting: 100)
    controller.exchange(
      [0x0A, 0x0D, 0x00], on: 0x40, gives: [0x0B] + [UInt8](counting: 100).prefix(63))
    controller.exchange(
      [0x0C, 0x0D, 0x00, 63, 0], on: 0x40, gives: [0x0D] + [UInt8](counting: 100).dropFirst(63))
    // A request of 65 bytes is longer than that.
    controller.exchange(
      [0x12, 0x0D, 0x00] + [UInt8](counting: 62), on: 0x40, gives: error(0x12, 0, .invalidPDU))
    // The link's own bearer has its own.
    expect(controller.mtu(), is: 23)
    controller.exchange([0x0A, 0x0D, 0x00], gives: [0x0B] + [UInt8](counting: 100).prefix(22))
    // The peer accepts longer PDUs on one of them.
    controller.send([0x19, 9, 6, 0] + words(110, 300, 0x50), channel: 5)
    controller.exchange([0x0A, 0x0D, 0x00], on: 0x40, gives: [0x0B] + [UInt8](counting: 100))
    controller.exchange(
      [0x0A, 0x0D, 0x00], on: 0x41, gives: [0x0B] + [UInt8](counting: 100).prefix(63))
  }

  @Test("Each bearer has its own prepare queue")
  func prepareQueues() {
    let controller = makeController()
    let parts: [(cid: UInt16, bytes: [UInt8])] = [(0x40, [1, 2]), (0x41, [3, 4])]
    for part in parts {
      let request = prepare(0x0D, 0, part.bytes)
      controller.exchange(request, on: part.cid, gives: [0x17] + request.dropFirst())
    }
    let own = prepare(0x0D, 0, [5, 6])
    controller.exchange(own, gives: [0x17] + own.dropFirst())
    func written() -> [[UInt8]] {
      controller.application.events.compactMap {
        if case .wrote(let value, _, _) = $0 { value } else { nil }
      }
    }
    controller.exchange([0x18, 0x01], on: 0x41, gives: [0x19])
    expect(written(), is: [[3, 4]])
    controller.exchange([0x18, 0x00], on: 0x40, gives: [0x19])
    controller.exchange([0x18, 0x01], on: 0x40, gives: [0x19])
    expect(written(), is: [[3, 4]])
    controller.exchange([0x18, 0x01], gives: [0x19])
    expect(written(), is: [[3, 4], [5, 6]])
  }

  @Test("Subscriptions and features are the client's, and values come on the link's own bearer")
  func subscriptions() {
    let controller = makeController()
    controller.exchange([0x12, 0x0E, 0x00, 1, 0], on: 0x40, gives: [0x13])
    controller.exchange([0x12, 0x09, 0x00, 0b010], on: 0x41, gives: [0x13])
    controller.exchange([0x0A, 0x0E, 0x00], gives: [0x0B, 1, 0])
    controller.exchange([0x0A, 0x09, 0x00], on: 0x40, gives: [0x0B, 0b010])
    controller.forgetWhatWasSent()
    controller.application.updates.append(.init(connectionIndex: 0, attribute: .text, value: [5]))
    controller.run()
    expect(controller.pdus(), is: [[0x1B, 0x0D, 0x00, 5]])
    // A write on a bearer that causes a notification to the writer.
    controller.application.relayIndex = 0
    controller.forgetWhatWasSent()
    controller.send([0x12, 0x0D, 0x00, 6], to: 0x41)
    expect(controller.pdus(from: 0x41), is: [[0x13]])
    expect(controller.pdus(), is: [[0x1B, 0x0D, 0x00, 6]])
  }

  @Test("A confirmation on another bearer is not that of an indication")
  func confirmations() {
    let controller = makeController()
    controller.exchange([0x12, 0x11, 0x00, 2, 0], on: 0x40, gives: [0x13])
    controller.forgetWhatWasSent()
    for value: UInt8 in [1, 2] {
      controller.application.updates.append(
        .init(connectionIndex: 0, attribute: .level, value: [value]))
    }
    controller.run()
    expect(controller.pdus(), is: [[0x1D, 0x10, 0x00, 1]])
    controller.send([0x1E], to: 0x40)
    expect(controller.pdus().count, is: 1)
    controller.send([0x1E])
    expect(controller.pdus(), is: [[0x1D, 0x10, 0x00, 1], [0x1D, 0x10, 0x00, 2]])
  }

  @Test("A second request before the response is ignored, and other bearers have theirs")
  func severalRequests() {
    let controller = makeController()
    controller.behaviour.completesPackets = false
    for _ in 0..<4 { controller.send([0x0A, 0x16, 0x00]) }
    controller.forgetWhatWasSent()
    // No buffer is free for this link: three responses and one that waits.
    controller.send([0x0A, 0x16, 0x00], to: 0x40)
    controller.send([0x0A, 0x18, 0x00], to: 0x40)
    controller.send([0x0A, 0x18, 0x00], to: 0x41)
    controller.behaviour.completesPackets = true
    controller.completePackets(of: 0x40, count: 4)
    expect(controller.pdus(from: 0x40), is: [[0x0B, 0x64]])
    expect(controller.pdus(from: 0x41), is: [[0x0B, 1, 2]])
    expect(controller.pdus(), is: [[0x0B, 0x64]])
  }

  @Test("While one request is put off, those on other bearers of this client wait for their turn")
  func turns() {
    let controller = makeController(bearers: 3)
    controller.connect(0x41)
    controller.forgetWhatWasSent()
    controller.application.busyWith = .level
    controller.send([0x0A, 0x10, 0x00], to: 0x41)
    controller.send([0x0A, 0x16, 0x00], to: 0x40)
    controller.send([0x0A, 0x16, 0x00])
    controller.send([0x0A, 0x18, 0x00], to: 0x42)
    // A command does not wait.
    controller.send([0x52, 0x0D, 0x00, 9], to: 0x40)
    expect(controller.application.values[0], is: [9])
    expect(controller.frames.filter { $0.channel != 5 }.map(\.payload), is: [])
    // Another client is answered.
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64], on: 0x41)
    controller.resume(at: 0)
    expect(controller.frames.filter { $0.channel != 5 && $0.channel != 4 }.map(\.payload), is: [])
    controller.application.busyWith = nil
    controller.application.values[1] = [7]
    controller.resume(at: 0)
    expect(controller.pdus(from: 0x41), is: [[0x0B, 7]])
    expect(controller.pdus(from: 0x40), is: [[0x0B, 0x64]])
    expect(controller.pdus(from: 0x42), is: [[0x0B, 1, 2]])
    expect(controller.pdus(), is: [[0x0B, 0x64]])
    controller.exchange([0x0A, 0x16, 0x00], on: 0x41, gives: [0x0B, 0x64])
  }

  @Test("Requests that wait for one on the link's own bearer, and for each other")
  func turnsAfterOwn() {
    let controller = makeController()
    controller.application.busyWith = .level
    controller.application.values[1] = [7]
    controller.send([0x0A, 0x10, 0x00])
    controller.send([0x0A, 0x10, 0x00], to: 0x40)
    controller.send([0x0A, 0x10, 0x00], to: 0x41)
    expect(controller.isPutOff(), is: true)
    controller.application.busyWith = nil
    controller.resume(at: 0)
    expect(controller.pdus(), is: [[0x0B, 7]])
    expect(controller.pdus(from: 0x40), is: [[0x0B, 7]])
    expect(controller.pdus(from: 0x41), is: [[0x0B, 7]])
  }

  @Test("The end of a bearer whose request is put off lets the others go on")
  func endOfTurn() {
    let controller = makeController()
    controller.application.busyWith = .level
    controller.send([0x0A, 0x10, 0x00], to: 0x40)
    controller.send([0x0A, 0x16, 0x00], to: 0x41)
    controller.forgetWhatWasSent()
    controller.send([0x06, 9, 4, 0] + words(0x40, 0x50), channel: 5)
    expect(controller.frames.first?.payload, is: [0x07, 9, 4, 0] + words(0x40, 0x50))
    expect(controller.pdus(from: 0x41), is: [[0x0B, 0x64]])
    // What the application answers now goes nowhere.
    controller.resume(at: 0)
    controller.exchange([0x0A, 0x18, 0x00], on: 0x41, gives: [0x0B, 1, 2])
    expect(controller.host.channels.count, is: 1)
  }

  @Test("A client with several bearers becomes change-aware by the Database Hash alone: 2.5.2.1")
  func robustCaching() {
    let controller = makeController()
    controller.exchange([0x12, 0x09, 0x00, 0b011], on: 0x40, gives: [0x13])
    controller.exchange([0x12, 0x0E, 0x00, 1, 0], on: 0x40, gives: [0x13])
    controller.databaseChanged(in: .all)
    controller.exchange([0x12, 0x0E, 0x00, 1, 0], gives: error(0x12, 0, .databaseOutOfSync))
    // The error comes once on each bearer, and commands are ignored.
    controller.exchange([0x0A, 0x16, 0x00], on: 0x40, gives: error(0x0A, 0, .databaseOutOfSync))
    controller.exchange([0x0A, 0x16, 0x00], on: 0x40, gives: [0x0B, 0x64])
    controller.ignore([0x52, 0x0D, 0x00, 9], on: 0x40)
    expect(controller.application.values[0], is: [])
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
    expect(controller.receivesUpdates(), is: false)
    controller.exchange([0x0A, 0x16, 0x00], on: 0x41, gives: error(0x0A, 0, .databaseOutOfSync))
    // The hash, and the next request on any bearer.
    controller.exchange(
      [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x2A, 0x2B], on: 0x41,
      gives: error(0x08, 0x01, .attributeNotFound))
    expect(controller.receivesUpdates(), is: false)
    controller.exchange([0x12, 0x0E, 0x00, 1, 0], on: 0x40, gives: [0x13])
    expect(controller.receivesUpdates(), is: true)
  }

  @Test("A peer that requests too many bearers gets some, and their places are used again")
  func capacity() {
    let controller = makeController(bearers: 5)
    controller.send([0x17, 9, 14, 0] + words(0x27, 64, 64, 1, 0x60, 0x61, 0x62), channel: 5)
    expect(
      controller.frames.last?.payload,
      is: [0x18, 9, 14, 0] + words(517, 498, 4, 4, 0x45, 0, 0))
    controller.forgetWhatWasSent()
    controller.send([0x06, 10, 4, 0] + words(0x41, 0x51), channel: 5)
    controller.send([0x17, 11, 10, 0] + words(0x27, 64, 64, 1, 0x63), channel: 5)
    expect(
      controller.frames.last?.payload, is: [0x18, 11, 10, 0] + words(517, 498, 4, 0, 0x49))
    controller.send([0x0A, 0x16, 0x00], to: 0x49)
    expect(
      controller.frames.last.map { [UInt8($0.channel)] + $0.payload }, is: [0x63, 2, 0, 0x0B, 0x64])
    // The next link begins with nothing.
    controller.disconnect(0x40)
    expect(controller.host.channels.count, is: 0)
    controller.connect(0x40)
    controller.exchange([0x0A, 0x0E, 0x00], gives: [0x0B, 0, 0])
  }

  @Test("Without credits a response waits, and a frame without one ends the bearer")
  func credits() {
    let controller = makeController(bearers: 0)
    controller.send([0x17, 7, 10, 0] + words(0x27, 64, 64, 1, 0x50), channel: 5)
    controller.exchange([0x0A, 0x16, 0x00], on: 0x40, gives: [0x0B, 0x64])
    controller.ignore([0x0A, 0x18, 0x00], on: 0x40)
    controller.send([0x16, 8, 4, 0] + words(0x50, 1), channel: 5)
    expect(controller.pdus(from: 0x40), is: [[0x0B, 1, 2]])
  }

  @Test("Other channels go to the program")
  func otherChannels() {
    let controller = makeController()
    controller.host.channels.application.application.listeners[0x80] = ChannelMTU(100).map {
      ChannelListener(mtu: $0)
    }
    controller.send([0x14, 9, 10, 0] + words(0x80, 0x60, 100, 64, 9), channel: 5)
    controller.send([2, 0, 1, 2], channel: 0x42)
    let owner = controller.host.channels.application.application
    expect(owner.events, is: [.opened(2, spsm: 0x80, link: 0, peerMTU: 100)])
    expect(owner.incoming[2], is: [[1, 2]])
  }

  @Test("PDUs of any length and content on a bearer do no harm")
  func malformed() {
    let controller = makeController()
    for opcode in UInt8.min ... .max {
      for length in 0...8 {
        controller.forgetWhatWasSent()
        controller.send([opcode] + [UInt8](repeating: 0, count: length), to: 0x40)
        expect(controller.pdus(from: 0x40).count <= 1)
      }
    }
    controller.exchange([0x0A, 0x18, 0x00], on: 0x41, gives: [0x0B, 1, 2])
    expect(controller.host.channels.count, is: 2)
  }
}
