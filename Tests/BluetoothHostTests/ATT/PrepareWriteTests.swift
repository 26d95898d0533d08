import Testing

@testable import BluetoothHost

/// A Prepare Write Request.
func prepare(_ handle: UInt16, _ offset: Int, _ part: some Sequence<UInt8>) -> [UInt8] {
  [0x16] + Array(little: handle) + Array(little: UInt16(offset)) + part
}

private let execute: [UInt8] = [0x18, 0x01]
private let cancel: [UInt8] = [0x18, 0x00]

@Suite("ATT server: long writes")
struct PrepareWriteTests {
  /// Prepares a part, and checks that it is echoed.
  private func expectEcho(
    _ controller: ScriptedController<2>, _ request: [UInt8], on handle: UInt16 = 0x40,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    controller.expect(
      request, gives: [0x17] + request.dropFirst(), on: handle, sourceLocation: sourceLocation)
  }

  @Test("512 bytes are written in parts of 18, the longest with an MTU of 23")
  func longest() {
    let controller = connectedController()
    let text = [UInt8](counting: 512)
    // 23 − 5 = 18 bytes a part; 512 = 28 × 18 + 8
    for start in stride(from: 0, to: 512, by: 18) {
      expectEcho(controller, prepare(0x0D, start, text[start..<min(start + 18, 512)]))
    }
    #expect(controller.writes == [])
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [text])
    // The queue is empty again.
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [text])
  }

  @Test("512 bytes are written in parts of one byte")
  func finest() {
    let controller = connectedController()
    let text = [UInt8](counting: 512)
    for start in 0..<512 { expectEcho(controller, prepare(0x0D, start, [text[start]])) }
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [text])
  }

  @Test("513 bytes are prepared, and Execute Write refuses them")
  func tooLong() {
    let controller = connectedController()
    for start in stride(from: 0, to: 513, by: 9) {
      expectEcho(controller, prepare(0x0D, start, [UInt8](counting: 9)))
    }
    controller.expect(execute, gives: error(0x18, 0x0D, .invalidAttributeValueLength))
    #expect(controller.writes == [])
    // The queue is empty after a failure too.
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [])
  }

  @Test("The prepare queue is full after 1,024 bytes, and keeps its parts")
  func full() {
    let controller = connectedController()
    // Each part starts where none ended, so it costs 6 + 18 = 24 bytes: 1024 / 24 = 42 fit.
    for count in 0..<42 {
      expectEcho(controller, prepare(0x0D, 0, [UInt8](repeating: UInt8(count), count: 18)))
    }
    controller.expect(
      prepare(0x0D, 0, [UInt8](repeating: 0xFF, count: 18)),
      gives: error(0x16, 0x0D, .prepareQueueFull))
    // 1024 − 42 × 24 = 16, and this part takes 6 + 10.
    expectEcho(controller, prepare(0x0D, 0, [UInt8](repeating: 0xEE, count: 10)))
    controller.expect(prepare(0x0D, 0, []), gives: error(0x16, 0x0D, .prepareQueueFull))
    controller.expect(execute, gives: [0x19])
    #expect(
      controller.writes == [
        [UInt8](repeating: 0xEE, count: 10) + [UInt8](repeating: 41, count: 8)
      ])
  }

  @Test("Execute Write refuses a gap, writes nothing, and empties the queue")
  func gap() {
    let controller = connectedController()
    controller.host.server.application.values[0] = []
    expectEcho(controller, prepare(0x14, 0, [0x01]))
    expectEcho(controller, prepare(0x0D, 1, [0x02]))
    controller.expect(execute, gives: error(0x18, 0x0D, .invalidOffset))
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [])
  }

  /// Core Specification, Vol 3, Part F, 3.4.6.3, and Part G, 4.9.4.
  @Test("A long write that begins beyond the first byte changes a part of the present value")
  func partOfPresentValue() {
    let controller = connectedController()
    controller.host.server.application.values[0] = Array("Will it rain?".utf8)
    expectEcho(controller, prepare(0x0D, 8, Array("sn".utf8)))
    expectEcho(controller, prepare(0x0D, 10, Array("ow?".utf8)))
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [Array("Will it snow?".utf8)])
    // The last byte that may be written is the one after the value: 13 bytes.
    expectEcho(controller, prepare(0x0D, 13, Array("!".utf8)))
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes.last == Array("Will it snow?!".utf8))
    expectEcho(controller, prepare(0x0D, 15, Array("!".utf8)))
    controller.expect(execute, gives: error(0x18, 0x0D, .invalidOffset))
    #expect(controller.writes.count == 2)
  }

  @Test("Parts beyond the first byte follow each other, and end at byte 512")
  func rulesOfParts() {
    let controller = connectedController()
    controller.host.server.application.values[0] = [UInt8](repeating: 1, count: 512)
    for (parts, code) in [
      ([(8, 2), (11, 1)], ATTErrorCode.invalidOffset), ([(8, 2), (7, 1)], .invalidOffset),
      ([(511, 2)], .invalidAttributeValueLength), ([(512, 1)], .invalidAttributeValueLength),
      ([(513, 1)], .invalidOffset),
    ] {
      // The other attribute comes first, and is not written either.
      expectEcho(controller, prepare(0x14, 0, [9]))
      for (offset, count) in parts {
        expectEcho(controller, prepare(0x0D, offset, [UInt8](repeating: 2, count: count)))
      }
      controller.expect(execute, gives: error(0x18, 0x0D, code))
      #expect(controller.writes == [])
    }
    expectEcho(controller, prepare(0x0D, 510, [2, 2]))
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [[UInt8](repeating: 1, count: 510) + [2, 2]])
  }

  @Test("A value that the application does not have, and a configuration, are written whole")
  func wholeValuesOnly() {
    let controller = connectedController()
    controller.expect([0x12, 0x0E, 0x00, 0x01, 0x00], gives: [0x13])
    for handle: UInt16 in [0x1B, 0x0E, 0x09] {
      expectEcho(controller, prepare(handle, 1, [0x00]))
      controller.expect(execute, gives: error(0x18, handle, .invalidOffset))
    }
    #expect(controller.writes == [])
  }

  @Test("Where parts overlap, the later one counts")
  func overlapping() {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0D, 0, Array("Is it so?".utf8)))
    expectEcho(controller, prepare(0x0D, 3, Array("we th".utf8)))
    expectEcho(controller, prepare(0x0D, 6, Array("really?!".utf8)))
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [Array("Is we really?!".utf8)])
  }

  @Test("Parts for several attributes are written one after the other")
  func several() {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0D, 0, [0x01, 0x02]))
    expectEcho(controller, prepare(0x14, 0, [0x03]))
    expectEcho(controller, prepare(0x14, 1, [0x04]))
    expectEcho(controller, prepare(0x0E, 0, [0x01, 0x00]))
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [[0x01, 0x02], [0x03, 0x04]])
    controller.expect([0x0A, 0x0E, 0x00], gives: [0x0B, 0x01, 0x00])
  }

  @Test("Parts of several attributes may alternate; each value is written once")
  func interleaved() {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0D, 0, [0x01, 0x02]))
    expectEcho(controller, prepare(0x14, 0, [0x03]))
    expectEcho(controller, prepare(0x0D, 2, [0x04, 0x05]))
    expectEcho(controller, prepare(0x14, 1, [0x06]))
    expectEcho(controller, prepare(0x0D, 0, [0x07]))
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [[0x07, 0x02, 0x04, 0x05], [0x03, 0x06]])
  }

  @Test("A gap between parts of one attribute counts when another attribute's parts lie between")
  func interleavedGap() {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0D, 0, [0x01]))
    expectEcho(controller, prepare(0x14, 0, [0x03]))
    expectEcho(controller, prepare(0x0D, 2, [0x02]))
    controller.expect(execute, gives: error(0x18, 0x0D, .invalidOffset))
    #expect(controller.writes == [])
  }

  @Test("A configuration is written in two parts of one byte")
  func configuration() {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0E, 0, [0x01]))
    expectEcho(controller, prepare(0x0E, 1, [0x00]))
    controller.expect(execute, gives: [0x19])
    #expect(controller.events.last == .configured(.text, 0, .notification))
  }

  @Test("Cancelled parts are not written")
  func cancelled() {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0D, 0, [0x01]))
    controller.expect(cancel, gives: [0x19])
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [])
  }

  @Test(
    "Execute Write with other flags than 0x00 and 0x01 is malformed, and keeps the queue",
    arguments: 2...255)
  func flags(flags: UInt8) {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0D, 0, [0x01]))
    controller.expect([0x18, flags], gives: error(0x18, 0, .invalidPDU))
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [[0x01]])
  }

  @Test("Prepare Write checks handle and permission, but not offset and length")
  func checks() {
    let controller = connectedController()
    controller.expect(prepare(0x00, 0, [0x01]), gives: error(0x16, 0x00, .invalidHandle))
    controller.expect(prepare(0x1C, 0, [0x01]), gives: error(0x16, 0x1C, .invalidHandle))
    controller.expect(prepare(0x03, 0, [0x01]), gives: error(0x16, 0x03, .writeNotPermitted))
    expectEcho(controller, prepare(0x0D, 0xFFFF, [0x01]))
    controller.expect(execute, gives: error(0x18, 0x0D, .invalidOffset))
  }

  @Test("Execute Write passes the application's refusal on, and empties the queue")
  func refusal() {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0D, 0, [0x01]))
    controller.host.server.application.refusal = .unlikelyError
    controller.expect(execute, gives: error(0x18, 0x0D, .unlikelyError))
    controller.host.server.application.refusal = nil
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [])
  }

  @Test("A part that the application refuses is not queued; earlier parts stay")
  func partRefused() {
    let controller = connectedController()
    expectEcho(controller, prepare(0x0D, 0, [0x01]))
    controller.host.server.application.preparing = .error(.insufficientEncryption)
    controller.expect(
      prepare(0x0D, 1, [0x02]), gives: error(0x16, 0x0D, .insufficientEncryption))
    // The application is not asked about a configuration.
    expectEcho(controller, prepare(0x0E, 0, [0x01, 0x00]))
    controller.host.server.application.preparing = nil
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [[0x01]])
  }

  @Test("A deferred part is queued when the application accepts it")
  func partPutOff() {
    let controller = connectedController()
    controller.host.server.application.preparing = .later
    #expect(controller.exchange(prepare(0x0D, 0, [0x01])) == [])
    controller.host.server.application.preparing = nil
    controller.resume()
    #expect(controller.pdus() == [[0x17] + prepare(0x0D, 0, [0x01]).dropFirst()])
    controller.expect(execute, gives: [0x19])
    #expect(controller.writes == [[0x01]])
  }

  @Test("Each central has its own prepare queue")
  func perConnection() {
    let controller = connectedController()
    controller.connect(0x41)
    expectEcho(controller, prepare(0x0D, 0, [0x01]))
    expectEcho(controller, prepare(0x0D, 0, [0x02]), on: 0x41)
    controller.expect(execute, gives: [0x19], on: 0x41)
    #expect(controller.writes == [[0x02]])
  }
}
