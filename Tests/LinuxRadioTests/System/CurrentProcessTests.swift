import BluetoothHost
import Expectations
import Glibc
import LinuxTestSupport

@testable import LinuxRadio

@Suite("This process")
struct CurrentProcessTests {
  @Test(
    "May configure adapters if CAP_NET_ADMIN, bit 12, is among its effective capabilities",
    arguments: [
      ("CapPrm:\t000001ffffffffff\nCapEff:\t0000000000001000\n", true),
      ("CapPrm:\t000001ffffffffff\nCapEff:\t000001ffffffefff\n", false),
      ("CapEff:\t000001ffffffffff\n", true), ("CapEff:\tnonsense\n", false),
      ("Name:\teightball\n", false),
    ])
  func capabilities(status: String, mayConfigure: Bool) {
    expect(CurrentProcess.mayConfigureAdapters(status: status), is: mayConfigure)
  }

  @Test("Knows its program and its environment")
  func environment() {
    expect(CurrentProcess.programPath.hasPrefix("/"))
    expect(CurrentProcess.environment("PATH") != nil)
    expect(CurrentProcess.environment("EIGHTBALL_NO_SUCH_VARIABLE"), is: nil)
  }

  @Test("Missing files are errors, and missing directories are empty")
  func files() {
    #expect(throws: SystemError(.noSuchFile, "open", "/no/such/file")) {
      try Files.text(of: "/no/such/file")
    }
    expect(Files.names(in: "/no/such/directory"), is: [])
  }

  @Test("A file is read up to its end or the limit")
  func bytes() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/file"
    let content = (0..<2_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try Files.create(path)
    expect(try file.write(content.span), is: 2_000)
    for limit in [0, 1, 1_999, 2_000, 2_001] {
      expect(try Files.bytes(of: path, limit: limit), is: Array(content.prefix(limit)))
    }
    expect(try Files.bytes(of: "/dev/zero", limit: 5_000), is: [UInt8](repeating: 0, count: 5_000))
  }
}

@Suite("The number of open files")
struct FileLimitTests {
  @Test("A few files fit; more than the system allows do not")
  func room() {
    expect(FileLimit.makeRoom(for: 1), is: 1)
    var limit = rlimit()
    expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), is: 0)
    // The hard limit, minus the reserve.
    guard limit.rlim_max < 1 << 32 else { return }
    let most = Int(limit.rlim_max) - 64
    expect(FileLimit.makeRoom(for: most + 1), is: most)
    expect(FileLimit.makeRoom(for: most), is: most)
  }
}

@Suite("Random numbers of the kernel")
struct SystemRandomTests {
  @Test("Neither one generator nor two repeat a number")
  func differs() {
    var first = SystemRandom()
    var second = SystemRandom()
    var numbers: Set<UInt64> = []
    for _ in 0..<64 {
      numbers.insert(first.next())
      numbers.insert(second.next())
    }
    // By chance two of 128 numbers of 64 bits are equal once in 2 to the power of 51.
    expect(numbers.count, is: 128)
  }

  @Test("Every bit of a key is 1 at times and 0 at times")
  func bits() {
    var random = SystemRandom()
    var ones = Number128.zero
    var zeros = Number128.zero
    for _ in 0..<64 {
      let key: Number128 = random.nextNumber()
      for word in 0..<4 {
        ones.words[word] |= key.words[word]
        zeros.words[word] |= ~key.words[word]
      }
    }
    for word in 0..<4 {
      expect(ones.words[word], is: .max)
      expect(zeros.words[word], is: .max)
    }
  }
}
