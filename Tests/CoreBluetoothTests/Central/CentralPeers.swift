import BluetoothHost
import EightBall
import Foundation
import Testing
import VirtualRadio

/// A device on the air of a stage.
protocol AirPeer: AnyObject {
  var controller: VirtualController { get }
  func receive(_ packet: Span<UInt8>, at now: Instant)
  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool
  var deadline: Instant? { get }
  func advance(to now: Instant)
  /// Whether it has unfinished requests.
  var hasWork: Bool { get }
}

extension AirPeer {
  var hasWork: Bool { false }
}

/// A peripheral.
final class PeripheralPeer<
  Database: AttributeDatabase & ~Copyable, Application: GATTApplication & ~Copyable
>: AirPeer {
  let controller: VirtualController
  var host: Peripheral<4, Database, Application>

  init(_ controller: VirtualController, _ host: consuming Peripheral<4, Database, Application>) {
    self.controller = controller
    self.host = host
  }

  func receive(_ packet: Span<UInt8>, at now: Instant) { host.receive(packet, at: now) }
  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    host.nextPacket(into: &writer, at: now)
  }
  var deadline: Instant? { host.deadline }
  func advance(to now: Instant) { host.advance(to: now) }
}

extension CentralStage {
  typealias Ball = PeripheralPeer<EightBallProfile.Database, BallApplication<4>>

  /// A ball, on the air and advertising.
  @discardableResult
  func addBall(_ name: String = "Magic 8-Ball", number: UInt8 = 0xBA) throws -> Ball {
    let deviceName = DeviceName(Array(name.utf8).span)
    let ball = PeripheralPeer(
      air.addController(address: .numbered(number)),
      BallHost<4>(
        configuration: HostConfiguration(
          name: try #require(deviceName), service: .ballService, address: .public),
        database: EightBallProfile.makeDatabase(),
        application: BallApplication<4>(seed: 8, style: .text)))
    ball.host.start(at: now)
    add(ball)
    settle()
    return ball
  }

  typealias Bench = PeripheralPeer<GATTDatabase<30>, BenchApplication>

  /// A peripheral with one of everything.
  @discardableResult
  func addBench(number: UInt8 = 0xBE) throws -> Bench {
    let deviceName = DeviceName(Array("Bench".utf8).span)
    let bench = PeripheralPeer(
      air.addController(address: .numbered(number)),
      Peripheral<4, GATTDatabase<30>, BenchApplication>(
        configuration: HostConfiguration(
          name: try #require(deviceName), service: .bench, address: .public),
        database: benchDatabase, application: BenchApplication()))
    bench.host.start(at: now)
    add(bench)
    settle()
    return bench
  }

  /// An advertiser that does nothing else.
  func advertise(
    _ data: [UInt8], scanResponse: [UInt8] = [], type: UInt8, number: UInt8 = 0xAD
  ) throws {
    let controller = air.addController(address: .numbered(number))
    let data = AdvertisingData(data.span)
    let response = AdvertisingData(scanResponse.span)
    for packet in [
      Self.command(
        LESetAdvertisingParameters(minimumInterval: 160, maximumInterval: 160, type: type)),
      Self.command(LESetAdvertisingData(try #require(data))),
      Self.command(LESetScanResponseData(try #require(response))),
      Self.command(LESetAdvertisingEnable(true)),
    ] { controller.send(packet.span) }
  }

  private static func command(_ command: some HCICommand) -> [UInt8] {
    packet {
      command.writePacket(to: &$0)
      return true
    } ?? []
  }
}

extension DeviceAddress {
  /// `F0:00:00:00:00:NN`, public.
  static func numbered(_ number: UInt8) -> DeviceAddress {
    DeviceAddress(kind: .public, bytes: [number, 0, 0, 0, 0, 0xF0])
  }
}

extension BluetoothUUID {
  static let bench = BluetoothUUID(high: 0xA0A1_A2A3_A4A5_A6A7, low: 0xA8A9_AAAB_ACAD_AEAF)
}

extension ApplicationAttribute {
  static let text = ApplicationAttribute(rawValue: 0)
  static let level = ApplicationAttribute(rawValue: 1)
  static let alarm = ApplicationAttribute(rawValue: 2)
}

/// One characteristic for each rule.
var benchDatabase: GATTDatabase<30> {
  GATTDatabase {
    Service(.genericAccessService) {  // 0x0001
      Characteristic(.deviceName, .read, value: .deviceName)  // value 0x0003
    }
    Service(.genericAttributeService) {  // 0x0004
      Characteristic(.serviceChanged, .indicate, value: .none)  // value 0x0006
    }
    Service(.bench) {  // 0x0008
      Attribute.include(serviceAt: AttributeHandle(rawValue: 0x0019))
      // FF01: every way to write a value and to send it. Value 0x000B.
      Characteristic(
        BluetoothUUID(0xFF01), .read | .write | .writeWithoutResponse | .notify | .indicate,
        value: .application(.text)
      ) {
        Attribute.descriptor(.characteristicUserDescription, .read, .text(StaticText("Text")))
        Attribute.descriptor(.characteristicPresentationFormat, .read, .number(0x19, byteCount: 7))
        Attribute.descriptor(
          .characteristicExtendedProperties, .read, .number(0x0001, byteCount: 2))
      }
      // FF02: indicated only. Value 0x0011.
      Characteristic(BluetoothUUID(0xFF02), .indicate, value: .application(.level))
      // FF03: written with response only. Value 0x0014.
      Characteristic(BluetoothUUID(0xFF03), .write, value: .application(.alarm))
      // FF04: notified, without a configuration.
      Attribute.characteristic(BluetoothUUID(0xFF04), .notify)
      Attribute.value(.none)
      // FF06: read. Value 0x0018.
      Characteristic(BluetoothUUID(0xFF06), .read, value: .number(1, byteCount: 1))
    }
    Service(BluetoothUUID(0x180F), isPrimary: false) {  // 0x0019
      Characteristic(BluetoothUUID(0x2A19), .read, value: .number(99, byteCount: 1))
    }
    Service(BluetoothUUID(0xFF10)) {  // 0x001C
      Characteristic(BluetoothUUID(0xFF11), .read, value: .number(2, byteCount: 1))
    }
  }
}

/// Keeps written values, and notifies the values that the test sets.
struct BenchApplication: GATTApplication {
  var values: [[UInt8]] = [Array("text".utf8), [], [], []]
  /// What was written, in order.
  var written: [[UInt8]] = []
  /// The next value for every subscriber, and its attribute.
  var update: (attribute: ApplicationAttribute, value: [UInt8])?
  var refusal: ATTErrorCode?
  var configurations: [ClientConfiguration] = []

  mutating func centralConnected(at connectionIndex: Int, address: DeviceAddress) {}
  mutating func centralDisconnected(at connectionIndex: Int, reason: HCIErrorCode) {}
  mutating func configurationChanged(
    of attribute: ApplicationAttribute, at connectionIndex: Int,
    to configuration: ClientConfiguration
  ) {
    configurations.append(configuration)
  }

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    if let refusal { throw .error(refusal) }
    let bytes = values[Int(attribute.rawValue)]
    value.write(bytes.span)
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    if let refusal { throw .error(refusal) }
    var bytes: [UInt8] = []
    for index in value.indices { bytes.append(value[index]) }
    values[Int(attribute.rawValue)] = bytes
    written.append(bytes)
  }

  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? {
    connectionIndex == 0 ? update?.attribute : nil
  }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    let bytes = update?.value ?? []
    value.writePrefix(of: bytes.span)
    update = nil
  }

  mutating func radioChanged(to state: RadioState) {}
}
