import BluetoothHost
import Glibc

/// The file in which the bonds of a user's programs, or of a service, are kept.
///
/// It is for its owner alone (mode 0600). It is never changed in place: a new one is written beside it,
/// and takes its name when it is on the disk. So a program or machine that stops at any moment leaves the
/// old one or the new one. One process at a time has the file: a lock (flock(2)) is on it, and passes to
/// each new one.
public struct BondFile: ~Copyable {
  /// What a file that cannot be used is called from then on, behind its name.
  public static var suffixOfUnusable: String { ".unusable" }

  /// Where it is.
  public let path: String

  /// The file, which is locked; `nil` before `open`, and where that has failed.
  private var held: FileDescriptor?

  /// The file at `path`, which need not be there yet.
  public init(_ path: String) {
    self.path = path
  }

  /// What a file has said.
  public struct Content: ~Copyable {
    /// The bonds; none if there is no file, or one that cannot be used.
    public var bonds = BondTable<16>()
    /// Who this device was when it was written; `nil` if that is unknown.
    public var identity: LocalIdentity?
    /// Takes the bonds out.
    public mutating func takeBonds() -> BondTable<16> {
      var taken = BondTable<16>()
      swap(&taken, &bonds)
      return taken
    }

    /// What the user should know of the file, as a sentence without its full stop; `nil` if all is well.
    public var notice: String?
  }

  /// The path of the file `name`: in the service's folder, $STATE_DIRECTORY, if there is one; or else in the
  /// folder `eightball` of $XDG_STATE_HOME, which is ~/.local/state unless set.
  ///
  /// systemd.exec(5); XDG Base Directory Specification 0.8.
  ///
  /// - Returns: `nil` if the environment has none of these, nor HOME. A variable that is no path from the
  ///   root does not count.
  public static func path(
    of name: String, environment: (String) -> String? = { Process.environment($0) }
  ) -> String? {
    func folder(_ variable: String) -> String? {
      // With several folders the first is the one for the state.
      environment(variable)?.split(separator: ":").first
        .map { String($0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    if let folder = folder("STATE_DIRECTORY") { return "\(folder)/\(name)" }
    let state = folder("XDG_STATE_HOME") ?? folder("HOME").map { "\($0)/.local/state" }
    return state.map { "\($0)/eightball/\(name)" }
  }

  // MARK: Reading

  /// Reads the file, and takes it for this process: no other may `open` it until this value has gone.
  ///
  /// A file that is cut, damaged, or something else is set aside: it gets another name, and `notice` says
  /// so. The folder is made if it is not there (mode 0700).
  ///
  /// - Throws: `busy` if another process has it; `notPermitted` if it is another user's; why it cannot be
  ///   read, or its folder cannot be made. The bonds can still be kept in memory then.
  public mutating func open() throws(SystemError) -> Content {
    var content = Content()
    try makeFolder()
    guard let file = try openPresent() else { return content }
    var status = stat()
    let number = file.rawValue
    try SystemCall.run("look at", path) { unsafe fstat(number, &status) }
    try check(status)
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
      throw SystemError(.busy, "use", path, explanation: "another program is using these bonds")
    }
    if status.st_mode & 0o077 != 0 {
      let mode = String(status.st_mode & 0o777, radix: 8)
      content.notice =
        "others could read or write \(path) (its mode was \(mode)), and may know the keys in it; it is "
        + "its owner's alone now. To be safe, forget these bonds and pair again"
      try SystemCall.run("protect", path) { fchmod(number, 0o600) }
    }
    var storage = [UInt8](repeating: 0, count: 2_048)
    let count = try Self.read(file, into: &storage)
    do throws(BondFileFault) {
      content.identity = try BondFileFormat.read(
        storage.span.extracting(first: count), into: &content.bonds)
      held = consume file
    } catch {
      content.notice = try setAside(error)
    }
    for index in storage.indices { storage[index] = 0 }
    return content
  }

  private static func read(
    _ file: borrowing FileDescriptor, into storage: inout [UInt8]
  ) throws(SystemError) -> Int {
    var count = 0
    while count < storage.count {
      var all = storage.mutableSpan
      var rest = all._mutatingExtracting(droppingFirst: count)
      guard case .bytes(let more) = try file.read(into: &rest) else { break }
      count += more
    }
    return count
  }

  private func openPresent() throws(SystemError) -> FileDescriptor? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    do throws(SystemError) {
      let number = try SystemCall.run("read", path) { unsafe Glibc.open(path, flags) }
      return FileDescriptor(owning: number, name: path)
    } catch {
      guard error.code != .noSuchFile else { return nil }
      throw error
    }
  }

  private func check(_ status: stat) throws(SystemError) {
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError(.invalidArgument, "use", path, explanation: "it is not a regular file")
    }
    // Root manages the bonds of a service.
    guard status.st_uid == Process.userNumber || Process.userNumber == 0 else {
      throw SystemError(.notPermitted, "use", path, explanation: "it is another user's")
    }
  }

