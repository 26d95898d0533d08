import Glibc
import LinuxRadio
import LinuxSystem
import LinuxTestSupport
import Testing

@Suite("Captures")
struct CaptureTests {
  @Test("Are btsnoop files of H4 packets")
  func bytes() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/capture"
    // 1 January 2000, 00:00:00 UTC, and 5 µs: the moment that the format's description gives.
    let capture = try Capture(path: path, microseconds: { 946_684_800_000_005 })
    capture.note(reset, .sent)
    capture.note(resetComplete, .received)
    let data: [UInt8] = [0x02, 0x40, 0x20, 0x01, 0x00, 0xAA]
    capture.note(data, .sent)
    capture.note(data, .received)
    #expect(capture.failure == nil)

    // 0x00E03AB44A676000 is the year 2000 in µs since the year 0.
    let time: [UInt8] = [0x00, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0x05]
    func record(_ packet: [UInt8], flags: UInt8) -> [UInt8] {
      let length: [UInt8] = [0, 0, 0, UInt8(packet.count)]
      return length + length + [0, 0, 0, flags] + [0, 0, 0, 0] + time + packet
    }
    let header: [UInt8] = Array("btsnoop".utf8) + [0, 0, 0, 0, 1, 0, 0, 0x03, 0xEA]
    let expected =
      header + record(reset, flags: 0b10) + record(resetComplete, flags: 0b11)
      + record(data, flags: 0b00) + record(data, flags: 0b01)
    #expect(try contents(of: path) == expected)
  }

  @Test("Only this user can read them")
  func mode() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/capture"
    _ = try Capture(path: path)
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("An existing file is emptied, and only this user can read it")
  func existing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/capture"
    try directory.write("What was there is longer than the header.", to: "capture")
    try #require(unsafe chmod(path, 0o644) == 0)
    _ = try Capture(path: path)
    #expect(mode(of: path) == 0o600)
    #expect(try contents(of: path).count == 16)
  }

  // Only root can change a file's owner. Tests/Peers tests the same with the program.
  @Test(
    "Go to no file, pipe or link of another user", .enabled(if: geteuid() == 0),
    arguments: ["file", "pipe", "link", "broken link"])
  func othersFile(kind: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/capture"
    try directory.write("mine", to: "mine")
    switch kind {
    case "file": try directory.write("theirs", to: "capture")
    case "pipe": try #require(unsafe mkfifo(path, 0o666) == 0)
    case "link": try directory.link(directory.path + "/mine", to: "capture")
    default: try directory.link(directory.path + "/new", to: "capture")
    }
    try #require(unsafe lchown(path, 65_534, 65_534) == 0)
    let error = #expect(throws: SystemError.self) { _ = try Capture(path: path) }
    #expect(error?.code == .notPermitted)
    #expect(error?.explanation?.contains("another user") == true)
    #expect(try Files.text(of: directory.path + "/mine") == "mine")
    #expect(!Files.exists(directory.path + "/new"))
    if kind == "file" { #expect(try Files.text(of: path) == "theirs") }
  }

  @Test("Follow a link of this user")
  func ownLink() throws {
    let directory = try TemporaryDirectory()
    try directory.link(directory.path + "/file", to: "capture")
    _ = try Capture(path: directory.path + "/capture")
    #expect(mode(of: directory.path + "/file") == 0o600)
  }

  @Test("A pipe without a reader keeps records, and continues with whole ones once it is read")
  func pipe() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/capture"
    try #require(unsafe mkfifo(path, 0o644) == 0)
    var reasons: [SystemError] = []
    let capture = try Capture(
      path: path, microseconds: { 0 }, onFirstLoss: { reasons.append($0) })
    #expect(mode(of: path) == 0o600)
    let packet = [UInt8](repeating: 0x02, count: 1_000)
    for _ in 0..<200 { capture.note(packet, .sent) }
    let failure = SystemError(
      .wouldBlock, "write to", path, explanation: "its reader does not keep up")
    #expect(reasons == [failure])
    #expect(capture.failure == failure)

    // 16 of header, and 24 + 1,000 for each.
    let kept = try contents(of: path, limit: 300_000)
    #expect((kept.count - 16) % 1_024 == 0)
    let losses = 200 - (kept.count - 16) / 1_024
    #expect(capture.losses == losses)
    // There is room again: the next record has the number of missing packets.
    capture.note(packet, .sent)
    let next = try contents(of: path, limit: 300_000)
    #expect(next.count == 1_024)
    #expect(Array(next[12..<16]) == [0, 0, 0, UInt8(losses)])
    #expect(capture.losses == losses)
    #expect(reasons.count == 1)
  }

  @Test("A pipe whose reader is gone ends the capture, and missing packets are counted")
  func brokenPipe() throws {
    var ends: [CInt] = [-1, -1]
    try #require(unsafe Glibc.pipe(&ends) == 0)
    let near = FileDescriptor(owning: ends[1], name: "near")
    let capture: Capture
    do {
      let far = FileDescriptor(owning: ends[0], name: "far")
      capture = try Capture(path: "/dev/fd/\(near.rawValue)")
      capture.note(reset, .sent)
      #expect(capture.losses == 0)
      // Other users of the pipe still block.
      #expect(fcntl(near.rawValue, F_GETFL) & O_NONBLOCK == 0)
      _ = consume far
    }
    capture.note(reset, .sent)
    capture.note(reset, .sent)
    #expect(capture.losses == 2)
    #expect(capture.failure?.code == .brokenPipe)
  }

  @Test("A full disk leaves no partial record, and the capture continues when there is room")
  func cutShort() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/capture"
    let capture = try Capture(path: path, microseconds: { 0 })
    var before = rlimit()
    try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) == 0)
    // 16 of header, 24 + 4 of the first record, and 10 of the second.
    var limit = rlimit(rlim_cur: 54, rlim_max: before.rlim_max)
    try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    for _ in 0..<3 { capture.note(reset, .sent) }
    try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) == 0)
    #expect(capture.losses == 2)
    #expect(try contents(of: path).count == 44)
    capture.note(reset, .sent)
    let all = try contents(of: path)
    #expect(all.count == 72)
    #expect(Array(all[44 + 12..<44 + 16]) == [0, 0, 0, 2])
  }

  @Test("A folder or a socket is refused")
  func nothingToWriteTo() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: SystemError.self) { _ = try Capture(path: directory.path) }
    let listener = try StreamListener(path: directory.path + "/s")
    #expect(throws: SystemError.self) { _ = try Capture(path: directory.path + "/s") }
    _ = consume listener
  }

  @Test("A capture that cannot be created says why")
  func missing() {
    #expect(throws: SystemError(.noSuchFile, "create", "/tmp/no/such/capture")) {
      _ = try Capture(path: "/tmp/no/such/capture")
    }
  }

  @Test("A full disk ends the capture, and stops nothing else")
  func full() throws {
    // /dev/full takes no byte: the header already fails.
    #expect(throws: SystemError(.noSpace, "write to", "/dev/full")) {
      _ = try Capture(path: "/dev/full")
    }
  }

  private func mode(of path: String) -> mode_t {
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0)
    return status.st_mode & 0o777
  }

  private func contents(of path: String, limit: Int = 4_096) throws -> [UInt8] {
    try Files.bytes(of: path, limit: limit)
  }
}
