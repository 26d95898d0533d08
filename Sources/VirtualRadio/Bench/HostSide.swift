import BluetoothHost

/// The host's side of HCI: a `Host`, or a type that contains one.
///
/// `Host` conforms. A type of your own conforms if it adds something to a host, such as a task that
/// is due at a time. Packets are whole and begin with H4's type byte.
public protocol HostSide: ~Copyable {
  /// Takes a packet from the controller.
  mutating func receive(_ packet: Span<UInt8>, at now: Instant)

  /// Writes the next packet for the controller; `false` if there is none now.
  mutating func nextPacket(into writer: inout ByteWriter, at now: Instant) -> Bool

  /// When `advance(to:)` has to be called next; `nil` if only a packet brings work.
  var deadline: Instant? { mutating get }

  /// Lets time pass.
  mutating func advance(to now: Instant)
}

extension Host: HostSide
where Server: ~Copyable, Client: ~Copyable, Security: ~Copyable, Channels: ~Copyable {}
