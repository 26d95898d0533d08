import BluetoothHost
import Expectations

/// What a link has to send when it has used its share, and the host's next deadline, in
/// milliseconds.
private struct PendingData: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let deadline: UInt32
  let enter: @Sendable (ScriptedController) -> Void

  init(
    _ label: String, deadline: UInt32, _ enter: @escaping @Sendable (ScriptedController) -> Void
  ) {
    testDescription = label
    self.deadline = deadline
    self.enter = enter
  }

  private static let command = ClientOperation.writeWithoutResponse(handle(3), byteCount: 0)

  /// 200 × 10 = 2,000 ms of supervision + 2 s.
  private static let stalled: UInt32 = 4_000

  static let all = [
    PendingData("a request", deadline: stalled) { central in
      central.perform(command)
      central.perform(.read(handle(7)))
    },
    PendingData("a confirmation", deadline: stalled) { central in
      central.perform(command)
      central.send([0x1D, 8, 0, 1])
    },
    PendingData("a confirmation, while a response is awaited", deadline: stalled) { central in
      central.perform(.read(handle(7)))
      central.send([0x1D, 8, 0, 1])
    },
    // No deadline of its own: the check after a minute, and the 30 s of a request.
    PendingData("nothing", deadline: 60_000) { central in central.perform(command) },
    PendingData("nothing, while a response is awaited", deadline: 30_000) { central in
      central.perform(.read(handle(7)))
    },
  ]
}

@Suite("A client's share of the controller's buffers")
struct ClientShareTests {
  @Test("A link that has more to send than its share has a deadline", arguments: PendingData.all)
  private func clock(pending: PendingData) {
    // Two buffers: one is reserved for another link.
    let central = ScriptedCentral<2>.connected { $0.leBuffers = (27, 2) }
    central.completesPackets = false
    pending.enter(central)
    expect(central.aclPackets.count, is: 1)
    expect(central.deadline, is: central.now.advanced(by: pending.deadline))
  }
}
