import BluetoothHost
import Expectations
import Glibc
import Linux
import LinuxTestSupport

@testable import LinuxRadio

@Suite("The file of bonds")
struct BondFileTests {
  private let folder: TemporaryDirectory
  private var path: String { "\(folder.path)/ball.bonds" }
  init() throws { folder = try TemporaryDirectory() }

  private func bond(_ number: UInt8) -> Bond {
    Bond(
      identityAddress: .staticRandom([number, 0, 0, 0, 0, 0]),
      longTermKey: Number128(words: [UInt32(number), 2, 3, 4]), isAuthenticated: false,
      isSecureConnections: true, role: .responder)
  }

  private let identity = LocalIdentity(
    identityResolvingKey: .zero, address: .staticRandom([9, 0, 0, 0, 0, 0]))

  /// Saves bonds of these numbers, the last used first.
  private func save(_ numbers: [UInt8], to file: inout BondFile) throws {
    var table = BondTable<16>()
    for number in numbers.reversed() { table.store(bond(number)) }
    try file.save(table, identity: identity)
  }

  private func numbers(_ bonds: borrowing BondTable<16>) -> [UInt8] {
    (0..<bonds.count).compactMap { bonds.bond(at: $0)?.identityAddress.bytes[0] }
  }

  private func write(_ bytes: [UInt8]) throws {
    let file = try Files.create(path)
    expect(try file.write(bytes.span), is: bytes.count)
  }

  @Test("Saved bonds are there when the file is opened again, and only its owner can read it")
  func roundTrip() throws {
    do {
      var file = BondFile(path)
      let content = try file.open()
      expect(content.bonds.count, is: 0)
      expect(content.identity == nil)
      expect(content.notice, is: nil)
      try save([3, 1, 2], to: &file)
      try save([2, 3, 1], to: &file)
    }
    var file = BondFile(path)
    let content = try file.open()
    expect(numbers(content.bonds), is: [2, 3, 1])
    expect(content.identity?.address, is: identity.address)
    expect(content.notice, is: nil)
    expect(Files.mode(of: path), is: 0o600)
    expect(Files.mode(of: path + ".lock"), is: 0o600)
    expect(folder.names, is: ["ball.bonds", "ball.bonds.lock"])
  }

  @Test("Its folder is created, and only its owner can use it")
  func folderMade() throws {
    let path = "\(folder.path)/state/eightball/ball.bonds"
    var file = BondFile(path)
    _ = try file.open()
    try save([1], to: &file)
    expect(Files.mode(of: "\(folder.path)/state"), is: 0o700)
    expect(Files.mode(of: "\(folder.path)/state/eightball"), is: 0o700)
    expect(Files.mode(of: path), is: 0o600)
  }

  /// Contents that are not those of a file of bonds, and why.
  private func unusable() throws -> [(bytes: [UInt8], reason: String)] {
    var file = BondFile(path)
    _ = try file.open()
    try save([1], to: &file)
    file = BondFile(path)
    let good = try Files.bytes(of: path, limit: 4_096)
    var damaged = good
    damaged[40] ^= 1
    var future = good
    future[8] = 9
    return [
      (Array(good.dropLast()), "ends too early"), (damaged, "is damaged"),
      (Array("Hello".utf8), "is not a file of bonds"), ([], "is not a file of bonds"),
      (future, "has the format 9, which this version does not know"),
      (good + [UInt8](repeating: 7, count: 5_000), "is damaged"),
    ]
  }

  @Test("A ball renames its own truncated, damaged or foreign file, and uses the next one")
  func setAside() throws {
    for (bytes, reason) in try unusable() {
      try write(bytes)
      var next = PortBonds(at: Array(path.utf8).span)
      var table = BondTable<16>()
      _ = next.open(into: &table)
      expect(table.count, is: 0)
      let notice = String(writing: { next.writeNotice(to: &$0) })
      expect(
        notice,
        is: "the file \(path) \(reason); its name now ends in .unusable, and its bonds are not used"
      )
      expect(folder.names, is: ["ball.bonds.lock", "ball.bonds.unusable"])
      expect(try Files.bytes(of: path + ".unusable", limit: 16_384), is: bytes)
      table.store(bond(4))
      var file = BondFileBytes()
      BondFileFormat.write(table, identity: identity, to: &file)
      expect(next.keep(file.span))
      expect(try bonds(in: path), is: [4])
    }
  }

