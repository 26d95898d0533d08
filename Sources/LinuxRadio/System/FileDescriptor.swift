import BluetoothHost
import Glibc
import Linux

/// Owns an open file, socket or device, and closes it when it is destroyed.
public struct FileDescriptor: ~Copyable, Sendable {
  private let descriptor: PortDescriptor

  /// Its name in error messages: a path, a host and port, an adapter.
  public let name: String

  /// Takes ownership of a descriptor.
  public init(owning rawValue: Int32, name: String) {
    self.init(PortDescriptor(owning: rawValue), name: name)
  }

  init(_ descriptor: consuming PortDescriptor, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// The kernel's number for it. Do not use it after the owner is destroyed.
  public var rawValue: Int32 { descriptor.number }

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
    switch descriptor.read(into: &buffer) {
    case .bytes(0): return .end
    case .bytes(let count): return .bytes(count)
    case .wouldBlock: return .nothingYet
    case .failed(let code): throw SystemError(code, "read from", name)
    }
  }

  /// Writes as many of the first bytes as the kernel takes.
  ///
  /// - Returns: How many it took; if 0, wait until the descriptor is writable.
  public borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
    switch descriptor.write(bytes) {
    case .bytes(let count): return count
    case .wouldBlock: return 0
    case .failed(let code): throw SystemError(code, "write to", name)
    }
  }
}

/// The limit on this process's open files and sockets: RLIMIT_NOFILE of setrlimit(2).
public enum FileLimit {
  /// Files that any program needs in addition.
  private static let reserve: UInt = 64

  /// Raises the process's limit to `count` open files plus a reserve, as far as the system allows.
  ///
  /// - Returns: How many files fit: `count`, or fewer if the system does not allow it.
  public static func makeRoom(for count: Int) -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(resource, &limit) == 0 else { return count }
    let needed = UInt(max(count, 0)) + reserve
    if limit.rlim_cur < needed {
      let allowed = min(needed, limit.rlim_max)
      var raised = limit
      raised.rlim_cur = allowed
      if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    }
    guard limit.rlim_cur < needed else { return count }
    return limit.rlim_cur > reserve ? Int(limit.rlim_cur - reserve) : 0
  }

  /// An unused descriptor, to close when the limit is reached and a file must be opened.
  package static func spareDescriptor() throws(SystemError) -> FileDescriptor {
    let path = "/dev/null"
    let number = try SystemCall.run("open", path) { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    return FileDescriptor(owning: number, name: path)
  }
}
