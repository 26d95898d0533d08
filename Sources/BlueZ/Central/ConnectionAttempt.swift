import BluetoothHost
import Linux

/// A connection that bluetoothd is making for the host.
struct ConnectionAttempt {
  enum Phase: Equatable {
    case none
    /// Reads bluetoothd's objects, for the device and its attributes.
    case readingObjects
    /// Asks bluetoothd whether it is disconnecting the connected device.
    case probing
    /// The same for a device whose values all have notifications: bluetoothd cannot be asked, so the attempt waits.
    case watching
    /// bluetoothd is still disconnecting the device.
    case waiting
    /// bluetoothd does not know the device, and discovers.
    case searching
    case connecting
    /// bluetoothd is pairing with the connected device.
    case pairing
    /// The device is connected, and bluetoothd finds its attributes.
    case resolving
  }

  /// How long a device remains connected that bluetoothd is disconnecting, in milliseconds: 2 s, and a second more on a
  /// busy machine.
  static var disconnectionTime: UInt32 { 4_000 }

  var phase = Phase.none
  var peer = DeviceAddress.zero
  /// The device; empty while bluetoothd does not know it.
  var path = ObjectPath()
  /// Whether bluetoothd has connected the device for this program.
  var hasConnected = false
  /// Whether bluetoothd was asked to pair with the device.
  var hasPaired = false
  /// Whether another program has connected the device.
  var isShared = false
  /// Whether the device is known to stay connected: bluetoothd is not disconnecting it.
  var stays = false
  /// When the attempt fails; `nil` while another limit applies.
  var deadline: Instant?

  /// Whether there is an attempt.
  var isActive: Bool { phase != .none }
}
