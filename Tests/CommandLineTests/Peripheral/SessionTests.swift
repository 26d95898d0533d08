import BluetoothHost
import Expectations
import Linux
import LinuxRadio
import VirtualRadio

@testable import eightball

extension SessionStep: Equatable {
  /// Whether the file has the same text for both.
  public static func == (left: SessionStep, right: SessionStep) -> Bool {
    left.fileText == right.fileText
  }
}

@Suite("A session that is recorded and replayed, on an air where time passes only as the test says")
struct SessionTests {
  /// Lines of a program.
  private final class Output {
    var lines: [String] = []
  }

  /// The packets of a radio as a transcript, and all of them as bytes.
  private final class Tap {
    var transcript = Transcript()
    var bytes: [UInt8] = []

    func watch<Side: HostSide & ~Copyable>(_ device: AirDevice<Side>, on bench: AirBench) {
      device.onPacket = { [unowned self, unowned bench] packet, direction in
        transcript.note(packet, direction, at: bench.now.rawValue * 1_000)
        // Eight bytes of the time, one of the direction, and the packet.
        for shift in 0..<8 {
          bytes.append(UInt8(truncatingIfNeeded: bench.now.rawValue >> UInt64(shift * 8)))
        }
        bytes.append(direction == .sent ? 1 : 0)
        bytes += [UInt8](packet)
      }
    }
  }

  private static let pulse = """
    name = Pulse
    address = C0:00:00:00:00:01
    pulse = service 180D
    pulse.rate = characteristic 2A37 notify
    pulse.rate.value = uint8 0, uint8 60
    pulse.rate.every = 1 s: ramp 60 to 100 by 1
    battery = service 180F
    battery.level = characteristic 2A19 read
    battery.level.value = uint8 100
    battery.level.every = 10 s: ramp 0 to 100 by 1
    """

  private static func peripheral(_ text: String) -> PeripheralDescription {
    let (peripheral, errors) = PeripheralFile.read(Array(text.utf8))
    expect(errors, is: [])
    return peripheral ?? PeripheralDescription()
  }

  /// An hour of a central that subscribes, and reads the battery each minute.
  ///
  /// - Returns: What the peripheral's radio exchanged, and what its program printed.
  private func hour(
    of peripheral: PeripheralDescription, replays: Bool
  ) throws -> (tap: Tap, lines: [String]) {
    let bench = AirBench(seed: 8)
    let tap = Tap()
    let output = Output()
    let device = bench.add(
      PeripheralProgram(
        LoadedPeripheral(peripheral), address: .automatic, seed: 8,
        printer: PeripheralPrinter(isJSON: true, print: { output.lines.append($0) }),
        replays: replays),
      on: bench.air.addController(address: Self.address(1)))
    tap.watch(device, on: bench)
    device.host.radioIsReady(at: bench.now)
    let central = bench.add(
      GATTProgram(
        CentralTarget("C0:00:00:00:00:01"), [], limits: CentralLimits(), pairs: false,
        address: .public, bonds: KeptBonds(),
        printer: GATTPrinter(isJSON: true, print: { _ in }, note: { _ in })),
      on: bench.air.addController(address: Self.address(2)))
    central.host.radioIsReady(at: bench.now)
    func type(_ line: String) throws {
      expect(try bench.run(for: 5_000) { central.host.wantsInput })
      central.host.take(Array(line.utf8), at: bench.now)
    }
    try type("discover")
    try type("subscribe 2A37")
    for _ in 0..<60 {
      try type("read 2A19")
      try bench.run(for: 60_000)
      device.host.turnEnded(at: bench.now)
    }
    expect(try bench.run(for: 5_000) { central.host.wantsInput })
    central.host.take(nil, at: bench.now)
    expect(try bench.run(for: 5_000) { central.host.isFinished })
    try bench.settle()
    device.host.turnEnded(at: bench.now)
    if replays { expect(device.host.script?.hasDifferences, is: false) }
    return (tap, output.lines)
  }

