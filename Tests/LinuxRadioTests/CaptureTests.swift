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

  @Test("Are for this user alone")
  func mode() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/capture"
    _ = try Capture(path: path)
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("That cannot be made say why")
  func missing() {
    #expect(throws: SystemError(.noSuchFile, "create", "/tmp/no/such/capture")) {
      _ = try Capture(path: "/tmp/no/such/capture")
    }
  }

  @Test("To a full disk end, and stop nothing")
  func full() throws {
    // /dev/full takes no byte: the header already fails.
    #expect(throws: SystemError(.noSpace, "write to", "/dev/full")) {
      _ = try Capture(path: "/dev/full")
    }
  }

  private func contents(of path: String) throws -> [UInt8] {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    let file = FileDescriptor(owning: number, name: path)
    var storage = [UInt8](repeating: 0, count: 4_096)
    var space = storage.mutableSpan
    guard case .bytes(let count) = try file.read(into: &space) else { return [] }
    return Array(storage.prefix(count))
  }
}