  // Symptom: `bonds --file /etc/passwd` renamed that file, and took the rights of others from it.
  @Test("A file that a user names stays as it is if it is not one of bonds")
  func named() throws {
    let contents = try unusable()
    _ = unsafe unlink(path + ".lock")
    for (bytes, reason) in contents {
      try write(bytes)
      _ = unsafe chmod(path, 0o644)
      var file = BondFile(path)
      for error in [
        #expect(throws: SystemError.self) { _ = try BondFile.read(path) },
        #expect(throws: SystemError.self) { _ = try file.open() },
      ] {
        expect(
          error?.description,
          is:
            "cannot use \(path): it \(reason). Name another file, or remove it if nothing needs it")
      }
      #expect(throws: SystemError.self) { try save([1], to: &file) }
      expect(folder.names, is: ["ball.bonds"])
      expect(Files.mode(of: path), is: 0o644)
      expect(try Files.bytes(of: path, limit: 16_384), is: bytes)
    }
  }

  @Test("Reading changes nothing, and needs no lock")
  func reading() throws {
    expect(try bonds(in: path), is: nil)
    expect(try bonds(in: folder.path + "/none/ball.bonds"), is: nil)
    expect(folder.names, is: [])
    do {
      var file = BondFile(path)
      _ = try file.open()
      try save([1, 2], to: &file)
      expect(try bonds(in: path), is: [1, 2])
      try save([3], to: &file)
    }
    _ = unsafe unlink(path + ".lock")
    _ = unsafe chmod(path, 0o644)
    expect(try bonds(in: path), is: [3])
    let content = try BondFile.read(path)
    let notice =
      switch content {
      case nil: nil as String?
      case let content?: content.notice
      }
    expect(
      notice,
      is: "other users can read or write \(path), and may know its keys. To be safe, forget these "
        + "bonds and pair again")
    expect(Files.mode(of: path), is: 0o644)
    expect(folder.names, is: ["ball.bonds"])
  }

  /// The numbers of the bonds that `read` finds; `nil` for no file.
  private func bonds(in path: String) throws -> [UInt8]? {
    switch try BondFile.read(path) {
    case nil: return nil
    case let content?: return numbers(content.bonds)
    }
  }

  @Test("A lock file that was replaced gives nothing to its holder's follower")
  func replacedLock() throws {
    var first = BondFile(path)
    _ = try first.open()
    // Another program removes the file, and a third one makes and locks a new one.
    _ = unsafe unlink(path + ".lock")
    var second = BondFile(path)
    _ = try second.open()
    var third = BondFile(path)
    let error = #expect(throws: SystemError.self) { _ = try third.open() }
    expect(error?.code, is: .busy)
    expect(error?.description, is: "cannot use \(path): another program is using these bonds")
    _ = consume first
    #expect(throws: SystemError.self) { _ = try third.open() }
  }

  @Test("A file that other users could read is protected, with a warning")
  func readableByOthers() throws {
    do {
      var file = BondFile(path)
      _ = try file.open()
      try save([1], to: &file)
    }
    _ = unsafe chmod(path, 0o644)
    var file = BondFile(path)
    let content = try file.open()
    expect(
      content.notice,
      is: "other users could read or write \(path), and may know its keys; "
        + "now only its owner can. To be safe, forget these bonds and pair again")
    expect(numbers(content.bonds), is: [1])
    expect(Files.mode(of: path), is: 0o600)
  }

  @Test(
    "A directory, a link or a pipe is left alone", arguments: ["a directory", "a link", "a pipe"])
  func noFile(kind: String) throws {
    switch kind {
    case "a directory": _ = unsafe mkdir(path, 0o700)
    case "a link": _ = unsafe symlink("/etc/passwd", path)
    default: _ = unsafe mkfifo(path, 0o600)
    }
    var file = BondFile(path)
    #expect(throws: SystemError.self) { _ = try file.open() }
    expect(folder.names, is: ["ball.bonds"])
    _ = unsafe rmdir(path)
  }

  @Test(
    "Its path is in the environment's folder for state",
    arguments: [
      (["STATE_DIRECTORY": "/var/lib/eightball", "HOME": "/h"], "/var/lib/eightball/x"),
      (["STATE_DIRECTORY": "/a:/b"], "/a/x"),
      (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/eightball/x"),
      (["XDG_STATE_HOME": "s", "HOME": "/h"], "/h/.local/state/eightball/x"),
      (["HOME": "/h"], "/h/.local/state/eightball/x"), (["HOME": "h"], nil), ([:], nil),
    ] as [([String: String], String?)])
  func location(environment: [String: String], path: String?) {
    expect(BondFile.path(of: "x", environment: { environment[$0] }), is: path)
  }
}
