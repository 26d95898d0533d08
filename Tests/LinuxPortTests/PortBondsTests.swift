import BluetoothHost
import Expectations
import Glibc
import LinuxRadio
import LinuxTestSupport

@testable import Linux
@testable import LinuxPort

/// The file of a ball's bonds. BondFileTests has the contents that are none, permissions and the folders.
@Suite("The bond file of the Linux port")
struct PortBondsTests {
  private let folder: TemporaryDirectory
  private var path: String { folder.path + "/ball.bonds" }
  init() throws { folder = try TemporaryDirectory() }

  private func bonds(_ state: String? = nil) -> PortBonds {
    PortBonds(state: lasting(state ?? folder.path), user: nil, home: nil)
  }

  private func length(_ bonds: borrowing PortBonds) -> Int { bonds.location.count }

  /// The number of bonds in the file.
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

  // Symptom: of two balls that started without a file, both kept bonds, and one lost its own.
  @Test("All 16 bonds are there when the file is opened again, and one program at a time has it")
  func exchange() throws {
    do {
      var own = bonds()
      expect(open(&own), is: 0)
      expect(notice(own), is: nil)
      // It is locked, without a file and with one.
      for _ in 0..<2 {
        var other = bonds()
        expect(open(&other), is: 0)
        expect(notice(other), is: "cannot use \(path): another program is using these bonds")
        expect(keep(&other), is: false, "The first program holds it.")
        expect(keep(&own), is: true)
        expect(notice(own), is: nil)
      }
    }
    var own = bonds()
    expect(open(&own), is: 16)
    expect(notice(own), is: nil)
    expect(folder.names, is: ["ball.bonds", "ball.bonds.lock"])
  }

  @Test("A path has at most 240 bytes, and is not cut")
  func longPath() {
    // "/" + filler + "/ball.bonds".
    for (count, isUsed) in [(228, true), (229, false), (243, false), (244, false), (245, false)] {
      let own = bonds("/" + String(repeating: "x", count: count))
      expect(length(own), is: isUsed ? count + 12 : 0, "\(count)")
      expect(own.hasNotice, is: !isUsed)
    }
    // Neither is a relative path, in any variable.
    let own = PortBonds(state: lasting("a"), user: lasting("b"), home: lasting("c"))
    expect(length(own), is: 0)
  }

  @Test("Before it is opened, a file is not written, and without a place there is none")
  func unopened() {
    var own = bonds()
    expect(keep(&own), is: false)
    expect(!Files.exists(path))
    var nowhere = PortBonds(state: nil, user: nil, home: nil)
    expect(!nowhere.isInUse)
    var table = BondTable<16>()
    let identity = nowhere.open(into: &table)
    expect(identity == nil ? true : false)
    expect(table.count, is: 0)
    expect(keep(&nowhere), is: false)
    expect(nowhere.isInUse)
    expect(
      notice(nowhere),
      is:
        "cannot find a place for the bonds: neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME names one"
    )
  }

  @Test("A folder that cannot be made is the reason, and nothing is kept")
  func noFolder() throws {
    try folder.write("", to: "file")
    for (parent, reason) in [
      (folder.path + "/file/folder", "Not a directory"),
      ("/proc/nothing/here", "No such file or directory"),
    ] {
      var own = bonds(parent)
      expect(open(&own), is: 0)
      expect(notice(own), is: "cannot make the folder of \(parent)/ball.bonds: \(reason)")
      expect(own.isInUse)
      expect(keep(&own), is: false)
    }
  }

  @Test("A failed write leaves the old file, and the next one may succeed")
  func later() throws {
    var own = bonds()
    expect(open(&own), is: 0)
    expect(keep(&own), is: true)
    let old = try Files.bytes(of: path, limit: 4_096)
    try #require(unsafe mkdir(path + ".new", 0o700) == 0)
    expect(keep(&own), is: false)
    expect(notice(own)?.hasPrefix("cannot write \(path): "), is: true)
    expect(try Files.bytes(of: path, limit: 4_096), is: old)
    try #require(unsafe rmdir(path + ".new") == 0)
    expect(keep(&own), is: true)
    expect(notice(own), is: nil)
  }

  @Test("A file that is not one of bonds and cannot be renamed is left alone")
  func notSetAside() throws {
    try folder.write("Hello", to: "ball.bonds")
    try #require(unsafe mkdir(path + ".unusable", 0o700) == 0)
    var own = bonds()
    expect(open(&own), is: 0)
    expect(notice(own)?.hasPrefix("cannot rename \(path): "), is: true)
    expect(keep(&own), is: false)
    expect(try Files.text(of: path), is: "Hello")
  }
}
