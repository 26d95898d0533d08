import Glibc

/// A listening socket. Its address is released when it is destroyed.
public struct StreamListener: ~Copyable, Sendable {
  /// The path of a UNIX socket. It is removed before the socket is closed, so that no program finds
  /// a socket there that refuses connections.
  private let path: OwnedPath?
  /// The listening socket: readable when a connection waits.
  public let descriptor: FileDescriptor
  private let isTCP: Bool

  /// Listens on a UNIX socket at `path`, which only this user can connect to (mode 0600). From its
  /// first moment at the path it can be connected to.
  ///
  /// Replaces a socket that this program left there when it was killed.
  ///
  /// - Parameter replacesAll: Whether to replace any socket of this user that no program listens on.
  /// - Throws: `addressInUse` if a program listens there; `fileExists` if this program did not
  ///   create the file for this user.
  public init(path: String, replacesAll: Bool = false) throws(SystemError) {
    _ = try UnixAddress(path)
    var owned = try OwnedPath(path, replacesAll: replacesAll)
    let descriptor = try StreamSocket.open(family: AF_UNIX, name: path)
    let number = descriptor.rawValue
    // Before bind: the file never exists with another mode.
    try SystemCall.run("protect", path) { fchmod(number, 0o600) }
    try owned.listen(descriptor, backlog: backlog)
    self.descriptor = descriptor
    self.path = consume owned
    isTCP = false
  }

  /// Listens on `port` of `host`, a name or an address of this machine: "" means its loopback, "_"
  /// all of its addresses. For port 0 the kernel chooses one: see `port`.
  public init(host: String, port: UInt16) throws(SystemError) {
    let name = tcpName(host: host, port: port)
    let addresses = try HostAddresses(host: host, port: port, toListen: true)
    var failure = SystemError(.addressNotAvailable, "listen on", name)
    // A name such as localhost may have addresses of both kinds. IPv4 comes first here, since some
    // peers try only that.
    for wantsIPv4 in [true, false] {
      var next = unsafe addresses.first
      while let address = unsafe next {
        unsafe next = address.pointee.ai_next
        guard unsafe (address.pointee.ai_family == AF_INET) == wantsIPv4 else { continue }
        do throws(SystemError) {
          descriptor = try unsafe Self.listen(on: address, name: name)
          path = nil
          isTCP = true
          return
        } catch {
          failure = error
        }
      }
    }
    throw failure
  }

  private static func listen(
    on address: UnsafeMutablePointer<addrinfo>, name: String
  ) throws(SystemError) -> FileDescriptor {
    let descriptor = try StreamSocket.open(family: unsafe address.pointee.ai_family, name: name)
    let number = descriptor.rawValue
    // Otherwise a restart has to wait until the kernel forgets the connections of the last run.
    try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
    try SystemCall.run("listen on", name) {
      unsafe bind(number, address.pointee.ai_addr, address.pointee.ai_addrlen)
    }
    try SystemCall.run("listen on", name) { Glibc.listen(number, backlog) }
    return descriptor
  }

  /// The next connection, which is nonblocking; `nil` if none waits.
  public borrowing func accept() throws(SystemError) -> FileDescriptor? {
    let number = descriptor.rawValue
    while true {
      do throws(SystemError) {
        guard
          let accepted = try SystemCall.transfer(
            "accept a connection on", descriptor.name, { Int(clinuxsystem_accept(number)) })
        else { return nil }
        let connection = FileDescriptor(owning: CInt(accepted), name: descriptor.name)
        if isTCP { connection.sendSmallPacketsAtOnce() }
        return connection
      } catch {
        // The peer has already closed the connection.
        guard error.code == .connectionAborted else { throw error }
      }
    }
  }

  /// The TCP port listened on; 0 for a UNIX socket.
  public var port: UInt16 {
    guard isTCP else { return 0 }
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = descriptor.rawValue
    let result = unsafe withUnsafeMutablePointer(to: &storage) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getsockname(number, address, &size)
      }
    }
    guard result == 0 else { return 0 }
    // The port is at the same place in both families' addresses.
    return unsafe withUnsafePointer(to: &storage) { address in
      unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        unsafe UInt16(bigEndian: address.pointee.sin_port)
      }
    }
  }
}

/// The largest number of connections that wait to be accepted.
private let backlog: CInt = 1_024
