import Glibc

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
    let address = try UnixAddress(path)
    let descriptor = try open(family: AF_UNIX, name: path)
    try address.connect(descriptor)
    // Checks the link and its target: another user's link may lead anywhere.
    guard let link = FileStatus(of: path), let file = FileStatus(of: path, followsLinks: true)
    else { throw SystemError(.noSuchFile, "connect to", path) }
    for owner in [try descriptor.peerUser(), link.owner, file.owner] {
      guard isTrusted(owner, by: CurrentProcess.userNumber, and: user) else {
        throw SystemError(
          .notPermitted, "use", path, explanation: "the socket is another user's (\(owner))")
      }
    }
    return descriptor
  }

  /// Whether a program of user `own`, who trusts `other`, may send its packets to `owner`: itself,
  /// `other`, or root, who can read them anyway.
  static func isTrusted(_ owner: UInt32, by own: UInt32, and other: UInt32?) -> Bool {
    owner == own || owner == other || owner == 0
  }

  /// Connects to `port` of `host`, a name or an IPv4 or IPv6 address; "" is this machine.
  ///
  /// Tries each of the host's addresses in turn, for `timeout` milliseconds each. It blocks
  /// meanwhile, and during the lookup of the host's name.
  ///
  /// - Throws: The error of the last address.
  public static func connect(
    host: String, port: UInt16, timeout: Int32 = 1000
  ) throws(SystemError) -> FileDescriptor {
    let name = tcpName(host: host, port: port)
    let addresses = try HostAddresses(host: host, port: port, toListen: false)
    var failure = SystemError(.addressNotAvailable, "connect to", name)
    var next = unsafe addresses.first
    while let address = unsafe next {
      do throws(SystemError) {
        let descriptor = try open(family: unsafe address.pointee.ai_family, name: name)
        try unsafe connect(descriptor, address, timeout: timeout)
        descriptor.sendSmallPacketsAtOnce()
        return descriptor
      } catch {
        failure = error
      }
      unsafe next = address.pointee.ai_next
    }
    throw failure
  }

  /// A nonblocking stream socket of `family`, closed on exec.
  static func open(family: CInt, name: String) throws(SystemError) -> FileDescriptor {
    ignoreBrokenPipes()
    let type =
      CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let number = try SystemCall.run("create a socket for", name) { socket(family, type, 0) }
    return FileDescriptor(owning: number, name: name)
  }

  private static func connect(
    _ descriptor: borrowing FileDescriptor, _ address: UnsafeMutablePointer<addrinfo>,
    timeout: Int32
  ) throws(SystemError) {
    let number = descriptor.rawValue
    // Not repeated on EINTR: connecting continues, as with EINPROGRESS.
    if unsafe Glibc.connect(number, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 {
      return
    }
    let code = Errno.current
    guard code == .inProgress || code == .interrupted else {
      throw SystemError(code, "connect to", descriptor.name)
    }
    var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    let answered = try SystemCall.run("connect to", descriptor.name) {
      unsafe poll(&wait, 1, timeout)
    }
    guard answered > 0 else { throw SystemError(.timedOut, "connect to", descriptor.name) }
    let result = Errno(rawValue: try descriptor.option(SOL_SOCKET, SO_ERROR))
    guard result.rawValue == 0 else { throw SystemError(result, "connect to", descriptor.name) }
  }
}

extension FileDescriptor {
  /// Sends each packet when it is written. Nagle's algorithm would hold back an answer until the
  /// last one is acknowledged.
  borrowing func sendSmallPacketsAtOnce() {
    // If this fails, answers are only late.
    try? setOption(IPPROTO_TCP, TCP_NODELAY, 1)
  }

  borrowing func setOption<Level: BinaryInteger>(
    _ level: Level, _ option: CInt, _ value: CInt
  ) throws(SystemError) {
    let number = rawValue
    var value = value
    try SystemCall.run("configure", name) {
      unsafe setsockopt(
        number, CInt(level), option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
  }

  /// The number of the user on the other side of a UNIX socket: the effective user when a listener
  /// began to listen, or a client connected; SO_PEERCRED of unix(7).
  public borrowing func peerUser() throws(SystemError) -> UInt32 {
    let number = rawValue
    // The process, the user and the group.
    var credentials: [UInt32] = [0, .max, .max]
    var size = socklen_t(credentials.count * MemoryLayout<UInt32>.size)
    try SystemCall.run("ask about", name) {
      unsafe getsockopt(number, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    }
    return credentials[1]
  }

  borrowing func option(_ level: CInt, _ option: CInt) throws(SystemError) -> CInt {
    let number = rawValue
    var value: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    try SystemCall.run("ask about", name) {
      unsafe getsockopt(number, level, option, &value, &size)
    }
    return value
  }
}
