import Glibc
import Linux

/// A listening socket. Its address is released when it is destroyed.
public struct StreamListener: ~Copyable, Sendable {
  // One of the two.
  private let unix: UnixListener?
  private let tcp: PortDescriptor?
  /// Its name in error messages: the path, or the host and port.
  public let name: String

  /// Listens on a UNIX socket at `path`, which only this user can connect to (mode 0600). From its
  /// first moment at the path it can be connected to.
  ///
  /// Replaces a socket that this program left there when it was killed.
  ///
  /// - Throws: `addressInUse` if a program listens there; `fileExists` if this program did not
  ///   create the file for this user.
  public init(path: String) throws(SystemError) {
    ignoreBrokenPipes()
    do throws(SystemCallError) {
      unix = try UnixListener(InlineCString(path), replacesAll: false)
      tcp = nil
      name = path
    } catch {
      throw SystemError(error, of: path)
    }
  }

  /// Listens on `port` of `host`, a name or an address of this machine: "" means its loopback, "_"
  /// all of its addresses. For port 0 the kernel chooses one: see `port`.
  ///
  /// A name is looked up, which may block for long.
  public init(host: String, port: UInt16) throws(SystemError) {
    ignoreBrokenPipes()
    let name = tcpName(host: host, port: port)
    var failure = SystemCallError(code: .addressNotAvailable, operation: .listen)
    for address in try HostAddresses.numeric(host: host, port: port) {
      do throws(SystemCallError) {
        tcp = try TCPAddress.listen(on: port, of: InlineCString(address))
        unix = nil
        self.name = name
        return
      } catch {
        failure = error
      }
    }
    throw SystemError(failure, of: name)
  }

  /// The kernel's number of the listening socket, which is readable when a connection waits.
  public var rawValue: Int32 {
    switch unix {
    case nil: break
    case let unix?: return unix.descriptor.number
    }
    switch tcp {
    case nil: return -1
    case let tcp?: return tcp.number
    }
  }

  /// The next connection, which is nonblocking; `nil` if none waits.
  public borrowing func accept() throws(SystemError) -> FileDescriptor? {
    let number = clinux_accept(rawValue)
    if number >= 0 { return FileDescriptor(owning: number, name: name) }
    let code = ErrorNumber(number)
    guard code != .wouldBlock else { return nil }
    throw SystemError(code, "accept a connection on", name)
  }

  /// The TCP port listened on; 0 for a UNIX socket.
  public var port: UInt16 {
    if unix != nil { return 0 }
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = rawValue
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
    do throws(SystemCallError) {
      return FileDescriptor(
        try UnixSocket.connect(InlineCString(path), trusting: user), name: path)
    } catch {
      throw SystemError(error, of: path)
    }
  }
}

/// The addresses of hosts: getaddrinfo(3).
package enum HostAddresses {
  /// The addresses of a host in numbers, each once; IPv4 first, since some peers try only that. A host
  /// that needs no lookup is its only address.
  ///
  /// - Parameter host: A name or an IPv4 or IPv6 address; "" for this machine's loopback; "_", when
  ///   listening, for all of its addresses.
  /// - Throws: `addressNotAvailable` with the resolver's message.
  package static func numeric(host: String, port: UInt16) throws(SystemError) -> [String] {
    guard mustBeLookedUp(host: host) else { return [host] }
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = unsafe getaddrinfo(host, nil, &hints, &list)
    guard result == 0 else {
      let words = unsafe gai_strerror(result).map { unsafe String(cString: $0) }
      throw SystemError(
        .addressNotAvailable, "find the host", tcpName(host: host, port: port),
        explanation: words)
    }
    defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
    var (four, six): ([String], [String]) = ([], [])
    var next = unsafe list
    while let address = unsafe next {
      unsafe next = address.pointee.ai_next
      guard let text = unsafe number(of: address) else { continue }
      if unsafe address.pointee.ai_family == AF_INET {
        if !four.contains(text) { four.append(text) }
      } else if !six.contains(text) {
        six.append(text)
      }
    }
    return four + six
  }

  private static func number(of address: UnsafeMutablePointer<addrinfo>) -> String? {
    // An IPv6 address with a zone is 46 bytes and the name of an interface.
    var text = [CChar](repeating: 0, count: 128)
    let result = unsafe getnameinfo(
      address.pointee.ai_addr, address.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
      NI_NUMERICHOST)
    guard result == 0 else { return nil }
    let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "%")
    // A zone has a number, too.
    guard parts.count == 2 else { return parts.first.map(String.init) }
    return "\(parts[0])%\(unsafe if_nametoindex(String(parts[1])))"
  }
}

/// Whether `host` is a name and not an address, so that its lookup may take long.
package func mustBeLookedUp(host: String) -> Bool {
  TCPAddress(InlineCString(host), 0, toListen: true) == nil
}

/// The name of an end of a TCP connection in messages: "localhost:9000", "[::1]:9000".
package func tcpName(host: String, port: UInt16) -> String {
  if host.isEmpty { return "localhost:\(port)" }
  return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
}
