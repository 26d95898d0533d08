import BluetoothHost
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort

@Suite("Radios of the Linux port")
struct PortRadioTests {
  private let start = Instant(rawValue: 1_000)

  /// A radio, and the queue that watches it.
  private final class Bench {
    var radio: PortRadio
    let queue: PollQueue

    init(_ name: String) throws {
      radio = PortRadio(try RadioAddress(Array(name.utf8).span))
      queue = try makeQueue()
    }

    func open(at now: Instant) -> RadioOpening { radio.open(queue, at: now) }

    /// Opens the radio, trying each of its addresses.
    func openAtLast(at now: Instant) -> RadioOpening {
      var opening = open(at: now)
      for _ in 0..<2 where opening == .pending {
        expect(radio.deadline, is: now.advanced(by: 1_000))
        serve(timeout: 60_000)
        opening = open(at: now)
      }
      return opening
    }

    func close() { radio.close(queue) }
    func write(_ bytes: [UInt8]) -> RadioWrite { radio.write(bytes.span, queue) }

    /// Writes until the other side has no room; false if it always has.
    func fill() -> Bool {
      let packet = [UInt8](repeating: 2, count: 4_096)
      for _ in 0..<1_000 where write(packet) != .taken(packet.count) { return true }
      return false
    }

    func read() -> RadioRead {
      var space = [UInt8](repeating: 0, count: 64)
      var target = space.mutableSpan
      return radio.read(into: &target)
    }

    /// Gives the radio its events from the queue.
    func serve(timeout: Int32 = 0) {
      var events = Readiness.none
      _ = queue.wait(timeout) { token, ready in if token == .radio { events.add(ready) } }
      if events != .none { radio.handle(events) }
    }

    /// What wakes a loop now.
    var wakeUps: [PollToken] { wakes(queue) }
    var trouble: String { text { radio.writeError(to: &$0) } }
  }

  private let folder: TemporaryDirectory
  private var path: String { folder.path + "/air" }
  init() throws { folder = try TemporaryDirectory() }

  @Test("A UNIX socket is read and written, and its end is reported")
  func unix() throws {
    let listener = try StreamListener(path: path)
    let bench = try Bench("unix:\(path)")
    expect(bench.open(at: start), is: .opened)
    let other = ControllerEnd(try listener.acceptNow())
    expect(bench.read(), is: .nothing)
    try other.write([4, 14, 1])
    // Room to write is not input to read.
    bench.radio.handle(.writable)
    expect(bench.read(), is: .nothing)
    bench.serve()
    expect(bench.read(), is: .bytes(3))
    // After a short read there is no second one that would find nothing.
    expect(bench.read(), is: .nothing)
    expect(bench.wakeUps, is: [])
    expect(bench.write([1, 3, 12, 0]), is: .taken(4))
    expect(try other.read(), is: [1, 3, 12, 0])
    other.close()
    bench.serve()
    expect(bench.read(), is: .closed)
    bench.close()
    expect(bench.wakeUps, is: [])
  }

  @Test("A controller without room wakes the loop when it has room")
  func room() throws {
    let listener = try StreamListener(path: path)
    let bench = try Bench("unix:\(path)")
    expect(bench.open(at: start), is: .opened)
    let other = try listener.acceptNow()
    expect(bench.fill())
    expect(bench.wakeUps, is: [])
    try other.drain()
    expect(bench.wakeUps, is: [.radio])
    expect(bench.write([1]), is: .taken(1))
    expect(bench.wakeUps, is: [])
  }

  // Symptom: the loop slept although the new controller had room.
  @Test(
    "A new controller that takes only a part of the first write wakes the loop when it has room")
  func firstWrite() throws {
    let listener = try StreamListener(path: path)
    let bench = try Bench("unix:\(path)")
    let bytes = [UInt8](repeating: 2, count: 4_000_000)
    for _ in 0..<2 {
      expect(bench.open(at: start), is: .opened)
      let other = try listener.acceptNow()
      expect(bench.write(bytes) != .taken(bytes.count))
      expect(bench.wakeUps, is: [])
      try other.drain()
      expect(bench.wakeUps, is: [.radio])
      bench.close()
    }
  }

  /// What a stream of a radio may leave for the next one.
  enum Remainder: CaseIterable {
    case bytesNotRead, readableNotRead, waitForRoom, end
  }

