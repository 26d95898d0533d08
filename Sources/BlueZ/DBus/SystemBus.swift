import BluetoothHost
import Linux

/// Where the system's message bus is.
package enum SystemBus {
  /// The path of its socket: that of DBUS_SYSTEM_BUS_ADDRESS, or the usual one; `nil` if the address has
  /// another form than `unix:path=`. D-Bus Specification, "Server Addresses".
  static func path(_ address: ProgramText?) -> InlineCString<256>? {
    var path = InlineCString<256>()
    guard let address else {
      return path.assign(ProgramText("/run/dbus/system_bus_socket").span) ? path : nil
    }
    let text = address.span
    let form: StaticString = "unix:path="
    guard text.begins(with: form) else { return nil }
    let rest = text.extracting(droppingFirst: form.utf8CodeUnitCount)
    var count = 0
    while count < rest.count, rest[count] != UInt8(ascii: ","), rest[count] != UInt8(ascii: ";") {
      count &+= 1
    }
    return count > 0 && path.assign(rest.extracting(first: count)) ? path : nil
  }

  /// Connects to it. The descriptor does not block.
  ///
  /// - Throws: `noSuchFile` or `connectionRefused` if it does not run; `invalidArgument` if its address has
  ///   another form.
  package static func connect() throws(SystemCallError) -> PortDescriptor {
    guard let path = path(ProgramText(environment: "DBUS_SYSTEM_BUS_ADDRESS")) else {
      throw SystemCallError(code: .invalidArgument, operation: .connect)
    }
    let result = unsafe path.withPointer { unsafe clinux_connect_unix($0) }
    guard result >= 0 else { throw SystemCallError(code: ErrorNumber(result), operation: .connect) }
    return PortDescriptor(owning: result)
  }
}
