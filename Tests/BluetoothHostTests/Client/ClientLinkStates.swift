import BluetoothHost
import Expectations

private let read = ClientOperation.read(handle(7))
private let write = ClientOperation.write(handle(7), byteCount: 40)
private let value = [UInt8](counting: 40)

extension Step where Subject == ScriptedController {
  /// The first part of a long value is prepared: 23 (MTU) − 5 (opcode, handle, offset) = 18 bytes.
  fileprivate static var prepare: Step {
    Step { central in
      central.perform(write, writing: value)
      central.send([0x17, 7, 0, 0, 0] + value[..<18])
    }
  }
  /// Only the command that fills the buffer has been sent.
  fileprivate static var isFull: Step { pdus([0x52, 3, 0]) }
}

extension LinkState {
  /// The states of a client's link.
  static let ofClients: [LinkState] = [
    LinkState(
      "a request without a response, and its deadline", during: read,
      .perform(read), .pdus([0x0A, 7, 0]), .deadline(30_000)),
    LinkState(
      "a request that waits for a buffer", during: read, .fillBuffer, .perform(read), .isFull),
    // The first 27 of 4 (header) + 3 (opcode, handle) + 40 bytes, after the MTU's request.
    LinkState(
      "a request half sent", during: write,
      .agree(mtu: 64), .set(\.completesPackets, false), .perform(write, writing: value),
      .packets(2), .pduCount(1)),
    // One service of 4 + 2 bytes: 0x0001 to 0x0020, 0x1800.
    LinkState(
      "a discovery half done", during: .discoverServices,
      .perform(.discoverServices), .send([0x11, 6, 0x01, 0x00, 0x20, 0x00, 0x00, 0x18]),
      .lastPDU([0x10, 0x21, 0, 0xFF, 0xFF, 0x00, 0x28])),
    LinkState(
      "a value half read", during: read,
      .perform(read), .send([0x0B] + value[..<22]), .lastPDU([0x0C, 7, 0, 22, 0])),
    LinkState(
      "a value half prepared", during: write,
      .prepare, .lastPDU([0x16, 7, 0, 18, 0] + value[18..<36])),
    LinkState(
      "a write that is cancelled, and the reason", during: write,
      .prepare, .send(error(0x16, 7, .prepareQueueFull)), .lastPDU([0x18, 0])),
    LinkState(
      "a confirmation that waits for a buffer", .fillBuffer, .send([0x1D, 8, 0, 1]), .isFull),
    LinkState("a refusal that waits for a buffer", .fillBuffer, .send([0x0A, 8, 0]), .isFull),
    // The L2CAP header and the opcode of a Handle Value Notification.
    LinkState(
      "half of a frame",
      .receive([0x02, 0x40, 0x20, 5, 0, 4, 0, 0x04, 0x00, 0x1B]), .client()),
    LinkState("a long MTU", .agree(mtu: 64), .mtu(64)),
    LinkState("a signal strength", .holdCommands, .readRSSI(at: 0), .commands()),
    // Connection Parameter Update Request, which is accepted.
    LinkState(
      "other connection parameters",
      .holdCommands,
      .send([0x12, 9, 8, 0, 24, 0, 40, 0, 0, 0, 0x90, 0x01], channel: 0x0005),
      .frames([0x13, 9, 2, 0, 0, 0]), .commands()),
    LinkState(
      "a Disconnect, after a response to another request",
      .holdCommands, .perform(read), .send([0x13]),
      .endings(.wrongResponse(.unexpected(.writeResponse, awaited: .readResponse))),
      .commands()),
    // 200 × 10 = 2,000 ms of supervision + 2 × 2 s.
    LinkState(
      "a Disconnect that the controller has",
      .set(\.completesDisconnections, false), .perform(read), .pass(30_000),
      .endings(.timedOut), .count(of: .disconnect, 1), .deadline(6_000)),
  ]
}
