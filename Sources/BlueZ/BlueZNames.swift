import BluetoothHost
import Linux

/// The path of an object of bluetoothd or of this program.
package typealias ObjectPath = InlineCString<80>

// The methods of bluetoothd and of its clients' objects: the manual pages org.bluez.*(5).
extension DBusMember {
  /// `oa{sv}`: takes the objects below a path of this program as services.
  static var registerApplication: DBusMember {
    DBusMember("org.bluez.GattManager1", "RegisterApplication")
  }
  /// `o`.
  static var unregisterApplication: DBusMember {
    DBusMember("org.bluez.GattManager1", "UnregisterApplication")
  }
  /// `oa{sv}`.
  static var registerAdvertisement: DBusMember {
    DBusMember("org.bluez.LEAdvertisingManager1", "RegisterAdvertisement")
  }
  /// `o`.
  static var unregisterAdvertisement: DBusMember {
    DBusMember("org.bluez.LEAdvertisingManager1", "UnregisterAdvertisement")
  }
  /// bluetoothd has ended an advertisement.
  static var releaseAdvertisement: DBusMember {
    DBusMember("org.bluez.LEAdvertisement1", "Release")
  }
  /// Ends all connections to a device.
  static var disconnectDevice: DBusMember { DBusMember("org.bluez.Device1", "Disconnect") }
  /// `a{sv}` to `ay`.
  static var readCharacteristic: DBusMember {
    DBusMember("org.bluez.GattCharacteristic1", "ReadValue")
  }
  /// `aya{sv}`.
  static var writeCharacteristic: DBusMember {
    DBusMember("org.bluez.GattCharacteristic1", "WriteValue")
  }
  /// `a{sv}` to `hq`: a socket for notifications, and the longest.
  static var acquireNotify: DBusMember {
    DBusMember("org.bluez.GattCharacteristic1", "AcquireNotify")
  }
  /// A central has confirmed an indication.
  static var confirm: DBusMember { DBusMember("org.bluez.GattCharacteristic1", "Confirm") }
  /// `a{sv}` to `ay`.
  static var readDescriptor: DBusMember { DBusMember("org.bluez.GattDescriptor1", "ReadValue") }
  /// `aya{sv}`.
  static var writeDescriptor: DBusMember { DBusMember("org.bluez.GattDescriptor1", "WriteValue") }
}

extension ObjectPath {
  /// The path that `body` writes, of at most 79 bytes.
  package init(_ body: (inout ByteWriter) -> Void) {
    self.init()
    var text = ByteBuffer<79>()
    text.write(body)
    _ = assign(text.span)
  }

  /// The adapter hciN: `/org/bluez/hciN`.
  package init(adapter number: UInt16) {
    self.init {
      $0.write(text: "/org/bluez/hci")
      $0.write(decimal: UInt32(number))
    }
  }

  /// A device of an adapter: `/org/bluez/hciN/dev_XX_XX_XX_XX_XX_XX`.
  package init(adapter number: UInt16, device bytes: InlineArray<6, UInt8>) {
    self.init {
      $0.write(text: "/org/bluez/hci")
      $0.write(decimal: UInt32(number))
      $0.write(text: "/dev")
      for index in 0..<6 {
        $0.write(UInt8(ascii: "_"))
        $0.write(hexadecimal: bytes[5 &- index])
      }
    }
  }
}

extension Span<UInt8> {
  /// The address of the device at this path, which begins with that of an adapter; `nil` for another path.
  package func deviceAddress(below adapter: Span<UInt8>) -> InlineArray<6, UInt8>? {
    guard count == adapter.count &+ 22, extracting(first: adapter.count).hasSameBytes(as: adapter)
    else { return nil }
    let name = extracting(droppingFirst: adapter.count)
    guard name.begins(with: "/dev_") else { return nil }
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    for index in 0..<6 {
      let start = 5 &+ index &* 3
      guard let high = name[start].hexadecimalValue, let low = name[start &+ 1].hexadecimalValue,
        index == 5 || name[start &+ 2] == UInt8(ascii: "_")
      else { return nil }
      bytes[5 &- index] = high &<< 4 | low
    }
    return bytes
  }
}
