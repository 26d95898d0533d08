import BluetoothHost
import Glibc

/// The file of the bonds of a user's program or of a service.
///
/// Only its owner can read it (mode 0600). It is never changed in place: a new file is written
/// beside it, and renamed over it after fsync. So a crash at any moment leaves the old file or the
/// new one. One process at a time may write it: the one with the lock (flock(2)) on the file
/// `NAME.lock` beside it, which stays there.
public struct BondFile: ~Copyable {
  /// Its path.
  public let path: String

  /// The lock; `nil` before `open`, and if that failed.
  private var lock: FileDescriptor?

  /// The file at `path`, which need not exist yet.
  public init(_ path: String) {
    self.path = path
  }

  /// The content of a file.
  public struct Content: ~Copyable {
    /// The bonds; empty if the file is missing or unusable.
    public var bonds = BondTable<16>()
    /// This device's identity when the file was written; `nil` if unknown.
    public var identity: LocalIdentity?
    /// Moves the bonds to the caller.
    public mutating func takeBonds() -> BondTable<16> {
      var taken = BondTable<16>()
      swap(&taken, &bonds)
      return taken
    }

    /// A warning about the file for the user, without a full stop; `nil` if the file is good.
    public var notice: String?

    /// Why the file cannot be used; `nil` if it is good.
    fileprivate var fault: BondFileFault?
    /// Whether other users have permissions for the file.
    fileprivate var isOpenToOthers = false
  }

