import Glibc

/// The status of a file: stat(2).
struct FileStatus {
  /// The kind of file.
  enum Kind: Equatable {
    case regular, directory, symbolicLink, socket, pipe, characterDevice, blockDevice

    /// The kind as a noun with its article, to follow "is".
    var phrase: String {
      switch self {
      case .regular: "a regular file"
      case .directory: "a directory"
      case .symbolicLink: "a symbolic link"
      case .socket: "a socket"
      case .pipe: "a pipe"
      case .characterDevice, .blockDevice: "a device"
      }
    }
  }

  /// The number of the user who owns it.
  let owner: UInt32
  /// Its kind; `nil` for a kind that Linux does not have.
  let kind: Kind?

  /// Whether its group or all users have a permission for it.
  let isOpenToOthers: Bool

  /// The status of the file at `path`; `nil` if it is missing or cannot be seen.
  ///
  /// - Parameter followsLinks: Whether to look at the target of a symbolic link, or at the link.
  init?(of path: String, followsLinks: Bool = false) {
    var status = stat()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    guard unsafe fstatat(AT_FDCWD, path, &status, flags) == 0 else { return nil }
    self.init(status)
  }

  /// The status of the open file.
  init(of descriptor: borrowing FileDescriptor) throws(SystemError) {
    var status = stat()
    let number = descriptor.rawValue
    try SystemCall.run("look at", descriptor.name) { unsafe fstat(number, &status) }
    self.init(status)
  }

  private init(_ status: stat) {
    owner = status.st_uid
    isOpenToOthers = status.st_mode & 0o077 != 0
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFSOCK: .socket
      case S_IFIFO: .pipe
      case S_IFCHR: .characterDevice
      case S_IFBLK: .blockDevice
      default: nil
      }
  }

  /// Whether this process's effective user owns it.
  var isOwn: Bool { owner == CurrentProcess.userNumber }

  /// Whether this user or root owns it, so that no other user created it.
  var isTrusted: Bool { isOwn || owner == 0 }
}
