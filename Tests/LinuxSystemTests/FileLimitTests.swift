import Glibc
import LinuxSystem
import Testing

@Suite("The number of open files")
struct FileLimitTests {
  @Test("A few files fit; more than the system allows do not")
  func room() {
    #expect(FileLimit.makeRoom(for: 1) == 1)
    var limit = rlimit()
    #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    // The hard limit, minus the reserve.
    guard limit.rlim_max < 1 << 32 else { return }
    let most = Int(limit.rlim_max) - 64
    #expect(FileLimit.makeRoom(for: most + 1) == most)
    #expect(FileLimit.makeRoom(for: most) == most)
  }
}
