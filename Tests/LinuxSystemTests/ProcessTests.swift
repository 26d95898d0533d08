import Testing

@testable import LinuxSystem

@Suite("This process")
struct ProcessTests {
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
    #expect(Process.mayConfigureAdapters(status: status) == mayConfigure)
  }

  @Test("Knows its program and its environment")
  func environment() {
    #expect(Process.programPath.hasPrefix("/"))
    #expect(Process.environment("PATH") != nil)
    #expect(Process.environment("EIGHTBALL_NO_SUCH_VARIABLE") == nil)
  }

  @Test("Files that are not there are an error, and directories empty")
  func files() {
    #expect(throws: SystemError(.noSuchFile, "open", "/no/such/file")) {
      try Files.text(of: "/no/such/file")
    }
    #expect(Files.names(in: "/no/such/directory") == [])
  }
}
