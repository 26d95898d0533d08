import Expectations

@testable import BluetoothHost

/// A request that the application defers, and its response.
private let requests = [
  Exchange("a read", [0x0A, 0x0D, 0x00], [0x0B] + Array(counting: 22)),
  Exchange("a read of a part", [0x0C, 0x0D, 0x00, 22, 0x00], [0x0D] + Array(22..<44)),
  Exchange(
    "a read by type, its first value deferred: 2 + 1 = 3 bytes each",
    [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A], [0x09, 3, 0x10, 0x00, 0x07, 0x16, 0x00, 0x64]),
  Exchange(
    "a read of several values, the last one deferred",
    [0x0E, 0x16, 0x00, 0x10, 0x00], [0x0F, 0x64, 0x07]),
  Exchange(
    "the same with their lengths", [0x20, 0x16, 0x00, 0x10, 0x00], [0x21, 1, 0, 0x64, 1, 0, 0x07]),
  Exchange(
    "a search by value", [0x06, 0x01, 0x00, 0xFF, 0xFF, 0x19, 0x2A, 0x07],
    [0x07, 0x10, 0x00, 0x10, 0x00]),
  Exchange("a write", [0x12, 0x0D, 0x00, 0x01], [0x13]),
]

private func recording() -> ScriptedPeripheral<2> {
  let controller = connectedController()
  controller.application.notesEndings = true
  controller.events = []
  return controller
}

private let scenarios: [HostScenario] = [
  Scenario(
    "A list of values waits for a deferred value",
    .set(application: \.busyWith, .level),
    // From 0x0010: level, which is deferred, then two numbers.
    .ignore([0x08, 0x10, 0x00, 0xFF, 0xFF, 0x19, 0x2A]), .resume,
    .pdus([0x09, 3, 0x10, 0x00, 0x07, 0x16, 0x00, 0x64])),
  Scenario(
    "The application gets the offset of a read",
    .exchange([0x0C, 0x0D, 0x00, 88, 0x00], gives: [0x0D] + Array(88..<100)),
    .exchange([0x0A, 0x0D, 0x00], gives: [0x0B] + Array(0..<22)),
    .also { expect($0.application.offsets, is: [88, 0]) }),
  Scenario(
    "A second request is ignored while one is deferred; the first is answered",
    .set(application: \.isBusy, true), .ignore([0x0A, 0x0D, 0x00]),
    .set(application: \.isBusy, false), .ignore([0x0A, 0x16, 0x00]), .resume(at: 0),
    .pdus([0x0B] + [UInt8](counting: 22))),
  Scenario(
    "Commands, confirmations and updates pass while a request is deferred",
    .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13]),
    .exchange([0x12, 0x11, 0x00, 0x02, 0x00], gives: [0x13]), .forget,
    .set(application: \.busyWith, .alert), .ignore([0x12, 0x14, 0x00, 0x02]),
    .ignore([0x52, 0x0D, 0x00, 0x07]), .writes([0x07]),
    .updates(.init(.level, [0x05]), .init(.text, [0x06])), .run, .pdus([0x1D, 0x10, 0x00, 0x05]),
    .exchange([0x1E], gives: [0x1B, 0x0D, 0x00, 0x06]), .resume, .lastPDU([0x13]),
    .writes([0x07], [0x02])),
  Scenario(
    "A deferred command is dropped",
    .set(application: \.isBusy, true), .ignore([0x52, 0x0D, 0x00, 0x01]), .isDeferred(false),
    .resume, .writes(), .read()),
  Scenario(
    "Resuming leaves a response that waits for a buffer unchanged",
    .set(\.completesPackets, false),
    // Four buffers: three for this link, and one reserved for another.
    .repeat(4, .send([0x0A, 0x16, 0x00])), .pduCount(3), .resume(at: 0), .completePackets(),
    .also { expect($0.pdus(), is: [[UInt8]](repeating: [0x0B, 0x64], count: 4)) }),
  Scenario(
    "A deferred request holds up no other central",
    .connect(0x41), .set(application: \.isBusy, true), .ignore([0x0A, 0x0D, 0x00]),
    .set(application: \.isBusy, false),
    .exchange([0x0A, 0x10, 0x00], gives: [0x0B, 0x07], on: 0x41),
    .resume(at: 0), .pdus([0x0B] + [UInt8](counting: 22))),
  Scenario(
    "A deferred request of 517 bytes is kept whole", on: { connectedController(mtu: 517) },
    .set(application: \.isBusy, true), .ignore([0x12, 0x0D, 0x00] + [UInt8](counting: 512)),
    .resume, .writes([UInt8](counting: 512)), .lastPDU([0x13])),
  Scenario(
    "The end of a write follows the value of a Write Request or a Write Command",
    on: { recording() },
    .exchange([0x12, 0x0D, 0x00, 0x01], gives: [0x13]), .ignore([0x52, 0x0D, 0x00, 0x02]),
    .events(
      .wrote([0x01], .text, 0), .endedWrite(0, isCommand: false), .wrote([0x02], .text, 0),
      .endedWrite(0, isCommand: true))),
  Scenario(
    "The end of a write does not follow writes of the server's own attributes", on: { recording() },
    .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13]),
    .exchange([0x12, 0x09, 0x00, 0x01], gives: [0x13]), .execute(),
    .events(.configured(.text, 0, .notification))),
  Scenario(
    "The end of an Execute Write comes once, after all values", on: { recording() },
    .prepare(0x0D, 0, [1, 2]), .prepare(0x0D, 2, [3]), .prepare(0x14, 0, [4]), .execute(),
    .events(.wrote([1, 2, 3], .text, 0), .wrote([4], .alert, 0), .endedWrite(0, isCommand: false))),
  Scenario(
    "A deferred Execute Write keeps its parts, and writes them again", on: { recording() },
    .prepare(0x0D, 0, [1, 2]), .prepare(0x14, 0, [4]), .set(application: \.ending, .later),
    .ignore([0x18, 0x01]), .forgetEvents, .set(application: \.ending, nil), .resume,
    .lastPDU([0x19]),
    .events(.wrote([1, 2], .text, 0), .wrote([4], .alert, 0), .endedWrite(0, isCommand: false)),
    .execute(), .also { expect($0.events.count, is: 3) }),
  Scenario(
    "A refusal at the end of a write refuses the request, with its first attribute's handle",
    on: { recording() },
    .set(application: \.ending, .error(.insufficientResources)),
    .exchange([0x12, 0x14, 0x00, 0x01], gives: error(0x12, 0x0014, .insufficientResources)),
    .prepare(0x0D, 0, [1, 2]), .prepare(0x14, 0, [4]),
    .exchange([0x18, 0x01], gives: error(0x18, 0x000D, .insufficientResources)),
    // A command gets no answer. The queue is empty again.
    .ignore([0x52, 0x0D, 0x00, 0x02]), .set(application: \.ending, nil), .forgetEvents, .execute(),
    .events()),
]

