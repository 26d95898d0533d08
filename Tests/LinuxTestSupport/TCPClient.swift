import Glibc
import Linux
import LinuxRadio

extension StreamSocket {
  /// Connects to a port of this machine, for a test of a program that listens there. Blocks until the
  /// kernel has made the connection.
  package static func connect(host: String, port: UInt16) throws(SystemError) -> FileDescriptor {
    let name = tcpName(host: host, port: port)
    guard let address = TCPAddress(InlineCString(host), 0, toListen: false) else {
      throw SystemError(.addressNotAvailable, "connect to", name)
    }
    let (result, isPending) = address.connect(to: port)
    guard result >= 0 else { throw SystemError(ErrorNumber(result), "connect to", name) }
    let connection = FileDescriptor(owning: result, name: name)
    if isPending {
      var wait = pollfd(fd: result, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&wait, 1, -1)
    }
    let code = clinux_connection_error(result)
    guard code == 0 else { throw SystemError(ErrorNumber(rawValue: code), "connect to", name) }
    return connection
  }
}
