import Glibc

extension Files {
  /// Makes the file at `path`, or empties it; only this user may read and write it (mode 0600).
  /// Writes to it do not wait.
  ///
  /// It may also be a pipe or a device such as a terminal. `/dev/stdout` and `/dev/fd/N` are opened
  /// anew, so that they still block for the programs that share them.
  ///
  /// - Throws: `notPermitted` if it is another user's, or a link that another user made;
  ///   `invalidArgument` if it is nothing that bytes can be written to one after the other.
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
    if let present, isLink, !present.isTrusted { throw strangeLink(path) }
    // What is no link now may be one when it is opened.
    let flags = O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (isLink ? 0 : O_NOFOLLOW)
    do throws(SystemError) {
      return try open(path, flags | O_WRONLY)
    } catch {
      let kind = FileStatus(of: path, followsLinks: isLink)?.kind
      if kind == .symbolicLink { throw strangeLink(path) }
      guard error.code == .noSuchAddress, kind == .pipe else { throw error }
      // The pipe has no reader yet. With an end of its own to read from, it can be written to.
      return try open(path, flags | O_RDWR)
    }
  }

  private static func open(_ path: String, _ flags: CInt) throws(SystemError) -> FileDescriptor {
    let number = try SystemCall.run("create", path) { unsafe Glibc.open(path, flags, 0o600) }
    return FileDescriptor(owning: number, name: path)
  }

  private static func strangeLink(_ path: String) -> SystemError {
    refusal(path, "it is a link that another user made")
  }

  private static func refusal(_ path: String, _ reason: String) -> SystemError {
    SystemError(.notPermitted, "write to", path, explanation: reason)
  }
}

extension FileDescriptor {
  /// Whether it is a pipe without a name, which only a process that was given it can open.
  fileprivate var isAnonymousPipe: Bool {
    Files.target(ofLink: "/proc/self/fd/\(rawValue)")?.hasPrefix("pipe:") ?? false
  }
}
