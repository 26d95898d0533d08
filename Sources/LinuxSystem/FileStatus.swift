import Glibc

/// What the kernel knows of a file: stat(2).
struct FileStatus: Equatable {
  /// What kind of thing is at a path.
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
  /// Its kind; `nil` for one that Linux does not have.
  let kind: Kind?

  private let device: UInt64
  private let inode: UInt64
  /// When its content last changed. Inode numbers are used again; with the time, a file that is
  /// removed is not taken for the next one.
  private let modified: (seconds: Int64, nanoseconds: Int64)

  /// What is at `path`; `nil` if nothing is, or it cannot be seen.
  ///
  /// - Parameter followsLinks: Whether to look at what a symbolic link leads to, or at the link.
  init?(of path: String, followsLinks: Bool = false) {
    var status = stat()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    guard unsafe fstatat(AT_FDCWD, path, &status, flags) == 0 else { return nil }
    self.init(status)
  }

  /// What `descriptor` is open on.
  init(of descriptor: borrowing FileDescriptor) throws(SystemError) {
    var status = stat()
    let number = descriptor.rawValue
    try SystemCall.run("look at", descriptor.name) { unsafe fstat(number, &status) }
    self.init(status)
  }

  private init(_ status: stat) {
    owner = status.st_uid
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
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    modified = (Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
  }

  /// Whether the user that this process acts as owns it.
  var isOwn: Bool { owner == Process.userNumber }

  /// Whether this user or root owns it: no other user can have put it there.
  var isTrusted: Bool { isOwn || owner == 0 }

  /// Whether both are the same file, whatever has been written to it in between.
  func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Numbers that identify a file that is never written to, such as a socket.
  var identity: String { "\(device) \(inode) \(modified.seconds).\(modified.nanoseconds)" }

  static func == (one: FileStatus, other: FileStatus) -> Bool {
    one.isSameFile(as: other) && one.modified == other.modified && one.owner == other.owner
      && one.kind == other.kind
  }
}
