import BluetoothHost
import Expectations
import Glibc
import Linux
import Testing

@testable import BlueZ

/// What a `DBusOutput` sends, without the lines that begin the connection.
private func sent(_ body: (inout DBusOutput) -> Void) throws -> [UInt8] {
  guard var output = DBusOutput() else { throw ErrorNumber.outOfMemory }
  body(&output)
  let bytes = output.unsent
  return bytes.indices.map { bytes[$0] }
}

/// An input behind the lines that begin the connection.
private func input() throws -> DBusInput {
  guard var input = DBusInput() else { throw ErrorNumber.outOfMemory }
  input.receive(Array("OK 0123\r\nAGREE_UNIX_FD\r\n".utf8).span)
  return input
}

private let call = DBusMember("org.bluez.GattManager1", "RegisterApplication")

private func register(_ output: inout DBusOutput) {
  output.call(
    call, on: Array("/org/bluez/hci0".utf8).span, of: Array("org.bluez".utf8).span, tag: 7,
    at: Instant(rawValue: 0), timeout: 100, signature: "oa{sv}"
  ) {
    $0.write("/gatt")
    let options = $0.beginArray(alignedTo: 8)
    $0.beginProperty("Answer", "q")
    $0.write(UInt16(42))
    $0.endArray(options)
  }
}

struct DBusTests {
  @Test("a message is read as it was written, in one part or in many", arguments: [1, 7, 4_096])
  func roundTrip(step: Int) throws {
    let bytes = try sent { register(&$0) }
    var input = try input()
    var position = 0
    while position < bytes.count {
      expect(try input.next() == nil)
      let end = min(position + step, bytes.count)
      input.receive(Array(bytes[position..<end]).span)
      position = end
    }
    guard let message = try input.next() else { return expect(false) }
    expect(message.kind == .call)
    expect(message.isOf(call))
    expect(message.path.equals("/org/bluez/hci0"))
    expect(message.signature.equals("oa{sv}"))
    var body = message.body
    expect(body.readText()?.equals("/gatt") ?? false)
    guard var options = body.readArray(alignedTo: 8) else { return expect(false) }
    expect(options.enterStructure())
    expect(options.readText()?.equals("Answer") ?? false)
    expect(options.readVariant()?.uint16, is: 42)
    expect(options.isEmpty && body.isEmpty)
  }

  @Test("a message that is cut at any length, with a right length in its header, is no message")
  func truncation() throws {
    let bytes = try sent { register(&$0) }
    for count in 16..<bytes.count {
      // The length of the body loses what is cut, as long as it has that much.
      var cut = Array(bytes[..<count])
      let body = Int(cut[4]) - (bytes.count - count)
      guard body >= 0 else { break }
      cut[4] = UInt8(body)
      guard let message = DBusMessage(cut.span) else { continue }
      var reader = message.body
      let isWhole = reader.readText() != nil && reader.readArray(alignedTo: 8) != nil
      expect(!isWhole)
    }
    for count in 0..<bytes.count { expect(DBusMessage(Array(bytes[..<count]).span) == nil) }
  }

  @Test(
    "a variant has exactly one complete type",
    arguments: [
      "", "q(", "()", "a", "{sv}", "qq", "(q", "z", "a{}", String(repeating: "a", count: 80) + "q",
    ])
  func wrongTypes(signature: String) {
    var bytes = [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]
    bytes += [UInt8](repeating: 0, count: 64)
    var reader = DBusReader(bytes.span)
    expect(reader.readVariant() == nil)
  }

  @Test("variants in variants end at the depth of 64")
  func depth() {
    let nested: [UInt8] = [1, UInt8(ascii: "v"), 0]
    for (count, isRead) in [(10, true), (100, false)] {
      var bytes: [UInt8] = []
      for _ in 0..<count { bytes += nested }
      bytes += [1, UInt8(ascii: "y"), 0, 5]
      var reader = DBusReader(bytes.span)
      expect((reader.readVariant() != nil) == isRead)
    }
  }

  @Test("a text ends with a zero, and within the message")
  func texts() {
    for bytes: [UInt8] in [
      [1, 0, 0, 0, 65], [1, 0, 0, 0, 65, 1], [9, 0, 0, 0, 65, 0], [255, 255, 255, 255, 0],
    ] {
      var reader = DBusReader(bytes.span)
      expect(reader.readText() == nil)
    }
  }

