import BluetoothHost

/// An address of a host that needs no lookup.
package struct TCPAddress {
  /// The bytes in network order: the first 4 or all 16.
  var bytes = InlineArray<16, UInt8>(repeating: 0)
  /// 4 for IPv4, 16 for IPv6.
  var length: Int32
  /// The number of the interface that an IPv6 address is valid on; 0 for all.
  var scope: UInt32 = 0

  /// The address number `index` of `host`: localhost and "" are 127.0.0.1, then ::1; for listening,
  /// "_" is all IPv4 addresses, then all IPv6 addresses. `nil` if there is none, or if the host is
  /// a name.
  package init?(_ host: InlineCString<256>, _ index: Int, toListen: Bool) {
    let isLoopback = host.count == 0 || host.span.equals("localhost")
    if isLoopback || toListen && host.span.equals("_") {
      guard index < 2 else { return nil }
      length = index == 0 ? 4 : 16
      guard isLoopback else { return }
      if index == 0 { bytes[0] = 127 }
      bytes[index == 0 ? 3 : 15] = 1
      return
    }
    guard index == 0 else { return nil }
    var space = InlineArray<16, UInt8>(repeating: 0)
    var span = space.mutableSpan
    var scope: UInt32 = 0
    length = unsafe span.withUnsafeMutableBufferPointer { target in
      unsafe host.withPointer { unsafe clinux_parse_address($0, target.baseAddress, &scope) }
    }
    self.scope = scope
    bytes = space
    guard length > 0 else { return nil }
  }

  /// Begins to connect to a port.
  ///
  /// - Returns: The descriptor, or a negated errno; and whether the connection is still pending.
  package func connect(to port: UInt16) -> (result: Int32, isPending: Bool) {
    var isPending: Int32 = 0
    let (length, scope) = (self.length, self.scope)
    let result = unsafe bytes.span.withUnsafeBufferPointer {
      unsafe clinux_connect_tcp($0.baseAddress, length, scope, port, &isPending)
    }
    return (result, isPending != 0)
  }

  /// Listens on a port of a host: at its first address that this machine has. For port 0 the kernel
  /// chooses one.
  package static func listen(
    on port: UInt16, of host: InlineCString<256>
  ) throws(SystemCallError) -> PortDescriptor {
    var code = ErrorNumber.invalidArgument
    var index = 0
    while let address = TCPAddress(host, index, toListen: true) {
      let result = address.listen(on: port)
      if result >= 0 { return PortDescriptor(owning: result) }
      code = ErrorNumber(result)
      // The next address is for a machine without this family, not for a taken port.
      if code == .addressInUse || code == .accessDenied { break }
      index += 1
    }
    throw SystemCallError(code: code, operation: .listen)
  }

  private func listen(on port: UInt16) -> Int32 {
    let (length, scope) = (self.length, self.scope)
    return unsafe bytes.span.withUnsafeBufferPointer {
      unsafe clinux_listen_tcp($0.baseAddress, length, scope, port)
    }
  }
}
