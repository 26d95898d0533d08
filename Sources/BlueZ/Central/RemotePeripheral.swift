import BluetoothHost
import Linux

/// A peripheral that bluetoothd has connected, on a virtual link: its ATT server for the host's client.
package struct RemotePeripheral: ~Copyable {
  private let pin = Pinned()
  /// Whether there is a link.
  package private(set) var isOpen = false
  /// The device.
  package private(set) var path = ObjectPath()
  /// Distinguishes the peripheral from earlier ones with this index.
  package private(set) var generation: UInt32 = 0
  /// Whether another program connected it, so that it stays connected.
  package private(set) var isShared = false
  /// When its attributes are read again, after they have changed; `nil` if they have not.
  package var refreshTime: Instant?
  private var server = GATTServer<1, RemoteDatabase, RemoteApplication>(
    database: RemoteDatabase(), application: RemoteApplication())
  private var connection = Connection(index: 0)

  /// No peripheral.
  package init() {}

  /// The attributes, to be filled before the link is opened, or after they have changed.
  package mutating func fill(_ body: (inout RemoteDatabase) -> Void) {
    server.database.removeAll()
    body(&server.database)
    server.database.link()
  }

  /// The virtual link is open.
  package mutating func open(
    _ handle: ConnectionHandle, _ peer: DeviceAddress, at path: ObjectPath, isShared: Bool
  ) {
    self.path = path
    self.isShared = isShared
    generation &+= 1
    isOpen = true
    let mtu = server.database.mtu.flatMap { ATTMTU(Int($0)) } ?? .maximum
    server.configure(
      HostConfiguration(
        name: DeviceName(StaticText("Peripheral")), service: nil, address: .public, mtu: mtu))
    connection.open(.virtual(handle, .peripheral, peer))
    server.opened(connection, peer: peer)
  }

  /// The link has ended.
  package mutating func close() {
    guard isOpen else { return }
    isOpen = false
    refreshTime = nil
    server.closed(connection, reason: .remoteUserTerminatedConnection)
    server.application = RemoteApplication()
    server.database.removeAll()
  }

  /// Takes a PDU of the host's client. Call `takeOperation` and `writePacket` then.
  package mutating func receive(_ pdu: Span<UInt8>) {
    server.application.isCommand = pdu.count > 0 && pdu[0] == ATTOpcode.writeCommand.rawValue
    server.receive(pdu, on: &connection)
  }

  /// The operation that bluetoothd is to do now; `nil` for none.
  package mutating func takeOperation() -> RemoteApplication.Operation? {
    server.application.takeOperation()
  }

  /// The operation under way; `nil` for none.
  package var called: RemoteApplication.Operation? { server.application.called }

  /// Calls `body` with the value to write.
  package borrowing func withValue(_ body: (Span<UInt8>) -> Void) {
    server.application.withValue(body)
  }

  /// bluetoothd has done the operation. Call `takeOperation` and `writePacket` then.
  package mutating func answer(_ error: ATTErrorCode?, value: Span<UInt8>) {
    server.application.answer(error, value: value)
    server.resume(&connection)
    server.application.endRequest()
  }

  /// Writes the next packet for the host; `false` if there is none.
  package mutating func writePacket(at now: Instant, to writer: inout ByteWriter) -> Bool {
    guard server.hasPacket(for: connection) else { return false }
    return server.writePacket(for: &connection, length: 521, at: now, to: &writer)
  }

  /// The properties of the value at `handle`; none if there is no such characteristic.
  package borrowing func properties(at handle: UInt16) -> GATTProperties {
    server.database.attribute(at: handle)?.properties ?? GATTProperties(rawValue: 0)
  }

  /// Whether the attribute at `handle` is a Client Characteristic Configuration.
  package borrowing func isConfiguration(at handle: UInt16) -> Bool {
    server.database.attribute(at: handle)?.type == .clientCharacteristicConfiguration
  }

  /// Where the value or the descriptor at `handle` is; `nil` for any other attribute.
  package borrowing func place(of handle: UInt16) -> AttributePlace? {
    server.database.place(of: handle)
  }
}
