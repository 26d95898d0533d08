import Expectations

@testable import BluetoothHost

private let refusedWrites = [
  Exchange("handle 0", [0x12, 0x00, 0x00, 0x01], error(0x12, 0x0000, .invalidHandle)),
  Exchange("no such handle", [0x12, 0x1C, 0x00, 0x01], error(0x12, 0x001C, .invalidHandle)),
  Exchange(
    "a value that can only be read", [0x12, 0x03, 0x00], error(0x12, 3, .writeNotPermitted)),
  Exchange("a service", [0x12, 0x01, 0x00, 0x01], error(0x12, 1, .writeNotPermitted)),
  Exchange(
    "the declaration of a characteristic that can be written",
    [0x12, 0x0C, 0x00, 0x01], error(0x12, 0x000C, .writeNotPermitted)),
  Exchange("a description", [0x12, 0x12, 0x00, 0x01], error(0x12, 0x12, .writeNotPermitted)),
]

private let scenarios: [HostScenario] = [
  Scenario(
    "A write reaches the application, and is answered",
    .exchange([0x12, 0x0D, 0x00, 0x48, 0x69], gives: [0x13]),
    .exchange([0x12, 0x0D, 0x00], gives: [0x13]), .writes([0x48, 0x69], [])),
  Scenario(
    "A write fails with the application's error code",
    .set(application: \.refusal, ATTErrorCode(rawValue: 0x9F)),
    .exchange([0x12, 0x0D, 0x00, 0x01], gives: error(0x12, 0x0D, ATTErrorCode(rawValue: 0x9F)))),
  Scenario(
    "A Write Command is never answered",
    .set(application: \.refusal, .unlikelyError), .ignore([0x52, 0x0D, 0x00, 0x01]),
    .set(application: \.refusal, nil),
    .also { host in
      for request: [UInt8] in [
        [0x52, 0x00, 0x00, 0x01],  // no such handle
        [0x52, 0x03, 0x00, 0x01],  // only read
        [0x52, 0x14, 0x00, 0x01],  // written with a response only
        [0x52, 0x0D],  // cut short
        [0x52],
        [0x52, 0x0D, 0x00] + [UInt8](repeating: 0, count: 21),  // 24 bytes
      ] { expect(host.exchange(request), is: [], "\(request)") }
    },
    .writes(), .ignore([0x52, 0x0D, 0x00, 0x01]), .writes([0x01])),
  Scenario(
    "A signed write is ignored, since there is no key to check it with",
    .ignore([0xD2, 0x0D, 0x00, 0x01] + [UInt8](repeating: 0xAA, count: 12)), .writes()),
  Scenario(
    "A bit of Client Supported Features stays set",
    .exchange([0x12, 0x09, 0x00, 0x01], gives: [0x13]),
    .exchange([0x0A, 0x09, 0x00], gives: [0x0B, 0x01]),
    .exchange([0x12, 0x09, 0x00, 0x00], gives: error(0x12, 0x09, .valueNotAllowed)),
    .exchange([0x12, 0x09, 0x00, 0x05], gives: [0x13]),
    .exchange([0x0A, 0x09, 0x00], gives: [0x0B, 0x05]),
    .exchange([0x12, 0x09, 0x00], gives: error(0x12, 0x09, .invalidAttributeValueLength)),
    // Reserved bits are not kept.
    .exchange([0x12, 0x09, 0x00, 0xFF], gives: [0x13]),
    .exchange([0x0A, 0x09, 0x00], gives: [0x0B, 0x07])),
]

@Suite("ATT server: writing")
struct ServerWriteTests {
  @Test("Writes and commands", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: connectedController()) }

  @Test("A refused write does not reach the application", arguments: refusedWrites)
  func refused(exchange: Exchange) {
    let controller = connectedController()
    controller.exchange(exchange.request, gives: exchange.response)
    expect(controller.writes, is: [])
  }

  @Test("A value has 512 bytes at most; handle and permission are checked first")
  func length() {
    let controller = connectedController(mtu: 517)
    let tooLong = [UInt8](counting: 513)
    // 1 (opcode) + 2 (handle) + 513 = 516 bytes
    controller.exchange([0x12, 0x1C, 0x00] + tooLong, gives: error(0x12, 0x1C, .invalidHandle))
    controller.exchange([0x12, 0x03, 0x00] + tooLong, gives: error(0x12, 0x03, .writeNotPermitted))
    controller.exchange(
      [0x12, 0x0D, 0x00] + tooLong, gives: error(0x12, 0x0D, .invalidAttributeValueLength))
    controller.exchange([0x12, 0x0D, 0x00] + tooLong[..<512], gives: [0x13])
    expect(controller.writes, is: [Array(tooLong[..<512])])
  }
}
