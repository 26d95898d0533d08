import Expectations

@testable import BluetoothHost

/// A host of two links with the test database and four channels.
private typealias Controller = ScriptedHost<
  2, GATTServer<2, GATTDatabase<27>, TestApplication>, NoClient,
  CreditBasedChannels<2, 4, ChannelOwner>
>

/// A controller with a link, and on it channel 0 with SPSM 0x0080 and 50 credits for the host. The
/// peer has an MTU of 300 bytes and an MPS of 100.
private func makeController() -> Controller {
  let controller = Controller(
    database: testDatabase,
    channels: CreditBasedChannels(application: ChannelOwner(), mps: .twoPackets))
  controller.host.channels.application.listeners[0x0080] = ChannelMTU(600).map {
    ChannelListener(mtu: $0)
  }
  controller.connect(0x40)
  controller.send([0x14, 7, 10, 0] + words(0x0080, 0x0041, 300, 100, 50), channel: 5)
  // MTU 600, MPS 498, and 1,000 / 498 = 2 credits.
  expect(controller.frames.last?.payload, is: [0x15, 7, 10, 0] + words(0x0040, 600, 498, 2, 0))
  controller.forgetWhatWasSent()
  return controller
}

extension Step where Subject == ScriptedController {
  /// SDUs go out on channel 0; `runs`: the host does what follows at once.
  fileprivate static func outgoing(_ sdus: [[UInt8]], runs: Bool = true) -> Step {
    Step { host in
      let host = try #require(host as? Controller)
      host.host.channels.application.outgoing[0] = sdus
      host.host.channels.resume(0)
      if runs { host.run() }
    }
  }
  /// A channel is requested, at an index.
  fileprivate static func open(_ index: Int, at line: SourceLocation = #_sourceLocation) -> Step {
    Step { host in
      let host = try #require(host as? Controller)
      let opened = host.host.channels.open(.firstDynamic, mtu: .minimum, at: 0)
      expect(opened, is: index, sourceLocation: line)
      host.run()
      expect(host.frames.last?.payload.first, is: 0x14, sourceLocation: line)
    }
  }
  /// The number of channels.
  fileprivate static func channels(
    _ count: Int, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(count, line) { ($0 as? Controller)?.host.channels.count } }
  fileprivate static func lastEvent(
    _ event: ChannelEvent, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(event, line) { ($0 as? Controller)?.host.channels.application.events.last } }
  /// A signalling command, and all that comes back.
  fileprivate static func signal(
    _ command: [UInt8], gives response: [UInt8], at line: SourceLocation = #_sourceLocation
  ) -> Step {
    Step { host in
      host.forgetWhatWasSent()
      host.send(command, channel: 5)
      expect(host.frames.map(\.payload), is: [response], sourceLocation: line)
    }
  }
}