  @Test("The next connection inherits nothing from the lost one", arguments: Remainder.allCases)
  func next(remainder: Remainder) throws {
    let listener = try StreamListener(path: path)
    let bench = try Bench("unix:\(path)")
    expect(bench.open(at: start), is: .opened)
    let first = ControllerEnd(try listener.acceptNow())
    switch remainder {
    case .bytesNotRead: try first.write([4, 14, 1])
    case .readableNotRead:
      try first.write([4, 14, 1])
      bench.serve()
    case .waitForRoom: expect(bench.fill())
    case .end:
      first.close()
      bench.serve()
      expect(bench.read(), is: .closed)
    }
    bench.close()
    expect(bench.radio.deadline, is: nil)
    expect(bench.wakeUps, is: [])

    expect(bench.open(at: start), is: .opened)
    let second = try listener.acceptNow()
    expect(bench.read(), is: .nothing)
    expect(bench.wakeUps, is: [])
    _ = try second.write([9].span)
    bench.serve()
    expect(bench.read(), is: .bytes(1))
    // Its own wait for room wakes the loop.
    expect(bench.fill())
    expect(bench.wakeUps, is: [])
    try second.drain()
    expect(bench.wakeUps, is: [.radio])
  }

  @Test("A host without an address of this machine cannot be listened on")
  func foreignAddress() throws {
    // 192.0.2.0/24 is for documentation: RFC 5737.
    let bench = try Bench("tcp-server:192.0.2.1:9000")
    expect(bench.open(at: start), is: .failed)
    expect(bench.trouble, is: "cannot listen on 192.0.2.1:9000: Cannot assign requested address")
  }

  private static let longName = "/" + String(repeating: "x", count: 107)

  @Test(
    "A failure says why, as eightball run does",
    arguments: table(
      """
      unix:/nowhere/air | no controller listens at /nowhere/air. Start it first, such as: eightball radio \
      --listen unix:/nowhere/air
      unix:/tmp | /tmp is not a socket. Give the path of one, such as that of eightball radio --listen \
      unix:/tmp/air
      unix:/etc/passwd | /etc/passwd is not a socket. Give the path of one, such as that of eightball radio --listen \
      unix:/tmp/air
      tcp-client:localhost:1 | no controller listens at localhost:1. Start it first, such as: eightball radio \
      --listen tcp-server:localhost:1
      tcp-client::1 | no controller listens at localhost:1. Start it first, such as: eightball radio \
      --listen tcp-server:localhost:1
      serial:/dev/null | /dev/null is not a serial port
      serial:/dev/nowhere | there is no serial port /dev/nowhere. Is the controller plugged in?
      unix:\(longName) | cannot use \(longName): a socket's path is at most 107 bytes long
      """))
  func failures(row: [String]) throws {
    let bench = try Bench(row[0])
    expect(bench.openAtLast(at: start), is: .failed)
    expect(bench.trouble, is: row[1])
    // A second attempt fails the same way.
    expect(bench.openAtLast(at: start), is: .failed)
    expect(bench.wakeUps, is: [])
  }

  @Test("The port connects to a TCP server", arguments: ["127.0.0.1", "localhost", "::1"])
  func client(host: String) throws {
    let listener = try StreamListener(host: host == "::1" ? host : "127.0.0.1", port: 0)
    let bench = try Bench("tcp-client:\(host):\(listener.port)")
    expect(bench.openAtLast(at: start), is: .opened)
    expect(bench.radio.deadline, is: nil)
    let other = try listener.acceptAtLast()
    expect(bench.write([1, 2]), is: .taken(2))
    try other.waitForInput()
    expect(try other.readAll(), is: [1, 2])
  }

  @Test("A TCP connection has a second to begin, and not a millisecond more")
  func slowConnection() throws {
    // A listener whose queue of one connection is full does not answer another one.
    let listener = try StreamListener(host: "127.0.0.1", port: 0)
    try #require(listen(listener.rawValue, 0) == 0)
    let port = listener.port
    let first = try StreamSocket.connect(host: "127.0.0.1", port: port)
    let bench = try Bench("tcp-client:127.0.0.1:\(port)")
    for _ in 0..<2 {
      expect(bench.open(at: start), is: .pending)
      expect(bench.radio.deadline, is: start.advanced(by: 1_000))
      expect(bench.wakeUps, is: [])
      expect(bench.open(at: start.advanced(by: 999)), is: .pending)
      expect(bench.open(at: start.advanced(by: 1_000)), is: .failed)
      expect(bench.radio.deadline, is: nil)
      expect(bench.trouble, is: "cannot connect to 127.0.0.1:\(port): Connection timed out")
      expect(bench.wakeUps, is: [])
    }
    // An attempt that is given up leaves nothing for the next one.
    expect(bench.open(at: start), is: .pending)
    bench.radio.handle(.writable)
    bench.close()
    expect(bench.radio.deadline, is: nil)
    expect(bench.open(at: start), is: .pending)
    expect(bench.open(at: start.advanced(by: 999)), is: .pending)
    _ = (first.rawValue, listener.rawValue)
  }

