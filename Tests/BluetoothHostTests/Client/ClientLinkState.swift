import BluetoothHost
import Testing

/// State of a client that a link has when it ends.
struct ClientLinkState: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The operation under way; `nil` for none.
  let operation: ClientOperation?
  /// Brings the link at index 0 into the state, and checks that.
  let enter: @Sendable (ScriptedCentral<1>) -> Void

  private init(
    _ label: String, _ operation: ClientOperation? = nil,
    _ enter: @escaping @Sendable (ScriptedCentral<1>) -> Void
  ) {
    testDescription = label
    self.operation = operation
    self.enter = enter
  }

  static let all: [ClientLinkState] = requests + values + others + commands

  private static let read = ClientOperation.read(AttributeHandle(rawValue: 7))
  private static let write = ClientOperation.write(AttributeHandle(rawValue: 7), byteCount: 40)

  // MARK: The request of an operation

  private static let requests: [ClientLinkState] = [
    ClientLinkState("a request without a response, and its deadline", read) { central in
      central.perform(read)
      #expect(central.pdus == [[0x0A, 7, 0]])
      #expect(central.deadline == central.now.advanced(by: 30_000))
    },
    ClientLinkState("a request that waits for a buffer", read) { central in
      central.takeBuffer()
      central.perform(read)
      #expect(central.pdus == [[0x52, 3, 0]])
    },
    ClientLinkState("a request half sent", write) { central in
      central.exchangeMTU(64)
      central.completesPackets = false
      central.perform(write, writing: [UInt8](counting: 40))
      // The first 27 of 4 (header) + 3 (opcode, handle) + 40 bytes, after the MTU's request
      #expect(central.aclPackets.count == 2 && central.pdus.count == 1)
    },
    ClientLinkState(
      "a discovery half done", .discoverServices
    ) { central in
      central.perform(.discoverServices)
      // One service of 4 + 2 bytes: 0x0001 to 0x0020, 0x1800.
      central.send([0x11, 6, 0x01, 0x00, 0x20, 0x00, 0x00, 0x18])
      #expect(central.pdus.last == [0x10, 0x21, 0, 0xFF, 0xFF, 0x00, 0x28])
    },
  ]

  // MARK: A long value

  private static let values: [ClientLinkState] = [
    ClientLinkState("a value half read", read) { central in
      central.perform(read)
      central.send([0x0B] + [UInt8](counting: 22))
      #expect(central.pdus.last == [0x0C, 7, 0, 22, 0])
    },
    ClientLinkState("a value half prepared", write) { central in
      central.prepare()
      #expect(central.pdus.last?.prefix(5) == [0x16, 7, 0, 18, 0])
    },
    ClientLinkState("a write that is cancelled, and the reason", write) { central in
      central.prepare()
      central.send(error(0x16, 7, .prepareQueueFull))
      #expect(central.pdus.last == [0x18, 0])
    },
  ]

  // MARK: State without an operation

  private static let others: [ClientLinkState] = [
    ClientLinkState("a confirmation that waits for a buffer") { central in
      central.takeBuffer()
      central.send([0x1D, 8, 0, 1])
      #expect(central.pdus == [[0x52, 3, 0]])
    },
    ClientLinkState("a refusal that waits for a buffer") { central in
      central.takeBuffer()
      central.send([0x0A, 8, 0])
      #expect(central.pdus == [[0x52, 3, 0]])
    },
    ClientLinkState("half of a frame") { central in
      // The L2CAP header and the opcode of a Handle Value Notification.
      central.receive([0x02, 0x40, 0x20, 5, 0, 4, 0, 0x04, 0x00, 0x1B])
      #expect(central.takeEvents() == [])
    },
    ClientLinkState("a long MTU") { central in
      central.exchangeMTU(64)
      #expect(central.mtu == 64)
    },
  ]

  // MARK: Pending commands

  private static let commands: [ClientLinkState] = [
    ClientLinkState("a signal strength") { central in
      central.holdCommands()
      central.host.readRSSI(at: 0)
      central.run()
      #expect(central.commands == [])
    },
    ClientLinkState("other connection parameters") { central in
      central.holdCommands()
      // Connection Parameter Update Request, which is accepted.
      central.send([0x12, 9, 8, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01], channel: 0x0005)
      #expect(central.frames.map(\.payload) == [[0x13, 9, 2, 0, 0, 0]])
      #expect(central.commands == [])
    },
    ClientLinkState("a Disconnect, after a response to another request") { central in
      central.holdCommands()
      central.perform(read)
      central.send([0x13])
      #expect(
        central.takeEvents().endings == [
          .wrongResponse(.unexpected(.writeResponse, awaited: .readResponse))
        ])
      #expect(central.commands == [])
    },
    ClientLinkState("a Disconnect that the controller has") { central in
      central.script = { opcode, _ in opcode == .disconnect ? [Events.status(opcode)] : nil }
      central.perform(read)
      central.pass(milliseconds: 30_000)
      #expect(central.takeEvents().endings == [.timedOut])
      #expect(central.parameters(of: .disconnect).count == 1)
      // 200 × 10 = 2,000 ms of supervision + 2 × 2 s.
      #expect(central.deadline == central.now.advanced(by: 6_000))
    },
  ]
}

// Actions that bring a link into a state, and out of it.
extension ScriptedCentral {
  /// The controller accepts no commands for now.
  func holdCommands() {
    receive(Events.complete(.none, [], credits: 0))
  }

  /// The controller accepts commands again.
  func releaseCommands() {
    receive(Events.complete(.none, []))
  }

  /// A write without response takes the controller's only buffer, and stays there.
  func takeBuffer() {
    completesPackets = false
    perform(.writeWithoutResponse(handle(3), byteCount: 0))
    _ = takeEvents()
  }

  /// The client and a server agree on an MTU.
  func exchangeMTU(_ mtu: UInt16) {
    perform(.exchangeMTU)
    send([0x03] + Array(little: mtu))
    _ = takeEvents()
  }

  /// The first part of a long value is prepared: 23 (MTU) − 5 (opcode, handle, offset) = 18 bytes.
  func prepare() {
    perform(.write(handle(7), byteCount: 40), writing: [UInt8](counting: 40))
    send([0x17, 7, 0, 0, 0] + [UInt8](counting: 18))
  }
}
