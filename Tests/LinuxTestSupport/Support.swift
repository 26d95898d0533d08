import BluetoothHost
import Expectations
import Glibc
import LinuxRadio

/// A program that records its calls, and sends given packets.
package struct Recorder: RadioProgram {
  package enum Event: Equatable {
    case ready
    case lost(String)
    case packet([UInt8])
  }

  package var events: [Event] = []
  package var outgoing: [[UInt8]] = []
  package private(set) var isFinished = false

  package init() {}

  package mutating func radioIsReady(at now: Instant) { events.append(.ready) }

  package mutating func radioIsLost(_ error: RadioError, at now: Instant) {
    events.append(.lost(error.reason))
  }

  package mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
    events.append(.packet(packet.indices.map { packet[$0] }))
  }

  package mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool {
    guard !outgoing.isEmpty else { return false }
    let packet = outgoing.removeFirst()
    writer.write(packet.span)
    return true
  }

  package var deadline: Instant? { nil }
  package mutating func advance(to now: Instant) {}
  package mutating func turnEnded() {}
  package mutating func shutDown(at now: Instant) { isFinished = true }

  package mutating func take() -> [Event] {
    defer { events.removeAll() }
    return events
  }
}

/// A temporary directory, removed after the test.
package final class TemporaryDirectory {
  package let path: String

  package init() throws {
    var template = Array("/tmp/eightball-test-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { name in
      unsafe name.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
    }
    path = try #require(made)
  }

  deinit { remove() }

  /// The names of the files in it, sorted.
  package var names: [String] { Files.names(in: path) }

  /// Removes it, and everything in it.
  package func remove() { Self.remove(path) }

  /// Creates a file and its directories.
  package func write(_ text: String, to name: String) throws {
    makeFolders(of: name)
    try Files.write(text, to: path + "/" + name)
  }

  /// Creates a symbolic link and its directories.
  package func link(_ target: String, to name: String) throws {
    makeFolders(of: name)
    try #require(unsafe symlink(target, path + "/" + name) == 0)
  }

  private func makeFolders(of name: String) {
    let parts = name.split(separator: "/")
    var directory = path
    for part in parts.dropLast() {
      directory += "/\(part)"
      _ = unsafe mkdir(directory, 0o700)
    }
  }

  private static func remove(_ path: String) {
    // Removes a link, not its target.
    if unsafe unlink(path) == 0 { return }
    for name in Files.names(in: path) { remove("\(path)/\(name)") }
    _ = unsafe rmdir(path)
  }
}

/// The controller's end of a connection.
package final class ControllerEnd {
  private var descriptor: FileDescriptor?

  package init(_ descriptor: consuming FileDescriptor) { self.descriptor = consume descriptor }

  package func close() { descriptor = nil }

  package func write(_ bytes: [UInt8]) throws {
    expect(try descriptor?.write(bytes.span), is: bytes.count)
  }

  /// What can be read now, up to `limit` bytes.
  package func read(limit: Int = 4_096) throws -> [UInt8] {
    try descriptor?.readAll(limit: limit) ?? []
  }

  /// What comes, until there are `count` bytes: for TCP, which may deliver them later than a write ends.
  package func read(atLeast count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      try descriptor?.waitForInput()
      guard let part = try descriptor?.readAll() else { break }
      bytes += part
    }
    return bytes
  }
}

package let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
package let resetComplete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

extension PacketSink {
  package func note(_ packet: [UInt8], _ direction: PacketDirection) {
    note(packet.span, direction)
  }
}
