import Glibc

/// The address of a UNIX socket: unix(7).
struct UnixAddress {
  private var storage = sockaddr_un()
  private var length = socklen_t(MemoryLayout<sockaddr_un>.size)
  private let path: String

  /// The longest path, in bytes: that of `sun_path` without its final zero.
  static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// - Parameter name: The path in messages; `nil` for `path`.
  /// - Throws: `nameTooLong` if the path is longer than 107 bytes; `invalidArgument` if it is empty
  ///   or has a zero byte, which could make it an abstract name.
  init(_ path: String, shownAs name: String? = nil) throws(SystemError) {
    self.path = name ?? path
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SystemError(.invalidArgument, "use", "\"\(path)\" as the path of a socket")
    }
    guard path.utf8.count <= Self.longestPath else {
      throw SystemError(
        .nameTooLong, "use", path,
        explanation: "a socket's path is at most \(Self.longestPath) bytes long")
    }
    storage.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &storage.sun_path) { target in
      unsafe target.copyBytes(from: path.utf8)
    }
  }

  /// An abstract name, which is not in the file system.
  ///
  /// - Parameter name: The name without its leading zero byte, which people write as "@".
  /// - Throws: `nameTooLong` if it is longer than 107 bytes; `invalidArgument` if it is empty.
  init(abstract name: String) throws(SystemError) {
    path = "@" + name
    let capacity = MemoryLayout.size(ofValue: storage.sun_path) - 1
    guard !name.isEmpty else {
      throw SystemError(.invalidArgument, "use", "\"@\" as the name of a socket")
    }
    guard name.utf8.count <= capacity else {
      throw SystemError(
        .nameTooLong, "use", path,
        explanation: "a socket's name is at most \(capacity) bytes long")
    }
    storage.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &storage.sun_path) { target in
      unsafe UnsafeMutableRawBufferPointer(rebasing: target.dropFirst()).copyBytes(from: name.utf8)
    }
    // Zero bytes after the name would be part of it.
    let path = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    length = socklen_t(path + 1 + name.utf8.count)
  }

  /// Connects `descriptor`.
  func connect(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
    let number = descriptor.rawValue
    try SystemCall.run("connect to", path) {
      unsafe withPointer { unsafe Glibc.connect(number, $0, $1) }
    }
  }

  /// Binds `descriptor` to this address, which creates the file.
  func bind(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
    let number = descriptor.rawValue
    try SystemCall.run("listen on", path) {
      unsafe withPointer { unsafe Glibc.bind(number, $0, $1) }
    }
  }

  /// Sends a datagram, whole or not at all, without blocking. Returns whether it was sent.
  ///
  /// Does not allocate, even if it fails.
  func send(_ datagram: Span<UInt8>, from descriptor: borrowing FileDescriptor) -> Bool {
    let number = descriptor.rawValue
    let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
    let count = try? SystemCall.transfer("write to", path) {
      unsafe datagram.withUnsafeBufferPointer { bytes in
        unsafe withPointer { address, length in
          unsafe Glibc.sendto(number, bytes.baseAddress, bytes.count, flags, address, length)
        }
      }
    }
    return count != nil
  }

  private func withPointer<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: storage) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe body(address, length)
      }
    }
  }
}
