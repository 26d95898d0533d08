import Glibc

/// A file for records, which are written whole or not at all, and without blocking. Only this user
/// can read it.
///
/// It may be a regular file, a pipe or a device such as a terminal: see `Files.create`.
package final class RecordFile {
  /// Its path.
  package var path: String { descriptor.name }

  private let descriptor: FileDescriptor
  private let isRegular: Bool
  /// The length of all whole records, in bytes.
  package private(set) var length = 0
  /// Why no record can follow.
  private var end: SystemError?

  /// Creates or empties the file at `path` (mode 0600).
  ///
  /// A pipe without a reader keeps what fits into it, usually 64 KiB, until it has a reader.
  ///
  /// - Throws: What `Files.create` throws.
  package init(_ path: String) throws(SystemError) {
    ignoreBrokenPipes()
    // Otherwise the user's limit on file sizes ends the process.
    _ = signal(SIGXFSZ, SIG_IGN)
    let file = try Files.create(path)
    isRegular = try FileStatus(of: file).kind == .regular
    descriptor = file
  }

  /// Replaces 8 bytes of a record of a regular file, in the machine's order.
  package func overwrite(at offset: Int, with number: UInt64) {
    guard isRegular, end == nil else { return }
    var number = number
    _ = unsafe pwrite(descriptor.rawValue, &number, 8, offset)
  }

  /// Appends a record of at most 4,096 bytes, or none of it.
  ///
  /// - Throws: Why it was not written: `wouldBlock` if the reader of a pipe does not keep up;
  ///   `noSpace` if the disk is full; `brokenPipe` if the reader is gone. After that nothing is
  ///   written, since another reader would begin in the middle.
  package func append(_ record: Span<UInt8>) throws(SystemError) {
    if let end { throw end }
    let count: Int
    do throws(SystemError) {
      count = try descriptor.write(record)
    } catch {
      if error.code == .brokenPipe { end = error }
      throw error
    }
    if count == record.count {
      length += count
      return
    }
    guard count > 0 else {
      throw SystemError(
        .wouldBlock, "write to", path, explanation: "its reader does not keep up")
    }
    // A partial write: a pipe makes none (PIPE_BUF), so it is a full disk or a terminal.
    let failure = SystemError(.noSpace, "write to", path)
    let number = descriptor.rawValue
    if !isRegular || ftruncate(number, length) != 0 || lseek(number, length, SEEK_SET) != length {
      end = failure
    }
    throw failure
  }
}
