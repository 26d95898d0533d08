import BluetoothHost
import EightBall
import LinuxRadio
import Testing

@testable import LinuxBoard

@Suite("What a ball prints of a central that floods it")
struct BallOutputTests {
  @Test("1,000 refused statements are printed up to the limit; the count follows in a second")
  func refusals() {
    let bench = Bench()
    bench.connect(0x40, at: 0)
    for _ in 0..<1_000 { bench.say("No.", on: 0x40, at: 500) }
    // The connection and 499 statements are the burst of 500.
    #expect(bench.lines == ["connected 40"] + [String](repeating: "refused 40", count: 499))
    // The second began with the connection.
    #expect(bench.deadline == Instant(rawValue: 1_000))
    bench.wait(until: 999)
    #expect(bench.lines.count == 500)
    bench.wait(until: 1_000)
    #expect(bench.lines.suffix(1) == ["omitted 501 of 40 at 0"])
    #expect(bench.deadline != Instant(rawValue: 1_000))
    bench.say("No.", on: 0x40, at: 1_001)
    #expect(bench.lines.suffix(1) == ["refused 40"])
  }

  @Test("A link's count comes before its end, and another central's lines come whole")
  func end() {
    let bench = Bench()
    bench.connect(0x40, at: 0)
    bench.connect(0x41, at: 0)
    for _ in 0..<600 { bench.say("No.", on: 0x40, at: 1) }
    bench.say("Is it me?", on: 0x41, at: 2)
    bench.disconnect(0x40, at: 3)
    #expect(
      bench.lines.suffix(3) == ["asked 41", "omitted 101 of 40 at 0", "disconnected 40"])
  }

  @Test("Events that the observer does not print are not counted")
  func unprinted() {
    let bench = Bench()
    bench.connect(0x40, at: 0)
    for number in 0..<1_000 { bench.subscribe(number % 2 == 0, on: 0x40, at: 1) }
    bench.say("No.", on: 0x40, at: 2)
    #expect(bench.lines == ["connected 40", "refused 40"])
  }

  @Test("When the program ends, what is not yet counted is")
  func programEnd() {
    let bench = Bench()
    for _ in 0..<300 {
      bench.connect(0x40, at: 0)
      bench.disconnect(0x40, at: 0)
    }
    #expect(bench.lines.count == 500)
    bench.ball.reportOmissions()
    #expect(bench.lines.suffix(2) == ["disconnected 40", "omitted 100 of 40 at 0"])
  }
}

/// A ball on a controller that carries out every command at once; links and time are given.
private final class Bench {
  var ball: BallProgram<Printer>
  var lines: [String] { ball.observer.lines }
  var deadline: Instant? { ball.deadline }

  init() {
    ball = BallProgram(
      configuration: HostConfiguration(
        name: DeviceName(StaticText("Test Ball")), service: .ballService, address: .public),
      seed: 8, style: .text, observer: Printer())
    ball.radioIsReady(at: Instant(rawValue: 0))
    turn(at: 0)
  }

  /// A central whose address ends in the handle connects. LE Connection Complete, Core
  /// Specification, Vol 4, Part E, 7.7.65.1: an interval of 30 ms, a time-out of 720 ms.
  func connect(_ handle: UInt8, at now: UInt64) {
    receive(
      [
        0x04, 0x3E, 0x13, 0x01, 0x00, handle, 0x00, 0x01, 0x01, handle, 0, 0, 0, 0, 0xC0,
        0x18, 0x00, 0x00, 0x00, 0x48, 0x00, 0x00,
      ], at: now)
  }

  /// Disconnection Complete, Core Specification, Vol 4, Part E, 7.7.5.
  func disconnect(_ handle: UInt8, at now: UInt64) {
    receive([0x04, 0x05, 0x04, 0x00, handle, 0x00, 0x13], at: now)
  }

  /// A Write Command to Question.
  func say(_ text: String, on handle: UInt8, at now: UInt64) {
    write([0x52, 0x1D, 0x00] + Array(text.utf8), on: handle, at: now)
  }

  /// A Write Request to the CCCD of Answer.
  func subscribe(_ isOn: Bool, on handle: UInt8, at now: UInt64) {
    write([0x12, 0x20, 0x00, isOn ? 1 : 0, 0], on: handle, at: now)
  }

  func wait(until now: UInt64) {
    turn(at: now)
  }

  private func write(_ pdu: [UInt8], on handle: UInt8, at now: UInt64) {
    let count = UInt8(pdu.count)
    receive([0x02, handle, 0x20, count + 4, 0, count, 0, 0x04, 0] + pdu, at: now)
  }

  private func receive(_ packet: [UInt8], at now: UInt64) {
    ball.receive(packet.span, at: Instant(rawValue: now))
    turn(at: now)
  }

  /// A turn of the loop, in which the controller takes and answers all that the ball sends.
  private func turn(at now: UInt64) {
    let now = Instant(rawValue: now)
    ball.advance(to: now)
    var storage = [UInt8](repeating: 0, count: 1_024)
    while true {
      var writer = ByteWriter(storage.mutableSpan)
      guard ball.nextPacket(into: &writer, at: now) else { break }
      ball.receive(Self.reply(to: storage).span, at: now)
    }
    ball.turnEnded()
  }

  private static func reply(to packet: [UInt8]) -> [UInt8] {
    // Number Of Completed Packets, or Command Complete.
    guard packet[0] == 0x01 else { return [0x04, 0x13, 5, 1, packet[1], 0, 1, 0] }
    let result: [UInt8] =
      switch (packet[2], packet[1]) {
      // Read BD_ADDR; LE Read Buffer Size; LE Read Local Supported Features.
      case (0x10, 0x09): [0, 0x0A, 0, 0, 0, 0, 0xF0]
      case (0x20, 0x02): [0, 0x00, 0x04, 8]
      case (0x20, 0x03): [UInt8](repeating: 0, count: 9)
      default: [0]
      }
    return [0x04, 0x0E, UInt8(3 + result.count), 1, packet[1], packet[2]] + result
  }
}

/// Keeps a line for each event but the radio's, and has none for subscriptions.
private struct Printer: BallObserver {
  var lines: [String] = []

  mutating func radioWasLost(_ error: RadioError) {}

  mutating func ball(
    _ own: DeviceAddress, did event: BallEvent, with central: DeviceAddress?,
    question: Span<UInt8>
  ) {
    switch event {
    case .connected: lines.append("connected" + name(central))
    case .disconnected: lines.append("disconnected" + name(central))
    case .asked: lines.append("asked" + name(central))
    case .refused: lines.append("refused" + name(central))
    case .radio, .subscribed, .answered, .missed: break
    }
  }

  func prints(_ event: BallEvent) -> Bool {
    if case .subscribed = event { false } else { true }
  }

  mutating func ball(didOmit count: Int, at place: Int, of central: DeviceAddress?) {
    lines.append("omitted \(count) of\(name(central)) at \(place)")
  }

  private func name(_ central: DeviceAddress?) -> String {
    central.map { " " + String($0.bytes[0], radix: 16) } ?? " several"
  }
}
