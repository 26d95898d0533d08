/// The right to a path, and the socket that its owner made there. The shim has the same structure.
package struct SocketPlace {
  /// The lock's descriptor.
  var lock: Int32 = -1
  /// Why the path, or its lock, cannot be used, beyond the errno: a number of the shim.
  var reason: Int32 = 0
  /// Identifies the socket's file.
  var socket: UInt64 = 0

  /// Why a call on the path failed.
  func failure(_ result: Int32) -> SystemCallError {
    let explanation: SystemCallError.Explanation =
      switch (reason, ErrorNumber(result)) {
      case (1, _): .noFolder
      case (2, _): .foreignLock
      case (3, _): .foreignFile
      case (_, .nameTooLong): .pathTooLong
      default: .none
      }
    return SystemCallError(code: ErrorNumber(result), operation: .listen, explanation: explanation)
  }
}

/// The exclusive right to a path: a lock (flock(2)) on the file `.NAME.eightball-lock` beside it, which
/// the kernel releases when the process ends, however it ends.
package struct OwnedPath: ~Copyable {
  private let path: InlineCString<256>
  private let place: SocketPlace

  /// Takes the right to a path of 1 to 240 bytes.
  ///
  /// - Throws: `addressInUse` if another program has it; `fileExists` if the path of the lock has a
  ///   file that is not a lock of this program and this user.
  package init(_ path: InlineCString<256>) throws(SystemCallError) {
    guard path.count > 0, path.count <= 240 else {
      throw SystemCallError(code: .nameTooLong, operation: .use)
    }
    var place = SocketPlace()
    let result = unsafe path.withPointer { path in
      unsafe withUnsafeMutablePointer(to: &place) { unsafe clinux_claim(path, $0) }
    }
    guard result >= 0 else { throw place.failure(result) }
    self.path = path
    self.place = place
  }

  deinit { leave(path, place) }
}

/// A UNIX socket that listens at a path, which it owns as an `OwnedPath` does.
///
/// The file of the lock has the identity of the socket, so that the next owner can replace only that
/// one.
package struct UnixListener: ~Copyable {
  /// Readable when a connection waits.
  package let descriptor: PortDescriptor

  private let path: InlineCString<256>
  private let place: SocketPlace

  /// Listens at a path of 1 to 107 bytes, for this user alone (mode 0600). The path has the socket once
  /// it listens, so that it never refuses a connection.
  ///
  /// - Parameter replacesAll: Whether to replace any socket of this user that no program listens on; if
  ///   not, only one that the last owner of the lock created.
  /// - Throws: `addressInUse` if a program listens there; `fileExists` if the file there, or that of
  ///   the lock, is another.
  package init(_ path: InlineCString<256>, replacesAll: Bool) throws(SystemCallError) {
    var place = SocketPlace()
    let result = unsafe path.withPointer { path in
      unsafe withUnsafeMutablePointer(to: &place) {
        unsafe clinux_listen_unix(path, replacesAll ? 1 : 0, $0)
      }
    }
    guard result >= 0 else { throw place.failure(result) }
    descriptor = PortDescriptor(owning: result)
    self.path = path
    self.place = place
  }

  // Before the socket is closed: no program finds one at the path that refuses connections.
  deinit { leave(path, place) }
}

private func leave(_ path: borrowing InlineCString<256>, _ place: SocketPlace) {
  unsafe path.withPointer { path in
    unsafe withUnsafePointer(to: place) { unsafe clinux_leave_unix(path, $0) }
  }
}
