import Glibc

/// A locked file beside a path. It is removed when this value is destroyed.
///
/// A lock file that a killed process left is taken over if its name, owner and content show that it
/// is this program's.
public struct LockFile: ~Copyable, Sendable {
  /// The text that its last owner wrote; empty if it wrote none.
  let lastText: String

  private let path: String
  private let descriptor: FileDescriptor

  /// The first line of each lock file.
  private static let mark = "eightball\n"

  /// Locks `.NAME.eightball-lock` in the directory of `subject`, whose last component is NAME.
  ///
  /// - Throws: `addressInUse` if another process has it; `fileExists` if the file is not a lock
  ///   file of this program and this user.
  public init(for subject: String) throws(SystemError) {
    let slash = subject.lastIndex(of: "/").map { subject.index(after: $0) }
    let start = slash ?? subject.startIndex
    let path = "\(subject[..<start]).\(subject[start...]).eightball-lock"
    // Its last owner may remove the file after it was opened here.
    for _ in 0..<Self.attempts {
      let descriptor = try Self.open(path)
      let number = descriptor.rawValue
      do throws(SystemError) {
        try SystemCall.run("lock", path) { flock(number, LOCK_EX | LOCK_NB) }
      } catch {
        guard error.code == .wouldBlock else { throw error }
        break
      }
      guard let present = FileStatus(of: path) else { continue }
      guard present.isSameFile(as: try FileStatus(of: descriptor)) else { continue }
      let content = try Self.content(of: descriptor)
      guard content.isEmpty || content.hasPrefix(Self.mark) else { throw Self.foreign(path) }
      lastText = String(content.dropFirst(Self.mark.count))
      self.path = path
      self.descriptor = descriptor
      return
    }
    throw SystemError(.addressInUse, "listen on", subject)
  }

  deinit {
    // Removed while still locked: a process that has opened it then finds it missing.
    if let present = FileStatus(of: path), let own = try? FileStatus(of: descriptor),
      present.isSameFile(as: own)
    {
      unsafe unlink(path)
    }
  }

  /// Writes `text`, at most 500 bytes, for the next owner.
  borrowing func write(_ text: String) throws(SystemError) {
    let number = descriptor.rawValue
    let bytes = Array((Self.mark + text).utf8)
    try SystemCall.run("write to", path) { ftruncate(number, 0) }
    lseek(number, 0, SEEK_SET)
    guard try descriptor.write(bytes.span) == bytes.count else {
      throw SystemError(.noSpace, "write to", path)
    }
  }

  private static let attempts = 16

  private static func content(
    of descriptor: borrowing FileDescriptor
  ) throws(SystemError) -> String {
    var storage = [UInt8](repeating: 0, count: 512)
    var space = storage.mutableSpan
    guard case .bytes(let count) = try descriptor.read(into: &space) else { return "" }
    return String(decoding: storage.prefix(count), as: UTF8.self)
  }

  private static func open(_ path: String) throws(SystemError) -> FileDescriptor {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    do throws(SystemError) {
      // Checked before it is opened: opening changes some devices.
      if let present = FileStatus(of: path), present.kind != .regular || !present.isOwn {
        throw foreign(path)
      }
      let number = try SystemCall.run("open", path) { unsafe Glibc.open(path, flags, 0o600) }
      let descriptor = FileDescriptor(owning: number, name: path)
      let status = try FileStatus(of: descriptor)
      guard status.kind == .regular, status.isOwn else { throw foreign(path) }
      return descriptor
    } catch {
      // The cause may be the directory, or a file that has appeared meanwhile.
      guard error.code != .fileExists, let present = FileStatus(of: path), !present.isOwn else {
        throw error
      }
      throw foreign(path)
    }
  }

  private static func foreign(_ path: String) -> SystemError {
    SystemError(
      .fileExists, "lock", path,
      explanation: "it is not a lock file of this program and this user; remove it, or use another "
        + "path")
  }
}
