import BallRunner
import BluetoothHost
import Foundation
import Glibc
import LinuxErrors
import LinuxSystem
import Testing

@testable import LinuxPort

@Suite("The control socket of the Linux port")
struct PortControlTests {
  private let folder: TestDirectory
  private var path: String { folder.path + "/control" }

  init() throws { folder = try TestDirectory() }

  // MARK: Paths

  @Test(
    "The socket is at the given path, else in the service manager's folder, else in the user's",
    arguments: [
      ("/a/b", "/run/eightball", "/run/user/7", 1, "/a/b"),
      (nil, "/run/eightball", "/run/user/7", 1, "/run/eightball/control.sock"),
      (nil, "/run/eightball:/run/other", nil, 1, "/run/eightball/control.sock"),
      (nil, nil, "/run/user/7", 1, "/run/user/7/eightball-control.sock"),
      (nil, nil, "/run/user/7", 2, "/run/user/7/eightball-control-2.sock"),
      (nil, nil, nil, 1, "/tmp/eightball-control-\(geteuid()).sock"),
      (nil, nil, nil, 9, "/tmp/eightball-control-\(geteuid())-9.sock"),
    ] as [(String?, String?, String?, UInt32, String)])
  func paths(named: String?, service: String?, user: String?, number: UInt32, path: String) {
    let written = text {
      PortControl.writePath(
        named.map(lasting), service: service.map(lasting), user: user.map(lasting), number, to: &$0)
    }
    #expect(written == path)
  }

