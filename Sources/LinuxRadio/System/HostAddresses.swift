import Glibc
import Linux

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
