import BluetoothHost

/// Connects to UNIX sockets: unix(7).
package enum UnixSocket {
  /// Connects to the socket at a path of 1 to 107 bytes, if the owner of its file and the listening
  /// user are this user, root or `user`. Sends nothing before. The connection does not block.
  ///
  /// - Throws: `noSuchFile` if it is missing; `connectionRefused` if no program listens; `wouldBlock`
  ///   if its queue of connections is full; `notPermitted` if it is another user's.
  package static func connect(
    _ path: borrowing InlineCString<256>, trusting user: UInt32?
  ) throws(SystemCallError) -> PortDescriptor {
    guard path.count > 0, path.count <= 107 else {
      throw SystemCallError(code: .nameTooLong, operation: .use, explanation: .pathTooLong)
    }
    let result = unsafe path.withPointer { unsafe clinux_connect_unix($0) }
    guard result >= 0 else {
      throw SystemCallError(code: ErrorNumber(result), operation: .connect)
    }
    let descriptor = PortDescriptor(owning: result)
    // Checks the owner of a link, and of its target: another user's link can lead anywhere.
    let link = unsafe path.withPointer { unsafe clinux_owner($0, 0) }
    let file = unsafe path.withPointer { unsafe clinux_owner($0, 1) }
    try check(clinux_peer(descriptor.number), trusting: user)
    try check(link, trusting: user)
    try check(file, trusting: user)
    return descriptor
  }

  private static func check(_ owner: Int64, trusting user: UInt32?) throws(SystemCallError) {
    guard owner >= 0 else {
      throw SystemCallError(code: ErrorNumber(owner), operation: .connect)
    }
    let owner = UInt32(truncatingIfNeeded: owner)
    guard isTrusted(owner, by: clinux_user(), and: user) else {
      throw SystemCallError(code: .notPermitted, operation: .use, explanation: .owner(owner))
    }
  }

  /// Whether a program of user `own`, who trusts `other`, may send its packets to `owner`: itself,
  /// `other`, or root, who can read them anyway.
  package static func isTrusted(_ owner: UInt32, by own: UInt32, and other: UInt32?) -> Bool {
    owner == own || owner == other || owner == 0
  }
}