  @Test("The socket belongs to this user alone, and is removed with the ball")
  func mode() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    do {
      let bench = try open()
      #expect(fileMode == 0o600)
      #expect(!bench.isInUse)
      let other = try ball(at: path)
      #expect(other.failure == .addressInUse)
      #expect(other.isTaken)
      #expect(exists)
    }
    #expect(!exists)
  }

  @Test("The socket replaces one that a killed ball has left")
  func leftOver() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let killed = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    try bind(killed)
    close(killed)
    try #require(exists)
    let bench = try open()
    #expect(bench.failure == 0)
    let program = try connect()
    _ = program.rawValue
  }

  // Symptom: a second ball took a socket that was bound but did not listen yet for one of a killed ball.
  @Test("Of many balls that replace a killed ball's socket at once, one has it", arguments: 1...20)
  func race(round: Int) throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let killed = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    try bind(killed)
    close(killed)
    let path = self.path
    let race = Race(count: 4)
    for _ in 0..<4 {
      Thread.detachNewThread {
        guard let queue = try? makeQueue() else { return race.end(nil) }
        race.begin()
        let bench = ControlBench(queue)
        race.end(bench.open(path) ? bench : nil)
      }
    }
    let winners = race.wait()
    #expect(winners.count == 1)
    let program = try connect()
    _ = program.rawValue
    #expect(winners.first?.takeEvents() == ["joined 0"])
    #expect(Files.names(in: folder.path) == [".control.eightball-lock", "control"])
  }

  @Test("The port and the tools leave each other's sockets alone")
  func otherPrograms() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    do {
      let listener = try StreamListener(path: path, replacesAll: true)
      let other = try ball(at: path)
      #expect(other.isTaken)
      _ = consume listener
    }
    do {
      let bench = try open()
      let error = #expect(throws: SystemError.self) {
        _ = try StreamListener(path: path, replacesAll: true)
      }
      #expect(error?.code == .addressInUse)
      #expect(bench.failure == 0)
    }
    #expect(Files.names(in: folder.path) == [])
  }

  @Test("At the end, a socket that replaced the ball's stays")
  func replaced() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    do {
      let bench = try open()
      unsafe unlink(path)
      let other = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      try bind(other)
      close(other)
      #expect(bench.failure == 0)
    }
    #expect(exists)
  }

  @Test("A path of 107 bytes can be listened on, whatever its folder leaves for the name")
  func longPath() throws {
    defer { folder.remove() }
    for length in 1...14 {
      let filler = String(repeating: "x", count: 107 - folder.path.utf8.count - 2 - length)
      let parent = "\(folder.path)/\(filler)"
      try #require(unsafe mkdir(parent, 0o700) == 0)
      let path = "\(parent)/\(String(repeating: "s", count: length))"
      do {
        let bench = ControlBench(try makeQueue())
        #expect(bench.open(path))
        _ = try StreamSocket.connect(path: path)
        #expect(bench.takeEvents().first == "joined 0")
      }
      #expect(unsafe rmdir(parent) == 0)
    }
  }

  // Symptom: the message had an empty path.
  @Test("A path that is too long is in the message", arguments: [108, 300])
  func tooLong(length: Int) throws {
    defer { folder.remove() }
    let path = "/" + String(repeating: "x", count: length - 1)
    let bench = ControlBench(try makeQueue())
    #expect(!bench.open(path))
    #expect(
      text { bench.control.writeTrouble(to: &$0) }
        == "cannot listen on \(path.prefix(255)): a socket's path is at most 107 bytes long")
  }

  @Test("A file that is not a socket is not removed")
  func file() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    close(unsafe creat(path, 0o644))
    let other = try ball(at: path)
    #expect(other.failure == ErrorNumber(rawValue: EEXIST))
    #expect(!other.isTaken)
    #expect(fileMode == 0o644)
  }

  @Test("A socket of another user is not removed", .enabled(if: geteuid() == 0))
  func anothers() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let killed = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    try bind(killed)
    close(killed)
    try #require(unsafe chown(path, 65_534, 65_534) == 0)
    let other = try ball(at: path)
    #expect(other.failure == ErrorNumber(rawValue: EEXIST))
    #expect(exists)
  }

  @Test(
    "An error has the reason why there is no socket",
    arguments: [
      ("/nowhere/control", ENOENT), ("", ENAMETOOLONG),
      ("/" + String(repeating: "x", count: 107), ENAMETOOLONG),
      ("/" + String(repeating: "x", count: 300), ENAMETOOLONG),
    ])
  func failures(path: String, code: CInt) throws {
    let failure = try ball(at: path).failure
    #expect(failure == ErrorNumber(rawValue: code))
  }

  @Test("Programs of the same user and of root may listen")
  func trust() {
    #expect(PortControl.trusts(Int64(geteuid())))
    #expect(PortControl.trusts(0))
    #expect(!PortControl.trusts(Int64(geteuid()) + 1))
    #expect(!PortControl.trusts(-1))
  }

  // MARK: Listeners

  @Test("A new listener receives the state before the changes")
  func order() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    bench.handle()
    #expect(bench.isInUse)
    bench.control.send(Array("change\n".utf8).span, to: nil)
    var request = ByteBuffer<128>()
    let joined = bench.control.nextEvent(into: &request)
    #expect(joined == .joined(0))
    bench.control.send(Array("state\n".utf8).span, to: 0)
    bench.control.send(Array("change 2\n".utf8).span, to: nil)
    #expect(try read(program) == "state\nchange 2\n")
  }

  @Test("Lines may come in pieces, and several at once")
  func lines() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    write(program, "down ")
    #expect(bench.takeEvents() == [])
    write(program, "shake\nup shake\npack")
    #expect(bench.takeEvents() == ["down shake", "up shake"])
    write(program, "ets\n\n")
    #expect(bench.takeEvents() == ["packets", ""])
    #expect(!bench.hasEvents)
    shutdown(program.rawValue, CInt(SHUT_WR))
    #expect(bench.takeEvents() == ["left 0"])
    #expect(!bench.isInUse)
  }

  @Test("A program whose line is longer than 128 bytes is dropped")
  func longLine() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let longest = String(repeating: "x", count: 128)
    let program = try connect()
    let other = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    #expect(bench.takeEvents() == ["joined 1"])
    write(program, longest + "\n")
    write(other, longest + "x\n")
    #expect(bench.takeEvents() == [longest, "left 1"])
    #expect(try read(other) == nil)
  }

  @Test("A program that does not read is dropped, and no other")
  func slow() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let slow = try connect()
    let quick = try connect()
    while !bench.takeEvents().isEmpty {}
    bench.control.send(Array("state\n".utf8).span, to: 0)
    bench.control.send(Array("state\n".utf8).span, to: 1)
    #expect(try read(quick) == "state\n")
    let line = String(repeating: "x", count: 99) + "\n"
    var sent = 0
    var events: [String] = []
    while events.isEmpty, sent < 100_000 {
      bench.control.send(Array(line.utf8).span, to: nil)
      #expect(try read(quick) == line)
      sent += 1
      if bench.hasEvents { events = bench.takeEvents() }
    }
    #expect(events == ["left 0"])
    // The kernel's own limit, net.core.wmem_max, is 212,992 bytes at the least, and a line takes 1 kB of them.
    #expect(sent > 200)
    var got = ""
    while let more = try read(slow) { got += more }
    #expect(got == "state\n" + String(repeating: line, count: sent - 1))
  }

  @Test("16 programs listen at once; the next one gets the reason")
  func many() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    var programs: [CInt] = []
    defer { for number in programs { close(number) } }
    for number in 0..<16 {
      programs.append(try connectRaw())
      #expect(bench.takeEvents() == ["joined \(number)"])
    }
    let late = try connect()
    #expect(bench.takeEvents() == [])
    // The same line as of `eightball run`.
    #expect(
      try read(late) == #"{"event":"error","request":"","detail":"16 programs listen to the ball, "#
        + "which takes no more. End one of them\"}\n")
    #expect(try read(late) == nil)
    close(programs.remove(at: 3))
    #expect(bench.takeEvents() == ["left 3"])
    let next = try connect()
    #expect(bench.takeEvents() == ["joined 3"])
    _ = next.rawValue
  }

  @Test("With no file descriptor left the socket pauses for a second")
  func files() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    var limit = rlimit()
    try #require(unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0)
    // A new file has the lowest free number.
    let free = dup(program.rawValue)
    close(free)
    var none = rlimit(rlim_cur: rlim_t(free), rlim_max: limit.rlim_max)
    try #require(unsafe setrlimit(__rlimit_resource_t(7), &none) == 0)
    bench.handle()
    try #require(unsafe setrlimit(__rlimit_resource_t(7), &limit) == 0)
    let deadline = try #require(bench.deadline)
    #expect(!bench.isInUse)
    #expect(bench.pendingEvents == 0, "The program that waits does not wake the loop.")
    bench.advance(to: deadline)
    #expect(bench.deadline == nil)
    #expect(bench.pendingEvents == 1)
    #expect(bench.takeEvents() == ["joined 0"])
  }

  @Test("Each packet goes to the programs that want it")
  func packets() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    let other = try connect()
    while !bench.takeEvents().isEmpty {}
    #expect(!bench.hasPacketListeners)
    bench.control.sendPackets(true, to: 0)
    #expect(bench.hasPacketListeners)
    bench.control.note([0x01, 0x03, 0x0C, 0x00].span, .sent)
    bench.control.note([0x04, 0x0E, 0xFF].span, .received)
    bench.control.sendPackets()
    let lines = try #require(try read(program)).split(separator: "\n")
    #expect(try read(other) == "")
    let expected = [
      #/\{"event":"packet","time":[0-9]{16},"direction":"out","bytes":"01030c00"\}/#,
      #/\{"event":"packet","time":[0-9]{16},"direction":"in","bytes":"040eff"\}/#,
    ]
    #expect(lines.count == 2)
    for (line, form) in zip(lines, expected) {
      #expect(line.wholeMatch(of: form) != nil, "\(line)")
    }
    bench.control.sendPackets(false, to: 0)
    #expect(!bench.hasPacketListeners)
    #expect(bench.isInUse)
  }

  // Symptom: packets from before its request.
  @Test("A program gets no packet that was noted for the one before it")
  func olderPackets() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    do {
      let first = try connect()
      #expect(bench.takeEvents() == ["joined 0"])
      bench.control.sendPackets(true, to: 0)
      bench.control.note([0x01, 0x03, 0x0C, 0x00].span, .sent)
      _ = consume first
    }
    #expect(bench.takeEvents() == ["left 0"])
    #expect(!bench.hasPacketListeners)
    let next = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    bench.control.sendPackets(true, to: 0)
    bench.control.sendPackets()
    #expect(try read(next) == "")
  }

  @Test("A program gets nothing of the one before it at its place: no half line, no packets")
  func nextListener() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    do {
      let first = try connect()
      #expect(bench.takeEvents() == ["joined 0"])
      write(first, "down sha")
      #expect(bench.takeEvents() == [])
      bench.control.sendPackets(true, to: 0)
      _ = consume first
    }
    #expect(bench.takeEvents() == ["left 0"])
    let next = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    #expect(!bench.hasPacketListeners)
    write(next, "ke\n")
    #expect(bench.takeEvents() == ["ke"])
    bench.control.note([0x04, 0x0E, 0xFF].span, .received)
    bench.control.sendPackets()
    #expect(try read(next) == "")
  }

  // 8,192 bytes hold 3 packets of 1,021 bytes: each takes 2 × 1,021 digits and at most 100 bytes.
  @Test("Packets that fill the buffer in one turn are sent, none is lost")
  func manyPackets() throws {
    defer { folder.remove("control", ".control.eightball-lock") }
    let bench = try open()
    let program = try connect()
    #expect(bench.takeEvents() == ["joined 0"])
    bench.control.sendPackets(true, to: 0)
    for number in UInt8(0)..<20 {
      let packet = [0x02, number] + [UInt8](repeating: 7, count: 1_019)
      bench.control.note(packet.span, .sent)
    }
    bench.control.sendPackets()
    var all = ""
    while let more = try read(program), !more.isEmpty { all += more }
    let lines = all.split(separator: "\n")
    #expect(lines.count == 20)
    for (number, line) in lines.enumerated() {
      let digits = String(number, radix: 16)
      let start = number < 16 ? "020" + digits : "02" + digits
      #expect(line.contains("\"bytes\":\"" + start + "07"))
    }
  }

  @Test("The buttons that programs hold are remembered")
  func held() {
    var held = HeldButtons()
    #expect(held.nextChange() == nil)
    held.set(.shake, true)
    #expect(held[.shake] && !held[.clear])
    #expect(held.nextChange() == .shake)
    #expect(held.nextChange() == nil)
    held.set(.clear, true)
    held.set(.shake, false)
    #expect(held.nextChange() == .shake)
    #expect(held.nextChange() == .clear)
    held.letGo(.clear)
    #expect(!held[.clear])
    #expect(held.nextChange() == nil)
    // Pressed and released at once is a bounce.
    held.set(.shake, true)
    held.set(.shake, false)
    #expect(held.nextChange() == nil)
  }

  // MARK: Support

  private func open() throws -> ControlBench {
    let bench = ControlBench(try makeQueue())
    try #require(bench.open(path))
    return bench
  }

  /// The result for a ball with this path.
  private func ball(at path: String) throws -> (failure: ErrorNumber, isTaken: Bool) {
    let bench = ControlBench(try makeQueue())
    #expect(!bench.open(path))
    return (ErrorNumber(rawValue: bench.failure), bench.isTaken)
  }

  private func connect() throws -> FileDescriptor { try StreamSocket.connect(path: path) }

  private func connectRaw() throws -> CInt {
    let program = try connect()
    return dup(program.rawValue)
  }

  private var exists: Bool { fileMode != nil }

  private var fileMode: mode_t? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return status.st_mode & 0o777
  }

  private func bind(_ descriptor: CInt) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = self.path
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { space in
      for (index, byte) in path.utf8.enumerated() { unsafe space[index] = byte }
    }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.bind(descriptor, $0, size)
      }
    }
    try #require(result == 0)
  }

  private func write(_ program: borrowing FileDescriptor, _ text: String) {
    _ = try? program.write(Array(text.utf8).span)
  }

  /// What the ball has sent; empty if nothing, `nil` if it has closed the connection.
  private func read(_ program: borrowing FileDescriptor) throws -> String? {
    var storage = [UInt8](repeating: 0, count: 4_096)
    var space = storage.mutableSpan
    switch try? program.read(into: &space) {
    case .nothingYet: return ""
    case nil, .end: return nil
    case .bytes(let count): return String(decoding: storage.prefix(count), as: UTF8.self)
    }
  }
}
