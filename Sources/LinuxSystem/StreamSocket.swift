import Linux

/// Connects to stream sockets. The connections are nonblocking.
public enum StreamSocket {
  /// Connects to the UNIX socket at `path`, if its owner and its listener are this user, root or
  /// `user`. Sends nothing to anyone else.
  ///
  /// - Parameter user: The number of another trusted user.
  /// - Throws: `noSuchFile` if it is missing; `connectionRefused` if no program listens;
  ///   `wouldBlock` if its queue of connections is full; `notPermitted` if it is another user's.
  public static func connect(
    path: String, trusting user: UInt32? = nil
  ) throws(SystemError) -> FileDescriptor {
    ignoreBrokenPipes()
    do throws(PortFailure) {
      return FileDescriptor(
        try UnixSocket.connect(InlineCString(path), trusting: user), name: path)
    } catch {
      throw SystemError(error, of: path)
    }
  }
}
