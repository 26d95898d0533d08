import BallTestSupport
import BluetoothHost
import Expectations
import VirtualRadio

@testable import eightball

extension ScanProgram: HostSide {}

private let weather = """
  name = Weather
  periodic = 100 ms: weather.humidity, weather.temperature, own.count
  weather = service 181A
  weather.temperature = characteristic 2A6E read notify
  weather.temperature.value = sint16e-2 20
  weather.temperature.every = 1 s: list 21, 22
  weather.humidity = characteristic 2A6F read notify
  weather.humidity.value = uint16 5000
  own = service 00112233445566778899AABBCCDDEEFF
  own.count = characteristic 2A58 read write
  own.count.value = uint8 7
  """

/// The program's lines, without what differs from run to run.
private final class Lines {
  var all: [String] = []
  func take() -> [String] {
    defer { all = [] }
    return all
  }
}

@Suite("Values that a peripheral of a file broadcasts")
struct PeripheralTrainTests {
  private let bench = AirBench(seed: 8)

  private func loaded(_ text: String) throws -> LoadedPeripheral {
    let (peripheral, errors) = PeripheralFile.read(Array(text.utf8))
    expect(errors, is: [])
    return LoadedPeripheral(try #require(peripheral))
  }

  private func sensor(
    _ configuration: ControllerConfiguration = .init(), lines: Lines
  ) throws -> AirDevice<PeripheralProgram> {
    let sensor = bench.add(
      PeripheralProgram(
        try loaded(weather), address: .automatic, seed: 1,
        printer: PeripheralPrinter(isJSON: true, print: { lines.all.append($0) })),
      on: bench.air.addController(configuration: configuration))
    sensor.host.radioIsReady(at: bench.now)
    return sensor
  }

  private func scan(_ target: String, isJSON: Bool, _ lines: Lines) -> AirDevice<ScanProgram> {
    let scan = bench.add(
      ScanProgram(
        duration: nil, address: .public, printer: ScanPrinter(isJSON: isJSON),
        follower: TrainFollower(
          of: CentralTarget(target), isJSON: isJSON, print: { lines.all.append($0) },
          note: { lines.all.append("(\($0))") })))
    scan.host.radioIsReady(at: bench.now)
    return scan
  }

  @Test("The field has a time and labels, and each wrong one an error")
  func field() throws {
    let peripheral = try loaded(weather).peripheral
    expect(peripheral.train?.interval, is: 100)
    expect(peripheral.fileText.contains("periodic = 100 ms: weather.humidity, weather.temp"))
    // 80 × 1.25 ms.
    expect(peripheral.train?.parameters, is: PeriodicTrain(interval: 80...80))
    let wrong: [(String, String)] = [
      ("", "a time, a colon and labels, such as 1 s: weather.temperature, not nothing"),
      ("1 s", "a time, a colon and labels, such as 1 s: weather.temperature, not \"1 s\""),
      ("7 ms: a.b", "a time from 8 ms to 81.918 s, not \"7 ms: a.b\""),
      ("82 s: a.b", "a time from 8 ms to 81.918 s, not \"82 s: a.b\""),
      ("1 s:", "the label of a characteristic, not \"\""),
      ("1 s: a", "the label of a characteristic, not \"a\""),
      ("1 s: a.c", "the label of a characteristic, not \"a.c\""),
      ("1 s: a.b, a.b", "each label once"),
      ("1 s: a.d", "values that take at most 252 bytes together, not 253"),
    ]
    for (value, message) in wrong {
      let text = """
        a = service 180D
        a.b = characteristic 2A37 notify
        a.d = characteristic 2A38 read
        a.d.value = text "\(String(repeating: "x", count: 249))"
        periodic = \(value)
        """
      expect(
        PeripheralFile.read(Array(text.utf8)).1.map(\.text),
        is: ["periodic: expected \(message)"], "\(value)")
    }
  }

  @Test("A follower gets each value without a connection, for people and for programs")
  func follows() throws {
    let (own, people, programs) = (Lines(), Lines(), Lines())
    let sensor = try sensor(lines: own)
    _ = scan("Weather", isJSON: false, people)
    _ = scan("F0:00:00:00:00:01", isJSON: true, programs)
    try bench.run(for: 400)
    // 5000, then 2000, least significant byte first; the services in the file's order.
    let line = "−50 dBm  181A Environmental Sensing: 88 13 D0 07; "
    let own128 = "00112233-4455-6677-8899-AABBCCDDEEFF: 07"
    expect(
      people.take().prefix(2), is: ["(Following “Weather”, every 100 ms on 1M.)", line + own128])
    let objects = programs.take()
    expect(
      objects.first,
      is: #"{"event":"following","name":"Weather","address":"F0:00:00:00:00:01","interval":100,"#
        + #""phy":"1M"}"#)
    expect(
      objects.last,
      is: #"{"event":"periodic","address":"F0:00:00:00:00:01","rssi":-50,"complete":true,"#
        + #""services":["181A","00112233-4455-6677-8899-AABBCCDDEEFF"],"#
        + #""values":["8813D007","07"],"#
        + #""data":"07161A188813D0071221FFEEDDCCBBAA9988776655443322110007"}"#)
    try bench.run(for: 1_000)
    expect(people.all.last, is: "−50 dBm  181A Environmental Sensing: 88 13 34 08; " + own128)
    expect(own.all.filter { $0.contains("connected") }, is: [])
    expect(sensor.host.host.connectionCount, is: 0)
  }

  @Test("A value that is too long to be broadcast keeps its last one there, and a line says so")
  func tooLong() throws {
    let (own, people) = (Lines(), Lines())
    let sensor = try sensor(lines: own)
    _ = scan("Weather", isJSON: false, people)
    try bench.run(for: 400)
    let central = try bench.connectedCentral(to: sensor.controller.address)
    // GAP has 5 attributes and GATT 8, the first service has 7, and the second the value at its third.
    let count = AttributeHandle(rawValue: 0x0017)
    func write(_ value: [UInt8]) throws {
      central.host.client.application.values[0] = value
      _ = central.host.perform(.write(count, byteCount: value.count), at: 0)
      try bench.run(for: 1_500)
      sensor.host.turnEnded(at: bench.now)
    }
    let last = { people.all.last?.split(separator: ";").last.map(String.init) }
    let uuid = " 00112233-4455-6677-8899-AABBCCDDEEFF: "
    try write([8])
    expect(last(), is: uuid + "08")
    let line = #"{"event":"unbroadcast","characteristic":"own.count"}"#
    expect(own.take().filter { $0 == line }, is: [])
    try write(Array(repeating: 9, count: 240))
    expect(last(), is: uuid + "08")
    expect(own.take().filter { $0 == line }, is: [line])
    // The other values go on to change.
    let values = Set(people.take().map { $0.split(separator: ";")[0] })
    expect(values.count > 1, "\(values)")
    try write([10])
    expect(last(), is: uuid + "0A")
    expect(own.take().filter { $0 == line }, is: [])
  }

  @Test("A lost train is found again")
  func lost() throws {
    let (own, people) = (Lines(), Lines())
    let sensor = try sensor(lines: own)
    let scan = scan("Weather", isJSON: false, people)
    try bench.run(for: 400)
    _ = people.take()
    bench.air.setSignalStrength(nil, from: sensor.controller, to: scan.controller)
    try bench.run(for: 2_000)
    expect(people.take(), is: ["(Lost “Weather”. Looking for it…)"])
    bench.air.setSignalStrength(-60, from: sensor.controller, to: scan.controller)
    try bench.run(for: 1_000)
    expect(people.take().first, is: "(Following “Weather”, every 100 ms on 1M.)")
    // The follower's own controller fails.
    scan.controller.fail(hardwareCode: 1)
    try bench.run(for: 1_000)
    expect(
      people.all.filter { $0.hasPrefix("(") },
      is: ["(Lost “Weather”. Looking for it…)", "(Following “Weather”, every 100 ms on 1M.)"])
    scan.host.interrupt(at: bench.now)
    try bench.settle()
    expect(scan.host.isFinished && scan.host.hasFollowed)
  }

  @Test("A controller without periodic advertising is an error for both sides")
  func unsupported() throws {
    let plain = ControllerConfiguration(supportsPeriodicAdvertising: false)
    let (own, people) = (Lines(), Lines())
    _ = try sensor(plain, lines: own)
    try bench.run(for: 1_000)
    expect(own.all.count { $0.contains("The controller has no periodic advertising") }, is: 1)
    let scan = bench.add(
      ScanProgram(
        duration: nil, address: .public, printer: ScanPrinter(isJSON: false),
        follower: TrainFollower(of: CentralTarget("Weather"), isJSON: false)),
      on: bench.air.addController(configuration: plain))
    scan.host.radioIsReady(at: bench.now)
    try bench.settle()
    expect(scan.host.failure?.reason, is: "the controller has no periodic advertising")
    expect(people.all, is: [])
  }

  @Test(
    "Data of a train is shown by its services, and otherwise by its types",
    arguments: [
      ([], "empty"), ([4, 0x16, 0x0F, 0x18, 99], "180F Battery: 63"),
      ([2, 0x09, 0x41, 3, 0x16, 0x0F, 0x18], "type 0x09: 41; 180F Battery: "),
      ([9, 0x16, 1], "09 16 01"), ([2, 0x16, 1], "type 0x16: 01"),
      ([6, 0x20, 1, 0, 2, 0, 5], "00020001-0000-1000-8000-00805F9B34FB: 05"),
    ] as [([UInt8], String)])
  func shown(data: [UInt8], text: String) { expect(TrainData(data).text, is: text) }
}
