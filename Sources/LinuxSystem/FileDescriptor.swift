import Glibc

/// Owns an open file, socket or device, and closes it when it is destroyed.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The kernel's number for it. Do not use it after the owner is destroyed.
  public let rawValue: CInt

  /// Its name in error messages: a path, a host and port, an adapter.
  public let name: String

  /// Takes ownership of a descriptor.
  public init(owning rawValue: CInt, name: String) {
    self.rawValue = rawValue
    self.name = name
  }

  deinit {
    // Not repeated on EINTR: Linux has freed the number, and another file may have it.
    close(rawValue)
  }

  /// How a read ended.
  public enum ReadResult: Equatable, Sendable {
    /// This many bytes have been read, at least one.
    case bytes(Int)
    /// There is nothing to read yet.
    case nothingYet
    /// The other side has closed.
    case end
  }

  /// Reads the available bytes that fit. Does not block on a nonblocking descriptor.
  public borrowing func read(
    into buffer: inout MutableSpan<UInt8>
  ) throws(SystemError) -> ReadResult {
    let descriptor = rawValue
    let count = try SystemCall.transfer("read from", name) {
      unsafe buffer.withUnsafeMutableBufferPointer { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
      }
    }
    switch count {
    case nil: return .nothingYet
    case 0: return .end
    case let count?: return .bytes(count)
    }
  }

  /// Writes as many of the first bytes as the kernel takes.
  ///
  /// - Returns: How many it took; if 0, wait until the descriptor is writable.
  public borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
    let descriptor = rawValue
    let count = try SystemCall.transfer("write to", name) {
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
    }
    return count ?? 0
  }
}
