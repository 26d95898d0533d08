import BluetoothHost
import Linux

extension BlueZRadio: SharedRadio {}

#if hasFeature(Embedded)
  /// How a program opens radios that another program drives: in a program without a heap, bluetoothd's are the only ones.
  package struct RadioSharing {
    /// An open radio.
    package typealias Radio = BlueZRadio

    /// Adapters that bluetoothd drives.
    package static var bluez: RadioSharing { RadioSharing() }

    /// Begins to open the radio of the adapter with this number, as in hciN.
    func open(_ adapter: UInt16, _ now: Instant) throws(SystemCallError) -> BlueZRadio {
      try BlueZRadio(adapter: adapter, at: now)
    }
  }
#else
  extension RadioSharing {
    /// Adapters that bluetoothd drives.
    package static var bluez: RadioSharing {
      RadioSharing { adapter, now throws(SystemCallError) in
        try BlueZRadio(adapter: adapter, at: now)
      }
    }
  }
#endif
