import BluetoothHost
import Testing

/// What a link can have to send when it has used its share, and when its central has to look at it
/// next, in milliseconds.
private struct Rest: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let deadline: UInt32
  let enter: @Sendable (ScriptedCentral<2>) -> Void

  init(
    _ label: String, deadline: UInt32, _ enter: @escaping @Sendable (ScriptedCentral<2>) -> Void
  ) {
    testDescription = label
    self.deadline = deadline
    self.enter = enter
  }

  private static let command = ClientOperation.writeWithoutResponse(handle(3), byteCount: 0)

  /// 200 × 10 = 2,000 ms of supervision, and 2 s of patience.
  private static let clock: UInt32 = 4_000

  static let all = [
    Rest("a request", deadline: clock) { central in
      central.perform(command)
      central.perform(.read(handle(7)))
    },
    Rest("a confirmation", deadline: clock) { central in
      central.perform(command)
      central.send([0x1D, 8, 0, 1])
    },
    Rest("a confirmation, while a response is awaited", deadline: clock) { central in
      central.perform(.read(handle(7)))
      central.send([0x1D, 8, 0, 1])
    },
    // What is left alone: the silence of a minute, and the 30 s of a response.
    Rest("nothing", deadline: 60_000) { central in central.perform(command) },
    Rest("nothing, while a response is awaited", deadline: 30_000) { central in
      central.perform(.read(handle(7)))
    },
  ]
}

@Suite("A client's share of the controller's buffers")
struct ClientShareTests {
  @Test("A clock runs for a link that has more to send than its share", arguments: Rest.all)
  private func clock(rest: Rest) {
    // Two buffers: one is kept for a link that may come.
    let central = ScriptedCentral<2>.connected { $0.buffers = (27, 2) }
    central.completesPackets = false
    rest.enter(central)
    #expect(central.aclPackets.count == 1)
    #expect(central.deadline == central.now.advanced(by: rest.deadline))
  }
}
