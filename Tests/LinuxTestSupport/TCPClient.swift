import Glibc
import Linux
import LinuxRadio

extension StreamSocket {
  /// Connects to a port of this machine, for a test of a program that listens there. Blocks until the
  /// connection can be accepted: the kernel makes the client's end of it before the listener's.
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
    while !isAccepted(by: port, connection) { sched_yield() }
    return connection
  }

  /// Whether the listener's end of a client's connection is established: proc(5), /proc/net/tcp. Its columns are the
  /// same for IPv6.
  private static func isAccepted(by port: UInt16, _ client: borrowing FileDescriptor) -> Bool {
    var own = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = client.rawValue
    _ = unsafe withUnsafeMutablePointer(to: &own) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(number, $0, &size)
      }
    }
    let (near, far) = (hexadecimal(port), hexadecimal(UInt16(bigEndian: own.sin_port)))
    return ["/proc/net/tcp", "/proc/net/tcp6"].contains { path in
      let table = (try? Files.bytes(of: path, limit: 1 << 20)) ?? []
      let lines = String(decoding: table, as: UTF8.self).split(separator: "\n")
      return lines.contains { line in
        let fields = line.split(separator: " ").prefix(4)
        return fields.count == 4 && fields[1].hasSuffix(":" + near)
          && fields[2].hasSuffix(":" + far) && fields[3] == "01"
      }
    }
  }

  private static func hexadecimal(_ port: UInt16) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
