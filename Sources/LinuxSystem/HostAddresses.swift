import Glibc

/// The addresses of a host and port: getaddrinfo(3).
@safe
package struct HostAddresses: ~Copyable {
  /// The first of a linked list, which lives as long as this value.
  let first: UnsafeMutablePointer<addrinfo>?

  /// - Parameter host: A name or an IPv4 or IPv6 address; "" for this machine's loopback; "_", when
  ///   listening, for all of its addresses.
  /// - Throws: `addressNotAvailable` with the resolver's message.
  package init(host: String, port: UInt16, toListen: Bool) throws(SystemError) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    let isWildcard = toListen && host == "_"
    unsafe hints.ai_flags = AI_NUMERICSERV | (isWildcard ? AI_PASSIVE : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let node = isWildcard || host.isEmpty ? nil : host
    let result = unsafe getaddrinfo(node, String(port), &hints, &list)
    guard result == 0 else {
      let words = unsafe gai_strerror(result).map { unsafe String(cString: $0) }
      throw SystemError(
        .addressNotAvailable, "find the host", tcpName(host: host, port: port),
        explanation: words)
    }
    unsafe first = list
  }

  /// The addresses in numbers, each once.
  package var numeric: [String] {
    var found: [String] = []
    var next = unsafe first
    while let address = unsafe next {
      unsafe next = address.pointee.ai_next
      // An IPv6 address with a zone is 46 bytes and the name of an interface.
      var text = [CChar](repeating: 0, count: 128)
      let result = unsafe getnameinfo(
        address.pointee.ai_addr, address.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
        NI_NUMERICHOST)
      guard result == 0 else { continue }
      let name = String(
        decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if !found.contains(name) { found.append(name) }
    }
    return found
  }

  deinit {
    if let first = unsafe first { unsafe freeaddrinfo(first) }
  }
}

/// Whether `host` is a name and not an address, so that its lookup may take long.
package func mustBeLookedUp(host: String) -> Bool {
  if host.isEmpty || host == "_" { return false }
  var hints = unsafe addrinfo()
  unsafe hints.ai_flags = AI_NUMERICHOST
  var list: UnsafeMutablePointer<addrinfo>?
  let result = unsafe getaddrinfo(host, nil, &hints, &list)
  if let list = unsafe list { unsafe freeaddrinfo(list) }
  return result != 0
}

/// The name of an end of a TCP connection in messages: "localhost:9000", "[::1]:9000".
package func tcpName(host: String, port: UInt16) -> String {
  if host.isEmpty { return "localhost:\(port)" }
  return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
}