  @Test("a message that is too long is skipped, and the next one is read")
  func longMessage() throws {
    var input = try input()
    let length = DBusInput.capacity
    var header = try sent { register(&$0) }
    header = Array(header[..<16])
    for index in 0..<4 { header[4 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
    header[12] = 0
    input.receive(header.span)
    expect(try input.next() == nil)
    let part = [UInt8](repeating: 0xAA, count: 0x10_0000)
    for _ in 0..<length / part.count {
      input.receive(part.span)
      expect(try input.next() == nil)
    }
    let next = try sent { register(&$0) }
    input.receive(next.span)
    expect(try input.next() != nil)
  }

  @Test(
    "the beginning of a connection is checked",
    arguments: [
      ("REJECTED EXTERNAL\r\n", DBusInput.StreamError.refused), ("HTTP/1.1 400\r\n", .invalid),
    ])
  func greeting(line: String, expected: DBusInput.StreamError) throws {
    guard var input = DBusInput() else { return expect(false) }
    input.receive(Array(line.utf8).span)
    do throws(DBusInput.StreamError) {
      expect(try input.next() == nil)
      expect(false)
    } catch {
      expect(error, is: expected)
    }
  }

  @Test("a call without a reply in time is overdue once, and its reply is ignored then")
  func overdue() throws {
    guard var output = DBusOutput() else { return expect(false) }
    register(&output)
    expect(output.deadline, is: Instant(rawValue: 100))
    expect(output.takeOverdueCall(at: Instant(rawValue: 99)), is: nil)
    expect(output.takeOverdueCall(at: Instant(rawValue: 100)), is: 7)
    expect(output.takeOverdueCall(at: Instant(rawValue: 200)), is: nil)
    expect(output.takeCall(1), is: nil)
  }

  @Test("no more than 64 calls wait for their replies")
  func limit() throws {
    guard var output = DBusOutput() else { return expect(false) }
    for number in 0..<65 {
      let isSent = output.callBus(.hello, tag: UInt32(number), at: Instant(rawValue: 0))
      expect(isSent == (number < 64))
    }
  }

  @Test(
    "the address of the bus",
    arguments: [
      ("unix:path=/run/bus", "/run/bus"), ("unix:path=/tmp/bus,guid=12", "/tmp/bus"),
      ("tcp:host=localhost", nil), ("unix:abstract=/tmp/bus", nil), ("unix:path=", nil),
    ])
  func address(text: String, path: String?) {
    let bytes = Array((text + "\0").utf8)
    let found = unsafe bytes.withUnsafeBufferPointer {
      let start = unsafe UnsafeRawPointer($0.baseAddress!).assumingMemoryBound(to: CChar.self)
      return SystemBus.path(unsafe ProgramText(c: start))
    }
    expect(
      found.map { String(decoding: $0.span.indices.map { found!.span[$0] }, as: UTF8.self) },
      is: path)
  }

  @Test(
    "A failure of the bus is not reported as one of bluetoothd",
    arguments: ["silence", "other bytes", "a refused Hello"])
  func faultyBus(fault: String) throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let bus = PortDescriptor(owning: ends[1])
    let start = Instant(rawValue: 1_000)
    var radio = try BlueZRadio(adapter: 0, on: PortDescriptor(owning: ends[0]), at: start)
    var bytes = Array("OK 0123456789abcdef\r\nAGREE_UNIX_FD\r\n".utf8)
    guard var output = DBusOutput() else { throw ErrorNumber.outOfMemory }
    switch fault {
    case "other bytes": bytes += [UInt8](repeating: 0x55, count: 64)
    case "a refused Hello":
      output.reply(
        to: 1, of: Array(":1.9".utf8).span, error: "org.freedesktop.DBus.Error.LimitsExceeded"
      ) { $0.write(text: "No") }
      bytes += output.unsent.indices.map { output.unsent[$0] }
    default: bytes = []
    }
    unsafe write(bus.number, bytes, bytes.count)
    var packet = [UInt8](repeating: 0, count: 64)
    var space = packet.mutableSpan
    _ = radio.read(into: &space, at: start.advanced(by: 5_000))
    expect(radio.failure, is: .remoteInputOutput)
  }
}