private let scenarios: [HostScenario] = [
  Scenario(
    "Attributes and channels take turns on a link, and no frame is within another",
    // 20 SDUs of 250 bytes, each in frames of 98, 100 and 52 bytes.
    .set(\.completesPackets, false),
    .outgoing((0..<20).map { [UInt8](repeating: $0, count: 250) }),
    // The peer reads all the time. The controller completes one packet of 27 bytes for each request.
    .repeat(300, .send(.read), .completePackets()),
    .also { host in
      expect(host.frames.filter { $0.channel == 4 }.count > 100)
    },
    .set(\.completesPackets, true), .completePackets(4),
    .also { host in
      let data = host.frames.filter { $0.channel == 0x41 }
      // 20 × 3 frames are pending, and the peer gave 50 credits.
      expect(data.count, is: 50)
      expect(data.first?.payload, is: words(250) + [UInt8](repeating: 0, count: 98))
      // A frame has 3 or 4 packets, and a response 1: responses wait for one frame.
      let channels = host.frames.prefix { $0 != data.last }.map(\.channel)
      expect(zip(channels, channels.dropFirst()).allSatisfy { $0 != 0x41 || $1 != 0x41 })
    }),
  Scenario(
    "A frame waits until a response is sent",
    .send([0x02, 0xFF, 0x01]), .set(application: \.values[0], [UInt8](repeating: 7, count: 100)),
    .set(\.completesPackets, false), .forget, .send(.read), .outgoing([[1, 2, 3]], runs: false),
    .set(\.completesPackets, true), .completePackets(4),
    .also { host in
      expect(Set(host.frames.map(\.channel)), is: [4, 0x41])
      expect(host.frames.contains { $0.payload == [3, 0, 1, 2, 3] })
    }),
  Scenario(
    "A frame that is too long on another channel changes nothing",
    .send([UInt8](repeating: 0x0A, count: 600)), .channels(1), .frames()),
  Scenario(
    "Malformed commands, and those for unknown channels, are rejected",
    .signal([0x14, 9, 9, 0] + [UInt8](counting: 9), gives: [0x01, 9, 2, 0, 0, 0]),
    .signal(
      [0x06, 9, 4, 0] + words(0x0055, 0x0041), gives: [0x01, 9, 6, 0, 2, 0] + words(0x0055, 0x0041)),
    .signal([0x08, 9, 0, 0], gives: [0x01, 9, 2, 0, 0, 0])),
  Scenario(
    "A request ends after 30 s without a response",
    .open(1), .deadline(30_000), .pass(29_999), .channels(2), .pass(1),
    .lastEvent(.closed(1, .timedOut))),
  Scenario(
    "The end of a link closes its channels; the next link has its own",
    .disconnect(0x40), .channels(0),
    .lastEvent(.closed(0, .linkLost(.remoteUserTerminatedConnection))), .connect(0x41), .open(0)),
  Scenario(
    "A lost radio closes all channels",
    .radioLost, .lastEvent(.closed(0, .linkLost(.hardwareFailure))),
    .also { expect(($0 as? Controller)?.host.channels.pendingConnections, is: ConnectionSet.none) }),
  Scenario(
    "A channel goes on when the controller has free buffers",
    // Three of four buffers: one is reserved for another link.
    .set(\.completesPackets, false), .outgoing([[UInt8](repeating: 5, count: 290)]), .packets(3),
    .set(\.completesPackets, true), .completePackets(3),
    .also { host in expect(host.frames.filter { $0.channel == 0x41 }.count, is: 3) },
    .lastEvent(.sent(0))),
]

@Suite("A host with channels")
struct HostChannelsTests {
  @Test("Channels beside attributes", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: makeController()) }

  @Test("An SDU arrives in fragments of any length", arguments: [1, 27, 251, 502])
  func fragments(length: Int) {
    let controller = makeController()
    controller.fragmentLength = length
    controller.send(words(496) + [UInt8](counting: 496), channel: 0x0040)
    expect(controller.host.channels.application.incoming[0], is: [[UInt8](counting: 496)])
    expect(controller.host.channels.count, is: 1)
  }

  @Test(
    "A frame that is too long for the host closes only its channel", arguments: [27, 100, 521, 522])
  func overlong(length: Int) {
    let controller = makeController()
    controller.fragmentLength = length
    controller.send([UInt8](repeating: 0, count: 518), channel: 0x0040)
    // A Disconnection Request, and the end without a response.
    let request = controller.frames.last?.payload ?? []
    expect(request.prefix(1), is: [0x06])
    expect(Array(request.dropFirst(2)), is: [4, 0] + words(0x0041, 0x0040))
    controller.pass(milliseconds: 30_000)
    expect(controller.host.channels.application.events.last, is: .closed(0, .frameTooLong))
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 100])
  }

  @Test("An MPS that is too long for the host stops the program")
  func precondition() async {
    await #expect(processExitsWith: .failure) {
      guard let mps = ChannelMPS(518) else { return }
      _ = Controller(
        database: testDatabase,
        channels: CreditBasedChannels(application: ChannelOwner(), mps: mps))
    }
  }
}