  @Test("The port waits for a TCP controller, and for the next one after it has gone")
  func server() throws {
    let port = try freePort()
    let bench = try Bench("tcp-server:localhost:\(port)")
    expect(bench.open(at: start), is: .pending)
    expect(bench.wakeUps, is: [])
    let first = ControllerEnd(try StreamSocket.connect(host: "127.0.0.1", port: port))
    expect(bench.wakeUps, is: [.listener])
    expect(bench.open(at: start), is: .opened)
    let second = try StreamSocket.connect(host: "127.0.0.1", port: port)
    expect(bench.wakeUps, is: [])
    first.close()
    bench.serve(timeout: 60_000)
    expect(bench.read(), is: .closed)
    bench.close()
    expect(bench.open(at: start), is: .opened)
    _ = consume second

    // The port is taken.
    let other = try Bench("tcp-server:localhost:\(port)")
    expect(other.open(at: start), is: .failed)
    expect(other.trouble, is: "another program listens at localhost:\(port). Choose another port")
  }

  private static let speeds = RadioAddress.speeds.indices.map { RadioAddress.speeds[$0] }

  @Test("A serial line is opened for one program, at each speed", arguments: speeds)
  func serial(speed: UInt32) throws {
    let primary = try openTerminal()
    let bench = try Bench("serial:\(primary.name),\(speed)")
    expect(bench.open(at: start), is: .opened)
    // The bytes are unchanged, both ways.
    let every = (0...255).map { UInt8($0) }
    expect(bench.write(every), is: .taken(256))
    expect(try primary.readAll(), is: every)
    expect(try primary.write(every.span), is: 256)
    bench.serve(timeout: 60_000)
    var received = [UInt8](repeating: 0, count: 300)
    var target = received.mutableSpan
    expect(bench.radio.read(into: &target), is: .bytes(256))
    expect(Array(received.prefix(256)), is: every)
    var settings = termios()
    try #require(unsafe tcgetattr(primary.rawValue, &settings) == 0)
    expect(settings.c_cflag & tcflag_t(CRTSCTS) != 0)
  }

  // MARK: Files of other users

  /// Whose the file of a radio's socket is, whose the link to it, and whom the ball trusts.
  struct Owners: CustomTestStringConvertible, Sendable {
    var file: uid_t
    var link: uid_t?
    var trusted: uid_t?
    /// The user whom the ball names in its complaint; `nil` if it opens the radio.
    var refused: uid_t?

    var testDescription: String {
      "file of \(file), \(link.map { "link of \($0)" } ?? "no link"), "
        + "\(trusted.map { "\($0) is trusted" } ?? "none is trusted")"
    }
  }

  @Test(
    "A radio's socket is used if its file and the link to it are this user's, root's or the trusted user's",
    .enabled(if: geteuid() == 0),
    arguments: [
      Owners(file: 0), Owners(file: 0, link: 0), Owners(file: 65_534, refused: 65_534),
      Owners(file: 65_534, link: 0, refused: 65_534),
      Owners(file: 0, link: 65_534, refused: 65_534),
      Owners(file: 65_534, trusted: 65_534), Owners(file: 65_534, link: 0, trusted: 65_534),
      Owners(file: 0, link: 65_534, trusted: 65_534),
      Owners(file: 65_534, link: 65_534, trusted: 65_534),
      Owners(file: 65_533, link: 65_534, trusted: 65_534, refused: 65_533),
      Owners(file: 65_534, link: 65_533, trusted: 65_534, refused: 65_533),
    ])
  func owners(_ owners: Owners) throws {
    let listener = try StreamListener(path: path)
    try #require(unsafe chown(path, owners.file, owners.file) == 0)
    var used = path
    if let link = owners.link {
      used = path + "-link"
      try #require(unsafe symlink(path, used) == 0)
      try #require(unsafe lchown(used, link, link) == 0)
    }
    let bench = try Bench("unix:\(used)" + (owners.trusted.map { ",user=\($0)" } ?? ""))
    let opening = bench.open(at: start)
    let other = try listener.acceptNow()
    if let refused = owners.refused {
      expect(opening, is: .failed)
      expect(bench.trouble.contains("another user's (\(refused))"), "\(bench.trouble)")
      // It was sent nothing.
      expect(try other.readAll(), is: nil)
    } else {
      expect(opening, is: .opened)
      expect(bench.radio.failure == nil)
    }
  }
}
