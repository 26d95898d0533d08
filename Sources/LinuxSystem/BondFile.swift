import BluetoothHost
import Glibc

/// The file of the bonds of a user's program or of a service.
///
/// Only its owner can read it (mode 0600). It is never changed in place: a new file is written
/// beside it, and renamed over it after fsync. So a crash at any moment leaves the old file or the
/// new one. One process at a time has the file: a lock (flock(2)) is on it, and on each new file.
public struct BondFile: ~Copyable {
  /// Its path.
  public let path: String

  /// The locked file; `nil` before `open`, and if that failed.
  private var held: FileDescriptor?

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

  /// Reads and locks the file: no other process can `open` it while this value exists.
  ///
  /// A truncated, damaged or foreign file is renamed, and `notice` says so. A missing folder is
  /// created (mode 0700).
  ///
  /// - Throws: `busy` if another process has it; `notPermitted` if it is another user's; why it
  ///   cannot be read, or its folder cannot be created. The bonds can still be kept in memory then.
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
      content.notice =
        "other users could read or write \(path), and may know its keys; "
        + "now only its owner can. To be safe, forget these bonds and pair again"
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
    guard status.st_uid == CurrentProcess.userNumber || CurrentProcess.userNumber == 0 else {
      throw SystemError(.notPermitted, "use", path, explanation: "it is another user's")
    }
  }

  /// Renames an unusable file. Returns a warning that says so.
  private func setAside(_ fault: BondFileFault) throws(SystemError) -> String {
    try SystemCall.run("rename", path) { unsafe rename(path, path + ".unusable") }
    let reason =
      switch fault {
      case .foreign: "is not a file of bonds"
      case .cut: "ends too early"
      case .damaged: "is damaged"
      case .version(let number): "has the format \(number), which this version does not know"
      }
    return "the file \(path) \(reason); its name now ends in .unusable, and its bonds are not used"
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
  /// - Throws: Why that failed; the old file stays then.
  public mutating func save(_ bytes: Span<UInt8>) throws(SystemError) {
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
    held = consume file
    syncFolder()
  }

  private func fill(
    _ file: borrowing FileDescriptor, _ bytes: Span<UInt8>
  ) throws(SystemError) {
    let number = file.rawValue
    try SystemCall.run("protect", path) { fchmod(number, 0o600) }
    if CurrentProcess.userNumber == 0 {
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

  /// Syncs the new name to the disk. A file system without this call does so later.
  private func syncFolder() {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let number = unsafe Glibc.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return }
    _ = fsync(number)
    close(number)
  }
}
