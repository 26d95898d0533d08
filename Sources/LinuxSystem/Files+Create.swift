import Glibc

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
    guard status.isOwn else { throw refusal(path, "it is another user's") }
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
      return try open(path, flags | O_WRONLY)
    } catch {
      let kind = FileStatus(of: path, followsLinks: isLink)?.kind
      if kind == .symbolicLink { throw foreignLink(path) }
      guard error.code == .noSuchAddress, kind == .pipe else { throw error }
      // The pipe has no reader yet. Opened for reading too, it can be written to.
      return try open(path, flags | O_RDWR)
    }
  }

  private static func open(_ path: String, _ flags: CInt) throws(SystemError) -> FileDescriptor {
    let number = try SystemCall.run("create", path) { unsafe Glibc.open(path, flags, 0o600) }
    return FileDescriptor(owning: number, name: path)
  }

  private static func foreignLink(_ path: String) -> SystemError {
    refusal(path, "it is a link of another user")
  }

  private static func refusal(_ path: String, _ reason: String) -> SystemError {
    SystemError(.notPermitted, "write to", path, explanation: reason)
  }
}

extension FileDescriptor {
  /// Whether it is a pipe without a name, which only processes with its descriptor can open.
  fileprivate var isAnonymousPipe: Bool {
    Files.target(ofLink: "/proc/self/fd/\(rawValue)")?.hasPrefix("pipe:") ?? false
  }
}
