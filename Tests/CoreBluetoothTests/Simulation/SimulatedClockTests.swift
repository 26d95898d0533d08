import BluetoothHost
import Expectations
import Foundation
import LinuxRadio

@testable import CoreBluetooth

/// Managers of both kinds in one process, on simulated time.
@Suite("A simulated clock")
struct SimulatedClockTests {
  @Test("an hour of notifications takes its time on the clock alone, and its packets are the same")
  func anHourIsRepeatable() async throws {
    let first = try await Pair.anHour(seed: 8)
    expect(first.values, is: (0..<360).map { "value A001 \($0)" })
    // 360 notifications, and the packets of two set-ups, a connection and a discovery.
    expect(first.packets.count > 360)
    let second = try await Pair.anHour(seed: 8)
    expect(second.packets == first.packets)
  }

  @Test("with packet loss nothing is lost, and the loss is the same again")
  func packetLoss() async throws {
    let first = try await Pair.anHour(seed: 8, packetLoss: 0.2)
    expect(first.values, is: (0..<359).map { "value A001 \($0)" })
    expect(try await Pair.anHour(seed: 8, packetLoss: 0.2).packets == first.packets)
  }

  @Test("a request without an answer ends the link after 30 s")
  func aRequestTimesOut() async throws {
    let pair = try await Pair(seed: 8)
    pair.sensor.onRead = { _, _ in }
    pair.peripheral.readValue(for: pair.characteristic)
    // Core Specification, Vol 3, Part F, 3.3.3: 30 s.
    await pair.clock.advance(by: .milliseconds(29_999))
    expect(pair.app.take(), is: [])
    await pair.clock.advance(by: .milliseconds(1))
    expect(
      pair.app.take(),
      is: [
        "value A001 -: CBError.connectionTimeout",
        "disconnected Sensor disconnected: CBError.connectionTimeout",
      ])
  }

  @Test("devices that answer each other without end do not stop it")
  func answersWithoutEnd() async throws {
    let pair = try await Pair(seed: 8)
    pair.sensor.answerReads { _ in Data("1".utf8) }
    let (peripheral, characteristic) = (pair.peripheral!, pair.characteristic!)
    pair.app.onLine = { _ in peripheral.readValue(for: characteristic) }
    let start = pair.clock.now
    peripheral.readValue(for: characteristic)
    await pair.clock.advance(by: .milliseconds(20))
    expect(pair.clock.now, is: start + .milliseconds(20))
    pair.app.onLine = nil
    expect(pair.app.take().count > 20)
  }

  @Test("a link ends by supervision timeout when its devices are out of range")
  func aLinkTimesOut() async throws {
    let pair = try await Pair(seed: 8)
    pair.clock.setSignalStrength(nil, from: pair.radios[0], to: pair.radios[1])
    await pair.clock.advance(by: .seconds(10))
    expect(pair.app.take(), is: ["disconnected Sensor disconnected: CBError.connectionTimeout"])
    // Back in range, the sensor advertises again.
    pair.clock.setSignalStrength(-70, from: pair.radios[0], to: pair.radios[1])
    pair.central.connect(pair.peripheral)
    await pair.clock.advance(by: .seconds(1))
    expect(pair.app.take(), is: ["connected Sensor connected"])
  }

  @Test("a radio that is closed leaves when the clock advances")
  func closing() async throws {
    let pair = try await Pair(seed: 8)
    pair.radios[0].close()
    expect(pair.app.take(), is: [])
    await pair.clock.settle()
    expect(
      pair.app.take(), is: ["disconnected Sensor disconnected: CBError.peripheralDisconnected"])
    expect(pair.publisher.state, is: .poweredOff)
  }
}

/// A sensor with one characteristic, and an app that has discovered it.
private final class Pair {
  let clock: CBSimulatedClock
  let radios: [CBRadio]
  let sensor = Log()
  let app = Log()
  let packets = PacketList()
  let publisher: CBPeripheralManager
  let central: CBCentralManager
  let value = CBMutableCharacteristic(
    type: CBUUID(string: "A001"), properties: [.notify, .read], value: nil,
    permissions: .readable)
  private(set) var peripheral: CBPeripheral! = nil
  private(set) var characteristic: CBCharacteristic! = nil

  init(seed: UInt64, packetLoss: Double? = nil) async throws {
    clock = CBSimulatedClock(seed: seed, packetLoss: packetLoss)
    packets.calls = clock.calls
    let packets = packets
    let clock = clock
    radios = (0..<2).map { _ in CBRadio(simulated: clock, watchedBy: packets) }
    publisher = CBPeripheralManager(
      delegate: sensor, queue: DispatchQueue(label: "sensor"), radio: radios[0])
    central = CBCentralManager(delegate: app, queue: DispatchQueue(label: "app"), radio: radios[1])
    await clock.settle()
    let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
    service.characteristics = [value]
    publisher.add(service)
    publisher.startAdvertising([CBAdvertisementDataLocalNameKey: "Sensor"])
    central.scanForPeripherals(withServices: nil)
    await clock.advance(by: .seconds(1))
    central.stopScan()
    let found: CBPeripheral = try #require(app.peripherals.first)
    peripheral = found
    central.connect(peripheral)
    await clock.advance(by: .seconds(1))
    // With a link layer packets take time.
    let pause: Duration = packetLoss == nil ? .zero : .seconds(5)
    peripheral.discoverServices(nil)
    await clock.advance(by: pause)
    peripheral.discoverCharacteristics(nil, for: try #require(peripheral.services?.first))
    await clock.advance(by: pause)
    characteristic = try #require(peripheral.services?.first?.characteristics?.first)
    _ = (app.take(), sensor.take())
  }

  /// The sensor notifies each 10 s for an hour. Returns the app's lines and all packets.
  static func anHour(
    seed: UInt64, packetLoss: Double? = nil
  ) async throws -> (values: [String], packets: [UInt8]) {
    let pair = try await Pair(seed: seed, packetLoss: packetLoss)
    pair.peripheral.setNotifyValue(true, for: pair.characteristic)
    await pair.clock.advance(by: packetLoss == nil ? .zero : .seconds(5))
    expect(pair.app.take(), is: ["notifying A001 true"])
    let ticker = Ticker(pair.clock, pair.publisher, pair.value)
    ticker.start()
    await pair.clock.advance(by: .seconds(3_600))
    return (pair.app.take(), pair.packets.bytes)
  }
}

/// Notifies each 10 s, on the queue of the sensor, as a program's timer does.
private final class Ticker: @unchecked Sendable {
  private let clock: CBSimulatedClock
  private let publisher: CBPeripheralManager
  private let value: CBMutableCharacteristic
  private let queue = DispatchQueue(label: "ticker")
  private var count = 0

  init(
    _ clock: CBSimulatedClock, _ publisher: CBPeripheralManager, _ value: CBMutableCharacteristic
  ) {
    (self.clock, self.publisher, self.value) = (clock, publisher, value)
  }

  func start() {
    clock.schedule(after: .seconds(10), on: queue) { [self] in
      _ = publisher.updateValue(Data("\(count)".utf8), for: value, onSubscribedCentrals: nil)
      count += 1
      start()
    }
  }
}

/// The packets of radios, one after another, each with its time.
private final class PacketList: PacketSink {
  private(set) var bytes: [UInt8] = []
  var calls: DelegateCalls?

  func note(_ packet: Span<UInt8>, _ direction: PacketDirection) {
    let time = calls?.milliseconds ?? 0
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: time >> shift))
    }
    bytes.append(direction == .sent ? 0 : 1)
    for index in packet.indices { bytes.append(packet[index]) }
  }
}
