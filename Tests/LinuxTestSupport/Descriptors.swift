import Expectations
import Glibc
import Linux
import LinuxRadio

/// The two ends of a connection, or of a pipe into which `far` writes.
package struct Ends: ~Copyable {
  package var near: FileDescriptor
  package var far: FileDescriptor

  package init(near: consuming FileDescriptor, far: consuming FileDescriptor) {
    self.near = near
    self.far = far
  }

  private init(_ numbers: [CInt]) {
    near = FileDescriptor(owning: numbers[0], name: "near")
    far = FileDescriptor(owning: numbers[1], name: "far")
  }

  /// A connection whose ends do not block, unless `blocks` is true: a stream, unless it `isPacketwise`.
  package init(blocks: Bool = false, isPacketwise: Bool = false) throws {
    var numbers: [CInt] = [-1, -1]
    let flags = blocks ? 0 : CInt(SOCK_NONBLOCK.rawValue)
    let kind = isPacketwise ? SOCK_SEQPACKET : SOCK_STREAM
    let type = CInt(kind.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | flags
    try #require(unsafe socketpair(AF_UNIX, type, 0, &numbers) == 0)
    self.init(numbers)
  }

  /// A pipe whose ends block.
  package static func pipe() throws -> Ends {
    var numbers: [CInt] = [-1, -1]
    try #require(unsafe Glibc.pipe(&numbers) == 0)
    return Ends(numbers)
  }

  /// Closes the near end, and returns the far one.
  package consuming func closeNear() -> FileDescriptor { far }

  /// Closes the far end, and returns the near one.
  package consuming func closeFar() -> FileDescriptor { near }
}

extension FileDescriptor {
  /// What can be read now, up to `limit` bytes; `nil` at the end.
  package borrowing func readAll(limit: Int = 4_096) throws -> [UInt8]? {
    var storage = [UInt8](repeating: 0, count: limit)
    var space = storage.mutableSpan
    switch try read(into: &space) {
    case .bytes(let count): return Array(storage.prefix(count))
    case .nothingYet: return []
    case .end: return nil
    }
  }

  /// Reads until nothing is there.
  package borrowing func drain() throws {
    while let bytes = try readAll(limit: 1_000_000), !bytes.isEmpty {}
  }

  package borrowing func write(_ text: String) throws {
    expect(try write(Array(text.utf8).span), is: text.utf8.count)
  }
}

extension FileDescriptor {
  /// Waits until there is something to read. A TCP connection of this machine may deliver it later than a write ends.
  package borrowing func waitForInput() throws {
    var wait = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    try #require(unsafe poll(&wait, 1, 60_000) == 1)
  }
}

extension StreamListener {
  /// Whether no connection waits. Takes it, if one does.
  package borrowing func isIdle() throws -> Bool {
    switch try accept() {
    case nil: true
    case _?: false
    }
  }

  /// The next connection, which may come a little later than its client's end of it.
  package borrowing func acceptAtLast() throws -> FileDescriptor {
    var wait = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    try #require(unsafe poll(&wait, 1, 60_000) == 1)
    return try acceptNow()
  }

  /// The connection that waits.
  package borrowing func acceptNow() throws -> FileDescriptor {
    if let connection = try accept() { return connection }
    throw SystemError(.wouldBlock, "accept a connection on", name)
  }
}

extension Files {
  /// Creates the file at `path`, or replaces its content.
  package static func write(_ text: String, to path: String) throws { try create(path).write(text) }

  /// The permissions of a file or a socket, or of a link itself; `nil` without one.
  package static func mode(of path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }
}

/// A UNIX socket of another program, bound to a path without a lock.
///
/// - Parameter isAbstract: Whether `path` is an abstract name.
package func bindSocket(
  to path: String, type: __socket_type = SOCK_STREAM, isAbstract: Bool = false
) throws -> FileDescriptor {
  let socket = FileDescriptor(
    owning: Glibc.socket(AF_UNIX, CInt(type.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0), name: path)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { space in
    unsafe UnsafeMutableRawBufferPointer(rebasing: space.dropFirst(isAbstract ? 1 : 0))
      .copyBytes(from: path.utf8)
  }
  // The family, a zero byte and the name; or the whole.
  let length = isAbstract ? 3 + path.utf8.count : MemoryLayout<sockaddr_un>.size
  let number = socket.rawValue
  let result = unsafe withUnsafePointer(to: address) { address in
    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(number, $0, socklen_t(length))
    }
  }
  try #require(result == 0)
  return socket
}

/// A TCP port of this machine without a listener, which no other program gets while this process runs.
package func freePort() throws -> UInt16 {
  let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
  try #require(socket >= 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = unsafe withUnsafeMutablePointer(to: &address) { address in
    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      unsafe bind(socket, address, size) == 0 ? getsockname(socket, address, &size) : -1
    }
  }
  try #require(result == 0)
  // It stays open. A program may listen where a socket is bound that does not listen, if both allow it.
  var yes: CInt = 1
  try #require(
    unsafe setsockopt(
      socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size)) == 0)
  return UInt16(bigEndian: address.sin_port)
}
