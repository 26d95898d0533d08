import BluetoothHost
import Testing

/// State that a link has when it ends.
struct LinkState: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Whether there is a link; if not, its data have come before its Connection Complete.
  let hasLink: Bool
  /// Brings the link 0x40 into the state, and checks that.
  let enter: @Sendable (ScriptedController<1>) -> Void

  private init(
    _ label: String, hasLink: Bool = true,
    _ enter: @escaping @Sendable (ScriptedController<1>) -> Void
  ) {
    testDescription = label
    self.hasLink = hasLink
    self.enter = enter
  }

  /// A state of a link with an interval of 30 ms, for which the host requests no update.
  private static func connected(
    _ label: String, _ enter: @escaping @Sendable (ScriptedController<1>) -> Void
  ) -> LinkState {
    LinkState(label) { controller in
      controller.connect()
      enter(controller)
    }
  }

  static let all: [LinkState] = incoming + outgoing + commands + timers + attributes

  // MARK: Received data

  private static let incoming: [LinkState] = [
    LinkState("data before its Connection Complete", hasLink: false) { controller in
      controller.send(.read)
      #expect(controller.deadline == controller.now.advanced(by: 2_000))
    },
    connected("half of a frame") { controller in
      // The L2CAP header and the opcode of a Read Request.
      controller.receive(controller.acl([3, 0, 0x04, 0x00, 0x0A]))
      #expect(controller.frames == [])
    },
    connected("two minutes of silence") { controller in
      for _ in 0..<2 { controller.pass(milliseconds: 60_000) }
      #expect(controller.parameters(of: .readRSSI).count == 2)
    },
    connected("data since the last check") { $0.expect(.read, gives: [0x0B, 0x64]) },
    connected("a request that the application defers") { controller in
      controller.host.server.application.isBusy = true
      #expect(controller.exchange([0x0A, 0x0D, 0x00]) == [])
    },
  ]

  // MARK: Data to send

  private static let outgoing: [LinkState] = [
    connected("a packet in the controller, and the deadline of a stalled link") { controller in
      controller.takeBuffer()
      // 72 × 10 = 720 ms of supervision + 2 s.
      #expect(controller.deadline == controller.now.advanced(by: 2_720))
    },
    connected("a response that waits for a buffer") { controller in
      controller.takeBuffer()
      #expect(controller.exchange([0x0A, 0x0D, 0x00]) == [])
    },
    connected("a response half sent") { controller in
      controller.exchangeMTU(100)
      controller.behaviour.completesPackets = false
      #expect(controller.exchange([0x0A, 0x0D, 0x00]) == [])
      // The MTU's response, and the first 27 of 4 + 100 bytes.
      #expect(controller.aclPackets.count == 2)
    },
    connected("a notification half sent") { controller in
      controller.exchangeMTU(100)
      controller.subscribe(0x0E, 0x01)
      controller.behaviour.completesPackets = false
      controller.update(.text, [UInt8](counting: 50))
      // Two responses, and the first 27 of 4 + 3 + 50 bytes.
      #expect(controller.aclPackets.count == 3 && controller.pdus().count == 2)
    },
    connected("a signalling response") { controller in
      controller.takeBuffer()
      // Disconnection Request, to which the answer is a Command Reject.
      #expect(controller.exchange([0x06, 1, 4, 0, 0x40, 0, 0x41, 0], channel: 0x0005) == [])
    },
    connected("a pairing response") { controller in
      controller.takeBuffer()
      #expect(controller.exchange([0x01, 3, 0, 1, 16, 0, 0], channel: 0x0006) == [])
    },
    LinkState("a request for other connection parameters") { controller in
      controller.connect(interval: 80, timeout: 3_200)
      controller.takeBuffer()
      controller.pass(milliseconds: 5_000)
      // The next deadline is that of the stalled link: 32 s of supervision + 2 s − 5 s.
      #expect(controller.deadline == controller.now.advanced(by: 29_000))
      #expect(controller.frames.allSatisfy { $0.channel == 0x0004 })
    },
    connected("Service Changed, which waits for a confirmation") { controller in
      controller.subscribe(0x07, 0x02)
      controller.indicate()
      controller.changeServices()
      #expect(controller.pdus().last == [0x1D, 0x10, 0x00, 0x07])
    },
  ]

  // MARK: Pending commands

  private static let commands: [LinkState] = [
    LinkState("the data length and the PHY") { controller in
      controller.holdCommands()
      controller.connect()
      #expect(controller.commands == [])
    },
    connected("a key refusal") { controller in
      controller.holdCommands()
      controller.requestKey()
      #expect(controller.parameters(of: .leLongTermKeyRequestNegativeReply) == [])
    },
    connected("connection parameters that are accepted") { controller in
      controller.holdCommands()
      controller.receive([0x04, 0x3E, 11, 0x06, 0x40, 0x00, 6, 0, 12, 0, 1, 0, 0x90, 0x01])
      #expect(controller.parameters(of: .leRemoteConnectionParameterRequestReply) == [])
    },
    connected("connection parameters that are refused") { controller in
      controller.holdCommands()
      // An interval of 5 × 1.25 ms is too short.
      controller.receive([0x04, 0x3E, 11, 0x06, 0x40, 0x00, 5, 0, 12, 0, 1, 0, 0x90, 0x01])
      #expect(controller.parameters(of: .leRemoteConnectionParameterRequestNegativeReply) == [])
    },
    connected("a check after a minute of silence") { controller in
      controller.pass(milliseconds: 59_999)
      controller.holdCommands()
      controller.pass(milliseconds: 1)
      #expect(controller.parameters(of: .readRSSI) == [])
    },
    connected("a Disconnect") { controller in
      controller.indicate()
      controller.pass(milliseconds: 29_999)
      controller.holdCommands()
      controller.pass(milliseconds: 1)
      #expect(controller.parameters(of: .disconnect) == [])
    },
  ]

  // MARK: Timers

  private static let timers: [LinkState] = [
    LinkState("the pause before other connection parameters are asked for") { controller in
      controller.connect(interval: 80)
      #expect(controller.deadline == controller.now.advanced(by: 5_000))
    },
    connected("an indication that is not confirmed") { controller in
      controller.indicate()
      #expect(controller.deadline == controller.now.advanced(by: 30_000))
    },
    connected("a Disconnect that the controller has") { controller in
      controller.behaviour.completesDisconnections = false
      controller.indicate()
      controller.pass(milliseconds: 30_000)
      #expect(controller.parameters(of: .disconnect).count == 1)
      // 720 ms of supervision + 2 × 2 s.
      #expect(controller.deadline == controller.now.advanced(by: 4_720))
    },
  ]

  // MARK: State of the attribute server

  private static let attributes: [LinkState] = [
    connected("Service Changed, which is not confirmed") { controller in
      controller.subscribe(0x07, 0x02)
      controller.changeServices()
      #expect(controller.pdus().last?.first == 0x1D)
    },
    connected("parts of a value") { controller in
      controller.expect(
        [0x16, 0x0D, 0x00, 0, 0, 8, 9], gives: [0x17, 0x0D, 0x00, 0, 0, 8, 9])
    },
    connected("a long MTU") { controller in
      controller.exchangeMTU(100)
      #expect(controller.exchange([0x0A, 0x0D, 0x00]).first?.count == 100)
    },
    connected("subscriptions") { controller in
      controller.subscribe(0x07, 0x02)
      controller.subscribe(0x0E, 0x01)
      controller.subscribe(0x11, 0x03)
    },
    connected("Client Supported Features") { $0.subscribe(0x09, nil) },
    connected("a change of services, which makes it change-unaware") { controller in
      controller.subscribe(0x09, nil)
      controller.changeServices()
      #expect(controller.exchange([0x52, 0x0D, 0x00, 1]) == [])
      #expect(controller.writes == [])
    },
  ]
}

