import BluetoothHost
import Expectations
import Foundation

@testable import CoreBluetooth

/// A delegate of a channel's streams that records each call as a line.
final class StreamLog: NSObject, StreamDelegate {
  private var lines: [String] = []

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

/// A central and a peripheral, which has published a channel. Streams are scheduled on the thread of
/// the test.
final class ChannelScene: LinkedPair {
  private var sides: [ChannelSide] = []

  /// - Parameters:
  ///   - isEncrypted: Whether the channel needs encryption.
  ///   - isSeparate: Whether the delegate of the peripheral has a queue of its own.
  init(isEncrypted: Bool = false, isSeparate: Bool = false) throws {
    try super.init(isSeparate: isSeparate) { $0.publishL2CAPChannel(withEncryption: isEncrypted) }
    expect(published, is: ["state poweredOn", "published 128", "advertising true"])
  }

  /// The channels of the peer's host.
  var openChannels: Int { peer.device.host.channels.count }

  /// Opens a channel. Returns the central's end, and then the peripheral's.
  func open() throws -> (ChannelSide, ChannelSide) {
    peripheral.openL2CAPChannel(128)
    scene.settle()
    expect(log.take(), is: ["channel true"])
    expect(recorder.take(), is: ["01 opened 128"])
    let own = try ChannelSide(try #require(log.takeChannels().first))
    let other = try ChannelSide(try #require(recorder.takeChannels().first))
    sides += [own, other]
    settle()
    for side in [own, other] { expect(side.log.take(), is: ["in open", "out open", "out space"]) }
    return (own, other)
  }

  /// The events of a side since the last call, after everything is carried.
  func take(_ side: ChannelSide) -> [String] {
    settle()
    return side.log.take()
  }

  /// Carries everything, and delivers every event.
  func settle() {
    scene.settle()
    while sides.contains(where: \.isDue) {
      _ = RunLoop.current.run(mode: .default, before: Date())
      scene.settle()
    }
  }
}
