import Glibc
import LinuxSystem
import Testing

/// Two ends of one connection.
struct Ends: ~Copyable {
  var near: FileDescriptor
  var far: FileDescriptor

  init() throws {
    var numbers: [CInt] = [-1, -1]
    let type =
      CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    try #require(unsafe socketpair(AF_UNIX, type, 0, &numbers) == 0)
    near = FileDescriptor(owning: numbers[0], name: "near")
    far = FileDescriptor(owning: numbers[1], name: "far")
  }
}

extension FileDescriptor {
  /// What can be read now, up to `limit` bytes; `nil` at the end.
  borrowing func readAll(limit: Int = 4096) throws -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: limit)
    var span = storage.mutableSpan
    switch try read(into: &span) {
    case .bytes(let count): return Array(storage.prefix(count))
    case .nothingYet: return []
    case .end: return nil
    }
  }
}

extension StreamListener {
  /// Whether no connection waits. Takes it, if one does.
  borrowing func isIdle() throws -> Bool {
    switch try accept() {
    case nil: true
    case _?: false
    }
  }

  /// The connection that waits.
  borrowing func acceptNow() throws -> FileDescriptor {
    if let connection = try accept() { return connection }
    throw SystemError(.wouldBlock, "accept a connection on", name)
  }
}