extension [UInt8] {
  /// A Read Request for a value of one byte, 0x64.
  static let read: [UInt8] = [0x0A, 0x16, 0x00]
}

// Actions that bring a link into a state.
extension ScriptedDevice where Database: ~Copyable, Channels: ~Copyable {
  /// The controller accepts no commands for now.
  func holdCommands() {
    behaviour.commandCredits = 0
    complete(.none, [])
  }

  /// The controller accepts commands again.
  func releaseCommands() {
    behaviour.commandCredits = 1
    complete(.none, [])
    run()
  }

  /// A response takes the controller's only buffer, and stays there.
  func takeBuffer(on handle: UInt16 = 0x40) {
    behaviour.completesPackets = false
    expect(.read, gives: [0x0B, 0x64], on: handle)
  }

  /// The central writes a configuration; without a value, robust caching to Client Supported
  /// Features.
  func subscribe(_ configuration: UInt8, _ value: UInt8?, on handle: UInt16 = 0x40) {
    expect(
      [0x12, configuration, 0x00] + (value.map { [$0, 0x00] } ?? [0x01]), gives: [0x13],
      on: handle)
  }

  /// The application updates a value for the central at `connectionIndex`.
  func update(_ attribute: ApplicationAttribute, _ value: [UInt8], at connectionIndex: Int = 0) {
    host.server.application.updates = [
      .init(connectionIndex: connectionIndex, attribute: attribute, value: value)
    ]
    run()
  }

  /// The central gets an indication, which it does not confirm.
  func indicate(on handle: UInt16 = 0x40, at connectionIndex: Int = 0) {
    subscribe(0x11, 0x02, on: handle)
    update(.level, [0x07], at: connectionIndex)
    #expect(pdus(on: handle).last == [0x1D, 0x10, 0x00, 0x07])
  }

  /// The controller requests the link's key.
  func requestKey(of handle: UInt16 = 0x40) {
    receive([0x04, 0x3E, 13, 0x05] + Array(little: handle) + [UInt8](repeating: 0xAA, count: 10))
  }

  /// The application answers what it has deferred on the first connection.
  func resume() {
    host.server.application.isBusy = false
    host.server.application.busyWith = nil
    host.resume(at: 0)
    run()
  }

  /// The last service of the database changes.
  func changeServices() {
    host.server.databaseChanged(in: range(0x0019, 0x001B))
    run()
  }
}
