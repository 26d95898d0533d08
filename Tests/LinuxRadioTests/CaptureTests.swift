import BluetoothHost
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@Suite("Captures")
struct CaptureTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/capture" }
  init() throws { directory = try TemporaryDirectory() }

  @Test("Are btsnoop files of H4 packets")
  func bytes() throws {
    // 1 January 2000, 00:00:00 UTC, and 5 µs: the moment that the format's description gives.
    let capture = try Capture(path: path, microseconds: { 946_684_800_000_005 })
    capture.note(reset, .sent)
    capture.note(resetComplete, .received)
    let data: [UInt8] = [0x02, 0x40, 0x20, 0x01, 0x00, 0xAA]
    capture.note(data, .sent)
    capture.note(data, .received)
    expect(capture.failure, is: nil)

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
    expect(try Files.bytes(of: path, limit: 4_096), is: expected)
  }

  @Test("What was sent before the first packet was received is not later than that one")
  func firstPackets() throws {
    // The wall clock's time, until an air has sent its own.
    var times: [Int64] = [3_000, 4_000, 1_000, 1_001, 1_000]
    let capture = try Capture(path: path, microseconds: { times.removeFirst() })
    for direction in [.sent, .sent, .received, .sent, .received] as [PacketDirection] {
      capture.note(reset, direction)
    }
    var reader = try CaptureReader(Files.bytes(of: path, limit: 4_096))
    var kept: [UInt64] = []
    while let packet = reader.next() { kept.append(packet.time &- 0x00DC_DDB3_0F2F_8000) }
    expect(kept, is: [1_000, 1_000, 1_000, 1_001, 1_000])
  }

  @Test("Only this user can read them, and an existing file is emptied")
  func mode() throws {
    _ = try Capture(path: path)
    expect(Files.mode(of: path), is: 0o600)
    try directory.write("What was there is longer than the header.", to: "capture")
    try #require(unsafe chmod(path, 0o644) == 0)
    _ = try Capture(path: path)
    expect(Files.mode(of: path), is: 0o600)
    expect(try Files.bytes(of: path, limit: 4_096).count, is: 16)
  }

  // Only root can change a file's owner. Tests/Peers tests the same with the program.
  @Test(
    "Go to no file, pipe or link of another user", .enabled(if: geteuid() == 0),
    arguments: ["file", "pipe", "link", "broken link"])
  func othersFile(kind: String) throws {
    try directory.write("mine", to: "mine")
    switch kind {
    case "file": try directory.write("theirs", to: "capture")
    case "pipe": try #require(unsafe mkfifo(path, 0o666) == 0)
    case "link": try directory.link(directory.path + "/mine", to: "capture")
    default: try directory.link(directory.path + "/new", to: "capture")
    }
    try #require(unsafe lchown(path, 65_534, 65_534) == 0)
    let error = #expect(throws: SystemError.self) { _ = try Capture(path: path) }
    expect(error?.code, is: .notPermitted)
    expect(error?.explanation?.contains("another user"), is: true)
    expect(try Files.text(of: directory.path + "/mine"), is: "mine")
    expect(!Files.exists(directory.path + "/new"))
    if kind == "file" { expect(try Files.text(of: path), is: "theirs") }
  }

  @Test("Follow a link of this user")
  func ownLink() throws {
    try directory.link(directory.path + "/file", to: "capture")
    _ = try Capture(path: path)
    expect(Files.mode(of: directory.path + "/file"), is: 0o600)
  }

  @Test("A pipe without a reader keeps records, and continues with whole ones once it is read")
  func pipe() throws {
    try #require(unsafe mkfifo(path, 0o644) == 0)
    var reasons: [SystemError] = []
    let capture = try Capture(path: path, microseconds: { 0 }, onFirstLoss: { reasons.append($0) })
    expect(Files.mode(of: path), is: 0o600)
    let packet = [UInt8](repeating: 0x02, count: 1_000)
    for _ in 0..<200 { capture.note(packet, .sent) }
    let failure = SystemError(
      .wouldBlock, "write to", path, explanation: "its reader does not keep up")
    expect(reasons, is: [failure])
    expect(capture.failure, is: failure)

    // 16 of header, and 24 + 1,000 for each.
    let kept = try Files.bytes(of: path, limit: 300_000)
    expect((kept.count - 16) % 1_024, is: 0)
    let losses = 200 - (kept.count - 16) / 1_024
    expect(capture.losses == losses)
    // There is room again: the next record has the number of missing packets.
    capture.note(packet, .sent)
    let next = try Files.bytes(of: path, limit: 300_000)
    expect(next.count, is: 1_024)
    expect(Array(next[12..<16]), is: [0, 0, 0, UInt8(losses)])
    expect(capture.losses == losses)
    expect(reasons.count, is: 1)
  }

  @Test("A pipe whose reader is gone ends the capture, and missing packets are counted")
  func brokenPipe() throws {
    let ends = try Ends.pipe()
    let capture = try Capture(path: "/dev/fd/\(ends.far.rawValue)")
    capture.note(reset, .sent)
    expect(capture.losses, is: 0)
    // Other users of the pipe still block.
    expect(fcntl(ends.far.rawValue, F_GETFL) & O_NONBLOCK, is: 0)
    let far = ends.closeNear()
    capture.note(reset, .sent)
    capture.note(reset, .sent)
    expect(capture.losses, is: 2)
    expect(capture.failure?.code, is: .brokenPipe)
    _ = far.rawValue
  }

  @Test("A full disk leaves no partial record, and the capture continues when there is room")
  func cutShort() async {
    // In a process of its own: the limit on files is for a whole process.
    await #expect(processExitsWith: .success) {
      let it = try CaptureTests()
      let capture = try Capture(path: it.path, microseconds: { 0 })
      // 16 of header, 24 + 4 of the first record, and 10 of the second.
      let usual = try ResourceLimit.fileLength.set(54)
      for _ in 0..<3 { capture.note(reset, .sent) }
      try ResourceLimit.fileLength.set(usual)
      expect(capture.losses, is: 2)
      expect(try Files.bytes(of: it.path, limit: 4_096).count, is: 44)
      capture.note(reset, .sent)
      let all = try Files.bytes(of: it.path, limit: 4_096)
      expect(all.count, is: 72)
      expect(Array(all[44 + 12..<44 + 16]), is: [0, 0, 0, 2])
    }
  }

  @Test("A folder, a socket, a missing folder and a full disk are refused")
  func nothingToWriteTo() throws {
    #expect(throws: SystemError.self) { _ = try Capture(path: directory.path) }
    do { _ = try bindSocket(to: directory.path + "/s") }
    #expect(throws: SystemError.self) { _ = try Capture(path: directory.path + "/s") }
    // /dev/full takes no byte: the header already fails.
    for (path, code, operation) in [
      ("/tmp/no/such/capture", .noSuchFile, "create"), ("/dev/full", .noSpace, "write to"),
    ] as [(String, ErrorNumber, String)] {
      #expect(throws: SystemError(code, operation, path)) { _ = try Capture(path: path) }
    }
  }
}
