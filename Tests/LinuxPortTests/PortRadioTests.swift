import BluetoothHost
import Glibc
import LinuxSystem
import LinuxTestSupport
import Testing

@testable import Linux
@testable import LinuxPort

@Suite("Opening radios of the Linux port")
struct PortRadioTests {
  private let start = Instant(rawValue: 1_000)

  @Test("A UNIX socket is read and written, and its end is reported")
  func unix() throws {
    let directory = try TestDirectory()
    defer { directory.remove("air", ".air.eightball-lock") }
    let listener = try StreamListener(path: "\(directory.path)/air")
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("unix:\(directory.path)/air".utf8).span))
    #expect(radio.open(queue, at: start) == .opened)
    let other = try accept(listener)
    #expect(read(&radio) == .nothing)
    _ = try other.write([4, 14, 1].span)
    serve(&radio, queue)
    #expect(read(&radio) == .bytes(3))
    // After a short read there is no second one that would find nothing.
    #expect(read(&radio) == .nothing)
    #expect(wakes(queue) == [])
    #expect(radio.write([1, 3, 12, 0].span, queue) == .taken(4))
    var space = [UInt8](repeating: 0, count: 8)
    var target = space.mutableSpan
    #expect(try other.read(into: &target) == .bytes(4))
    close(other)
    serve(&radio, queue)
    #expect(read(&radio) == .closed)
    radio.close(queue)
    #expect(wakes(queue) == [])
  }

  @Test("A controller without room wakes the loop when it has room")
  func room() throws {
    let directory = try TestDirectory()
    defer { directory.remove("air", ".air.eightball-lock") }
    let listener = try StreamListener(path: "\(directory.path)/air")
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("unix:\(directory.path)/air".utf8).span))
    #expect(radio.open(queue, at: start) == .opened)
    let other = try accept(listener)
    let packet = [UInt8](repeating: 2, count: 4_096)
    var isFull = false
    for _ in 0..<1_000 where !isFull {
      isFull = radio.write(packet.span, queue) != .taken(packet.count)
    }
    #expect(isFull)
    #expect(wakes(queue) == [])
    var space = [UInt8](repeating: 0, count: 1_000_000)
    var target = space.mutableSpan
    while case .bytes = try other.read(into: &target) {}
    #expect(wakes(queue) == [.radio])
    #expect(radio.write([1].span, queue) == .taken(1))
    #expect(wakes(queue) == [])
  }

  @Test("Room to write is not input to read")
  func onlyRoom() throws {
    let directory = try TestDirectory()
    defer { directory.remove("air", ".air.eightball-lock") }
    let listener = try StreamListener(path: "\(directory.path)/air")
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("unix:\(directory.path)/air".utf8).span))
    #expect(radio.open(queue, at: start) == .opened)
    let other = try accept(listener)
    _ = try other.write([4, 14, 1].span)
    radio.handle(.writable)
    #expect(read(&radio) == .nothing)
    serve(&radio, queue)
    #expect(read(&radio) == .bytes(3))
  }

  /// What a stream of a radio may leave for the next one.
  enum Remainder: CaseIterable {
    case bytesNotRead, readableNotRead, waitForRoom, end
  }

  @Test("The next connection inherits nothing from the lost one", arguments: Remainder.allCases)
  func next(remainder: Remainder) throws {
    let directory = try TestDirectory()
    defer { directory.remove("air", ".air.eightball-lock") }
    let listener = try StreamListener(path: "\(directory.path)/air")
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("unix:\(directory.path)/air".utf8).span))
    #expect(radio.open(queue, at: start) == .opened)
    let first = try accept(listener)
    switch remainder {
    case .bytesNotRead: _ = try first.write([4, 14, 1].span)
    case .readableNotRead:
      _ = try first.write([4, 14, 1].span)
      serve(&radio, queue)
    case .waitForRoom: fill(&radio, queue)
    case .end:
      close(first)
      serve(&radio, queue)
      #expect(read(&radio) == .closed)
    }
    radio.close(queue)
    #expect(radio.deadline == nil)
    #expect(wakes(queue) == [])

    #expect(radio.open(queue, at: start) == .opened)
    let second = try accept(listener)
    #expect(read(&radio) == .nothing)
    #expect(wakes(queue) == [])
    _ = try second.write([9].span)
    serve(&radio, queue)
    #expect(read(&radio) == .bytes(1))
    // Its own wait for room wakes the loop.
    fill(&radio, queue)
    #expect(wakes(queue) == [])
    var space = [UInt8](repeating: 0, count: 1_000_000)
    var target = space.mutableSpan
    while case .bytes = try second.read(into: &target) {}
    #expect(wakes(queue) == [.radio])
  }

  @Test("An attempt to connect that was given up leaves no answer for the next one")
  func nextAttempt() throws {
    // 192.0.2.0/24 is for documentation: RFC 5737. Without a route to it the attempt fails at once.
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("tcp-client:192.0.2.1:9".utf8).span))
    guard radio.open(queue, at: start) == .pending else { return }
    radio.handle(.writable)
    radio.close(queue)
    #expect(radio.deadline == nil)
    #expect(radio.open(queue, at: start) == .pending)
    #expect(radio.open(queue, at: start.advanced(by: 999)) == .pending)
  }

  /// Writes until the other side has no room.
  private func fill(_ radio: inout PortRadio, _ queue: borrowing PollQueue) {
    let packet = [UInt8](repeating: 2, count: 4_096)
    for _ in 0..<1_000 where radio.write(packet.span, queue) == .taken(packet.count) {}
  }

  @Test("A host without an address of this machine cannot be listened on")
  func foreignAddress() throws {
    // 192.0.2.0/24 is for documentation: RFC 5737.
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("tcp-server:192.0.2.1:9000".utf8).span))
    #expect(radio.open(queue, at: start) == .failed)
    #expect(
      text { radio.writeTrouble(to: &$0) }
        == "cannot listen on 192.0.2.1:9000: Cannot assign requested address")
  }

  @Test(
    "A failure says why, as eightball run does",
    arguments: [
      (
        "unix:/nowhere/air",
        "no controller listens at /nowhere/air. Start it first, such as: eightball radio --listen "
          + "unix:/nowhere/air"
      ),
      (
        "tcp-client:localhost:1",
        "no controller listens at localhost:1. Start it first, such as: eightball radio --listen "
          + "tcp-server:localhost:1"
      ),
      (
        "tcp-client::1",
        "no controller listens at localhost:1. Start it first, such as: eightball radio --listen "
          + "tcp-server:localhost:1"
      ),
      ("serial:/dev/null", "/dev/null is not a serial port"),
      (
        "serial:/dev/nowhere",
        "there is no serial port /dev/nowhere. Is the controller plugged in?"
      ),
      (
        "unix:/" + String(repeating: "x", count: 107),
        "cannot use /" + String(repeating: "x", count: 107)
          + ": a socket's path is at most 107 bytes long"
      ),
    ])
  func failures(name: String, words: String) throws {
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array(name.utf8).span))
    #expect(open(&radio, queue) == .failed)
    #expect(text { radio.writeTrouble(to: &$0) } == words)
    // A second attempt fails the same way.
    #expect(open(&radio, queue) == .failed)
    #expect(wakes(queue) == [])
  }

  @Test("The port connects to a TCP server", arguments: ["127.0.0.1", "localhost", "::1"])
  func client(host: String) throws {
    let listener = try StreamListener(host: host == "::1" ? host : "127.0.0.1", port: 0)
    let queue = try makeQueue()
    let name = "tcp-client:\(host):\(listener.port)"
    var radio = PortRadio(try RadioAddress(Array(name.utf8).span))
    #expect(open(&radio, queue) == .opened)
    #expect(radio.deadline == nil)
    let other = try accept(listener)
    #expect(radio.write([1, 2].span, queue) == .taken(2))
    var space = [UInt8](repeating: 0, count: 8)
    var target = space.mutableSpan
    #expect(try other.read(into: &target) == .bytes(2))
  }

  @Test("A connection attempt without an answer ends at its deadline")
  func silence() throws {
    // 192.0.2.0/24 is for documentation: RFC 5737. Without a route to it the attempt fails at once.
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("tcp-client:192.0.2.1:9".utf8).span))
    guard radio.open(queue, at: start) == .pending else { return }
    #expect(radio.open(queue, at: start.advanced(by: 999)) == .pending)
    #expect(radio.open(queue, at: start.advanced(by: 1_000)) == .failed)
    #expect(
      text { radio.writeTrouble(to: &$0) } == "cannot connect to 192.0.2.1:9: Connection timed out")
    #expect(radio.deadline == nil)
    #expect(wakes(queue) == [])
  }

  @Test("The port waits for a TCP controller, and for the next one after it has gone")
  func server() throws {
    let queue = try makeQueue()
    let port = try freePort()
    var radio = PortRadio(try RadioAddress(Array("tcp-server:localhost:\(port)".utf8).span))
    #expect(radio.open(queue, at: start) == .pending)
    #expect(wakes(queue) == [])
    let first = try StreamSocket.connect(host: "127.0.0.1", port: port)
    #expect(wakes(queue) == [.listener])
    #expect(radio.open(queue, at: start) == .opened)
    let second = try StreamSocket.connect(host: "127.0.0.1", port: port)
    #expect(wakes(queue) == [])
    close(first)
    serve(&radio, queue, timeout: 1_000)
    #expect(read(&radio) == .closed)
    radio.close(queue)
    #expect(radio.open(queue, at: start) == .opened)
    close(second)

    // The port is taken.
    var other = PortRadio(try RadioAddress(Array("tcp-server:localhost:\(port)".utf8).span))
    #expect(other.open(queue, at: start) == .failed)
    #expect(
      text { other.writeTrouble(to: &$0) }
        == "another program listens at localhost:\(port). Choose another port")
  }

  private static let speeds = RadioAddress.speeds.indices.map { RadioAddress.speeds[$0] }

  @Test("A serial line is opened for one program, at each speed", arguments: speeds)
  func serial(speed: UInt32) throws {
    let (primary, path) = try openTerminal()
    defer { Glibc.close(primary) }
    let queue = try makeQueue()
    var radio = PortRadio(try RadioAddress(Array("serial:\(path),\(speed)".utf8).span))
    #expect(radio.open(queue, at: start) == .opened)
    let every = (0...255).map { UInt8($0) }
    #expect(radio.write(every.span, queue) == .taken(256))
    var space = [UInt8](repeating: 0, count: 300)
    #expect(unsafe Glibc.read(primary, &space, 300) == 256)
    // The bytes are unchanged, both ways.
    #expect(Array(space.prefix(256)) == every)
    #expect(unsafe Glibc.write(primary, every, 256) == 256)
    serve(&radio, queue, timeout: 1_000)
    var received = [UInt8](repeating: 0, count: 300)
    var target = received.mutableSpan
    #expect(radio.read(into: &target) == .bytes(256))
    #expect(Array(received.prefix(256)) == every)
    var settings = termios()
    try #require(unsafe tcgetattr(primary, &settings) == 0)
    #expect(settings.c_cflag & tcflag_t(CRTSCTS) != 0)
  }

  /// Opens the radio, trying each of its addresses.
  private func open(_ radio: inout PortRadio, _ queue: borrowing PollQueue) -> RadioOpening {
    var opening = radio.open(queue, at: start)
    for _ in 0..<2 where opening == .pending {
      #expect(radio.deadline == start.advanced(by: 1_000))
      serve(&radio, queue, timeout: 1_000)
      opening = radio.open(queue, at: start)
    }
    return opening
  }

  private func read(_ radio: inout PortRadio) -> RadioRead {
    var space = [UInt8](repeating: 0, count: 64)
    var target = space.mutableSpan
    return radio.read(into: &target)
  }

  /// Gives the radio its events from the queue.
  private func serve(
    _ radio: inout PortRadio, _ queue: borrowing PollQueue, timeout: Int32 = 0
  ) {
    var events = Readiness.none
    _ = queue.wait(timeout) { token, ready in if token == .radio { events.add(ready) } }
    if events != .none { radio.handle(events) }
  }

  private func freePort() throws -> UInt16 {
    try StreamListener(host: "127.0.0.1", port: 0).port
  }

  private func close(_ descriptor: consuming FileDescriptor) {
    _ = consume descriptor
  }
}