  /// Gives a file that cannot be used another name, and says so.
  private func setAside(_ fault: BondFileFault) throws(SystemError) -> String {
    let other = path + Self.suffixOfUnusable
    try SystemCall.run("rename", path) { unsafe rename(path, other) }
    let reason =
      switch fault {
      case .foreign: "is no file of bonds"
      case .cut: "ends too early"
      case .damaged: "is damaged"
      case .version(let number): "has the format \(number), which this version does not know"
      }
    return "the file \(path) \(reason); it is \(other) now, and its bonds are not used"
  }

  private func makeFolder() throws(SystemError) {
    var folders: [String] = []
    var folder = path
    while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
      folder = String(folder[..<slash])
      if Files.exists(folder) { break }
      folders.append(folder)
    }
    for folder in folders.reversed() {
      guard unsafe mkdir(folder, 0o700) != 0, Errno.current != .fileExists else { continue }
      throw SystemError(.current, "make the folder", folder)
    }
  }

  // MARK: Writing

  /// Writes the file anew.
  ///
  /// - Throws: Why that is not possible; the old file is still there then.
  public mutating func save<Bonds: BondStore & ~Copyable>(
    _ bonds: borrowing Bonds, identity: LocalIdentity?
  ) throws(SystemError) {
    var file = BondFileBytes()
    BondFileFormat.write(bonds, identity: identity, to: &file)
    do throws(SystemError) {
      try save(file.span)
      file.wipe()
    } catch {
      file.wipe()
      throw error
    }
  }

  /// Writes the file anew, with these bytes of `BondFileFormat`.
  ///
  /// - Throws: Why that is not possible; the old file is still there then.
  public mutating func save(_ bytes: Span<UInt8>) throws(SystemError) {
    let new = path + ".new"
    // What a killed process has left.
    _ = unsafe unlink(new)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let number = try SystemCall.run("write", path) { unsafe Glibc.open(new, flags, 0o600) }
    let file = FileDescriptor(owning: number, name: path)
    do throws(SystemError) {
      try fill(file, bytes)
      try SystemCall.run("write", path) { unsafe rename(new, path) }
    } catch {
      _ = unsafe unlink(new)
      throw error
    }
    held = consume file
    syncFolder()
  }

  private func fill(
    _ file: borrowing FileDescriptor, _ bytes: Span<UInt8>
  ) throws(SystemError) {
    let number = file.rawValue
    try SystemCall.run("protect", path) { fchmod(number, 0o600) }
    if Process.userNumber == 0 {
      var status = stat()
      if unsafe lstat(path, &status) == 0 {
        try SystemCall.run("protect", path) { fchown(number, status.st_uid, status.st_gid) }
      }
    }
    try SystemCall.run("lock", path) { flock(number, LOCK_EX | LOCK_NB) }
    var written = 0
    while written < bytes.count {
      let count = try file.write(bytes.extracting(droppingFirst: written))
      guard count > 0 else { throw SystemError(.noSpace, "write", path) }
      written += count
    }
    try SystemCall.run("write", path) { fsync(number) }
  }

  /// Puts the new name on the disk. Where a file system cannot do that, it does so by itself.
  private func syncFolder() {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let number = unsafe Glibc.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return }
    _ = fsync(number)
    close(number)
  }
}
