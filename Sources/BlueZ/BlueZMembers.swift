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

  // MARK: Of the central alone

  /// `a{sv}`: which devices discovery is for.
  static var setDiscoveryFilter: DBusMember {
    DBusMember("org.bluez.Adapter1", "SetDiscoveryFilter")
  }
  static var startDiscovery: DBusMember { DBusMember("org.bluez.Adapter1", "StartDiscovery") }
  static var stopDiscovery: DBusMember { DBusMember("org.bluez.Adapter1", "StopDiscovery") }
  /// Connects; replies when that is done.
  static var connectDevice: DBusMember { DBusMember("org.bluez.Device1", "Connect") }
  /// `os`: the agent that bluetoothd asks when this program pairs.
  static var registerAgent: DBusMember { DBusMember("org.bluez.AgentManager1", "RegisterAgent") }
  /// Pairs; replies when that is done.
  static var pairDevice: DBusMember { DBusMember("org.bluez.Device1", "Pair") }
  static var startNotify: DBusMember { DBusMember("org.bluez.GattCharacteristic1", "StartNotify") }
  static var stopNotify: DBusMember { DBusMember("org.bluez.GattCharacteristic1", "StopNotify") }
}
