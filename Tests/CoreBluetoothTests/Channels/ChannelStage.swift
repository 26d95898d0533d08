import BluetoothHost
import Foundation
import Testing
import VirtualRadio

@testable import CoreBluetooth

/// A delegate of a channel's streams that records each call as a line.
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
final class ChannelSide {
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

  /// Writes as many bytes as there is room for. Returns their number.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Int {
    unsafe output.hasSpaceAvailable ? output.write(bytes, maxLength: bytes.count) : 0
  }

  /// Reads the available bytes.
  func read(limit: Int = 100_000) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1_000)
    while input.hasBytesAvailable, bytes.count < limit {
      let count = unsafe input.read(&buffer, maxLength: min(buffer.count, limit - bytes.count))
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Releases the channel but not the streams.
  func release() { channel = nil }

  var isDue: Bool { input.state.isDue || output.state.isDue }
}

/// A central and a peripheral, which has published a channel, on one air. Everything is done by
/// `settle`; streams are scheduled on the thread of the test.
final class ChannelStage {
  let stage = CentralStage()
  /// The device that publishes channels.
  let peer: HandRadio
  let recorder = PeripheralRecorder()
  let log = CentralLog()
  let peripheralQueue: DispatchQueue
  let peripheralManager: CBPeripheralManager
  let manager: CBCentralManager
  let peripheral: CBPeripheral
  private var sides: [ChannelSide] = []

  /// - Parameters:
  ///   - isEncrypted: Whether the channel needs encryption.
  ///   - isSeparate: Whether the delegate of the peripheral has a queue of its own.
  init(isEncrypted: Bool = false, isSeparate: Bool = false) throws {
    peripheralQueue = isSeparate ? DispatchQueue(label: "peripheral") : stage.queue
    if isSeparate { stage.queues.append(peripheralQueue) }
    peer = HandRadio(
      stage.air.addController(address: .numbered(0xBE)), state: .poweredOn)
    peer.device.radioIsReady(at: stage.now)
    stage.add(peer)
    stage.settle()
    peripheralManager = CBPeripheralManager(
      delegate: recorder, queue: peripheralQueue, thread: peer)
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
  func open() throws -> (ChannelSide, ChannelSide) {
    peripheral.openL2CAPChannel(128)
    stage.settle()
    #expect(log.take() == ["channel true"])
    #expect(recorder.take() == ["01 opened 128"])
    let own = try ChannelSide(try #require(log.takeChannels().first))
    let other = try ChannelSide(try #require(recorder.takeChannels().first))
    sides += [own, other]
    settle()
    for side in [own, other] { #expect(side.log.take() == ["in open", "out open", "out space"]) }
    return (own, other)
  }

  /// The program's thread lags: the delegate of the peripheral is not called until `resume`.
  func suspend() {
    stage.queues = [stage.queue]
    peripheralQueue.suspend()
  }

  func resume() {
    peripheralQueue.resume()
    stage.queues = [stage.queue, peripheralQueue]
    stage.settle()
  }

  /// Carries everything, and delivers every event.
  func settle() {
    stage.settle()
    while sides.contains(where: \.isDue) {
      _ = RunLoop.current.run(mode: .default, before: Date())
      stage.settle()
    }
  }
}
