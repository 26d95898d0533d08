import BluetoothHost
import Foundation
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// A device that publishes channels, among the neighbours of a stage.
final class ChannelNeighbour: Neighbour, PeripheralThread, @unchecked Sendable {
  let radio: VirtualController
  let program = DeviceProgram(address: .automatic(orRandom: .zero))
  private let jobs = Locked<[@Sendable (Instant) -> Void]>([])

  init(_ radio: VirtualController) {
    self.radio = radio
  }

  var peripheralEngine: PeripheralEngine { program.peripheral }

  func performPeripheral(_ body: @escaping @Sendable (Instant) -> Void) {
    jobs.withLock { $0.append(body) }
  }

  func watchState(_ body: @escaping @Sendable (CBManagerState) -> Void) -> AnyObject {
    body(.poweredOn)
    return self
  }

  var hasWork: Bool { jobs.withLock { !$0.isEmpty } }

  func receive(_ packet: Span<UInt8>, at now: Instant) { program.receive(packet, at: now) }

  func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    let taken = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in taken { job(now) }
    return program.nextPacket(into: &writer, at: now)
  }

  var deadline: Instant? { program.deadline }
  func advance(to now: Instant) { program.advance(to: now) }
}

/// What the delegate of a channel's streams is called with, a line a call.
final class StreamLog: NSObject, StreamDelegate {
  private var lines: [String] = []
  /// Called with each event.
  var onEvent: ((Stream, Stream.Event) -> Void)?

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
    let event =
      switch eventCode {
      case .openCompleted: "open"
      case .hasBytesAvailable: "bytes"
      case .hasSpaceAvailable: "space"
      case .endEncountered: "end"
      case .errorOccurred: "error"
      default: "\(eventCode.rawValue)"
      }
    lines.append((aStream is InputStream ? "in " : "out ") + event)
    onEvent?(aStream, eventCode)
  }
}

/// One end of a channel, with streams that are open.
final class ChannelParty {
  private(set) var channel: CBL2CAPChannel?
  let input: ChannelInputStream
  let output: ChannelOutputStream
  let log = StreamLog()

  init(_ channel: CBL2CAPChannel) throws {
    self.channel = channel
    input = try #require(channel.inputStream as? ChannelInputStream)
    output = try #require(channel.outputStream as? ChannelOutputStream)
    for stream in [input, output] {
      stream.delegate = log
      stream.schedule(in: .current, forMode: .default)
      stream.open()
    }
  }

  /// Writes what there is room for. Returns how many bytes.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Int {
    unsafe output.hasSpaceAvailable ? output.write(bytes, maxLength: bytes.count) : 0
  }

  /// Reads what there is.
  func read(limit: Int = 100_000) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1_000)
    while input.hasBytesAvailable, bytes.count < limit {
      let count = unsafe input.read(&buffer, maxLength: min(buffer.count, limit - bytes.count))
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Nothing refers to the channel any more, but the streams stay.
  func release() { channel = nil }

  var isDue: Bool { input.state.isDue || output.state.isDue }
}

/// A central and a peripheral, which has published a channel, on one air. Everything is done by `settle`;
/// streams are scheduled on the thread of the test.
final class ChannelStage {
  let stage = CentralStage()
  let neighbour: ChannelNeighbour
  let recorder = PeripheralRecorder()
  let log = CentralLog()
  let peripheralManager: CBPeripheralManager
  let manager: CBCentralManager
  let peripheral: CBPeripheral
  private var parties: [ChannelParty] = []

  /// - Parameter isEncrypted: Whether the channel needs encryption.
  init(isEncrypted: Bool = false) throws {
    neighbour = ChannelNeighbour(stage.air.addController(address: .numbered(0xBE)))
    neighbour.program.radioIsReady(at: stage.now)
    stage.add(neighbour)
    stage.settle()
    peripheralManager = CBPeripheralManager(
      delegate: recorder, queue: stage.queue, thread: neighbour)
    stage.settle()
    peripheralManager.startAdvertising([:])
    peripheralManager.publishL2CAPChannel(withEncryption: isEncrypted)
    let (manager, peripherals) = stage.manager(log, knowing: 0xBE)
    self.manager = manager
    peripheral = try #require(peripherals.first)
    stage.settle()
    #expect(recorder.take() == ["state poweredOn", "published 128", "advertising true"])
    manager.connect(peripheral)
    stage.pass(1_000)
    #expect(peripheral.state == .connected)
    _ = log.take()
  }

  /// Opens a channel. Returns the central's end, and then the peripheral's.
  func open() throws -> (ChannelParty, ChannelParty) {
    peripheral.openL2CAPChannel(128)
    stage.settle()
    #expect(log.take() == ["channel true"])
    #expect(recorder.take() == ["01 opened 128"])
    let own = try ChannelParty(try #require(log.takeChannels().first))
    let other = try ChannelParty(try #require(recorder.takeChannels().first))
    parties += [own, other]
    settle()
    for party in [own, other] { #expect(party.log.take() == ["in open", "out open", "out space"]) }
    return (own, other)
  }

  /// Carries everything, and delivers every event.
  func settle() {
    stage.settle()
    while parties.contains(where: \.isDue) {
      _ = RunLoop.current.run(mode: .default, before: Date())
      stage.settle()
    }
  }
}
