import Glibc

/// Functions for files.
public enum Files {
  /// The first 4,095 bytes of a file, such as the kernel's files in /proc and /sys.
  public static func text(of path: String) throws(SystemError) -> String {
    String(decoding: try bytes(of: path, limit: 4_095), as: UTF8.self)
  }

  /// At most the first `limit` bytes of a file. Does not wait for the writer of a pipe.
  public static func bytes(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let number = try SystemCall.run("open", path) {
      unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    let file = FileDescriptor(owning: number, name: path)
    return try bytes(of: file, limit: limit)
  }

  /// At most the first `limit` bytes of a regular file.
  ///
  /// - Throws: `invalidArgument` if it is anything else, such as a pipe, which may never end, or a
  ///   device, which opening may change.
  package static func bytes(ofRegular path: String, limit: Int) throws(SystemError) -> [UInt8] {
    if let present = FileStatus(of: path, followsLinks: true) { try expectRegular(present, path) }
    let number = try SystemCall.run("open", path) {
      unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    let file = FileDescriptor(owning: number, name: path)
    try expectRegular(try FileStatus(of: file), path)
    return try bytes(of: file, limit: limit)
  }

  private static func expectRegular(
    _ status: FileStatus, _ path: String
  ) throws(SystemError) {
    guard status.kind != .regular else { return }
    if status.kind == .directory { throw SystemError(.isDirectory, "read", path) }
    let kind = status.kind?.phrase ?? "something else"
    throw SystemError(
      .invalidArgument, "read", path, explanation: "it is \(kind), not a regular file")
  }

  private static func bytes(
    of file: borrowing FileDescriptor, limit: Int
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var storage = [UInt8](repeating: 0, count: min(limit, 65_536))
    while bytes.count < limit {
      var buffer = storage.mutableSpan
      guard case .bytes(let count) = try file.read(into: &buffer) else { break }
      bytes += storage.prefix(min(count, limit - bytes.count))
    }
    return bytes
  }

  /// The names in a directory, sorted; empty if it cannot be read.
  public static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let capacity = unsafe MemoryLayout.size(ofValue: entry.pointee.d_name)
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: capacity) {
          unsafe String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The target of a symbolic link; `nil` if `path` is not a link.
  public static func target(ofLink path: String) -> String? {
    let capacity = Int(PATH_MAX)
    var storage = [CChar](repeating: 0, count: capacity)
    let count = unsafe readlink(path, &storage, capacity)
    guard count > 0 else { return nil }
    return String(decoding: storage.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether `path` exists.
  public static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }
}

extension Files {
  /// Creates or empties the file at `path`. Only this user may read and write it (mode 0600).
  /// Writes to it do not block.
  ///
  /// It may also be a pipe or a device such as a terminal. `/dev/stdout` and `/dev/fd/N` are opened
  /// again, so that they stay blocking for the programs that share them.
  ///
  /// - Throws: `notPermitted` if it is another user's, or a link of another user;
  ///   `invalidArgument` if it is not a file, a pipe or a device.
  public static func create(_ path: String) throws(SystemError) -> FileDescriptor {
    let file = try openToWrite(path)
    let status = try FileStatus(of: file)
    switch status.kind {
    case .regular, .pipe: break
    case .characterDevice: return file
    case let other:
      let kind = other?.phrase ?? "something else"
      throw SystemError(.invalidArgument, "write to", path, explanation: "it is \(kind)")
    }
    if file.isAnonymousPipe { return file }
    guard status.isOwn else { throw systemError(path, "it is another user's") }
    let number = file.rawValue
    try SystemCall.run("protect", path) { fchmod(number, 0o600) }
    if status.kind == .regular { try SystemCall.run("empty", path) { ftruncate(number, 0) } }
    return file
  }

  private static func openToWrite(_ path: String) throws(SystemError) -> FileDescriptor {
    let present = FileStatus(of: path)
    let isLink = present?.kind == .symbolicLink
    if let present, isLink, !present.isTrusted { throw foreignLink(path) }
    // A link may appear before the file is opened.
    let flags = O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (isLink ? 0 : O_NOFOLLOW)
    do throws(SystemError) {
      return try create(path, flags | O_WRONLY)
    } catch {
      let kind = FileStatus(of: path, followsLinks: isLink)?.kind
      if kind == .symbolicLink { throw foreignLink(path) }
      guard error.code == .noSuchAddress, kind == .pipe else { throw error }
      // The pipe has no reader yet. Opened for reading too, it can be written to.
      return try create(path, flags | O_RDWR)
    }
  }

  private static func create(_ path: String, _ flags: CInt) throws(SystemError) -> FileDescriptor {
    let number = try SystemCall.run("create", path) { unsafe Glibc.open(path, flags, 0o600) }
    return FileDescriptor(owning: number, name: path)
  }

  private static func foreignLink(_ path: String) -> SystemError {
    systemError(path, "it is a link of another user")
  }

  private static func systemError(_ path: String, _ reason: String) -> SystemError {
    SystemError(.notPermitted, "write to", path, explanation: reason)
  }
}

extension FileDescriptor {
  /// Whether it is a pipe without a name, which only processes with its descriptor can open.
  fileprivate var isAnonymousPipe: Bool {
    Files.target(ofLink: "/proc/self/fd/\(rawValue)")?.hasPrefix("pipe:") ?? false
  }
}
