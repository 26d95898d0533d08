import BluetoothHost

/// A battery that notifies one central of its charge.
struct Battery: GATTApplication, ~Copyable {
  /// The service Battery with one characteristic, Battery Level.
  static var service: some GATTDeclaration {
    Service(BluetoothUUID(0x180F)) {
      Characteristic(BluetoothUUID(0x2A19), .read | .notify, value: .application(.charge))
    }
  }

  private var charge: UInt8 = 100
  private var isChanged = false

  mutating func drain(to charge: UInt8) {
    self.charge = charge
    isChanged = true
  }

  // A central reads the charge, and may not write it.

  mutating func read(
    _ attribute: ApplicationAttribute, at connectionIndex: Int, from offset: Int,
    into value: inout ByteWriter
  ) throws(GATTRefusal) {
    value.write(charge)
  }

  mutating func write(
    _ value: Span<UInt8>, to attribute: ApplicationAttribute, at connectionIndex: Int
  ) throws(GATTRefusal) {
    throw .error(.writeNotPermitted)
  }

  // Notifications: the host asks for one when it can send.

  func pendingUpdate(at connectionIndex: Int) -> ApplicationAttribute? { isChanged ? .charge : nil }

  mutating func writeUpdate(
    of attribute: ApplicationAttribute, at connectionIndex: Int, into value: inout ByteWriter
  ) {
    value.write(charge)
    isChanged = false
  }
}

extension ApplicationAttribute {
  static let charge = ApplicationAttribute(rawValue: 0)
}

/// The battery with its whole host: one central at a time, and room for four attributes.
typealias BatteryHost = Peripheral<1, GATTDatabase<4>, Battery>
