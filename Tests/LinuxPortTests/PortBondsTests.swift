import BluetoothHost
import Glibc
import LinuxSystem
import Testing

@testable import Linux
@testable import LinuxPort

@Suite("The bond file of the Linux port")
struct PortBondsTests {
  private let folder: TestDirectory
  private var path: String { folder.path + "/ball.bonds" }

  init() throws { folder = try TestDirectory() }

  private func bonds() -> PortBonds {
    PortBonds(state: lasting(folder.path), user: nil, home: nil)
  }

  private var table: BondTable<16> {
    var table = BondTable<16>()
    table.store(
      Bond(
        identityAddress: .staticRandom([1, 0, 0, 0, 0, 0]),
        longTermKey: Number128(words: [1, 2, 3, 4]), isAuthenticated: false,
        isSecureConnections: true, role: .responder))
    return table
  }

  private func notice(_ bonds: borrowing PortBonds) -> String {
    text { bonds.writeNotice(to: &$0) }
  }

  private func keep(_ bonds: inout PortBonds) -> Bool {
    var file = BondFileBytes()
    BondFileFormat.write(table, identity: nil, to: &file)
    return bonds.keep(file.span)
  }

  @Test("Kept bonds are there when the file is opened again, and one program at a time has it")
  func exchange() throws {
    defer {
      folder.remove(
        "ball.bonds", "ball.bonds.lock", "ball.bonds.new", "ball.bonds.unusable")
    }
    do {
      var own = bonds()
      var empty = BondTable<16>()
      _ = own.open(into: &empty)
      #expect(empty.count == 0)
      let isKept = keep(&own)
      #expect(isKept)
      let hasNotice = own.hasNotice
      #expect(!hasNotice)
      // It is locked.
      var other = bonds()
      var read = BondTable<16>()
      _ = other.open(into: &read)
      #expect(read.count == 0)
      #expect(notice(other) == "cannot use \(path): another program is using these bonds")
      let isKeptByOther = keep(&other)
      #expect(!isKeptByOther, "The first program holds it.")
    }
    var own = bonds()
    var read = BondTable<16>()
    _ = own.open(into: &read)
    #expect(read.count == 1)
    #expect(Files.names(in: folder.path) == ["ball.bonds", "ball.bonds.lock"])
  }

  // Symptom: of two balls that started without a file, both kept bonds, and one lost its own.
  @Test("Of two balls that start without a file, one keeps bonds")
  func twoAtOnce() throws {
    defer {
      folder.remove(
        "ball.bonds", "ball.bonds.lock", "ball.bonds.new", "ball.bonds.unusable")
    }
    var first = bonds()
    var empty = BondTable<16>()
    _ = first.open(into: &empty)
    let hasNotice = first.hasNotice
    #expect(!hasNotice)
    var second = bonds()
    _ = second.open(into: &empty)
    #expect(notice(second) == "cannot use \(path): another program is using these bonds")
    let isKeptBySecond = keep(&second)
    #expect(!isKeptBySecond)
    let isKept = keep(&first)
    #expect(isKept)
  }

  @Test("A damaged file is renamed, and a file that others can read is protected")
  func wrong() throws {
    defer {
      folder.remove(
        "ball.bonds", "ball.bonds.lock", "ball.bonds.new", "ball.bonds.unusable")
    }
    do {
      var own = bonds()
      var read = BondTable<16>()
      _ = own.open(into: &read)
      let isKept = keep(&own)
      #expect(isKept)
    }
    chmod(path)
    do {
      var own = bonds()
      var read = BondTable<16>()
      _ = own.open(into: &read)
      #expect(read.count == 1)
      #expect(
        notice(own).hasPrefix("other users could read or write \(path), and may know its keys"))
    }
    let file = try Files.create(path)
    let wrong = Array("Hello".utf8)
    #expect(try file.write(wrong.span) == wrong.count)
    var own = bonds()
    var read = BondTable<16>()
    _ = own.open(into: &read)
    #expect(read.count == 0)
    #expect(
      notice(own)
        == "the file \(path) is not a file of bonds; its name now ends in .unusable, and its bonds "
        + "are not used")
    #expect(Files.names(in: folder.path) == ["ball.bonds.lock", "ball.bonds.unusable"])
    let isKept = keep(&own)
    #expect(isKept)
  }

  private func chmod(_ path: String) { _ = unsafe Glibc.chmod(path, 0o640) }

  @Test("The file is in the folder for state of a service or of a user")
  func location() {
    defer {
      folder.remove(
        "ball.bonds", "ball.bonds.lock", "ball.bonds.new", "ball.bonds.unusable")
    }
    func location(_ state: String?, _ user: String?, _ home: String?) -> String {
      let bonds = PortBonds(
        state: state.map { lasting($0) }, user: user.map { lasting($0) },
        home: home.map { lasting($0) })
      var bytes: [UInt8] = []
      let span = bonds.location
      for index in span.indices { bytes.append(span[index]) }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(location("/var/lib/eightball", nil, "/h") == "/var/lib/eightball/ball.bonds")
    #expect(location("/a:/b", "/s", "/h") == "/a/ball.bonds")
    #expect(location(nil, "/s", "/h") == "/s/eightball/ball.bonds")
    #expect(location(nil, "s", "/h") == "/h/.local/state/eightball/ball.bonds")
    #expect(location(nil, nil, nil) == "")
    #expect(location("/" + String(repeating: "x", count: 300), nil, nil) == "")
    let nowhere = PortBonds(state: nil, user: nil, home: nil)
    #expect(
      notice(nowhere)
        == "cannot find a place for the bonds: neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME names one"
    )
  }
}
