import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

@testable import eightball

extension PeripheralProgram: HostSide {}

@Suite("A peripheral of a file, on an air where time passes only as the test says")
struct PeripheralProgramTests {
  private func loaded(_ text: String) throws -> LoadedPeripheral {
    let (peripheral, errors) = PeripheralFile.read(Array(text.utf8))
    expect(errors, is: [])
    return LoadedPeripheral(try #require(peripheral))
  }

  /// What a central hears in ten minutes of the value at 0x0010, and what the program prints.
  private func tenMinutes(seed: UInt64) throws -> (heard: [[UInt8]], lines: [String]) {
    let bench = AirBench(seed: 8)
    var lines: [String] = []
    let printer = PeripheralPrinter(isJSON: true, print: { lines.append($0) })
    let sensor = bench.add(
      PeripheralProgram(
        try loaded(
          """
          a = service 1809
          a.b = characteristic 2A1E notify
          a.b.value = uint8 6, sint16e-2 36.60
          a.b.every = 1 s: walk 35 to 40 by 0.05
          """), address: .automatic, seed: seed, printer: printer))
    sensor.host.radioIsReady(at: bench.now)
    let central = try bench.connectedCentral(to: sensor.controller.address)
    _ = central.host.perform(
      .subscribe(AttributeHandle(rawValue: 0x0011), .notification), at: 0)
    try bench.run(for: 600_000)
    sensor.host.turnEnded(at: bench.now)
    let heard = central.host.client.application.events.compactMap { event -> [UInt8]? in
      if case .notified(0, AttributeHandle(rawValue: 0x0010), let value) = event {
        value
      } else {
        nil
      }
    }
    return (heard, lines)
  }

  @Test("Ten minutes have the same values for the same seed, and others for another")
  func sameSeed() throws {
    let first = try tenMinutes(seed: 1)
    let again = try tenMinutes(seed: 1)
    let other = try tenMinutes(seed: 2)
    // The first second passes while the central connects.
    expect((599...600).contains(first.heard.count), "\(first.heard.count) values")
    expect(first.heard, is: again.heard)
    expect(first.lines, is: again.lines)
    expect(first.heard != other.heard)
    for value in first.heard {
      let hundredths = Int(value[1]) | Int(value[2]) << 8
      expect(value.count == 3 && value[0] == 6 && (3_500...4_000).contains(hundredths))
    }
  }

  @Test(
    "A timeline goes on to its next number",
    arguments: [
      ("ramp 1 to 6 by 2", ["1", "3", "5", "1"]),
      ("ramp 0.5 to 1 by 0.25", ["0.5", "0.75", "1", "0.5"]),
      ("list 4, 2", ["4", "2", "4", "2"]), ("constant", ["9", "9", "9", "9"]),
      ("csv beats.csv rate", ["7", "8", "7", "8"]), ("csv beats.csv 2", ["7", "8", "7", "8"]),
    ])
  func timelines(text: String, numbers: [String]) throws {
    var value = try ValueField.fields("uint8 1, uint16e-2 9, text \"s\"")
    let timeline = try Timeline("250 ms: \(text)", of: value)
    expect(timeline.field, is: 2)
    var column: [DecimalNumber] = []
    if case .csv(let file, let name) = timeline.course {
      column = try CSVColumn.numbers(
        in: Array("time, rate\r\n0, 7\r\n1, 8\r\n".utf8), name, of: file, timeline, value)
    }
    let start = Instant(rawValue: 0)
    var running = RunningTimeline(timeline, at: 0x10, column: column, from: start, seed: 8)
    var found: [String] = []
    for number in 1...4 as ClosedRange<UInt32> {
      expect(running.due, is: start.advanced(by: number * 250))
      running.advance(&value)
      if case .number(let number, _) = value[1] { found.append(number.text) }
    }
    expect(found, is: numbers)
  }
}
