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