@Suite("ATT server: deferred responses")
struct DeferralTests {
  @Test("Deferred requests, and the end of a write", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: connectedController()) }

  @Test("A deferred request is answered when it is resumed", arguments: requests)
  func resume(exchange: Exchange) {
    let controller = connectedController()
    controller.application.isBusy = true
    expect(controller.exchange(exchange.request), is: [])
    expect(controller.isPutOff())
    controller.pass(milliseconds: 10_000)
    expect(controller.pdus(), is: [])
    controller.resume()
    expect(controller.pdus(), is: [exchange.response])
    expect(!controller.isPutOff())
    // The next request is answered at once.
    controller.exchange([0x0A, 0x16, 0x00], gives: [0x0B, 0x64])
  }

  @Test("A request may be deferred again, and then be refused", arguments: requests)
  func refusal(exchange: Exchange) {
    let controller = connectedController()
    controller.application.isBusy = true
    expect(controller.exchange(exchange.request), is: [])
    controller.host.resume(at: 0)
    controller.resume(at: 0)
    expect(controller.pdus(), is: [])
    controller.application.refusal = .insufficientResources
    controller.resume(at: 0)
    let opcode = exchange.request[0]
    switch opcode {
    case 0x06:
      // A value that cannot be read does not match.
      expect(controller.pdus(), is: [error(0x06, 0x0001, .attributeNotFound)])
    default:
      let handle: UInt16 = [0x08, 0x0E, 0x20].contains(opcode) ? 0x0010 : 0x000D
      expect(controller.pdus(), is: [error(opcode, handle, .insufficientResources)])
    }
  }

  @Test(
    "Resuming a connection without a deferred request does nothing", arguments: [-1, 0, 1, 2, .max])
  func nothing(connectionIndex: Int) {
    let controller = connectedController()
    controller.resume(at: connectionIndex)
    expect(controller.pdus(), is: [])
    expect(controller.isPutOff(at: connectionIndex), is: false)
  }
}

extension Step where Subject == ScriptedController {
  fileprivate static func isDeferred(
    _ isSo: Bool, at line: SourceLocation = #_sourceLocation
  ) -> Step { check(isSo, line) { $0.isPutOff() } }
}
