import LinuxSystem
import Testing

@Suite("System errors")
struct SystemErrorTests {
  @Test("They have the operation, its subject and the reason")
  func description() {
    #expect(
      SystemError(.connectionRefused, "connect to", "/run/air.sock").description
        == "cannot connect to /run/air.sock: Connection refused")
  }
}
