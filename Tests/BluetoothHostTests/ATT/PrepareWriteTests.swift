import Expectations

@testable import BluetoothHost

/// A Prepare Write Request.
func prepare(_ handle: UInt16, _ offset: Int, _ part: some Sequence<UInt8>) -> [UInt8] {
  [0x16] + Array(little: handle) + Array(little: UInt16(offset)) + part
}

private let execute: [UInt8] = [0x18, 0x01]

private let scenarios: [HostScenario] = [
  Scenario(
    "512 bytes are written in parts of 18, the longest with an MTU of 23",
    // 23 − 5 = 18 bytes a part; 512 = 28 × 18 + 8
    .also { host in
      for start in stride(from: 0, to: 512, by: 18) {
        host.prepare(0x0D, start, [UInt8](counting: 512)[start..<min(start + 18, 512)])
      }
    },
    .writes(), .execute(), .writes([UInt8](counting: 512)),
    // The queue is empty again.
    .execute(), .writes([UInt8](counting: 512))),
  Scenario(
    "512 bytes are written in parts of one byte",
    .also { host in
      for start in 0..<512 {
        host.prepare(0x0D, start, [[UInt8](counting: 512)[start]])
      }
    },
    .execute(), .writes([UInt8](counting: 512))),
  Scenario(
    "513 bytes are prepared, and Execute Write refuses them",
    .also { host in
      for start in stride(from: 0, to: 513, by: 9) {
        host.prepare(0x0D, start, [UInt8](counting: 9))
      }
    },
    .exchange(execute, gives: error(0x18, 0x0D, .invalidAttributeValueLength)), .writes(),
    // The queue is empty after a failure too.
    .execute(), .writes()),
  Scenario(
    "The prepare queue is full after 1,024 bytes, and keeps its parts",
    // Each part starts where none ended, so it costs 6 + 18 = 24 bytes: 1024 / 24 = 42 fit.
    .also { host in
      for count in 0..<42 {
        host.prepare(0x0D, 0, [UInt8](repeating: UInt8(count), count: 18))
      }
    },
    .exchange(
      prepare(0x0D, 0, [UInt8](repeating: 0xFF, count: 18)),
      gives: error(0x16, 0x0D, .prepareQueueFull)),
    // 1024 − 42 × 24 = 16, and this part takes 6 + 10.
    .prepare(0x0D, 0, [UInt8](repeating: 0xEE, count: 10)),
    .exchange(prepare(0x0D, 0, []), gives: error(0x16, 0x0D, .prepareQueueFull)), .execute(),
    .writes([UInt8](repeating: 0xEE, count: 10) + [UInt8](repeating: 41, count: 8))),
  Scenario(
    "Execute Write refuses a gap, writes nothing, and empties the queue",
    .set(application: \.values[0], []), .prepare(0x14, 0, [0x01]), .prepare(0x0D, 1, [0x02]),
    .exchange(execute, gives: error(0x18, 0x0D, .invalidOffset)), .execute(), .writes()),
  // Core Specification, Vol 3, Part F, 3.4.6.3, and Part G, 4.9.4.
  Scenario(
    "A long write that begins beyond the first byte changes a part of the present value",
    .set(application: \.values[0], Array("Will it rain?".utf8)),
    .prepare(0x0D, 8, Array("sn".utf8)), .prepare(0x0D, 10, Array("ow?".utf8)), .execute(),
    .writes(Array("Will it snow?".utf8)),
    // The last byte that may be written is the one after the value: 13 bytes.
    .prepare(0x0D, 13, Array("!".utf8)), .execute(),
    .also { expect($0.writes.last, is: Array("Will it snow?!".utf8)) },
    .prepare(0x0D, 15, Array("!".utf8)),
    .exchange(execute, gives: error(0x18, 0x0D, .invalidOffset)),
    .also { expect($0.writes.count, is: 2) }),
  Scenario(
    "Parts beyond the first byte follow each other, and end at byte 512",
    .set(application: \.values[0], [UInt8](repeating: 1, count: 512)),
    .also { host in
      for (parts, code) in [
        ([(8, 2), (11, 1)], ATTErrorCode.invalidOffset), ([(8, 2), (7, 1)], .invalidOffset),
        ([(511, 2)], .invalidAttributeValueLength), ([(512, 1)], .invalidAttributeValueLength),
        ([(513, 1)], .invalidOffset),
      ] {
        // The other attribute comes first, and is not written either.
        host.prepare(0x14, 0, [9])
        for (offset, count) in parts {
          host.prepare(0x0D, offset, [UInt8](repeating: 2, count: count))
        }
        host.exchange(execute, gives: error(0x18, 0x0D, code))
        expect(host.writes, is: [])
      }
    },
    .prepare(0x0D, 510, [2, 2]), .execute(), .writes([UInt8](repeating: 1, count: 510) + [2, 2])),
  Scenario(
    "A value that the application does not have, and a configuration, are written whole",
    .exchange([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13]),
    .also { host in
      for handle: UInt16 in [0x1B, 0x0E, 0x09] {
        host.prepare(handle, 1, [0x00])
        host.exchange(execute, gives: error(0x18, handle, .invalidOffset))
      }
    },
    .writes()),
  Scenario(
    "Where parts overlap, the later one counts",
    .prepare(0x0D, 0, Array("Is it so?".utf8)), .prepare(0x0D, 3, Array("we th".utf8)),
    .prepare(0x0D, 6, Array("really?!".utf8)), .execute(), .writes(Array("Is we really?!".utf8))),
  Scenario(
    "Parts for several attributes are written one after the other",
    .prepare(0x0D, 0, [0x01, 0x02]), .prepare(0x14, 0, [0x03]), .prepare(0x14, 1, [0x04]),
    .prepare(0x0E, 0, [0x01, 0x00]), .execute(), .writes([0x01, 0x02], [0x03, 0x04]),
    .exchange([0x0A, 0x0E, 0x00], gives: [0x0B, 0x01, 0x00])),
  Scenario(
    "Parts of several attributes may alternate; each value is written once",
    .prepare(0x0D, 0, [0x01, 0x02]), .prepare(0x14, 0, [0x03]), .prepare(0x0D, 2, [0x04, 0x05]),
    .prepare(0x14, 1, [0x06]), .prepare(0x0D, 0, [0x07]), .execute(),
    .writes([0x07, 0x02, 0x04, 0x05], [0x03, 0x06])),
  Scenario(
    "A gap between parts of one attribute counts when another attribute's parts lie between",
    .prepare(0x0D, 0, [0x01]), .prepare(0x14, 0, [0x03]), .prepare(0x0D, 2, [0x02]),
    .exchange(execute, gives: error(0x18, 0x0D, .invalidOffset)), .writes()),
  Scenario(
    "A configuration is written in two parts of one byte",
    .prepare(0x0E, 0, [0x01]), .prepare(0x0E, 1, [0x00]), .execute(),
    .lastEvents(.configured(.text, 0, .notification))),
  Scenario(
    "Cancelled parts are not written",
    .prepare(0x0D, 0, [0x01]), .exchange([0x18, 0x00], gives: [0x19]), .execute(), .writes()),
  Scenario(
    "Prepare Write checks handle and permission, but not offset and length",
    .exchange(prepare(0x00, 0, [0x01]), gives: error(0x16, 0x00, .invalidHandle)),
    .exchange(prepare(0x1C, 0, [0x01]), gives: error(0x16, 0x1C, .invalidHandle)),
    .exchange(prepare(0x03, 0, [0x01]), gives: error(0x16, 0x03, .writeNotPermitted)),
    .prepare(0x0D, 0xFFFF, [0x01]), .exchange(execute, gives: error(0x18, 0x0D, .invalidOffset))),
  Scenario(
    "Execute Write passes the application's refusal on, and empties the queue",
    .prepare(0x0D, 0, [0x01]), .set(application: \.refusal, .unlikelyError),
    .exchange(execute, gives: error(0x18, 0x0D, .unlikelyError)), .set(application: \.refusal, nil),
    .execute(), .writes()),
  Scenario(
    "A part that the application refuses is not queued; earlier parts stay",
    .prepare(0x0D, 0, [0x01]), .set(application: \.preparing, .error(.insufficientEncryption)),
    .exchange(prepare(0x0D, 1, [0x02]), gives: error(0x16, 0x0D, .insufficientEncryption)),
    // The application is not asked about a configuration.
    .prepare(0x0E, 0, [0x01, 0x00]), .set(application: \.preparing, nil), .execute(),
    .writes([0x01])),
  Scenario(
    "A deferred part is queued when the application accepts it",
    .set(application: \.preparing, .later), .ignore(prepare(0x0D, 0, [0x01])),
    .set(application: \.preparing, nil), .resume,
    .pdus([0x17] + prepare(0x0D, 0, [0x01]).dropFirst()), .execute(), .writes([0x01])),
  Scenario(
    "Each central has its own prepare queue",
    .connect(0x41), .prepare(0x0D, 0, [0x01]), .prepare(0x0D, 0, [0x02], on: 0x41),
    .execute(on: 0x41), .writes([0x02])),
]

@Suite("ATT server: long writes")
struct PrepareWriteTests {
  @Test("Parts are prepared, and written together", arguments: scenarios)
  func scenario(_ scenario: HostScenario) throws { try scenario.run(on: connectedController()) }

  @Test(
    "Execute Write with other flags than 0x00 and 0x01 is malformed, and keeps the queue",
    arguments: 2...255)
  func flags(flags: UInt8) {
    let controller = connectedController()
    controller.prepare(0x0D, 0, [0x01])
    controller.exchange([0x18, flags], gives: error(0x18, 0, .invalidPDU))
    controller.exchange(execute, gives: [0x19])
    expect(controller.writes, is: [[0x01]])
  }
}