  /// The path of the file `name`: in the service's folder, $STATE_DIRECTORY, if set; or else in the
  /// folder `eightball` of $XDG_STATE_HOME (default: ~/.local/state).
  ///
  /// systemd.exec(5); XDG Base Directory Specification 0.8.
  ///
  /// - Returns: `nil` if neither these variables nor HOME are set. A variable without an absolute
  ///   path is ignored.
  public static func path(
    of name: String, environment: (String) -> String? = { CurrentProcess.environment($0) }
  ) -> String? {
    func folder(_ variable: String) -> String? {
      // Of several folders the first one is used.
      environment(variable)?.split(separator: ":").first
        .map { String($0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    if let folder = folder("STATE_DIRECTORY") { return "\(folder)/\(name)" }
    let state = folder("XDG_STATE_HOME") ?? folder("HOME").map { "\($0)/.local/state" }
    return state.map { "\($0)/eightball/\(name)" }
  }

  // MARK: Reading

  /// Reads the file at `path`, and changes nothing: neither the file, its folder nor its lock.
  /// Another process may be using it.
  ///
  /// - Returns: `nil` if there is no file.
  /// - Throws: `accessDenied` or `notPermitted` if it is another user's; `invalidArgument` if it is
  ///   not a file of bonds, or a damaged one; why else it cannot be read.
  public static func read(_ path: String) throws(SystemError) -> Content? {
    guard let file = try openPresent(path) else { return nil }
    var content = try read(file)
    if let fault = content.fault { throw foreign(path, fault) }
    if content.isOpenToOthers {
      content.notice =
        "other users can read or write \(path), and may know its keys. To be safe, forget these "
        + "bonds and pair again"
    }
    return content
  }

  /// Locks the file, and then reads it: no other process can `open` it while this value exists. A
  /// missing folder is created (mode 0700).
  ///
  /// - Parameter settingAside: Whether to rename a truncated, damaged or foreign file, with a
  ///   `notice`, and go on without bonds. Only for a path that no user has named.
  /// - Throws: `busy` if another process has it; what `read` throws; why its folder or its lock
  ///   cannot be created. The bonds can still be kept in memory then.
  public mutating func open(settingAside: Bool = false) throws(SystemError) -> Content {
    try makeFolder()
    // No lock is made beside a file that is not one of bonds.
    if settingAside {
      _ = try Self.openPresent(path)
    } else {
      _ = try Self.read(path)
    }
    let lock = try Self.lock(path)
    var content = Content()
    if let file = try Self.openPresent(path) {
      content = try read(file, settingAside: settingAside)
    }
    self.lock = consume lock
    return content
  }

  private func read(
    _ file: borrowing FileDescriptor, settingAside: Bool
  ) throws(SystemError) -> Content {
    var content = try Self.read(file)
    if let fault = content.fault {
      guard settingAside else { throw Self.foreign(path, fault) }
      content.notice = try setAside(fault)
    } else if content.isOpenToOthers {
      content.notice =
        "other users could read or write \(path), and may know its keys; "
        + "now only its owner can. To be safe, forget these bonds and pair again"
      let number = file.rawValue
      try SystemCall.run("protect", path) { fchmod(number, 0o600) }
    }
    return content
  }

  private static func read(
    _ file: borrowing FileDescriptor
  ) throws(SystemError) -> Content {
    var content = Content()
    var storage = [UInt8](repeating: 0, count: 2_048)
    let count = try read(file, into: &storage)
    do throws(BondFileFault) {
      content.identity = try BondFileFormat.read(
        storage.span.extracting(first: count), into: &content.bonds)
    } catch {
      content.fault = error
    }
    content.isOpenToOthers = try FileStatus(of: file).isOpenToOthers
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

  /// Opens the file; `nil` if it is missing.
  private static func openPresent(_ path: String) throws(SystemError) -> FileDescriptor? {
    do throws(SystemError) {
      return try openRegular(path, 0, "read", path)
    } catch {
      switch error.code {
      case .noSuchFile: return nil
      case .accessDenied:
        throw SystemError(
          .accessDenied, "read", path,
          explanation: "this user may not read it. Run as its owner, or with sudo")
      default: throw error
      }
    }
  }

  /// Opens a regular file of this user; root also opens those of other users, to manage the bonds
  /// of a service.
  private static func openRegular(
    _ path: String, _ flags: CInt, _ action: String, _ subject: String
  ) throws(SystemError) -> FileDescriptor {
    let flags = flags | O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let number = try SystemCall.run(action, subject) { unsafe Glibc.open(path, flags, 0o600) }
    let file = FileDescriptor(owning: number, name: path)
    let status = try FileStatus(of: file)
    guard status.kind == .regular else {
      throw SystemError(.invalidArgument, "use", path, explanation: "it is not a regular file")
    }
    guard status.isOwn || CurrentProcess.userNumber == 0 else {
      throw SystemError(
        .notPermitted, "use", path,
        explanation: "it is another user's. Run as that user, or with sudo")
    }
    return file
  }

  /// Takes the lock of the file at `path`.
  private static func lock(_ path: String) throws(SystemError) -> FileDescriptor {
    let name = path + ".lock"
    // Somebody may remove the file after it was opened here.
    for _ in 0..<16 {
      let lock = try openRegular(name, O_CREAT, "lock", path)
      let number = lock.rawValue
      try giveToOwner(of: path, lock)
      guard flock(number, LOCK_EX | LOCK_NB) == 0 else { break }
      let own = try FileStatus(of: lock)
      if let present = FileStatus(of: name), present.isSameFile(as: own) { return lock }
    }
    throw SystemError(.busy, "use", path, explanation: "another program is using these bonds")
  }

  private static func foreign(_ path: String, _ fault: BondFileFault) -> SystemError {
    SystemError(
      .invalidArgument, "use", path,
      explanation: "it \(reason(fault)). Name another file, or remove it if nothing needs it")
  }

  /// What is wrong with a file, to follow its name.
  private static func reason(_ fault: BondFileFault) -> String {
    switch fault {
    case .foreign: "is not a file of bonds"
    case .cut: "ends too early"
    case .damaged: "is damaged"
    case .version(let number): "has the format \(number), which this version does not know"
    }
  }

  /// Renames an unusable file. Returns a warning that says so.
  private func setAside(_ fault: BondFileFault) throws(SystemError) -> String {
    try SystemCall.run("rename", path) { unsafe rename(path, path + ".unusable") }
    return "the file \(path) \(Self.reason(fault)); its name now ends in .unusable, and its bonds "
      + "are not used"
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

  /// Replaces the file.
  ///
  /// - Throws: Why that failed; the old file stays then.
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

  /// Replaces the file by these bytes of `BondFileFormat`.
  ///
  /// - Throws: Why that failed; the old file stays then. `busy` if the file is not open.
  public mutating func save(_ bytes: Span<UInt8>) throws(SystemError) {
    guard lock != nil else {
      throw SystemError(.busy, "write", path, explanation: "this program has not locked it")
    }
    let new = path + ".new"
    // A killed process may have left one.
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
    syncFolder()
  }

  private func fill(
    _ file: borrowing FileDescriptor, _ bytes: Span<UInt8>
  ) throws(SystemError) {
    let number = file.rawValue
    try SystemCall.run("protect", path) { fchmod(number, 0o600) }
    try Self.giveToOwner(of: path, file)
    var written = 0
    while written < bytes.count {
      let count = try file.write(bytes.extracting(droppingFirst: written))
      guard count > 0 else { throw SystemError(.noSpace, "write", path) }
      written += count
    }
    try SystemCall.run("write", path) { fsync(number) }
  }

  /// Root gives a new file to the owner of the file at `path`, such as a service.
  private static func giveToOwner(
    of path: String, _ file: borrowing FileDescriptor
  ) throws(SystemError) {
    guard CurrentProcess.userNumber == 0 else { return }
    let number = file.rawValue
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return }
    try SystemCall.run("protect", path) { fchown(number, status.st_uid, status.st_gid) }
  }

  /// Syncs the new name to the disk. A file system without this call does so later.
  private func syncFolder() {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let number = unsafe Glibc.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return }
    _ = fsync(number)
    close(number)
  }
}
