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
    var storage = [UInt8](repeating: 0, count: limit)
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

  /// The group that may read and write a file; `nil` if the file is missing, the group is root's,
  /// or it lacks these permissions.
  public static func group(of path: String) -> String? {
    var status = Glibc.stat()
    guard unsafe lstat(path, &status) == 0, status.st_gid != 0,
      status.st_mode & (S_IRGRP | S_IWGRP) == S_IRGRP | S_IWGRP,
      let group = unsafe getgrgid(status.st_gid)
    else { return nil }
    return unsafe String(cString: group.pointee.gr_name)
  }

  /// Whether `path` exists.
  public static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }
}
