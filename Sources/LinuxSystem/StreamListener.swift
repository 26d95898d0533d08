import Glibc

/// A socket that takes connections, and gives its address back when it goes.
public struct StreamListener: ~Copyable, Sendable {
  /// The listening socket: readable when a connection waits.
  public let descriptor: FileDescriptor
  private let isTCP: Bool
  /// Held for as long as a UNIX socket is listened on.
  private let path: OwnedPath?

  /// Listens on a UNIX socket at `path`, which only this user can connect to (mode 0600).
  ///
  /// A socket that this program made there before it was killed is replaced.
  ///
  /// - Throws: `addressInUse` if somebody listens there; `fileExists` if what is there was not made
  ///   by this program for this user.
  public init(path: String) throws(SystemError) {
    let address = try UnixAddress(path)
    var owned = try OwnedPath(path)
    let descriptor = try StreamSocket.open(family: AF_UNIX, name: path)
    let number = descriptor.rawValue
    // Before bind: the file never exists with another mode.
    try SystemCall.run("protect", path) { fchmod(number, 0o600) }
    try address.bind(descriptor)
    try owned.claimSocket()
    try SystemCall.run("listen on", path) { Glibc.listen(number, backlog) }
    self.descriptor = descriptor
    self.path = consume owned
    isTCP = false
  }

  /// Listens on `port` of `host`, a name or an address of this machine: "" is its loopback, and
  /// "_" all of its addresses. Port 0 is one that the kernel chooses: see `port`.
  public init(host: String, port: UInt16) throws(SystemError) {
    let name = tcpName(host: host, port: port)
    let addresses = try HostAddresses(host: host, port: port, toListen: true)
    var failure = SystemError(.addressNotAvailable, "listen on", name)
    // A name such as localhost may have addresses of both kinds: IPv4 is what peers try last or
    // only, so it comes first here.
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
    // Or a restart would have to wait until the connections of the last run are forgotten.
    try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
    try SystemCall.run("listen on", name) {
      unsafe bind(number, address.pointee.ai_addr, address.pointee.ai_addrlen)
    }
    try SystemCall.run("listen on", name) { Glibc.listen(number, backlog) }
    return descriptor
  }

  /// The next connection, which does not block; `nil` if none waits.
  public borrowing func accept() throws(SystemError) -> FileDescriptor? {
    let number = descriptor.rawValue
    while true {
      do throws(SystemError) {
        guard
          let accepted = try SystemCall.transfer(
            "accept a connection on", descriptor.name, { Int(clinux_accept(number)) })
        else { return nil }
        let connection = FileDescriptor(owning: CInt(accepted), name: descriptor.name)
        if isTCP { connection.sendSmallPacketsAtOnce() }
        return connection
      } catch {
        // The peer has gone again before it was its turn.
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

/// The connections that wait to be accepted, at most.
private let backlog: CInt = 1_024