  private static func address(_ number: UInt8) -> DeviceAddress {
    DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0])
  }

  @Test(
    "An hour is recorded, and its replay has the same values at the same times, twice the same bytes"
  )
  func hour() throws {
    let original = try hour(of: Self.peripheral(Self.pulse), replays: false)
    let record = try SessionRecord(original.tap.transcript, with: nil)
    expect(record.warnings, is: [])
    let steps = record.description.steps
    expect(steps.count { $0.action == .read }, is: 60)
    expect((3_595...3_605).contains(steps.count { $0.action == .notify }))
    let text = record.description.fileText
    let recorded = Self.peripheral(text)
    expect(recorded.fileText == text)
    expect(
      PeripheralDatabase(recorded).hash, is: PeripheralDatabase(Self.peripheral(Self.pulse)).hash)

    let first = try hour(of: recorded, replays: true)
    let second = try hour(of: recorded, replays: true)
    expect(first.tap.bytes == second.tap.bytes && first.lines == second.lines)
    let replayed = try SessionRecord(first.tap.transcript, with: nil)
    expect(replayed.description.steps == steps)
  }

  @Test("What a central does otherwise has its kind, and each step its response in any order")
  func differences() throws {
    let steps = try [
      "at 0 s: connect", "at 0.1 s: read a.b, answer hex 01",
      "at 0.2 s: write a.c hex 01, after 5 ms",
      "at 0.5 s: notify a.b hex 07", "at 0.6 s: read a.b, answer error 0x80", "at 0.7 s: drop",
      "at 2 s: connect", "at 2.1 s: subscribe a.b notify",
    ].map { try SessionStep($0[...]) }
    var script = SessionScript(steps)
    func time(_ milliseconds: UInt64) -> Instant { Instant(rawValue: milliseconds) }
    func kind(_ result: (step: SessionStep?, difference: SessionDifference?)) -> String {
      "\(result.difference.map { $0.kind.rawValue } ?? "same") \(result.step?.time ?? 0)"
    }
    script.connected(at: time(1_000))
    expect(script.deadline, is: nil)
    // The write was after the read.
    expect(kind(script.perform(.write, "a.c", [1], at: time(1_050))), is: "order 200")
    expect(kind(script.perform(.read, "a.b", at: time(1_060))), is: "same 100")
    expect(kind(script.perform(.writeCommand, "a.c", [1], at: time(1_070))), is: "extra 0")
    // 300 ms and 500 ms after the write.
    expect(script.deadline, is: time(1_350))
    expect(script.takeDue(at: time(1_349)) == nil)
    expect(script.takeDue(at: time(1_350))?.value, is: [7])
    expect(script.deadline, is: time(1_550))
    expect(kind(script.perform(.read, "a.b", at: time(1_400))), is: "same 600")
    // The last one again.
    expect(kind(script.perform(.read, "a.b", at: time(1_410))), is: "extra 600")
    expect(script.takeDue(at: time(1_550))?.action, is: .drop)
    expect(script.disconnected() == nil)
    script.connected(at: time(3_000))
    expect(kind(script.perform(.subscribe, "a.b", [2], at: time(3_010))), is: "value 2100")
    script.connected(at: time(4_000))
    let missing = script.disconnected()
    expect(missing?.kind, is: .missing)
    expect(missing?.expected, is: "read a.b")
    expect(missing?.missing, is: 3)
    expect([script.counts.same, script.counts.different, script.counts.missing], is: [2, 4, 3])
  }

  @Test("A step has one text, and each wrong one an error")
  func texts() throws {
    for text in [
      "at 0.000 s: connect", "at 4294967.295 s: drop", "at 0.250 s: subscribe a.b notify indicate",
      "at 1.000 s: read a.b, answer hex 00 48, after 30 ms",
      "at 1.000 s: read a.b, answer error 0x80, after 1 s",
      "at 1.000 s: write a.b text \"one, two: 3\", after 30 ms",
      "at 1.000 s: write a.b empty, answer error 0x0D",
      "at 1.000 s: notify a.b.c empty",
    ] {
      expect(try SessionStep(text[...]).fileText, is: text)
    }
    let file = """
      a = service 180A
      a.b = characteristic 2A29 read
      step = at 1 s: read a.b
      step = at 1 s: connect
      step = at 0.5 s: read a.b
      step = at 2 s: read a.c
      step = 3 s: read a.b
      step = at 3 s: reed a.b
      step = at 3 s: notify a.b
      step = at 3 s: read a.b, answer error 0
      step = at 3 s: drop
      step = at 4 s: read a.b
      """
    let errors = PeripheralFile.read(Array(file.utf8)).1
    expect(errors.map(\.line), is: [3, 5, 6, 7, 8, 9, 10, 12])
    expect(
      errors.last?.text,
      is: "step: expected connect after drop, such as at 4 s: connect, not \"at 4 s: read a.b\"")
    expect(
      errors.first?.text,
      is:
        "step: expected connect as the first step, such as at 0 s: connect, not \"at 1 s: read a.b\""
    )
  }

  @Test("Captures of Android, of btmon and without types have the same packets, with their times")
  func captures() throws {
    // A Read BD_ADDR command and its Command Complete event.
    let command: [UInt8] = [0x09, 0x10, 0x00]
    let event: [UInt8] = [0x0E, 0x0A, 1, 0x09, 0x10, 0, 1, 2, 3, 4, 5, 6]
    func number(_ number: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
    func file(_ form: UInt32, _ records: [(flags: UInt32, bytes: [UInt8])]) -> [UInt8] {
      records.reduce(Array("btsnoop\0".utf8) + number(1) + number(form)) { file, record in
        let count = number(UInt32(record.bytes.count))
        return file + count + count + number(record.flags) + number(0) + number(1) + number(7)
          + record.bytes
      }
    }
    func packets(_ file: [UInt8]) throws -> ([CaptureReader.Packet], losses: UInt32) {
      var reader = try CaptureReader(file)
      var packets: [CaptureReader.Packet] = []
      while let packet = reader.next() { packets.append(packet) }
      return (packets, reader.losses)
    }
    let forms: [(UInt32, [(UInt32, [UInt8])])] = [
      (1_001, [(2, command), (3, event)]), (1_002, [(2, [1] + command), (3, [4] + event)]),
      // New Index comes first.
      (2_001, [(0, [0]), (2, command), (3, event)]),
    ]
    for (form, records) in forms {
      let (read, losses) = try packets(file(form, records))
      expect(read.map(\.bytes), is: [[1] + command, [4] + event], "form \(form)")
      expect(read.map(\.direction), is: [.sent, .received])
      expect(read.map(\.time), is: [1 << 32 | 7, 1 << 32 | 7])
      expect(losses, is: 0)
      // A file that is cut short has its whole records.
      let cut = try packets(Array(file(form, records).dropLast()))
      expect(cut.0.count, is: 1)
      expect(cut.losses, is: 1)
      let transcript = Transcript(try CaptureReader(Array(file(form, records).dropLast())))
      expect(
        transcript.warning(about: "steps"), is: "The capture lacks 1 packet: steps may be missing.")
      expect(
        Transcript(try CaptureReader(file(form, records))).warning(about: "steps"), is: nil)
    }
  }
}
