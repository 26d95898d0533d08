import Expectations
import Foundation

@testable import CoreBluetooth

/// Two devices with a thread each, on an air behind a socket.
@Suite("L2CAP channels on threads")
struct ChannelThreadTests {
  /// The bytes of a stream. 251 is coprime with the length of every buffer.
  private static let pattern = (0..<251 * 64).map { UInt8($0 % 251) }

  @Test("megabytes go both ways at once, with streams that wait")
  func waiting() throws {
    let room = EchoRoom()
    let (own, other) = try room.open()
    defer { withExtendedLifetime(room) {} }
    let total = 10_000_000
    for stream in [own.inputStream, other.inputStream] as [Stream] { stream.open() }
    for stream in [own.outputStream, other.outputStream] as [Stream] { stream.open() }
    let ends = Inbox<String>()
    run("echo", ends) { Self.echo(other, total) }
    run("writer", ends) { Self.write(own, total) }
    expect(Self.read(own, total), is: total)
    expect(try Set([ends.take(), ends.take()]), is: ["echo \(total)", "writer \(total)"])
    own.outputStream.close()
    own.inputStream.close()
    var byte: UInt8 = 0
    expect(unsafe other.inputStream.read(&byte, maxLength: 1), is: 0)
    expect(other.inputStream.streamStatus, is: .atEnd)
  }

  @Test("a run loop of a thread serves both streams, and ends when they are removed")
  func runLoop() throws {
    let room = EchoRoom()
    let (own, other) = try room.open()
    defer { withExtendedLifetime(room) {} }
    let total = 200_000
    for stream in [other.inputStream, other.outputStream] as [Stream] { stream.open() }
    let ends = Inbox<String>()
    run("echo", ends) { Self.echo(other, total) }
    run("loop", ends) {
      let both = LoopSide(own, total, Self.pattern)
      both.run()
      return both.received
    }
    expect(try Set([ends.take(), ends.take()]), is: ["echo \(total)", "loop \(total)"])
  }

  private func run(_ name: String, _ ends: Inbox<String>, _ body: @escaping @Sendable () -> Int) {
    Thread.detachNewThread { ends.put("\(name) \(body())") }
  }

  private static func write(_ channel: CBL2CAPChannel, _ total: Int) -> Int {
    var position = 0
    while position < total {
      let start = position % 251
      let count = unsafe pattern[start...].withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return -1 }
        return unsafe channel.outputStream.write(
          base, maxLength: min(bytes.count, total - position))
      }
      guard count > 0 else { break }
      position += count
    }
    return position
  }

  /// Returns the number of correct bytes.
  private static func read(_ channel: CBL2CAPChannel, _ total: Int) -> Int {
    var position = 0
    var buffer = [UInt8](repeating: 0, count: 8_000)
    while position < total {
      let count = unsafe channel.inputStream.read(&buffer, maxLength: buffer.count)
      let start = position % 251
      guard count > 0, buffer[..<count] == pattern[start..<start + count] else { break }
      position += count
    }
    return position
  }

  private static func echo(_ channel: CBL2CAPChannel, _ total: Int) -> Int {
    var position = 0
    var buffer = [UInt8](repeating: 0, count: 8_000)
    while position < total {
      let count = unsafe channel.inputStream.read(&buffer, maxLength: buffer.count)
      guard count > 0 else { break }
      var sent = 0
      while sent < count {
        let part = Array(buffer[sent..<count])
        let size = unsafe channel.outputStream.write(part, maxLength: part.count)
        guard size > 0 else { return position }
        sent += size
      }
      position += count
    }
    return position
  }
}

/// One end of a channel whose streams are served by the run loop of a thread. It sends bytes and
/// counts those that come back.
private final class LoopSide: NSObject, StreamDelegate {
  private(set) var received = 0
  private let channel: CBL2CAPChannel
  private let total: Int
  private let pattern: [UInt8]
  private var sent = 0

  init(_ channel: CBL2CAPChannel, _ total: Int, _ pattern: [UInt8]) {
    self.channel = channel
    self.total = total
    self.pattern = pattern
  }

  private var streams: [Stream] { [channel.inputStream, channel.outputStream] }

  /// Runs the loop until nothing is scheduled.
  func run() {
    for stream in streams {
      stream.delegate = self
      stream.schedule(in: .current, forMode: .default)
      stream.open()
    }
    RunLoop.current.run()
  }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    switch event {
    case .hasBytesAvailable:
      var buffer = [UInt8](repeating: 0, count: 3_000)
      let count = unsafe channel.inputStream.read(&buffer, maxLength: buffer.count)
      let start = received % 251
      if count > 0, buffer[..<count] == pattern[start..<start + count] { received += count }
      if received == total || count <= 0 { close() }
    case .hasSpaceAvailable where sent < total:
      let start = sent % 251
      let part = Array(pattern[start..<start + min(10_000, total - sent)])
      sent += unsafe max(0, channel.outputStream.write(part, maxLength: part.count))
    case .errorOccurred, .endEncountered: close()
    default: break
    }
  }

  private func close() {
    for stream in streams {
      stream.remove(from: .current, forMode: .default)
      stream.close()
    }
  }
}

/// A device that publishes a channel, and one that opens it.
private final class EchoRoom {
  private let path = AirPath()
  private let log = Log()
  private var publisher: CBPeripheralManager?
  private var visitor: Visitor?

  /// Opens a channel. Returns the central's end, and then the peripheral's.
  func open() throws -> (CBL2CAPChannel, CBL2CAPChannel) {
    let publisher = CBPeripheralManager(
      delegate: log, queue: DispatchQueue(label: "publisher"), radio: path.radio())
    try log.lines.expect("state poweredOn")
    publisher.publishL2CAPChannel(withEncryption: false)
    publisher.startAdvertising([:])
    try log.lines.expect("published 128", "advertising true")
    let visitor = try Visitor(path.radio())
    try visitor.connect()
    visitor.peripheral?.openL2CAPChannel(128)
    _ = try (visitor.log.lines.take("channel true"), log.lines.take("opened 128"))
    (self.publisher, self.visitor) = (publisher, visitor)
    return (try #require(visitor.log.takeChannels().first), try #require(log.takeChannels().first))
  }
}
