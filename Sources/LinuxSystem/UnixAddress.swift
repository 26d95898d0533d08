import Glibc

/// The path of a UNIX socket, as the kernel wants it: unix(7).
struct UnixAddress {
  private var storage = sockaddr_un()
  private let path: String

  /// - Throws: `nameTooLong` if the path is longer than 107 bytes; `invalidArgument` if it is
  ///   empty or has a zero byte in it, which would make it a name outside of the file system.
  init(_ path: String) throws(SystemError) {
    self.path = path
    let capacity = MemoryLayout.size(ofValue: storage.sun_path)
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SystemError(.invalidArgument, "use", "\"\(path)\" as the path of a socket")
    }
    guard path.utf8.count < capacity else {
      throw SystemError(
        .nameTooLong, "use", path,
        explanation: "a socket's path is at most \(capacity - 1) bytes long")
    }
    storage.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &storage.sun_path) { target in
      unsafe target.copyBytes(from: path.utf8)
    }
  }

  /// Connects `descriptor`.
  func connect(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
    let number = descriptor.rawValue
    try SystemCall.run("connect to", path) {
      unsafe withPointer { unsafe Glibc.connect(number, $0, $1) }
    }
  }

  /// Gives `descriptor` this address, which makes the file.
  func bind(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
    let number = descriptor.rawValue
    try SystemCall.run("listen on", path) {
      unsafe withPointer { unsafe Glibc.bind(number, $0, $1) }
    }
  }

  private func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    unsafe withUnsafePointer(to: storage) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
