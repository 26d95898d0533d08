import LinuxTestSupport
import Testing

@testable import LinuxSystem

@Suite("This process")
struct CurrentProcessTests {
  @Test(
    "May configure adapters if CAP_NET_ADMIN, bit 12, is among its effective capabilities",
    arguments: [
      ("CapPrm:\t000001ffffffffff\nCapEff:\t0000000000001000\n", true),
      ("CapPrm:\t000001ffffffffff\nCapEff:\t000001ffffffefff\n", false),
      ("CapEff:\t000001ffffffffff\n", true),
      ("CapEff:\tnonsense\n", false),
      ("Name:\teightball\n", false),
    ])
  func capabilities(status: String, mayConfigure: Bool) {
    #expect(CurrentProcess.mayConfigureAdapters(status: status) == mayConfigure)
  }

  @Test("Knows its program and its environment")
  func environment() {
    #expect(CurrentProcess.programPath.hasPrefix("/"))
    #expect(CurrentProcess.environment("PATH") != nil)
    #expect(CurrentProcess.environment("EIGHTBALL_NO_SUCH_VARIABLE") == nil)
  }

  @Test("Missing files are errors, and missing directories are empty")
  func files() {
    #expect(throws: SystemError(.noSuchFile, "open", "/no/such/file")) {
      try Files.text(of: "/no/such/file")
    }
    #expect(Files.names(in: "/no/such/directory") == [])
  }

  @Test("A file is read up to its end or the limit")
  func bytes() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/file"
    let content = (0..<2_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try Files.create(path)
    #expect(try file.write(content.span) == 2_000)
    for limit in [0, 1, 1_999, 2_000, 2_001] {
      #expect(try Files.bytes(of: path, limit: limit) == Array(content.prefix(limit)))
    }
    #expect(try Files.bytes(of: "/dev/zero", limit: 5_000) == [UInt8](repeating: 0, count: 5_000))
  }
}
