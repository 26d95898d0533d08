import Glibc

/// The owner of one open file, socket or device, which it closes once, when it goes.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The kernel's number for it. Whoever keeps the number must not outlive the owner.
  public let rawValue: CInt

  /// What error messages call it: a path, a host and port, an adapter.
  public let name: String

  /// Takes over a descriptor that nobody else closes.
  public init(owning rawValue: CInt, name: String) {
    self.rawValue = rawValue
    self.name = name
  }

  deinit {
    // Not repeated on EINTR: Linux has given the number back by then, perhaps to someone else.
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

  /// Reads as many bytes as there are and fit. Never waits on a descriptor that does not block.
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
  /// - Returns: How many it took; 0 if it takes none now: wait until the descriptor is writable.
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
