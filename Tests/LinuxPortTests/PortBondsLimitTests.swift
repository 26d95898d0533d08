import BluetoothHost
import Glibc
import Testing

@testable import Linux
@testable import LinuxPort

/// Bond files that cannot be used: why, and what happens to them later.
@Suite("Bond files of the Linux port that cannot be used")
struct PortBondsLimitTests {
  private let folder: TestDirectory
  private var path: String { folder.path + "/ball.bonds" }

  init() throws { folder = try TestDirectory() }

  private func bonds(_ state: String? = nil) -> PortBonds {
    PortBonds(state: lasting(state ?? folder.path), user: nil, home: nil)
  }

  private func open(_ bonds: inout PortBonds) -> Int {
    var table = BondTable<16>()
    _ = bonds.open(into: &table)
    return table.count
  }

  /// Stores a file with 16 bonds.
  private func keep(_ bonds: inout PortBonds) -> Bool {
    var table = BondTable<16>()
    for number in UInt8(1)...16 {
      table.store(
        Bond(
          identityAddress: .staticRandom([number, 0, 0, 0, 0, 0]),
          longTermKey: Number128(words: [1, 2, 3, UInt32(number)]), isAuthenticated: false,
          isSecureConnections: true, role: .responder))
    }
    var file = BondFileBytes()
    BondFileFormat.write(table, identity: nil, to: &file)
    return bonds.keep(file.span)
  }

  private func notice(_ bonds: borrowing PortBonds) -> String? {
    let words = text { bonds.writeNotice(to: &$0) }
    return bonds.hasNotice ? words : nil
  }

  private func length(_ bonds: borrowing PortBonds) -> Int { bonds.location.count }

  private func removeAll() {
    folder.remove(
      "ball.bonds", "ball.bonds.lock", "ball.bonds.new", "ball.bonds.unusable", "file")
  }

  @Test("All 16 bonds come back")
  func full() {
    defer { removeAll() }
    do {
      var own = bonds()
      #expect(open(&own) == 0)
      let isKept = keep(&own)
      #expect(isKept)
    }
    var own = bonds()
    #expect(open(&own) == 16)
    #expect(notice(own) == nil)
  }

  @Test("A path has at most 240 bytes, and is not cut")
  func longPath() {
    defer { removeAll() }
    // "/" + filler + "/ball.bonds".
    for (count, isUsed) in [(228, true), (229, false), (243, false), (244, false), (245, false)] {
      let own = bonds("/" + String(repeating: "x", count: count))
      let length = self.length(own)
      #expect(length == (isUsed ? count + 12 : 0), "\(count)")
      let hasNotice = own.hasNotice
      #expect(hasNotice == !isUsed)
    }
    // Neither is a relative path, in any variable.
    let own = PortBonds(state: lasting("a"), user: lasting("b"), home: lasting("c"))
    let length = self.length(own)
    #expect(length == 0)
  }

  @Test("Before it is opened, a file is not written")
  func unopened() {
    defer { removeAll() }
    var own = bonds()
    let isKept = keep(&own)
    #expect(!isKept)
    #expect(unsafe access(path, F_OK) != 0)
    var nowhere = PortBonds(state: nil, user: nil, home: nil)
    #expect(open(&nowhere) == 0)
    let isKeptNowhere = keep(&nowhere)
    #expect(!isKeptNowhere)
    let isInUse = nowhere.isInUse
    #expect(isInUse)
  }

  @Test("A folder that cannot be made is the reason, and nothing is kept")
  func noFolder() {
    defer { removeAll() }
    let file = folder.path + "/file"
    close(unsafe creat(file, 0o600))
    var own = bonds(file + "/folder")
    #expect(open(&own) == 0)
    #expect(
      notice(own) == "cannot make the folder of \(file)/folder/ball.bonds: Not a directory")
    let isKept = keep(&own)
    #expect(!isKept)
  }

  @Test("A file that cannot be written once is written later")
  func later() throws {
    defer { removeAll() }
    var own = bonds()
    #expect(open(&own) == 0)
    try #require(unsafe mkdir(path + ".new", 0o700) == 0)
    let isKept = keep(&own)
    #expect(!isKept)
    #expect(notice(own)?.hasPrefix("cannot write \(path): ") == true)
    try #require(unsafe rmdir(path + ".new") == 0)
    let isKeptLater = keep(&own)
    #expect(isKeptLater)
    #expect(notice(own) == nil)
  }

  @Test("A file that is not one of bonds and cannot be renamed is left alone")
  func notSetAside() throws {
    defer { removeAll() }
    let file = unsafe Glibc.open(path, O_WRONLY | O_CREAT, 0o600)
    try #require(unsafe write(file, "Hello", 5) == 5)
    close(file)
    let aside = path + ".unusable"
    try #require(unsafe mkdir(aside, 0o700) == 0)
    defer { unsafe rmdir(aside) }
    var own = bonds()
    #expect(open(&own) == 0)
    #expect(notice(own)?.hasPrefix("cannot rename \(path): ") == true)
    let isKept = keep(&own)
    #expect(!isKept)
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0 && status.st_size == 5)
  }
}
